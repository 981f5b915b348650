//! Making sure of a Chrome: asks the driver's binary (rule 36 lives there), and gets one where there is none.
//! It must not know how Chrome is found or launched.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;

use crate::error::XtaskError;
use crate::install;
use crate::process::{self, Bounds};
use crate::repo::Repo;

/// The driver's own variable for a Chrome (rule 35).
const CHROME_VARIABLE: &str = "CAVEMAN_BROWSE_CHROME";
/// Where the system's package puts its launcher.
const PACKAGED: &str = "/usr/bin/chromium";
/// Printing a version takes Chrome well under a second; a loaded machine may need more.
const VERSION: Bounds = Bounds {
    total: Duration::from_secs(20),
    silent: Duration::from_secs(20),
};

/// A Chrome that starts.
#[derive(Debug)]
pub(crate) struct Chrome {
    path: PathBuf,
    /// It is not the one that the driver finds by itself, so it must be told.
    must_be_named: bool,
}

impl Chrome {
    /// Lets a child use this Chrome.
    pub(crate) fn hand_to(&self, command: &mut Command) {
        if self.must_be_named {
            command.env(CHROME_VARIABLE, &self.path);
        }
    }
}

#[derive(Deserialize)]
struct Found {
    path: PathBuf,
    by: String,
}

/// How a Chrome could be got on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Playwright,
    SystemPackage,
}

impl Way {
    fn line(self) -> &'static str {
        match self {
            Way::Playwright => "Playwright's Chromium, downloaded into its cache (about 180 MB)",
            Way::SystemPackage => "the system's package: apt-get install chromium",
        }
    }
}

/// The Chrome that the driver of `profile` finds, checked by letting it print its version; else one is got, if `install`.
pub(crate) fn ensure(repo: &Repo, profile: &str, install: bool) -> Result<Chrome, XtaskError> {
    let driver = repo.built(profile, "caveman-browse");
    let trouble = match find(&driver)? {
        Ok(found) => match version(&found.path) {
            Ok(version) => {
                eprintln!("Chrome: {} ({}, {version})", found.path.display(), found.by);
                return Ok(Chrome {
                    path: found.path,
                    must_be_named: false,
                });
            }
            Err(error) => error.to_string(),
        },
        Err(reason) => reason,
    };
    let ways = ways(has("node") && has("npx"), is_root(), has("apt-get"));
    let list = ways.iter().map(|way| way.line()).collect::<Vec<_>>().join("; else ");
    if ways.is_empty() {
        let reason = format!("{trouble}; no Node and no apt-get as root to get one with: install Chrome or Chromium");
        return Err(XtaskError::NoChrome { reason });
    }
    if !install {
        let reason = format!("{trouble}\n  --install (or CAVEMAN_INSTALL=1) would get it: {list}");
        return Err(XtaskError::NoChrome { reason });
    }
    eprintln!("Chrome: {trouble}");
    let mut reasons = vec![trouble];
    for way in ways {
        eprintln!("Chrome: getting {}", way.line());
        let got = match way {
            Way::Playwright => install::playwright(repo),
            Way::SystemPackage => install::system_package(),
        };
        match got.and_then(|()| installed(&driver, way)) {
            Ok(chrome) => return Ok(chrome),
            Err(error) => {
                eprintln!("Chrome: {error}");
                reasons.push(error.to_string());
            }
        }
    }
    Err(XtaskError::NoChrome {
        reason: reasons.join("; "),
    })
}

/// Which ways there are, best first.
fn ways(node: bool, root: bool, apt: bool) -> Vec<Way> {
    let mut ways = Vec::new();
    if node {
        ways.push(Way::Playwright);
    }
    if root && apt {
        ways.push(Way::SystemPackage);
    }
    ways
}

/// What is there after an installation: the one the driver finds if it starts, else the package's by name.
fn installed(driver: &Path, way: Way) -> Result<Chrome, XtaskError> {
    let found = find(driver)?;
    let mut broken = None;
    if let Ok(found) = &found {
        match version(&found.path) {
            Ok(version) => {
                eprintln!("Chrome: {} ({}, {version})", found.path.display(), found.by);
                return Ok(Chrome {
                    path: found.path.clone(),
                    must_be_named: false,
                });
            }
            Err(error) => broken = Some(error),
        }
    }
    if way == Way::SystemPackage && Path::new(PACKAGED).exists() {
        let version = version(Path::new(PACKAGED))?;
        eprintln!("Chrome: {PACKAGED} (installed, {version})");
        return Ok(Chrome {
            path: PACKAGED.into(),
            must_be_named: true,
        });
    }
    Err(broken.unwrap_or_else(|| XtaskError::NoChrome {
        reason: found.err().unwrap_or_else(|| "none after the installation".into()),
    }))
}

