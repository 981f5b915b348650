//! Which scenarios, how often, against which Chrome and page server.

use std::path::{Path, PathBuf};

use caveman_browse::chrome::{self, ChromeError, Env};

use crate::scenario::{Kind, Scenario, ScenarioError, load_all};
use crate::serve::Roots;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The repository.
    pub root: PathBuf,
    /// The scenarios, by name.
    pub scenarios: Vec<Scenario>,
    /// The names of all bench scenarios, the ones left out included.
    pub known: Vec<String>,
    /// Runs of each.
    pub runs: usize,
    /// The Chrome under test.
    pub chrome: PathBuf,
    /// Without peers: for what compares only our own exact figures.
    pub ours_only: bool,
}

/// Why there is nothing to run.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A scenario file is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// No Chrome.
    #[error(transparent)]
    Chrome(#[from] ChromeError),
    /// The filter leaves nothing.
    #[error("no scenario in scenarios/bench has `{filter}` in its name; there are: {}", names.join(", "))]
    Nothing {
        /// The filter.
        filter: String,
        /// All names.
        names: Vec<String>,
    },
}

impl Plan {
    /// The bench scenarios under `root` whose name contains `filter`, with the Chrome that rule 36 finds.
    ///
    /// # Errors
    /// When a file is wrong, nothing is left or there is no Chrome.
    pub fn new(root: &Path, filter: Option<&str>, runs: usize, ours_only: bool) -> Result<Plan, PlanError> {
        let mut scenarios = load_all(root, Kind::Bench)?;
        let known: Vec<_> = scenarios.iter().map(|scenario| scenario.name.clone()).collect();
        let wanted = filter.unwrap_or_default();
        scenarios.retain(|scenario| scenario.name.contains(wanted));
        if scenarios.is_empty() {
            return Err(PlanError::Nothing {
                filter: wanted.to_owned(),
                names: known,
            });
        }
        Ok(Plan {
            root: root.to_owned(),
            scenarios,
            known,
            runs,
            chrome: chrome::find(&Env::system())?.path,
            ours_only,
        })
    }

    /// What the page server serves.
    pub fn roots(&self) -> Roots {
        roots(&self.root)
    }
}

/// The pages under `root`.
pub(super) fn roots(root: &Path) -> Roots {
    Roots {
        pages: root.join("fixtures").join("pages"),
        others: Vec::new(),
    }
}
