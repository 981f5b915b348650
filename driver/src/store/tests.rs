//! The store's claims: bad input, bad files, several processes. It must not know more of the schema than it breaks.

#![allow(clippy::unwrap_used)]

mod bytes;
mod collecting;
mod file;
mod processes;

use std::path::{Path, PathBuf};

use super::{Options, ScopeId, SnapshotMeta, Store, Stored};

/// A directory of its own, and a database path in it.
struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn database(&self) -> PathBuf {
        self.directory.path().join("ccr.db")
    }

    fn store(&self) -> Store {
        Store::open(&self.database(), Options::default()).unwrap()
    }

    /// The database as SQLite sees it, past the store.
    fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.database()).unwrap()
    }
}

fn scope(name: &str) -> ScopeId {
    ScopeId::from(name.to_owned())
}

fn put(store: &Store, scope_name: &str, bytes: &[u8]) -> Stored {
    store.put(&scope(scope_name), bytes, &SnapshotMeta::default()).unwrap()
}

/// Bytes that do not compress, the same for the same seed.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut out = Vec::with_capacity(length + 8);
    while out.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.extend_from_slice(&state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes());
    }
    out.truncate(length);
    out
}

fn contents(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}
