//! The two ways to get a Chrome onto this machine: Playwright's download and the system's package. It must not know when
//! that is wanted, nor where a Chrome is found.

use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use crate::error::XtaskError;
use crate::process::{self, Bounds};
use crate::repo::Repo;

/// What the harness locks its Playwright with. The Chromium of that very version is fetched.
const LOCK: &str = "harness/playwright/package-lock.json";
/// A closed network shows as silence or as refusals one after the other; a download that works reports as it goes.
const DOWNLOAD: Bounds = Bounds {
    total: Duration::from_secs(240),
    silent: Duration::from_secs(45),
};
/// Package lists and about 100 MB of packages from a mirror.
const PACKAGES: Bounds = Bounds {
    total: Duration::from_secs(480),
    silent: Duration::from_secs(120),
};

/// The part of a lock file that names versions.
#[derive(Deserialize)]
struct Lock {
    packages: HashMap<String, Locked>,
}

#[derive(Deserialize)]
struct Locked {
    version: Option<String>,
}

/// `playwright-core@` and the version that the lock file's text has.
fn locked_playwright(text: &str) -> Result<String, String> {
    let lock: Lock = serde_json::from_str(text).map_err(|error| error.to_string())?;
    lock.packages
        .get("node_modules/playwright-core")
        .and_then(|package| package.version.as_deref())
        .map(|version| format!("playwright-core@{version}"))
        .ok_or_else(|| "it locks no playwright-core".to_owned())
}

/// The Chromium of the locked Playwright, into Playwright's own cache.
pub(crate) fn playwright(repo: &Repo) -> Result<(), XtaskError> {
    let path = repo.root().join(LOCK);
    let text = std::fs::read_to_string(&path).map_err(XtaskError::io(&path))?;
    let package = locked_playwright(&text).map_err(|reason| XtaskError::Manifest { path, reason })?;
    let mut command = Command::new("npx");
    command
        .args(["--yes", &package])
        .args(["install", "chromium"])
        // Fail fast where the network is closed; a slow line still has the whole of `DOWNLOAD`.
        .env("npm_config_fetch_retries", "0")
        .env("npm_config_fetch_timeout", "20000")
        .env("PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT", "10000")
        .env("CI", "1");
    // Its failures are long stack traces, one for each mirror; the first reason is in our error.
    succeed(command, DOWNLOAD, |line| {
        line.starts_with("Downloading") || line.contains("% of")
    })
}

/// The package of Debian or Ubuntu; needs root.
pub(crate) fn system_package() -> Result<(), XtaskError> {
    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command
            .args(["-q", "-o", "DPkg::Lock::Timeout=120"])
            .args(args)
            .env("DEBIAN_FRONTEND", "noninteractive");
        succeed(command, PACKAGES, |line| {
            ["E:", "W:", "Err:", "Need to get", "Setting up chromium"]
                .iter()
                .any(|start| line.starts_with(start))
        })
    };
    // Old package lists may still do.
    if let Err(error) = apt(&["update"]) {
        eprintln!("Chrome: {error}");
    }
    apt(&["install", "-y", "--no-install-recommends", "chromium"])
}

fn succeed(command: Command, bounds: Bounds, show: fn(&str) -> bool) -> Result<(), XtaskError> {
    let program = process::shown(&command);
    eprintln!("$ {program}");
    let (status, output) = process::bounded(command, bounds, show)?;
    if status.success() {
        return Ok(());
    }
    Err(XtaskError::Ended {
        program,
        status: format!("{status}: {}", reason(&output)),
    })
}

/// The line of a failed program's output that says why.
fn reason(output: &str) -> &str {
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let telling = |line: &&str| {
        ["Error: ", "E: ", "npm error "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    lines
        .clone()
        .find(telling)
        .or_else(|| lines.next_back())
        .unwrap_or("it said nothing")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_playwright_whose_chromium_is_fetched_is_the_one_that_the_harness_locks() {
        let package = locked_playwright(include_str!("../../harness/playwright/package-lock.json")).unwrap();
        let version = package.strip_prefix("playwright-core@").unwrap();
        assert!(include_str!("../../harness/playwright/package.json").contains(&format!("\"{version}\"")));
        assert!(locked_playwright("{\"packages\":{}}").is_err());
        assert!(locked_playwright("{").is_err());
    }

    #[test]
    fn the_reason_of_a_failure_is_its_first_error_line_else_its_last_line() {
        assert_eq!(
            reason("Downloading\nError: ENOTFOUND\n    at x\nError: later"),
            "Error: ENOTFOUND"
        );
        assert_eq!(reason("one\ntwo\n\n"), "two");
        assert_eq!(reason(""), "it said nothing");
    }
}
