//! The search on fake file systems of every platform.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::super::env::{Arch, Files, Platform};
use super::*;

#[derive(Default)]
struct Fake {
    executables: BTreeSet<String>,
    others: BTreeSet<String>,
}

fn slashes(path: &Path) -> String {
    path.to_str().unwrap().replace('\\', "/")
}

impl Files for Fake {
    fn sight(&self, path: &Path) -> Sight {
        let path = slashes(path);
        let below = format!("{path}/");
        if self.executables.contains(&path) {
            Sight::Executable
        } else if self.others.contains(&path) {
            Sight::NotExecutable
        } else if self
            .executables
            .iter()
            .chain(&self.others)
            .any(|file| file.starts_with(&below))
        {
            Sight::NotAFile
        } else {
            Sight::Missing
        }
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let below = format!("{}/", slashes(folder));
        let files = self.executables.iter().chain(&self.others);
        let names = files.filter_map(|file| Some(file.strip_prefix(&below)?.split('/').next()?.to_owned()));
        names.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

struct Machine {
    platform: Platform,
    vars: HashMap<String, String>,
    files: Fake,
    detection: fn() -> Option<PathBuf>,
}

const LINUX: Platform = Platform {
    os: Os::Linux,
    arch: Arch::X64,
};

fn machine(platform: Platform) -> Machine {
    Machine {
        platform,
        vars: HashMap::new(),
        files: Fake::default(),
        detection: || None,
    }
}

impl Machine {
    fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.into(), value.into());
        self
    }

    fn exe(mut self, path: &str) -> Self {
        self.files.executables.insert(path.into());
        self
    }

    fn file(mut self, path: &str) -> Self {
        self.files.others.insert(path.into());
        self
    }

    /// A whole Playwright download.
    fn playwright(self, folder: &str, inside: &str) -> Self {
        self.exe(&format!("{folder}/{inside}"))
            .file(&format!("{folder}/INSTALLATION_COMPLETE"))
    }

    fn find(self) -> Result<Found, ChromeError> {
        let home = match self.platform.os {
            Os::Linux => "/home/u",
            Os::Mac => "/Users/u",
            Os::Windows => "C:/Users/u",
        };
        find(&Env {
            platform: self.platform,
            vars: self.vars,
            home: Some(home.into()),
            current_dir: "/project/sub".into(),
            files: Arc::new(self.files),
            detection: self.detection,
        })
    }
}

fn path(found: &Found) -> String {
    slashes(&found.path)
}

#[test]
fn playwrights_browsers_are_found_in_every_platforms_cache() {
    let cft = "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing";
    let (linux, mac, windows) = (
        "/home/u/.cache/ms-playwright",
        "/Users/u/Library/Caches/ms-playwright",
        "C:/Users/u/AppData/Local/ms-playwright",
    );
    let rows: Vec<(Os, Arch, &str, &str, String)> = vec![
        (
            Os::Linux,
            Arch::X64,
            linux,
            "chromium-7",
            "chrome-linux64/chrome".into(),
        ),
        (Os::Linux, Arch::X64, linux, "chromium-7", "chrome-linux/chrome".into()),
        (
            Os::Linux,
            Arch::Arm64,
            linux,
            "chromium-7",
            "chrome-linux-arm64/chrome".into(),
        ),
        (
            Os::Linux,
            Arch::X64,
            linux,
            "chromium_headless_shell-7",
            "chrome-headless-shell-linux64/chrome-headless-shell".into(),
        ),
        (
            Os::Linux,
            Arch::X64,
            linux,
            "chromium_headless_shell-7",
            "chrome-linux/headless_shell".into(),
        ),
        (
            Os::Linux,
            Arch::Arm64,
            linux,
            "chromium_headless_shell-7",
            "chrome-headless-shell-linux-arm64/chrome-headless-shell".into(),
        ),
        (
            Os::Linux,
            Arch::X64,
            linux,
            "chromium_debian12-x64_special-7",
            "chrome-linux64/chrome".into(),
        ),
        (Os::Mac, Arch::X64, mac, "chromium-7", format!("chrome-mac-x64/{cft}")),
        (
            Os::Mac,
            Arch::Arm64,
            mac,
            "chromium-7",
            format!("chrome-mac-arm64/{cft}"),
        ),
        (
            Os::Mac,
            Arch::Arm64,
            mac,
            "chromium-7",
            "chrome-mac/Chromium.app/Contents/MacOS/Chromium".into(),
        ),
        (
            Os::Mac,
            Arch::Arm64,
            mac,
            "chromium_headless_shell-7",
            "chrome-headless-shell-mac-arm64/chrome-headless-shell".into(),
        ),
        (
            Os::Mac,
            Arch::X64,
            mac,
            "chromium_headless_shell-7",
            "chrome-headless-shell-mac-x64/chrome-headless-shell".into(),
        ),
        (
            Os::Windows,
            Arch::X64,
            windows,
            "chromium-7",
            "chrome-win64/chrome.exe".into(),
        ),
        (
            Os::Windows,
            Arch::X64,
            windows,
            "chromium-7",
            "chrome-win/chrome.exe".into(),
        ),
        (
            Os::Windows,
            Arch::Arm64,
            windows,
            "chromium_headless_shell-7",
            "chrome-headless-shell-win64/chrome-headless-shell.exe".into(),
        ),
    ];
    for (os, arch, root, folder, inside) in rows {
        let found = machine(Platform { os, arch })
            .playwright(&format!("{root}/{folder}"), &inside)
            .find()
            .unwrap();
        assert_eq!(path(&found), format!("{root}/{folder}/{inside}"));
        let expected = if folder.contains("headless") {
            FoundBy::PlaywrightHeadlessShell { revision: 7 }
        } else {
            FoundBy::Playwright { revision: 7 }
        };
        assert_eq!(found.by, expected);
    }
}

