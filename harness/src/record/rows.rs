//! The rows of one scenario: `reports/runs/<scenario>.tsv`. First what held for all of them, then a figure a line.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Who a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Arm {
    /// `Accessibility.getFullAXTree`, as it comes.
    Raw,
    /// Playwright's `ariaSnapshot()`.
    Playwright,
    /// The product.
    Ours,
    /// Wall time of the product beside the bare command.
    Time,
}

impl Arm {
    const ALL: [(Arm, &'static str); 4] = [
        (Arm::Raw, "raw"),
        (Arm::Playwright, "playwright"),
        (Arm::Ours, "ours"),
        (Arm::Time, "time"),
    ];

    fn name(self) -> &'static str {
        Arm::ALL
            .iter()
            .find(|(arm, _)| *arm == self)
            .map_or("", |(_, name)| name)
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Of whom.
    pub arm: Arm,
    /// In which variant; `-` where there is none.
    pub variant: String,
    /// In which run, from 1; 0 for what holds for all.
    pub run: usize,
    /// What was measured: `view`, `after`, `normal`, `tokens`, `bytes`, `nodes`, `ratio`, …
    pub metric: String,
    /// How much; for `lost` and `missing` a text.
    pub value: String,
}

/// Everything that one scenario left.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Record {
    /// The scenario's name.
    pub scenario: String,
    /// What held for all rows: `date`, `commit`, `chrome`, `machine`, …, in the order of writing.
    pub facts: Vec<(String, String)>,
    /// The figures.
    pub rows: Vec<Row>,
}

/// Why rows could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line that is no row.
    #[error("{}:{line}: {problem}; measure again with `cargo xtask bench`", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
}

const HEAD: &str = "arm\tvariant\trun\tmetric\tvalue";

impl Record {
    /// A fact; empty where there is none.
    pub fn fact(&self, key: &str) -> &str {
        self.facts
            .iter()
            .find(|(name, _)| name == key)
            .map_or("", |(_, value)| value.as_str())
    }

    /// The major version of the Chrome that was measured; 0 where it is not known.
    pub fn chrome_major(&self) -> u32 {
        major(self.fact("chrome"))
    }

    /// The figures of one metric, a run each.
    pub fn figures(&self, arm: Arm, variant: &str, metric: &str) -> Vec<f64> {
        self.select(arm, variant, metric)
            .filter(|row| row.run > 0)
            .filter_map(|row| row.value.parse().ok())
            .collect()
    }

    /// A text or figure that holds for all runs.
    pub fn note(&self, arm: Arm, variant: &str, metric: &str) -> Option<&str> {
        self.select(arm, variant, metric)
            .find(|row| row.run == 0)
            .map(|row| row.value.as_str())
    }

    /// Our variants, in the order of the scenario.
    pub fn variants(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in self.rows.iter().filter(|row| row.arm == Arm::Ours) {
            if !names.contains(&row.variant.as_str()) {
                names.push(&row.variant);
            }
        }
        names
    }

    fn select<'a>(&'a self, arm: Arm, variant: &str, metric: &str) -> impl Iterator<Item = &'a Row> + use<'a> {
        let (variant, metric) = (variant.to_owned(), metric.to_owned());
        self.rows
            .iter()
            .filter(move |row| row.arm == arm && row.variant == variant && row.metric == metric)
    }

    /// As the file has it.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.facts {
            let _ = writeln!(text, "# {key}\t{}", plain(value));
        }
        let _ = writeln!(text, "{HEAD}");
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{}\t{}\t{}\t{}\t{}",
                row.arm.name(),
                row.variant,
                row.run,
                row.metric,
                plain(&row.value)
            );
        }
        text
    }

    /// From the text of a file.
    ///
    /// # Errors
    /// The first line that is no row.
    pub fn from_text(path: &Path, text: &str) -> Result<Record, RecordError> {
        let wrong = |line: usize, problem| RecordError::Line {
            path: path.to_owned(),
            line: line + 1,
            problem,
        };
        let mut record = Record {
            scenario: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            ..Record::default()
        };
        let mut headed = false;
        for (index, line) in text.lines().enumerate() {
            if let Some(fact) = line.strip_prefix("# ") {
                let (key, value) = fact
                    .split_once('\t')
                    .ok_or_else(|| wrong(index, "a fact without a tab"))?;
                record.facts.push((key.to_owned(), value.to_owned()));
            } else if line == HEAD {
                headed = true;
            } else {
                let parts: Vec<_> = line.split('\t').collect();
                let [arm, variant, run, metric, value] = parts.as_slice() else {
                    return Err(wrong(index, "not five columns"));
                };
                let arm = Arm::ALL.iter().find(|(_, name)| name == arm);
                record.rows.push(Row {
                    arm: arm.ok_or_else(|| wrong(index, "an unknown arm"))?.0,
                    variant: (*variant).to_owned(),
                    run: run.parse().map_err(|_| wrong(index, "the run is no number"))?,
                    metric: (*metric).to_owned(),
                    value: (*value).to_owned(),
                });
            }
        }
        if headed {
            Ok(record)
        } else {
            Err(wrong(0, "no line with the names of the columns"))
        }
    }
}

