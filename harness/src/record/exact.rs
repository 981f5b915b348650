//! `reports/exact.txt`: the figures that must be the same on every machine with the same Chrome, one a line, so that a change of
//! one is a line in review. These are the views; nothing that holds a handle, a time or Chrome's own JSON is among them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::record::rows::{Arm, Record, major};
use crate::stats::Spread;

/// The exact figures of all scenarios.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exact {
    /// By scenario: the Chrome's major version, and by key the figure as text.
    scenarios: BTreeMap<String, (u32, BTreeMap<String, String>)>,
}

/// A figure that is not what was committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Scenario and figure.
    pub figure: String,
    /// What was committed; `-` for none.
    pub committed: String,
    /// What it is now; `-` for none.
    pub now: String,
}

impl Exact {
    /// Out of records. A figure that differed between the runs is written as its range, and compared as such.
    pub fn of(records: &[Record]) -> Exact {
        let mut scenarios = BTreeMap::new();
        for record in records {
            let mut figures = BTreeMap::new();
            for variant in record.variants() {
                if let Some(spread) = Spread::of(&record.figures(Arm::Ours, variant, "view")) {
                    let text = if spread.is_exact() {
                        format!("{}", spread.median)
                    } else {
                        format!("{}-{}", spread.min, spread.max)
                    };
                    figures.insert(format!("{variant} view"), text);
                }
            }
            scenarios.insert(record.scenario.clone(), (record.chrome_major(), figures));
        }
        Exact { scenarios }
    }

    /// As the file has it.
    pub fn to_text(&self) -> String {
        let mut text = String::from(
            "# written by `cargo xtask bench`: o200k tokens of our views, which must not differ on the same Chrome\n",
        );
        for (scenario, (chrome, figures)) in &self.scenarios {
            let _ = writeln!(text, "{scenario} chrome {chrome}");
            for (figure, value) in figures {
                let _ = writeln!(text, "{scenario} {figure} {value}");
            }
        }
        text
    }

    /// From the text of a file; a line that is none of ours is left out and so shows as a difference.
    pub fn from_text(text: &str) -> Exact {
        let mut exact = Exact::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((key, value)) = line.rsplit_once(' ') else {
                continue;
            };
            let Some((scenario, figure)) = key.split_once(' ') else {
                continue;
            };
            let entry = exact.scenarios.entry(scenario.to_owned()).or_default();
            if figure == "chrome" {
                entry.0 = major(value);
            } else {
                entry.1.insert(figure.to_owned(), value.to_owned());
            }
        }
        exact
    }

    /// The Chrome that a scenario's figures are of; `None` where it has none.
    pub fn chrome(&self, scenario: &str) -> Option<u32> {
        self.scenarios.get(scenario).map(|(chrome, _)| *chrome)
    }

    /// Every figure of `scenario` that is not the same here (what is now) as in `committed`.
    pub fn differences(&self, committed: &Exact, scenario: &str) -> Vec<Difference> {
        let none = BTreeMap::new();
        let figures = |exact: &Exact| exact.scenarios.get(scenario).map(|(_, figures)| figures.clone());
        let (now, then) = (
            figures(self).unwrap_or(none.clone()),
            figures(committed).unwrap_or(none),
        );
        let mut keys: Vec<_> = now.keys().chain(then.keys()).collect();
        keys.sort();
        keys.dedup();
        let value = |of: &BTreeMap<String, String>, key: &str| of.get(key).cloned().unwrap_or_else(|| "-".to_owned());
        keys.into_iter()
            .filter(|key| now.get(*key) != then.get(*key))
            .map(|key| Difference {
                figure: format!("{scenario} {key}"),
                committed: value(&then, key),
                now: value(&now, key),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::rows::Row;

    fn record(views: &[(&str, usize, usize)]) -> Record {
        Record {
            scenario: "table".to_owned(),
            facts: vec![("chrome".to_owned(), "156.0.1.2".to_owned())],
            rows: views
                .iter()
                .map(|(variant, run, view)| Row {
                    arm: Arm::Ours,
                    variant: (*variant).to_owned(),
                    run: *run,
                    metric: "view".to_owned(),
                    value: view.to_string(),
                })
                .collect(),
        }
    }

    #[test]
    fn a_figure_is_one_line_and_a_spread_is_its_range() {
        let exact = Exact::of(&[record(&[
            ("full", 1, 70),
            ("full", 2, 70),
            ("focused", 1, 7),
            ("focused", 2, 9),
        ])]);
        let text = exact.to_text();
        let lines: Vec<_> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            ["table chrome 156", "table focused view 7-9", "table full view 70"]
        );
        assert_eq!(Exact::from_text(&text), exact);
        assert_eq!(exact.chrome("table"), Some(156));
        assert_eq!(exact.chrome("other"), None);
    }

    #[test]
    fn a_changed_a_new_and_a_lost_figure_are_differences() {
        let committed = Exact::of(&[record(&[("full", 1, 70), ("gone", 1, 5)])]);
        let now = Exact::of(&[record(&[("full", 1, 71), ("new", 1, 6)])]);
        let lines: Vec<_> = now
            .differences(&committed, "table")
            .into_iter()
            .map(|one| format!("{}: {} -> {}", one.figure, one.committed, one.now))
            .collect();
        assert_eq!(
            lines,
            [
                "table full view: 70 -> 71",
                "table gone view: 5 -> -",
                "table new view: - -> 6"
            ]
        );
        assert_eq!(now.differences(&now, "table"), []);
    }
}
