//! Finding a browser (contract rule 36): the variable, Playwright's own Chromium, the system's Chrome or Chromium,
//! chromiumoxide's detection. Reads only what its `Env` gives; starts nothing.

use std::path::{Path, PathBuf};

use super::ChromeError;
use super::env::{Env, Os, Sight};
use super::places::{self, BUILDS, Build, Place};

/// The variable that names the browser to use.
pub const VARIABLE: &str = "CAVEMAN_BROWSE_CHROME";

const PLAYWRIGHT_PATH: &str = "PLAYWRIGHT_BROWSERS_PATH";
const HEADFUL: &str = "CAVEMAN_BROWSE_HEADFUL";

/// A browser, and how it was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// An executable file.
    pub path: PathBuf,
    /// Which rule found it.
    pub by: FoundBy,
    /// Every place looked at, in order, the found one last.
    pub looked_at: Vec<Looked>,
}

/// Which rule found a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundBy {
    /// `CAVEMAN_BROWSE_CHROME`.
    Variable,
    /// Playwright's Chromium of this revision.
    Playwright {
        /// Playwright's revision number, not Chrome's version.
        revision: u64,
    },
    /// Playwright's headless shell of this revision.
    PlaywrightHeadlessShell {
        /// Playwright's revision number, not Chrome's version.
        revision: u64,
    },
    /// A well-known path of the system.
    WellKnownPath,
    /// A name in `PATH`.
    SearchPath,
    /// chromiumoxide's detection.
    Detection,
}

impl std::fmt::Display for FoundBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FoundBy::Variable => f.write_str(VARIABLE),
            FoundBy::Playwright { revision } => write!(f, "Playwright's Chromium, revision {revision}"),
            FoundBy::PlaywrightHeadlessShell { revision } => {
                write!(f, "Playwright's headless shell, revision {revision}")
            }
            FoundBy::WellKnownPath => f.write_str("well-known path"),
            FoundBy::SearchPath => f.write_str("PATH"),
            FoundBy::Detection => f.write_str("chromiumoxide's detection"),
        }
    }
}

/// One place that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// The path, or what was searched.
    pub place: String,
    /// What was there.
    pub sight: Sight,
}

impl std::fmt::Display for Looked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.place, self.sight)
    }
}

/// Finds a browser.
///
/// # Errors
/// [`ChromeError::Variable`] where `CAVEMAN_BROWSE_CHROME` is set and names no executable file: it is never passed over.
/// [`ChromeError::NotFound`] with every place looked at.
pub fn find(env: &Env) -> Result<Found, ChromeError> {
    let mut search = Search {
        env,
        looked_at: Vec::new(),
    };
    let hit = match search.variable()? {
        Some(path) => Some((path, FoundBy::Variable)),
        None => search
            .playwright()
            .or_else(|| search.well_known())
            .or_else(|| search.search_path())
            .or_else(|| search.detection()),
    };
    let looked_at = search.looked_at;
    match hit {
        Some((path, by)) => Ok(Found { path, by, looked_at }),
        None => Err(ChromeError::NotFound { looked_at }),
    }
}

struct Search<'a> {
    env: &'a Env,
    looked_at: Vec<Looked>,
}

type Hit = Option<(PathBuf, FoundBy)>;