/// The number before the first dot.
pub(super) fn major(version: &str) -> u32 {
    version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .unwrap_or_default()
}

/// No tab and no line break of a value may look like ours.
fn plain(value: &str) -> String {
    value.replace(['\t', '\n', '\r'], " ")
}

fn directory(root: &Path) -> PathBuf {
    root.join("reports").join("runs")
}

/// All records under `root`, by scenario name.
///
/// # Errors
/// When a file cannot be read or is no record.
pub fn read_all(root: &Path) -> Result<Vec<Record>, RecordError> {
    let directory = directory(root);
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let file = |path: &Path| {
        let path = path.to_owned();
        move |source| RecordError::File { path, source }
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&directory).map_err(file(&directory))? {
        let path = entry.map_err(file(&directory))?.path();
        if path.extension().is_some_and(|end| end == "tsv") {
            paths.push(path);
        }
    }
    paths.sort();
    paths
        .iter()
        .map(|path| Record::from_text(path, &std::fs::read_to_string(path).map_err(file(path))?))
        .collect()
}

/// Writes the records, each file as a whole, and removes those of scenarios that are not among `known`.
///
/// # Errors
/// When a file cannot be written or removed.
pub fn write(root: &Path, records: &[Record], known: &[String]) -> Result<(), RecordError> {
    let directory = directory(root);
    let file = |path: &Path| {
        let path = path.to_owned();
        move |source| RecordError::File { path, source }
    };
    std::fs::create_dir_all(&directory).map_err(file(&directory))?;
    for record in records {
        let path = directory.join(format!("{}.tsv", record.scenario));
        crate::whole::write(&path, &record.to_text()).map_err(file(&path))?;
    }
    for old in read_all(root)? {
        if !known.contains(&old.scenario) {
            let path = directory.join(format!("{}.tsv", old.scenario));
            std::fs::remove_file(&path).map_err(file(&path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn record() -> Record {
        let row = |arm, variant: &str, run, metric: &str, value: &str| Row {
            arm,
            variant: variant.to_owned(),
            run,
            metric: metric.to_owned(),
            value: value.to_owned(),
        };
        Record {
            scenario: "s".to_owned(),
            facts: vec![
                ("chrome".to_owned(), "156.0.1.2".to_owned()),
                ("runs".to_owned(), "2".to_owned()),
            ],
            rows: vec![
                row(Arm::Raw, "-", 1, "tokens", "400"),
                row(Arm::Playwright, "-", 0, "missing", "node does not start"),
                row(Arm::Ours, "full", 0, "budget", "90"),
                row(Arm::Ours, "full", 1, "view", "70"),
                row(Arm::Ours, "full", 2, "view", "72"),
                row(Arm::Ours, "focused", 1, "view", "7"),
            ],
        }
    }

    #[test]
    fn a_record_is_read_back_as_it_was_written() {
        let record = record();
        let read = Record::from_text(Path::new("reports/runs/s.tsv"), &record.to_text()).unwrap();
        assert_eq!(read, record);
        assert_eq!(read.figures(Arm::Ours, "full", "view"), [70.0, 72.0]);
        assert_eq!(read.note(Arm::Ours, "full", "budget"), Some("90"));
        assert_eq!(read.note(Arm::Playwright, "-", "missing"), Some("node does not start"));
        assert_eq!(read.variants(), ["full", "focused"]);
        assert_eq!(read.chrome_major(), 156);
    }

    #[test]
    fn a_value_cannot_look_like_a_row() {
        let mut record = record();
        record.rows[1].value = "no\tnode\nours\tfull\t1\tview\t1".to_owned();
        let read = Record::from_text(Path::new("s.tsv"), &record.to_text()).unwrap();
        assert_eq!(read.rows.len(), record.rows.len());
    }

    #[test]
    fn a_broken_line_is_named() {
        let error = |text: &str| Record::from_text(Path::new("s.tsv"), text).unwrap_err().to_string();
        let head = format!("{HEAD}\n");
        assert!(error(&format!("{head}ours\tfull\t1\tview")).starts_with("s.tsv:2: not five columns"));
        assert!(error(&format!("{head}us\tfull\t1\tview\t1")).starts_with("s.tsv:2: an unknown arm"));
        assert!(error(&format!("{head}ours\tfull\tx\tview\t1")).starts_with("s.tsv:2: the run is no number"));
        assert!(error("").contains("no line with the names"));
    }

    #[test]
    fn rows_of_scenarios_that_are_gone_go_too() {
        let root = tempfile::tempdir().unwrap();
        let old = Record {
            scenario: "old".to_owned(),
            ..record()
        };
        write(root.path(), &[old], &["old".to_owned()]).unwrap();
        write(root.path(), &[record()], &["s".to_owned()]).unwrap();
        let names: Vec<_> = read_all(root.path())
            .unwrap()
            .into_iter()
            .map(|record| record.scenario)
            .collect();
        assert_eq!(names, ["s"]);
    }
}
