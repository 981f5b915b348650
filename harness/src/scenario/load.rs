//! Reading scenario files, alone or by the directory. Must not know what a key means.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::scenario::model::Scenario;
use crate::scenario::problem::{self, Problem};
use crate::scenario::{check, raw};

/// What a scenario is for, as its directory says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Under `scenarios/bench`: measured, and must pass.
    Bench,
    /// Under `scenarios/gate`: must pass.
    Gate,
}

impl Kind {
    /// The directory under `scenarios`.
    pub fn directory(self) -> &'static str {
        match self {
            Kind::Bench => "bench",
            Kind::Gate => "gate",
        }
    }
}

/// Why scenarios could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// A file or a directory that cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Mistakes in a file.
    #[error("{}", Shown(self))]
    Problems {
        /// The file, relative to the repository.
        path: String,
        /// Its text.
        text: String,
        /// The mistakes, in the order of the text.
        problems: Vec<Problem>,
    },
}

struct Shown<'a>(&'a ScenarioError);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ScenarioError::Problems { path, text, problems } => problem::show(f, path, text, problems),
            ScenarioError::Read { .. } => Ok(()),
        }
    }
}

/// All scenarios of a kind, by name.
///
/// # Errors
/// The first file that is wrong, with everything that is wrong in it.
pub fn load_all(root: &Path, kind: Kind) -> Result<Vec<Scenario>, ScenarioError> {
    let directory = root.join("scenarios").join(kind.directory());
    let read = |source| ScenarioError::Read {
        path: directory.clone(),
        source,
    };
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&directory).map_err(read)? {
        let path = entry.map_err(read)?.path();
        if path.extension().is_some_and(|end| end == "toml") {
            files.push(path);
        }
    }
    files.sort();
    files.iter().map(|file| load_file(root, file, kind)).collect()
}

/// One scenario file.
///
/// # Errors
/// When it cannot be read or anything in it is wrong.
pub fn load_file(root: &Path, file: &Path, kind: Kind) -> Result<Scenario, ScenarioError> {
    let text = std::fs::read_to_string(file).map_err(|source| ScenarioError::Read {
        path: file.to_owned(),
        source,
    })?;
    let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let pages = root.join("fixtures").join("pages");
    load_text(&shown, &name, kind, &text, &|page| pages.join(page).is_file())
}

/// A scenario from its text; `there` says whether a page exists under `fixtures/pages`.
///
/// # Errors
/// When anything in it is wrong.
pub fn load_text(
    path: &str,
    name: &str,
    kind: Kind,
    text: &str,
    there: &dyn Fn(&str) -> bool,
) -> Result<Scenario, ScenarioError> {
    let problems = match toml::from_str::<raw::RawScenario>(text) {
        Ok(raw) => match check::check(name, kind, text, raw, there) {
            Ok(scenario) => return Ok(scenario),
            Err(problems) => problems,
        },
        Err(error) => vec![check::of_toml(text, &error)],
    };
    Err(ScenarioError::Problems {
        path: path.to_owned(),
        text: text.to_owned(),
        problems,
    })
}
