//! The Playwright arm: `ariaSnapshot()` of the page's body, by a small program of ours over the locked playwright-core,
//! driving the same Chrome binary. Whatever goes wrong is a reason for "not measured", never a failure of the bench.

use std::path::{Path, PathBuf};
use std::time::Duration;

use caveman_browse::tokens;
use serde::{Deserialize, Serialize};

use crate::arm::node::{self, Installed};
use crate::scenario::Node;

/// One run: Chrome starts in half a second and the page is small; a loaded machine may take much longer.
const RUN: Duration = Duration::from_secs(90);

/// The arm, ready to run, or the reason why it cannot.
#[derive(Clone, Debug)]
pub struct Playwright {
    installed: Result<Installed, String>,
    chrome: PathBuf,
}

/// What Playwright says of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Aria {
    /// o200k tokens of the text.
    pub tokens: usize,
    /// The text.
    pub text: String,
    /// Version of playwright-core, out of the installed package.
    pub playwright: String,
    /// Version of the Chrome that it drove.
    pub chrome: String,
    /// Size of the page's window.
    pub viewport: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ask<'a> {
    executable_path: &'a Path,
    url: &'a str,
    no_sandbox: bool,
    role: Option<&'a str>,
    name: Option<&'a str>,
    deadline_ms: u64,
}

#[derive(Deserialize)]
struct Answer {
    playwright: String,
    chrome: String,
    viewport: String,
    text: String,
}

impl Playwright {
    /// Installs what the arm needs, from the lock file under `root`, if it is not there yet.
    pub async fn prepare(root: &Path, chrome: &Path) -> Playwright {
        let source = root.join("harness").join("playwright");
        Playwright {
            installed: node::install(&source).await.map_err(|reason| reason.to_string()),
            chrome: chrome.to_owned(),
        }
    }

    /// An arm that is left out on purpose.
    pub fn without(reason: impl Into<String>) -> Playwright {
        Playwright {
            installed: Err(reason.into()),
            chrome: PathBuf::new(),
        }
    }

    /// The text of one page in a fresh Chrome, or why there is none.
    ///
    /// # Errors
    /// The reason, fit to stand behind "not measured: ".
    pub async fn measure(&self, url: &str, ready: Option<&Node>) -> Result<Aria, String> {
        let installed = self.installed.as_ref().map_err(Clone::clone)?;
        let ask = Ask {
            executable_path: &self.chrome,
            url,
            no_sandbox: no_sandbox(),
            role: ready.map(|node| node.role.as_str()),
            name: ready.map(|node| node.name.as_str()),
            deadline_ms: 20_000,
        };
        let ask = serde_json::to_string(&ask).map_err(|reason| reason.to_string())?;
        let answer = node::run(installed, "aria.mjs", &ask, RUN)
            .await
            .map_err(|reason| reason.to_string())?;
        let answer: Answer =
            serde_json::from_str(&answer).map_err(|reason| format!("aria.mjs answered with no result: {reason}"))?;
        if answer.text.trim().is_empty() {
            return Err("ariaSnapshot() gave an empty text".to_owned());
        }
        Ok(Aria {
            tokens: tokens::count(&answer.text),
            text: answer.text,
            playwright: answer.playwright,
            chrome: answer.chrome,
            viewport: answer.viewport,
        })
    }
}

/// Chrome as root refuses its sandbox, Playwright's too. Who we are is told by a file of ours.
fn no_sandbox() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        tempfile::tempfile()
            .and_then(|file| file.metadata())
            .is_ok_and(|own| own.uid() == 0)
    }
    #[cfg(not(unix))]
    {
        false
    }
}
