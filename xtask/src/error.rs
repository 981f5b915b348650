//! What can go wrong in a command of this repository. Texts are fragments which name the thing and the next step.

use std::path::{Path, PathBuf};

/// An xtask command that could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum XtaskError {
    /// A program could not be started, or ended with an error.
    #[error("{0}")]
    Shell(#[from] xshell::Error),
    /// A file or directory of the repository or of a cache could not be used.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// A program could not be started.
    #[error("cannot start `{program}`: {source}")]
    Start { program: String, source: std::io::Error },
    /// A program was ended by us: silent or running for too long.
    #[error("`{program}` was ended after {seconds} s: {why}")]
    TooSlow {
        program: String,
        seconds: u64,
        why: &'static str,
    },
    /// A program ended with an error which is its own to explain.
    #[error("`{program}` ended with {status}")]
    Ended { program: String, status: String },
    /// Rule 36 found no Chrome, and none was or could be installed.
    #[error("no Chrome: {reason}")]
    NoChrome { reason: String },
    /// A Chrome was found but does not even print its version.
    #[error("the Chrome at {} does not start: {reason}", path.display())]
    BrokenChrome { path: PathBuf, reason: String },
    /// `caveman-browse doctor` said something we do not understand.
    #[error("`caveman-browse doctor --find --json` answered {answer:?}: {reason}")]
    Doctor { answer: String, reason: String },
    /// The stages that failed are named in the summary above.
    #[error("failed: {}", stages.join(", "))]
    Stages { stages: Vec<String> },
    /// `--filter` selected nothing.
    #[error("no test matches {filter:?}")]
    NothingMatches { filter: String },
    /// A file of the repository says something that it cannot say.
    #[error("{}: {reason}", path.display())]
    Manifest { path: PathBuf, reason: String },
    /// Neither a cache directory nor a home is named in the environment.
    #[error("no place for the corpus: set CAVEMAN_CORPUS, XDG_CACHE_HOME or HOME")]
    NoCache,
    /// A package could not be had.
    #[error("{package}: {reason}")]
    Fetch { package: String, reason: String },
    /// A package is not the one that was pinned.
    #[error("{package}: its SHA-256 is {found} and not {wanted}: nothing of it was unpacked")]
    Digest {
        package: String,
        wanted: String,
        found: String,
    },
    /// Part of the corpus is missing; each reason was printed.
    #[error("corpus: {trees} tree(s) could not be made, {pages} page(s) are absent")]
    Corpus { trees: usize, pages: usize },
    /// The page server of the harness did not say where it listens.
    #[error("`{program}` did not say where it serves")]
    NoServer { program: String },
    /// Pages that no view could be had of; each reason was printed.
    #[error("corpus: {refused} of {pages} page(s) refused")]
    Refused { refused: usize, pages: usize },
    /// Tidy found something; each finding was printed.
    #[error("tidy: {count} finding(s)")]
    Untidy { count: usize },
}

impl XtaskError {
    /// Wraps an I/O error with the path it is about.
    pub(crate) fn io(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> XtaskError {
        let path = path.as_ref().to_owned();
        move |source| XtaskError::Io { path, source }
    }
}
