//! What finding a browser may read: the platform, variables, folders and files; given as values so that a test can walk
//! another system's.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An operating system whose places are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Os {
    /// Linux and other unixes that lay out files like it.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

/// A processor architecture for which Playwright has folders of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arch {
    /// 64-bit x86.
    X64,
    /// 64-bit ARM.
    Arm64,
}

/// System and processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Platform {
    /// The operating system.
    pub os: Os,
    /// The processor.
    pub arch: Arch,
}

impl Platform {
    /// The one that this binary was built for.
    pub fn current() -> Platform {
        let os = if cfg!(target_os = "windows") {
            Os::Windows
        } else if cfg!(target_os = "macos") {
            Os::Mac
        } else {
            Os::Linux
        };
        let arch = if cfg!(target_arch = "aarch64") {
            Arch::Arm64
        } else {
            Arch::X64
        };
        Platform { os, arch }
    }
}

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sight {
    /// Nothing, or nothing that may be read.
    Missing,
    /// A folder or another thing that is no file.
    NotAFile,
    /// A file that this user may not execute.
    NotExecutable,
    /// A Playwright folder without `INSTALLATION_COMPLETE`: its download was cut off.
    Incomplete,
    /// A headless shell, which cannot show the window that was asked for.
    HeadlessOnly,
    /// A file that can be executed.
    Executable,
}

impl std::fmt::Display for Sight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Sight::Missing => "missing",
            Sight::NotAFile => "not a file",
            Sight::NotExecutable => "not executable",
            Sight::Incomplete => "incomplete download",
            Sight::HeadlessOnly => "cannot show a window",
            Sight::Executable => "found",
        })
    }
}

/// The file system as far as the search needs it.
pub trait Files: Send + Sync {
    /// What lies at a path, links followed.
    fn sight(&self, path: &Path) -> Sight;
    /// Names of a folder's entries; empty where it cannot be read.
    fn names(&self, folder: &Path) -> Vec<String>;
}

/// What [`find`](super::find) reads.
#[derive(Clone)]
pub struct Env {
    /// Whose places to look at.
    pub platform: Platform,
    /// Environment variables.
    pub vars: HashMap<String, String>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Where relative paths start.
    pub current_dir: PathBuf,
    /// The file system.
    pub files: Arc<dyn Files>,
    /// chromiumoxide's own detection, the last resort.
    pub detection: fn() -> Option<PathBuf>,
}

impl std::fmt::Debug for Env {
    /// Without the variables: they may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Env")
            .field("platform", &self.platform)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

impl Env {
    /// This process's environment on this machine.
    pub fn system() -> Env {
        let vars = std::env::vars_os()
            // What is not Unicode is kept as far as it can be: a variable that is set is never taken for one that is not.
            .map(|(name, value)| {
                (
                    name.to_string_lossy().into_owned(),
                    value.to_string_lossy().into_owned(),
                )
            })
            .collect();
        Env {
            platform: Platform::current(),
            vars,
            home: std::env::home_dir(),
            current_dir: std::env::current_dir().unwrap_or_default(),
            files: Arc::new(RealFiles),
            detection: detect,
        }
    }

    /// A variable's value; an empty one counts as unset. Windows does not tell upper from lower case in names.
    pub(super) fn var(&self, name: &str) -> Option<&str> {
        let value = match self.platform.os {
            Os::Windows => self
                .vars
                .iter()
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value),
            Os::Linux | Os::Mac => self.vars.get(name),
        };
        value.map(String::as_str).filter(|value| !value.is_empty())
    }
}

fn detect() -> Option<PathBuf> {
    chromiumoxide::detection::default_executable(chromiumoxide::detection::DetectionOptions::default()).ok()
}

struct RealFiles;

impl Files for RealFiles {
    fn sight(&self, path: &Path) -> Sight {
        match std::fs::metadata(path) {
            Err(_) => Sight::Missing,
            Ok(found) if !found.is_file() => Sight::NotAFile,
            Ok(_) if may_execute(path) => Sight::Executable,
            Ok(_) => Sight::NotExecutable,
        }
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect()
    }
}

#[cfg(unix)]
fn may_execute(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn may_execute(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("exe"))
}
