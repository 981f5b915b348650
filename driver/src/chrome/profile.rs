//! Our temporary profiles: made, marked with their owner, removed, and swept when their owner died without doing so.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::ChromeError;
use super::process;

/// How our temporary profiles are recognised. Short: Chrome's socket paths below it must stay under 108 bytes.
pub(super) const PREFIX: &str = "caveman-browse-";

/// The file in a profile that says whose it is.
const OWNER_FILE: &str = "caveman-browse-owner.json";

/// An empty folder of ours, without an owner file, is of a launch that was cut off only when it is older than this.
const NO_OWNER_YET: Duration = Duration::from_secs(3600);

/// How long a folder that is still being written to is tried to be removed.
const REMOVAL: Duration = Duration::from_secs(5);

/// Which process made a profile, precisely enough not to be taken for another one with the same number.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug)]
struct Owner {
    pid: u32,
    /// Clock ticks after boot; absent where the system does not tell.
    started: Option<u64>,
    host: String,
    boot: Option<String>,
    /// The pid namespace in which `pid` counts.
    namespace: Option<String>,
}

impl Owner {
    fn us() -> Owner {
        let pid = std::process::id();
        Owner {
            pid,
            started: started(pid),
            host: host(),
            boot: std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
                .ok()
                .map(|id| id.trim().to_owned()),
            namespace: std::fs::read_link("/proc/self/ns/pid")
                .ok()
                .map(|link| link.display().to_string()),
        }
    }

    /// Whether this owner is certainly dead. Whoever cannot be judged from here counts as alive.
    fn is_dead(&self, us: &Owner) -> bool {
        if self.host != us.host {
            return false;
        }
        if self.boot != us.boot {
            return self.boot.is_some() && us.boot.is_some();
        }
        if self.namespace != us.namespace {
            return false;
        }
        process::process_is_gone(self.pid)
            || matches!((self.started, started(self.pid)), (Some(then), Some(now)) if then != now)
    }
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// When a process started: field 22 of `/proc/<pid>/stat`. The name before it, in parentheses, may hold anything.
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let after_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
    std::str::from_utf8(&stat[after_name..])
        .ok()?
        .split_ascii_whitespace()
        .nth(19)?
        .parse()
        .ok()
}

/// A path for a temporary profile in the system's folder for such. Nothing is made yet: first the watchdog must know it.
pub(super) fn choose() -> PathBuf {
    // The standard library's hasher is seeded by the system; the clock and the pid make two calls differ.
    let random = RandomState::new().hash_one((std::process::id(), SystemTime::now(), std::thread::current().id()));
    std::env::temp_dir().join(format!("{PREFIX}{:012x}", random & 0xffff_ffff_ffff))
}

/// Makes a temporary profile at a chosen path, readable by us alone.
pub(super) fn make(profile: &Path) -> Result<(), ChromeError> {
    let failed = |source| ChromeError::ProfileFolder {
        path: profile.to_owned(),
        source,
    };
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    // Fails where something is there already: that is not ours.
    builder.create(profile).map_err(failed)?;
    let marked = serde_json::to_vec(&Owner::us())
        .map_err(io::Error::from)
        .and_then(|owner| std::fs::write(profile.join(OWNER_FILE), owner));
    marked.map_err(|source| {
        let _ = std::fs::remove_dir_all(profile);
        failed(source)
    })
}

/// A folder for Chrome's own temporary files inside its temporary profile: killed, Chrome leaves the folder of its instance
/// socket behind. `None` where that socket's path would become longer than a socket's path may be.
pub(super) fn scratch(profile: &Path) -> Option<PathBuf> {
    const SOCKET: &str = "/com.google.Chrome.XXXXXX/SingletonSocket";
    /// `sun_path` of macOS, the shorter one, without its final NUL.
    const LONGEST: usize = 103;
    let scratch = profile.join("tmp");
    let fits = scratch.as_os_str().len() + SOCKET.len() <= LONGEST;
    (cfg!(unix) && fits && std::fs::create_dir(&scratch).is_ok()).then_some(scratch)
}

/// Whether the Chrome with this main process holds a profile: its lock is a link to `host-pid`. Unix only.
pub(super) fn is_held_by(profile: &Path, pid: u32) -> bool {
    let link = std::fs::read_link(profile.join("SingletonLock"));
    link.is_ok_and(|link| link.to_str().is_some_and(|link| link.ends_with(&format!("-{pid}"))))
}

/// Removes what an ended Chrome leaves outside of a named profile: the folder of its instance socket in the system's folder
/// for temporary files. Nothing where another Chrome has the profile by now.
pub(super) fn tidy(profile: &Path, pid: u32) {
    if !is_held_by(profile, pid) {
        return;
    }
    let Ok(socket) = std::fs::read_link(profile.join("SingletonSocket")) else {
        return;
    };
    let Some(folder) = socket.parent() else { return };
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // As Chrome names them: org.chromium.Chromium.XXXXXX, com.google.Chrome.XXXXXX, with a dot before in older versions.
    let is_chromes = ["org.chromium.", "com.google."]
        .iter()
        .any(|maker| name.trim_start_matches('.').starts_with(maker));
    if folder.is_absolute() && is_chromes && is_folder_of_this_user(folder) {
        for file in ["SingletonSocket", "SingletonCookie"] {
            let _ = std::fs::remove_file(folder.join(file));
        }
        let _ = std::fs::remove_dir(folder);
    }
    for link in ["SingletonSocket", "SingletonCookie", "SingletonLock"] {
        let _ = std::fs::remove_file(profile.join(link));
    }
}

/// Removes a temporary profile. Chrome's last children may still write for a moment, so a few tries.
pub(super) fn remove(profile: &Path) -> io::Result<()> {
    let begun = SystemTime::now();
    loop {
        match std::fs::remove_dir_all(profile) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if begun.elapsed().unwrap_or(REMOVAL) >= REMOVAL => return Err(error),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// Removes the temporary profiles in the system's folder whose owner is dead.
pub(super) fn sweep() {
    sweep_in(&std::env::temp_dir());
}

fn sweep_in(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    let us = Owner::us();
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let path = entry.path();
        if !ours || !is_folder_of_this_user(&path) {
            continue;
        }
        match std::fs::read(path.join(OWNER_FILE)) {
            Ok(owner) if serde_json::from_slice::<Owner>(&owner).is_ok_and(|owner| owner.is_dead(&us)) => {
                tracing::debug!(profile = %path.display(), "removing an abandoned profile");
                let _ = std::fs::remove_dir_all(&path);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_older(&path, NO_OWNER_YET) => {
                let _ = std::fs::remove_dir(&path); // only ever an empty one
            }
            _ => {}
        }
    }
}

fn is_older(path: &Path, age: Duration) -> bool {
    let modified = std::fs::symlink_metadata(path).and_then(|found| found.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|elapsed| elapsed > age))
}

#[cfg(unix)]
fn is_folder_of_this_user(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    // A link, or a folder that someone else put in a shared /tmp, is not ours to remove.
    std::fs::symlink_metadata(path)
        .is_ok_and(|found| found.is_dir() && found.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_folder_of_this_user(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
