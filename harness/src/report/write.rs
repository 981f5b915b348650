//! The report as a step of its own: reads rows, writes `reports/exact.txt`, BENCHMARK.md and the README's table.

use std::path::{Path, PathBuf};

use crate::record::{Exact, Record, RecordError, read_all};
use crate::report::published::{Published, PublishedError};
use crate::report::splice::{SpliceError, splice};
use crate::report::tables;
use crate::whole;

/// Why the report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The rows.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The published figures.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// The places.
    #[error(transparent)]
    Splice(#[from] SpliceError),
    /// There is nothing to report.
    #[error("reports/runs has no rows; measure first with `cargo xtask bench`")]
    NoRows,
    /// A file.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Writes the report of the rows under `root`; all of it or, on an error, none of it.
///
/// # Errors
/// When rows or places are missing or a file cannot be read or written.
pub fn write(root: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let records = read_all(root)?;
    if records.is_empty() {
        return Err(ReportError::NoRows);
    }
    let published = Published::read(root)?;
    let mut texts = vec![(exact_path(root), Exact::of(&records).to_text())];
    for (file, parts) in [
        ("BENCHMARK.md", benchmark(&records, &published)),
        ("README.md", readme(&records)),
    ] {
        let path = root.join(file);
        let text = std::fs::read_to_string(&path).map_err(|source| ReportError::File {
            path: path.clone(),
            source,
        })?;
        let known: Vec<_> = parts.iter().map(|(name, _)| *name).collect();
        texts.push((path, splice(file, &text, &parts, &known)?));
    }
    for (path, text) in &texts {
        whole::write(path, text).map_err(|source| ReportError::File {
            path: path.clone(),
            source,
        })?;
    }
    Ok(texts.into_iter().map(|(path, _)| path).collect())
}

/// Where the exact figures are.
pub(crate) fn exact_path(root: &Path) -> PathBuf {
    root.join("reports").join("exact.txt")
}

fn benchmark(records: &[Record], published: &Published) -> Vec<(&'static str, String)> {
    let comparisons = published.compare(records);
    vec![
        ("environment", tables::environment(records)),
        ("scenarios", tables::scenarios(records)),
        ("times", tables::times(records)),
        ("published", tables::published(&comparisons, records)),
    ]
}

fn readme(records: &[Record]) -> Vec<(&'static str, String)> {
    vec![("summary", tables::summary(records))]
}
