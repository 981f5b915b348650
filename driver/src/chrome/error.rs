//! The errors of finding, starting, attaching and ending a browser.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use super::env::Sight;
use super::find::Looked;

/// What can go wrong with the browser as a process.
#[derive(Debug, thiserror::Error)]
pub enum ChromeError {
    /// A variable names something that is no browser.
    #[error("{name} is {value:?}, which is {sight}; set it to an executable file or unset it")]
    Variable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What lies there.
        sight: Sight,
    },
    /// No browser in any known place.
    #[error(
        "no Chrome or Chromium found; install one, or run `npx playwright install chromium`, or set CAVEMAN_BROWSE_CHROME \
         to its executable. Looked at: {}",
        list(looked_at)
    )]
    NotFound {
        /// Every place looked at, in order.
        looked_at: Vec<Looked>,
    },
    /// A window was asked for and this binary has none.
    #[error("{} cannot show a window; set CAVEMAN_BROWSE_CHROME to a full Chrome or unset CAVEMAN_BROWSE_HEADFUL", binary.display())]
    HeadlessOnly {
        /// The headless shell.
        binary: PathBuf,
    },
    /// The binary could not be started.
    #[error("{} cannot be started: {source}", binary.display())]
    Spawn {
        /// The browser's binary.
        binary: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It ended before it listened.
    #[error("{} ended at its start ({status}){}", binary.display(), said(stderr))]
    DiedAtStart {
        /// The browser's binary.
        binary: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// The end of what it wrote to stderr.
        stderr: String,
    },
    /// Another browser has the profile (Chrome's exit code 21).
    #[error(
        "the profile {} is in use by another Chrome; close that one or name another folder in \
         CAVEMAN_BROWSE_USER_DATA_DIR",
        profile.display()
    )]
    ProfileLocked {
        /// The profile's folder.
        profile: PathBuf,
    },
    /// It runs but does not listen in time; it was ended.
    #[error("{} did not open its debugging port within {} ms and was ended{}", binary.display(), after.as_millis(), said(stderr))]
    StartDeadline {
        /// The browser's binary.
        binary: PathBuf,
        /// The deadline that passed.
        after: Duration,
        /// The end of what it wrote to stderr.
        stderr: String,
    },
    /// The profile's folder cannot be made, read or written.
    #[error("the profile folder {} cannot be used: {source}", path.display())]
    ProfileFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A browser that outlives us was to have a temporary profile, which nobody would remove.
    #[error("a detached Chrome needs a named profile")]
    NoNamedProfile,
    /// Something listens already on the port that a detached browser should have.
    #[error("port {port} is taken by another program; set CAVEMAN_BROWSE_PORT to a free one")]
    PortTaken {
        /// The port.
        port: u16,
    },
    /// Something else answers on the port of the browser that was just started.
    #[error(
        "what answers on port {port} is not the Chrome that was started there; set CAVEMAN_BROWSE_PORT to a free one"
    )]
    PortStolen {
        /// The port.
        port: u16,
    },
    /// It does not end although it was killed.
    #[error("Chrome (process {pid}) did not end within {} ms of being killed", after.as_millis())]
    StillRunning {
        /// The browser's main process.
        pid: u32,
        /// How long was waited.
        after: Duration,
    },
    /// An endpoint to attach to is not of a known form.
    #[error("{text:?} is no DevTools endpoint; give ws://host:port/devtools/browser/… or http://host:port")]
    Endpoint {
        /// What was given, without user name, password and query.
        text: String,
    },
    /// Nothing answers at an endpoint, or not as Chrome does.
    #[error("no Chrome answers at http://{host}:{port}/json/version: {reason}")]
    Unreachable {
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// What happened instead.
        reason: String,
    },
}

fn list(looked_at: &[Looked]) -> String {
    let places: Vec<String> = looked_at.iter().map(ToString::to_string).collect();
    if places.is_empty() {
        "nothing".to_owned()
    } else {
        places.join(", ")
    }
}

fn said(stderr: &str) -> String {
    let stderr = stderr.trim();
    if stderr.is_empty() {
        " and said nothing".to_owned()
    } else {
        format!("; it said: {stderr}")
    }
}