#[test]
fn every_well_known_path_is_found_on_its_platform() {
    let rows = [
        (Os::Linux, "/opt/google/chrome/chrome"),
        (Os::Linux, "/usr/bin/google-chrome"),
        (Os::Linux, "/usr/bin/chromium"),
        (Os::Linux, "/usr/bin/chromium-browser"),
        (Os::Linux, "/snap/bin/chromium"),
        (Os::Mac, "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
        (
            Os::Mac,
            "/Users/u/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        ),
        (Os::Mac, "/Applications/Chromium.app/Contents/MacOS/Chromium"),
        (Os::Windows, "C:/Program Files/Google/Chrome/Application/chrome.exe"),
        (
            Os::Windows,
            "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
        ),
        (
            Os::Windows,
            "C:/Users/u/AppData/Local/Google/Chrome/Application/chrome.exe",
        ),
        (Os::Windows, "C:/Users/u/AppData/Local/Chromium/Application/chrome.exe"),
    ];
    for (os, at) in rows {
        let found = machine(Platform { os, arch: Arch::X64 })
            .var("PROGRAMFILES", "C:\\Program Files")
            .var("ProgramFiles(x86)", "C:\\Program Files (x86)")
            .var("LOCALAPPDATA", "C:\\Users\\u\\AppData\\Local")
            .exe(at)
            .find()
            .unwrap();
        assert_eq!((path(&found).as_str(), found.by), (at, FoundBy::WellKnownPath));
    }
}

#[test]
fn path_is_searched_by_name_and_passes_over_what_cannot_be_executed() {
    let found = machine(LINUX)
        .var("PATH", ":.:relative:/a:/b")
        .file("/a/chromium")
        .exe("/b/chromium")
        .exe("/project/sub/google-chrome")
        .exe("relative/google-chrome")
        .find()
        .unwrap();
    assert_eq!((path(&found).as_str(), found.by), ("/b/chromium", FoundBy::SearchPath));
    let windows = machine(Platform {
        os: Os::Windows,
        arch: Arch::X64,
    });
    let found = windows
        .var("Path", r#""D:\x y";D:\z"#)
        .exe("D:/x y/chrome.exe")
        .find()
        .unwrap();
    assert_eq!(path(&found), "D:/x y/chrome.exe");
}

#[test]
fn the_order_is_variable_playwright_system_path_detection() {
    let all = || {
        let mut all = machine(LINUX)
            .var(VARIABLE, "/v/chrome")
            .var("PATH", "/p")
            .exe("/v/chrome")
            .playwright("/home/u/.cache/ms-playwright/chromium-9", "chrome-linux64/chrome")
            .playwright(
                "/home/u/.cache/ms-playwright/chromium_headless_shell-10",
                "chrome-linux/headless_shell",
            )
            .exe("/usr/bin/chromium")
            .exe("/p/chrome")
            .exe("/d/chrome");
        all.detection = || Some("/d/chrome".into());
        all
    };
    let without = |names: &[&str]| {
        let mut machine = all();
        machine.vars.remove(VARIABLE);
        machine
            .files
            .executables
            .retain(|file| !names.iter().any(|name| file.contains(name)));
        machine
            .files
            .others
            .retain(|file| !names.iter().any(|name| file.contains(name)));
        machine.find().unwrap().by
    };
    assert_eq!(all().find().unwrap().by, FoundBy::Variable);
    assert_eq!(without(&[]), FoundBy::Playwright { revision: 9 });
    assert_eq!(
        without(&["chromium-9"]),
        FoundBy::PlaywrightHeadlessShell { revision: 10 }
    );
    assert_eq!(without(&["playwright"]), FoundBy::WellKnownPath);
    assert_eq!(without(&["playwright", "/usr/"]), FoundBy::SearchPath);
    assert_eq!(without(&["playwright", "/usr/", "/p/"]), FoundBy::Detection);
}

#[test]
fn the_highest_revision_counts_as_a_number_and_a_cut_off_download_does_not() {
    let root = "/home/u/.cache/ms-playwright";
    let found = machine(LINUX)
        .playwright(&format!("{root}/chromium-999"), "chrome-linux/chrome")
        .playwright(&format!("{root}/chromium-1255"), "chrome-linux64/chrome")
        .exe(&format!("{root}/chromium-1300/chrome-linux64/chrome"))
        .file(&format!("{root}/.links/abc"))
        .file(&format!("{root}/chromium-tip-of-tree-2000/INSTALLATION_COMPLETE"))
        .file(&format!("{root}/firefox-1500/INSTALLATION_COMPLETE"))
        .find()
        .unwrap();
    assert_eq!(found.by, FoundBy::Playwright { revision: 1255 });
    assert_eq!(found.looked_at[0].sight, Sight::Incomplete);
    assert!(found.looked_at[0].place.ends_with("chromium-1300"));
}

#[test]
fn playwright_browsers_path_moves_the_cache() {
    let absolute = machine(LINUX)
        .var("PLAYWRIGHT_BROWSERS_PATH", "/pw")
        .playwright("/pw/chromium-1", "chrome-linux64/chrome")
        .playwright("/home/u/.cache/ms-playwright/chromium-2", "chrome-linux64/chrome");
    assert_eq!(path(&absolute.find().unwrap()), "/pw/chromium-1/chrome-linux64/chrome");

    let relative = machine(LINUX)
        .var("PLAYWRIGHT_BROWSERS_PATH", "pw")
        .playwright("/project/sub/pw/chromium-1", "chrome-linux64/chrome")
        .playwright("/init/pw/chromium-2", "chrome-linux64/chrome");
    assert_eq!(relative.find().unwrap().by, FoundBy::Playwright { revision: 1 });

    let init = machine(LINUX)
        .var("PLAYWRIGHT_BROWSERS_PATH", "pw")
        .var("INIT_CWD", "/init")
        .playwright("/project/sub/pw/chromium-1", "chrome-linux64/chrome")
        .playwright("/init/pw/chromium-2", "chrome-linux64/chrome");
    assert_eq!(init.find().unwrap().by, FoundBy::Playwright { revision: 2 });

    let inside = "/project/node_modules/playwright-core/.local-browsers/chromium-3";
    let zero = machine(LINUX)
        .var("PLAYWRIGHT_BROWSERS_PATH", "0")
        .playwright(inside, "chrome-linux64/chrome");
    assert_eq!(zero.find().unwrap().by, FoundBy::Playwright { revision: 3 });

    let xdg = machine(LINUX)
        .var("XDG_CACHE_HOME", "/x")
        .playwright("/x/ms-playwright/chromium-4", "chrome-linux/chrome");
    assert_eq!(xdg.find().unwrap().by, FoundBy::Playwright { revision: 4 });
}

#[test]
fn a_headless_shell_is_not_taken_for_a_window() {
    let shell = || {
        machine(LINUX).playwright(
            "/home/u/.cache/ms-playwright/chromium_headless_shell-1",
            "chrome-linux/headless_shell",
        )
    };
    assert!(shell().find().is_ok());
    let error = shell().var("CAVEMAN_BROWSE_HEADFUL", "1").find().unwrap_err();
    assert!(error.to_string().contains("cannot show a window"), "{error}");
}

#[test]
fn a_wrong_variable_is_an_error_that_names_it_although_another_browser_is_there() {
    let cases = [
        ("/gone/chrome", Sight::Missing),
        ("/usr/bin", Sight::NotAFile),
        ("/etc/passwd", Sight::NotExecutable),
        ("no-such-name", Sight::Missing),
    ];
    for (value, expected) in cases {
        let error = machine(LINUX)
            .var(VARIABLE, value)
            .var("PATH", "/usr/bin")
            .exe("/usr/bin/chromium")
            .file("/etc/passwd")
            .find()
            .unwrap_err();
        assert!(
            matches!(&error, ChromeError::Variable { sight, .. } if *sight == expected),
            "{error:?}"
        );
        assert!(
            error.to_string().contains(VARIABLE) && error.to_string().contains(value),
            "{error}"
        );
    }
}

#[test]
fn the_variable_may_be_a_name_or_a_relative_path_and_empty_counts_as_unset() {
    let name = machine(LINUX)
        .var(VARIABLE, "my-chrome")
        .var("PATH", "/a:/b")
        .exe("/b/my-chrome")
        .find()
        .unwrap();
    assert_eq!((path(&name).as_str(), name.by), ("/b/my-chrome", FoundBy::Variable));
    let relative = machine(LINUX)
        .var(VARIABLE, "./chrome")
        .exe("/project/sub/./chrome")
        .find()
        .unwrap();
    assert_eq!(relative.by, FoundBy::Variable);
    let empty = machine(LINUX)
        .var(VARIABLE, "")
        .exe("/usr/bin/chromium")
        .find()
        .unwrap();
    assert_eq!(empty.by, FoundBy::WellKnownPath);
}

#[test]
fn nothing_found_says_what_was_looked_at_and_what_to_do() {
    let mut nothing = machine(LINUX).var("PATH", "/bin").file("/usr/bin/chromium");
    nothing.detection = || Some("/opt/google/chrome".into());
    let error = nothing.find().unwrap_err().to_string();
    for part in [
        "playwright install chromium",
        VARIABLE,
        "/home/u/.cache/ms-playwright",
        "/usr/bin/chromium (not executable)",
        "google-chrome in PATH (missing)",
        "/opt/google/chrome (missing)",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