/// Asks the driver. The inner error is its reason for finding none.
fn find(driver: &Path) -> Result<Result<Found, String>, XtaskError> {
    let output = Command::new(driver)
        .args(["doctor", "--find", "--json"])
        .stdin(Stdio::null())
        .output()
        .map_err(|source| XtaskError::Start {
            program: driver.display().to_string(),
            source,
        })?;
    let answer = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    answer_of(
        output.status.success(),
        output.status.code(),
        &answer,
        String::from_utf8_lossy(&output.stderr).trim(),
    )
}

fn answer_of(
    success: bool,
    code: Option<i32>,
    answer: &str,
    complaint: &str,
) -> Result<Result<Found, String>, XtaskError> {
    let doctor = |reason: String| XtaskError::Doctor {
        answer: answer.to_owned(),
        reason,
    };
    if success {
        return serde_json::from_str(answer)
            .map(Ok)
            .map_err(|error| doctor(error.to_string()));
    }
    match code {
        Some(1) if complaint.is_empty() => Err(doctor("exit 1 without a reason".into())),
        Some(1) => Ok(Err(complaint.to_owned())),
        code => Err(doctor(format!("exit {code:?}: {complaint}"))),
    }
}

/// Chrome's own version line. A Chromium whose libraries are missing fails here, and not in the middle of a gate.
fn version(chrome: &Path) -> Result<String, XtaskError> {
    let broken = |reason: String| XtaskError::BrokenChrome {
        path: chrome.to_owned(),
        reason,
    };
    let mut command = Command::new(chrome);
    command.arg("--version");
    let home = tempfile::tempdir().map_err(XtaskError::io("the temporary directory"))?;
    command.env("HOME", home.path());
    let (status, output) = process::captured(command, VERSION).map_err(|error| broken(error.to_string()))?;
    match version_line(&output) {
        Some(line) if status.success() => return Ok(line.to_owned()),
        _ => {}
    }
    Err(broken(format!("--version ended with {status}: {}", output.trim())))
}

/// The line with a version of four numbers; launcher scripts say other things besides.
fn version_line(output: &str) -> Option<&str> {
    let is_version = |word: &str| {
        let parts: Vec<&str> = word.split('.').collect();
        parts.len() == 4 && parts.iter().all(|part| part.parse::<u32>().is_ok())
    };
    output
        .lines()
        .map(str::trim)
        .rfind(|line| line.split_whitespace().any(is_version))
}

fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn playwright_comes_before_the_package_and_the_package_needs_root() {
        assert_eq!(ways(true, true, true), [Way::Playwright, Way::SystemPackage]);
        assert_eq!(ways(true, false, true), [Way::Playwright]);
        assert_eq!(ways(false, true, true), [Way::SystemPackage]);
        assert_eq!(ways(false, false, true), []);
    }

    #[test]
    fn the_doctors_answer_is_read_and_its_reason_kept() {
        let found = answer_of(true, Some(0), r#"{"path":"/usr/bin/chromium","by":"PATH"}"#, "")
            .unwrap()
            .unwrap();
        assert_eq!(
            (found.path.to_str(), found.by.as_str()),
            (Some("/usr/bin/chromium"), "PATH")
        );
        assert_eq!(
            answer_of(false, Some(1), "", "none at 12 places")
                .unwrap()
                .err()
                .unwrap(),
            "none at 12 places"
        );
    }

    #[test]
    fn a_doctor_that_crashes_or_babbles_is_an_error_and_not_a_missing_chrome() {
        assert!(matches!(
            answer_of(true, Some(0), "hello", ""),
            Err(XtaskError::Doctor { .. })
        ));
        assert!(matches!(
            answer_of(false, Some(2), "", "usage"),
            Err(XtaskError::Doctor { .. })
        ));
        assert!(matches!(answer_of(false, None, "", ""), Err(XtaskError::Doctor { .. })));
    }

    #[test]
    fn the_version_is_found_beside_what_a_launcher_script_says() {
        let output = "Chromium 156.0.8078.114 built on Debian\n/usr/bin/chromium: 9: [: 2: unexpected operator\n";
        assert_eq!(version_line(output), Some("Chromium 156.0.8078.114 built on Debian"));
        assert_eq!(version_line("usage: false"), None);
    }

    #[test]
    fn a_chrome_that_cannot_print_its_version_is_broken() {
        assert!(matches!(
            version(Path::new("/bin/false")),
            Err(XtaskError::BrokenChrome { .. })
        ));
        assert!(matches!(
            version(Path::new("/no/chrome")),
            Err(XtaskError::BrokenChrome { .. })
        ));
    }
}
