//! Figures that were published, and whether ours agree with them. The figures are data in `scenarios/published.toml`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::normal::normal_handle;
use crate::record::{Arm, Record};
use crate::stats::Spread;

/// A share by which a figure may differ and still agree.
const SHARE: f64 = 0.02;
/// Tokens by which a figure may differ and still agree.
const TOKENS: f64 = 3.0;

/// What of a column is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// The only figure that the column has.
    Tokens,
    /// The whole delivered text, with the normal handle.
    After,
    /// The view text alone.
    View,
}

/// One published figure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The scenario whose page is of that kind.
    pub scenario: String,
    /// `raw`, `playwright` or a variant.
    pub column: String,
    /// What of it.
    pub of: Of,
    /// The figure, in o200k tokens.
    pub tokens: u32,
    /// Major version of the Chrome that it was measured on.
    pub chrome: u32,
    /// Why ours is meant to differ, where it is.
    pub ours_differs: Option<String>,
}

/// All published figures.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// In the order of the file.
    #[serde(default)]
    pub figure: Vec<Figure>,
}

/// Why the published figures could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// The file.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What is in it.
    #[error("{}: {source}", path.display())]
    Toml {
        /// Which.
        path: PathBuf,
        /// Why.
        source: Box<toml::de::Error>,
    },
}

/// A figure beside ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison<'a> {
    /// The published one.
    pub figure: &'a Figure,
    /// Ours; `None` where it was not measured.
    pub ours: Option<Spread>,
    /// What is to be said of it.
    pub verdict: String,
}

impl Published {
    /// Reads `scenarios/published.toml` under `root`.
    ///
    /// # Errors
    /// When the file is not there or is wrong.
    pub fn read(root: &Path) -> Result<Published, PublishedError> {
        let path = root.join("scenarios").join("published.toml");
        match std::fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|source| PublishedError::Toml {
                path,
                source: Box::new(source),
            }),
            Err(source) => Err(PublishedError::File { path, source }),
        }
    }

    /// Each figure of a scenario that was measured, beside ours.
    pub fn compare<'a>(&'a self, records: &[Record]) -> Vec<Comparison<'a>> {
        self.figure
            .iter()
            .filter_map(|figure| {
                let record = records.iter().find(|record| record.scenario == figure.scenario)?;
                let ours = ours(figure, record);
                let verdict = verdict(figure, ours.as_ref(), record);
                Some(Comparison { figure, ours, verdict })
            })
            .collect()
    }
}

fn ours(figure: &Figure, record: &Record) -> Option<Spread> {
    let metric = match figure.of {
        Of::Tokens => "tokens",
        Of::After => "normal",
        Of::View => "view",
    };
    let samples = match figure.column.as_str() {
        "raw" => record.figures(Arm::Raw, "-", metric),
        "playwright" => record.figures(Arm::Playwright, "-", metric),
        variant => record.figures(Arm::Ours, variant, metric),
    };
    Spread::of(&samples)
}

fn verdict(figure: &Figure, ours: Option<&Spread>, record: &Record) -> String {
    let Some(ours) = ours else {
        return "not measured".to_owned();
    };
    let off = ours.median - f64::from(figure.tokens);
    let allowed = TOKENS.max(f64::from(figure.tokens) * SHARE);
    if off.abs() <= allowed {
        return "agrees".to_owned();
    }
    // The published text held a handle that nobody knows: it may have cost more than the normal one, or less.
    let normal = normal_handle();
    let handle = if off < 0.0 {
        normal.five_above
    } else {
        normal.five_below
    };
    if figure.of == Of::After && off.abs() <= allowed + handle as f64 {
        return format!(
            "agrees, handle aside: {:.0} off, of which a handle may be {handle}",
            off.abs()
        );
    }
    if figure.column == "raw" && record.chrome_major() != figure.chrome {
        return format!(
            "differs: Chrome {} wrote this JSON, not Chrome {}; see below",
            record.chrome_major(),
            figure.chrome
        );
    }
    match &figure.ours_differs {
        Some(why) => format!("differs: {why}"),
        None => "differs".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::Row;

    fn figure(column: &str, of: Of, tokens: u32) -> Figure {
        Figure {
            scenario: "s".to_owned(),
            column: column.to_owned(),
            of,
            tokens,
            chrome: 151,
            ours_differs: None,
        }
    }

    fn record(rows: &[(Arm, &str, &str, &str)]) -> Record {
        Record {
            scenario: "s".to_owned(),
            facts: vec![("chrome".to_owned(), "156.0.0.1".to_owned())],
            rows: rows
                .iter()
                .map(|(arm, variant, metric, value)| Row {
                    arm: *arm,
                    variant: (*variant).to_owned(),
                    run: 1,
                    metric: (*metric).to_owned(),
                    value: (*value).to_owned(),
                })
                .collect(),
        }
    }

    fn verdicts(figures: Vec<Figure>, rows: &[(Arm, &str, &str, &str)]) -> Vec<String> {
        Published { figure: figures }
            .compare(&[record(rows)])
            .into_iter()
            .map(|one| one.verdict)
            .collect()
    }

    #[test]
    fn two_per_cent_or_three_tokens_agree_and_no_more() {
        let figures = |tokens| vec![figure("full", Of::After, tokens)];
        let at = |tokens, ours: &str| verdicts(figures(tokens), &[(Arm::Ours, "full", "normal", ours)]).remove(0);
        assert_eq!(at(10_000, "10200"), "agrees");
        assert_eq!(at(10_000, "10300"), "differs");
        assert_eq!(at(90, "93"), "agrees");
        assert_eq!(at(90, "87"), "agrees");
        let normal = normal_handle();
        let (below, above) = (normal.five_below, normal.five_above);
        assert!(at(90, &(93 + below).to_string()).starts_with("agrees, handle aside"));
        assert_eq!(at(90, &(94 + below).to_string()), "differs");
        assert!(at(90, &(87 - above).to_string()).starts_with("agrees, handle aside"));
        assert_eq!(at(90, &(86 - above).to_string()), "differs");
        let views = vec![figure("full", Of::View, 90)];
        assert_eq!(verdicts(views, &[(Arm::Ours, "full", "view", "94")]), ["differs"]);
    }

    #[test]
    fn a_meant_difference_says_why() {
        let figures = vec![Figure {
            ours_differs: Some("a header row".to_owned()),
            ..figure("full", Of::View, 90)
        }];
        assert_eq!(
            verdicts(figures, &[(Arm::Ours, "full", "view", "140")]),
            ["differs: a header row"]
        );
    }

    #[test]
    fn only_the_raw_tree_is_explained_by_chrome() {
        let found = verdicts(
            vec![
                figure("raw", Of::Tokens, 1000),
                figure("playwright", Of::Tokens, 100),
                figure("full", Of::View, 100),
            ],
            &[(Arm::Raw, "-", "tokens", "800"), (Arm::Ours, "full", "view", "50")],
        );
        assert!(found[0].starts_with("differs: Chrome 156"), "{found:?}");
        assert_eq!(found[1..], ["not measured", "differs"]);
    }

    #[test]
    fn the_published_figures_of_the_repository_can_be_read_and_name_columns_that_there_are() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let published = Published::read(&root).unwrap();
        let scenarios = crate::scenario::load_all(&root, crate::scenario::Kind::Bench).unwrap();
        for figure in &published.figure {
            let scenario = scenarios.iter().find(|one| one.name == figure.scenario).unwrap();
            let known = matches!(figure.column.as_str(), "raw" | "playwright")
                || scenario.variants.iter().any(|variant| variant.name == figure.column);
            assert!(known, "{figure:?}");
        }
    }
}