impl Search<'_> {
    fn note(&mut self, place: impl Into<String>, sight: Sight) {
        self.looked_at.push(Looked {
            place: place.into(),
            sight,
        });
    }

    fn look(&mut self, path: &Path) -> bool {
        let sight = self.env.files.sight(path);
        self.note(path.display().to_string(), sight);
        sight == Sight::Executable
    }

    fn variable(&mut self) -> Result<Option<PathBuf>, ChromeError> {
        let Some(value) = self.env.var(VARIABLE) else {
            return Ok(None);
        };
        let path = if value.contains(['/', '\\']) {
            self.env.current_dir.join(value)
        } else {
            // A bare name is looked up as a shell would.
            self.folders_of_path()
                .into_iter()
                .map(|folder| folder.join(value))
                .find(|path| self.env.files.sight(path) == Sight::Executable)
                .unwrap_or_else(|| self.env.current_dir.join(value))
        };
        let value = value.to_owned();
        if self.look(&path) {
            return Ok(Some(path));
        }
        let sight = self.env.files.sight(&path);
        Err(ChromeError::Variable {
            name: VARIABLE,
            value,
            sight,
        })
    }

    fn headful(&self) -> bool {
        self.env.var(HEADFUL) == Some("1")
    }

    /// Playwright's Chromium, the highest revision of any root first; then its headless shell.
    fn playwright(&mut self) -> Hit {
        let roots = self.playwright_roots();
        let mut found = Vec::new();
        for (order, build) in BUILDS.iter().enumerate() {
            for root in &roots {
                for name in self.env.files.names(root) {
                    if let Some(revision) = revision(&name, build.folder) {
                        found.push((order, std::cmp::Reverse(revision), root.join(name)));
                    }
                }
            }
        }
        found.sort();
        if found.is_empty() {
            for root in roots {
                self.note(format!("{} (Playwright's browsers)", root.display()), Sight::Missing);
            }
        }
        for (order, std::cmp::Reverse(revision), folder) in found {
            let build = &BUILDS[order];
            if let Some(path) = self.in_folder(&folder, build) {
                let by = if build.windowed {
                    FoundBy::Playwright { revision }
                } else {
                    FoundBy::PlaywrightHeadlessShell { revision }
                };
                return Some((path, by));
            }
        }
        None
    }

    fn in_folder(&mut self, folder: &Path, build: &Build) -> Option<PathBuf> {
        if !build.windowed && self.headful() {
            self.note(folder.display().to_string(), Sight::HeadlessOnly);
            return None;
        }
        if self.env.files.sight(&folder.join("INSTALLATION_COMPLETE")) == Sight::Missing {
            self.note(folder.display().to_string(), Sight::Incomplete);
            return None;
        }
        places::in_playwright_folder(build, self.env.platform)
            .iter()
            .map(|inside| folder.join(inside))
            .find(|path| self.look(path))
    }

    fn playwright_roots(&self) -> Vec<PathBuf> {
        match self.env.var(PLAYWRIGHT_PATH) {
            // Inside the package: wherever a project at or above this folder has it installed.
            Some("0") => self
                .start()
                .ancestors()
                .map(|folder| folder.join("node_modules/playwright-core/.local-browsers"))
                .filter(|root| !self.env.files.names(root).is_empty())
                .collect(),
            Some(root) => vec![self.start().join(root)],
            None => places::playwright_cache(self.env.platform.os)
                .iter()
                .find_map(|place| self.resolve(place))
                .into_iter()
                .collect(),
        }
    }

    /// Where Playwright starts relative paths: the folder in which npm was called, else the current one.
    fn start(&self) -> PathBuf {
        self.env
            .var("INIT_CWD")
            .map_or_else(|| self.env.current_dir.clone(), PathBuf::from)
    }

    fn resolve(&self, place: &Place) -> Option<PathBuf> {
        match place {
            Place::At(path) => Some(PathBuf::from(path)),
            Place::Home(below) => Some(self.env.home.as_ref()?.join(below)),
            Place::Var(variable, below) => Some(Path::new(self.env.var(variable)?).join(below)),
        }
    }

    fn well_known(&mut self) -> Hit {
        places::well_known(self.env.platform.os)
            .iter()
            .filter_map(|place| self.resolve(place))
            .collect::<Vec<_>>()
            .into_iter()
            .find(|path| self.look(path))
            .map(|path| (path, FoundBy::WellKnownPath))
    }

    fn search_path(&mut self) -> Hit {
        let folders = self.folders_of_path();
        for name in places::names_in_path(self.env.platform.os) {
            // A file that cannot be executed does not end the search, as in a shell.
            let mut sight = Sight::Missing;
            for path in folders.iter().map(|folder| folder.join(name)) {
                match self.env.files.sight(&path) {
                    Sight::Executable => {
                        self.note(path.display().to_string(), Sight::Executable);
                        return Some((path, FoundBy::SearchPath));
                    }
                    Sight::NotExecutable => sight = Sight::NotExecutable,
                    _ => {}
                }
            }
            self.note(format!("{name} in PATH"), sight);
        }
        None
    }

    fn folders_of_path(&self) -> Vec<PathBuf> {
        let separator = match self.env.platform.os {
            Os::Windows => ';',
            Os::Linux | Os::Mac => ':',
        };
        self.env
            .var("PATH")
            .unwrap_or_default()
            .split(separator)
            .map(|folder| folder.trim_matches('"'))
            // An empty or relative entry is "here", and what lies here is not to be started unasked.
            .filter(|folder| is_absolute(folder, self.env.platform.os))
            .map(PathBuf::from)
            .collect()
    }

    fn detection(&mut self) -> Hit {
        let Some(path) = (self.env.detection)() else {
            self.note("chromiumoxide's detection", Sight::Missing);
            return None;
        };
        self.look(&path).then_some((path, FoundBy::Detection))
    }
}

fn is_absolute(folder: &str, os: Os) -> bool {
    match os {
        Os::Windows => folder.starts_with(['\\', '/']) || folder.as_bytes().get(1) == Some(&b':'),
        Os::Linux | Os::Mac => folder.starts_with('/'),
    }
}

/// The revision in a Playwright folder's name: `chromium-1255`, or `chromium_<platform>_special-1255`.
fn revision(name: &str, build: &str) -> Option<u64> {
    let rest = name.strip_prefix(build)?;
    let (variant, digits) = rest.rsplit_once('-')?;
    let special = variant.strip_prefix('_').is_some_and(|variant| {
        variant.ends_with("_special") && !(build == "chromium" && variant.starts_with("headless_shell"))
    });
    if !(variant.is_empty() || special) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;
