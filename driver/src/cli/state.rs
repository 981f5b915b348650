//! What one command leaves for the next (contract, rule 33): a file of mode 0600, replaced as a whole, and a lock.
//!
//! Must not know what a command does with it.

use crate::store::ScopeId;
use crate::uid::UidTable;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The form of the file. A file of another version is not used.
const VERSION: u32 = 1;
/// How long one command waits for another on the same home: longer than the longest of them.
const LOCK_PATIENCE: Duration = Duration::from_secs(90);
/// How often it looks.
const LOCK_LOOK: Duration = Duration::from_millis(25);

/// The browser and the page that the commands share.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct State {
    version: u32,
    /// Websocket address of the browser endpoint: it names the very instance, which a port does not.
    #[serde(rename = "endpoint")]
    pub browser: String,
    /// The tab in use.
    pub target_id: String,
    /// The uids of the latest snapshot's full tree.
    pub targets: UidTable,
    /// Started by us, so ours to end.
    pub owned: bool,
    /// Process id of an owned Chrome.
    pub pid: Option<u32>,
    /// In which short handles resolve.
    pub scope: ScopeId,
}

/// What can go wrong with the file.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum StateError {
    /// The home or the file in it cannot be used.
    #[error("{}: {source}; make it writable or name another directory in CAVEMAN_HOME", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another command has been at work on this home for too long.
    #[error("another caveman-browse command has held {} for {seconds} s; wait for it or end it", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long was waited.
        seconds: u64,
    },
}

/// The home, locked for one command. The lock goes with the process, however that ends.
#[derive(Debug)]
pub(super) struct Home {
    path: PathBuf,
    _lock: File,
}

impl State {
    /// A state of the present form.
    pub(super) fn new(browser: String, scope: ScopeId) -> Self {
        let targets = UidTable::default();
        Self {
            version: VERSION,
            browser,
            target_id: String::new(),
            targets,
            owned: false,
            pid: None,
            scope,
        }
    }
}

impl Home {
    /// Makes the directory (0700) where it is missing, and waits for its lock.
    ///
    /// # Errors
    /// When the directory cannot be used, or another command does not end.
    pub(super) async fn open(home: &Path) -> Result<Self, StateError> {
        let file = |path: &Path, source| StateError::File {
            path: path.to_owned(),
            source,
        };
        make_private(home).map_err(|e| file(home, e))?;
        let path = home.join("browse-session.lock");
        let lock = private()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|e| file(&path, e))?;
        let began = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => {
                    return Ok(Self {
                        path: home.join("browse-session.json"),
                        _lock: lock,
                    });
                }
                Err(TryLockError::WouldBlock) if began.elapsed() < LOCK_PATIENCE => tokio::time::sleep(LOCK_LOOK).await,
                Err(TryLockError::WouldBlock) => {
                    return Err(StateError::Locked {
                        path,
                        seconds: LOCK_PATIENCE.as_secs(),
                    });
                }
                Err(TryLockError::Error(source)) => return Err(file(&path, source)),
            }
        }
    }

    /// The state, if there is one that can be used. The note says why one that is there is not.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub(super) fn load(&self) -> Result<(Option<State>, Option<String>), StateError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok((None, None)),
            Err(e) if e.kind() == io::ErrorKind::InvalidData => String::new(),
            Err(source) => {
                return Err(StateError::File {
                    path: self.path.clone(),
                    source,
                });
            }
        };
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let note = match serde_json::from_str::<Versioned>(&text) {
            Ok(head) if head.version == VERSION => match serde_json::from_str::<State>(&text) {
                Ok(state) => return Ok((Some(state), None)),
                Err(_) => "the state file could not be read and was set aside",
            },
            Ok(_) => "the state file is of another version and was set aside",
            Err(_) => "the state file could not be read and was set aside",
        };
        Ok((None, Some(note.to_owned())))
    }

    /// Replaces the state as a whole: readers see the old one or the new one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn save(&self, state: &State) -> Result<(), StateError> {
        let write = || {
            let text = serde_json::to_vec(state)?;
            let beside = self.path.parent().unwrap_or(Path::new("."));
            // A new temporary file has mode 0600.
            let mut file = tempfile::NamedTempFile::new_in(beside)?;
            file.write_all(&text)?;
            file.as_file().sync_data()?;
            file.persist(&self.path).map_err(|e| e.error)?;
            Ok(())
        };
        write().map_err(|source| StateError::File {
            path: self.path.clone(),
            source,
        })
    }

    /// Forgets the state.
    ///
    /// # Errors
    /// When it is there and cannot be removed.
    pub(super) fn clear(&self) -> Result<(), StateError> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(StateError::File {
                path: self.path.clone(),
                source,
            }),
        }
    }
}

#[cfg(unix)]
fn make_private(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

#[cfg(not(unix))]
fn make_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

#[cfg(unix)]
fn private() -> fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = File::options();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
fn private() -> fs::OpenOptions {
    File::options()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn state() -> State {
        let mut state = State::new("ws://127.0.0.1:9333/devtools/browser/x".into(), ScopeId::random());
        state.target_id = "T".into();
        state
    }

    #[tokio::test]
    async fn what_was_saved_is_loaded_and_private() {
        let home = tempfile::tempdir().unwrap();
        let inner = home.path().join("fresh/home");
        let home = Home::open(&inner).await.unwrap();
        assert!(home.load().unwrap().0.is_none());
        home.save(&state()).unwrap();
        let (loaded, note) = home.load().unwrap();
        assert_eq!((loaded.unwrap().target_id, note), ("T".to_owned(), None));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&inner.join("browse-session.json")), 0o600);
            assert_eq!(mode(&inner.join("browse-session.lock")), 0o600);
            assert_eq!(mode(&inner), 0o700);
        }
        home.clear().unwrap();
        home.clear().unwrap();
        assert!(home.load().unwrap().0.is_none());
    }

    #[tokio::test]
    async fn a_state_that_cannot_be_used_is_set_aside_and_said() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(dir.path()).await.unwrap();
        for (text, says) in [
            ("{\"version\":99}", "another version"),
            ("{\"version\":1}", "could not be read"),
            ("not json", "could not be read"),
            ("", "could not be read"),
        ] {
            fs::write(dir.path().join("browse-session.json"), text).unwrap();
            let (state, note) = home.load().unwrap();
            assert!(state.is_none() && note.unwrap().contains(says), "{text}");
        }
    }

    #[tokio::test]
    async fn a_second_command_waits_for_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let first = Home::open(dir.path()).await.unwrap();
        let second = tokio::spawn({
            let path = dir.path().to_owned();
            async move { Home::open(&path).await.map(|_| ()) }
        });
        tokio::task::yield_now().await;
        assert!(!second.is_finished());
        drop(first);
        second.await.unwrap().unwrap();
    }
}
