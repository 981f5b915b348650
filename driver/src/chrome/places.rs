//! The table: where browsers lie on each platform. Data only; `find` walks it.
//!
//! Playwright's layout is that of playwright-core's registry (current names first, then those of older releases); the
//! system places are where the vendors' packages install.

use super::env::{Arch, Os, Platform};

/// One of Playwright's two builds.
pub(super) struct Build {
    /// Folder name before `-<revision>`.
    pub folder: &'static str,
    /// Whether it can show a window.
    pub windowed: bool,
}

/// In the order of preference: Chromium, then the headless shell.
pub(super) const BUILDS: [Build; 2] = [
    Build {
        folder: "chromium",
        windowed: true,
    },
    Build {
        folder: "chromium_headless_shell",
        windowed: false,
    },
];

/// Paths of the executable inside a Playwright folder, newest layout first.
pub(super) fn in_playwright_folder(build: &Build, platform: Platform) -> &'static [&'static str] {
    match (build.windowed, platform.os, platform.arch) {
        (true, Os::Linux, Arch::X64) => &["chrome-linux64/chrome", "chrome-linux/chrome"],
        (true, Os::Linux, Arch::Arm64) => &["chrome-linux-arm64/chrome", "chrome-linux/chrome"],
        (true, Os::Mac, Arch::X64) => &[
            "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
            "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
        ],
        (true, Os::Mac, Arch::Arm64) => &[
            "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
            "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
        ],
        (true, Os::Windows, _) => &["chrome-win64/chrome.exe", "chrome-win/chrome.exe"],
        (false, Os::Linux, Arch::X64) => &[
            "chrome-headless-shell-linux64/chrome-headless-shell",
            "chrome-linux/headless_shell",
        ],
        (false, Os::Linux, Arch::Arm64) => &[
            "chrome-headless-shell-linux-arm64/chrome-headless-shell",
            "chrome-linux/headless_shell",
        ],
        (false, Os::Mac, Arch::X64) => &[
            "chrome-headless-shell-mac-x64/chrome-headless-shell",
            "chrome-mac/headless_shell",
        ],
        (false, Os::Mac, Arch::Arm64) => &[
            "chrome-headless-shell-mac-arm64/chrome-headless-shell",
            "chrome-mac/headless_shell",
        ],
        (false, Os::Windows, _) => &[
            "chrome-headless-shell-win64/chrome-headless-shell.exe",
            "chrome-win/headless_shell.exe",
        ],
    }
}

/// A place given as a folder that a variable names, or an absolute path, or below the home.
pub(super) enum Place {
    /// An absolute path.
    At(&'static str),
    /// Below the user's home.
    Home(&'static str),
    /// Below the folder in a variable.
    Var(&'static str, &'static str),
}

/// Playwright's cache when `PLAYWRIGHT_BROWSERS_PATH` does not say otherwise; the first that can be formed counts.
pub(super) fn playwright_cache(os: Os) -> &'static [Place] {
    match os {
        Os::Linux => &[
            Place::Var("XDG_CACHE_HOME", "ms-playwright"),
            Place::Home(".cache/ms-playwright"),
        ],
        Os::Mac => &[Place::Home("Library/Caches/ms-playwright")],
        Os::Windows => &[
            Place::Var("LOCALAPPDATA", "ms-playwright"),
            Place::Home("AppData/Local/ms-playwright"),
        ],
    }
}

/// Well-known paths of Chrome and Chromium.
pub(super) fn well_known(os: Os) -> &'static [Place] {
    match os {
        Os::Linux => &[
            Place::At("/opt/google/chrome/chrome"),
            Place::At("/usr/bin/google-chrome-stable"),
            Place::At("/usr/bin/google-chrome"),
            Place::At("/usr/bin/chromium"),
            Place::At("/usr/bin/chromium-browser"),
            Place::At("/usr/lib/chromium/chromium"),
            Place::At("/usr/lib64/chromium-browser/chromium-browser"),
            Place::At("/usr/local/bin/chrome"),
            Place::At("/usr/local/bin/chromium"),
            // A snap sees a /tmp of its own: usable, but after every package that does not.
            Place::At("/snap/bin/chromium"),
        ],
        Os::Mac => &[
            Place::At("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
            Place::Home("Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
            Place::At("/Applications/Chromium.app/Contents/MacOS/Chromium"),
            Place::Home("Applications/Chromium.app/Contents/MacOS/Chromium"),
            Place::At("/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing"),
        ],
        Os::Windows => &[
            Place::Var("ProgramFiles", "Google/Chrome/Application/chrome.exe"),
            Place::Var("ProgramFiles(x86)", "Google/Chrome/Application/chrome.exe"),
            Place::Var("ProgramW6432", "Google/Chrome/Application/chrome.exe"),
            Place::Var("LOCALAPPDATA", "Google/Chrome/Application/chrome.exe"),
            Place::Var("ProgramFiles", "Chromium/Application/chrome.exe"),
            Place::Var("ProgramFiles(x86)", "Chromium/Application/chrome.exe"),
            Place::Var("LOCALAPPDATA", "Chromium/Application/chrome.exe"),
        ],
    }
}

/// Names to look for in the folders of `PATH`.
pub(super) fn names_in_path(os: Os) -> &'static [&'static str] {
    match os {
        Os::Linux | Os::Mac => &[
            "google-chrome-stable",
            "google-chrome",
            "chrome",
            "chromium",
            "chromium-browser",
        ],
        Os::Windows => &["chrome.exe", "chromium.exe"],
    }
}
