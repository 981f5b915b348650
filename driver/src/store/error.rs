//! What can go wrong in the store: one variant a cause, with what it concerns and the next step. It must not know the
//! tools' codes; `kind` gives the classes from which they are made.

use std::path::PathBuf;

use super::handle::{Handle, MAX_REFERENCE_CHARS, MIN_PREFIX_DIGITS};

/// Why the store refused. The text names the thing and the next step; branch on [`StoreError::kind`], not on the text.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A reference longer than 512 characters (contract rule 27).
    #[error("the handle has {chars} characters, the limit is {MAX_REFERENCE_CHARS}; give the handle alone")]
    ReferenceTooLong {
        /// Its length in characters.
        chars: usize,
    },
    /// Neither `ccr_…` nor `s<number>`.
    #[error("{reference:?} is not a handle; give ccr_ with its hex digits or a short handle such as s7")]
    NotAReference {
        /// What was given.
        reference: String,
    },
    /// A prefix too short to mean one thing.
    #[error("{reference:?} is too short a prefix; give at least {MIN_PREFIX_DIGITS} lower-case hex digits after ccr_")]
    PrefixTooShort {
        /// What was given.
        reference: String,
    },
    /// Nothing is stored under this full handle.
    #[error("nothing is stored under {handle}; take a new snapshot")]
    UnknownHandle {
        /// The full handle.
        handle: Handle,
    },
    /// No handle of this scope begins like this.
    #[error("no handle of this session begins with {prefix}; give the full handle, or take a new snapshot")]
    UnknownPrefix {
        /// The prefix, `ccr_` included.
        prefix: String,
    },
    /// This scope never gave out this short handle.
    #[error("{short} was not given out in this session; give the full handle, or take a new snapshot")]
    UnknownShort {
        /// The short handle.
        short: String,
    },
    /// This scope gave the short handle out, and `gc` has removed what it stood for.
    #[error("{short} has been removed by store gc; take a new snapshot")]
    ShortCollected {
        /// The short handle.
        short: String,
    },
    /// Several handles of this scope begin like this.
    #[error("{prefix} is ambiguous: {matches} handles of this session begin with it; give more digits")]
    Ambiguous {
        /// The prefix, `ccr_` included.
        prefix: String,
        /// How many handles it fits.
        matches: u64,
    },
    /// The budget does not hold the new bytes. Nothing was deleted, nothing was stored (contract rule 37).
    #[error(
        "the store holds {used} of {budget} bytes and has no room for {needed} more; \
         run `caveman-browse store gc --older-than 30d`, `caveman-browse store stats` shows the oldest"
    )]
    Full {
        /// Compressed bytes that are stored now.
        used: u64,
        /// Compressed bytes that were to be added.
        needed: u64,
        /// The limit over both.
        budget: u64,
    },
    /// More bytes than one entry can hold.
    #[error("{bytes} bytes are too many for one stored document, the limit is {limit}; take a smaller page")]
    TooLarge {
        /// The size refused.
        bytes: u64,
        /// The limit which it breaks.
        limit: u64,
    },
    /// What is stored under the handle is not what was stored: none of it is given out.
    #[error("what is stored under {handle} is damaged ({damage}); take a new snapshot")]
    Corrupt {
        /// The handle that was asked for.
        handle: Handle,
        /// What does not fit.
        damage: Damage,
    },
    /// Two different documents with one handle. The first stays.
    #[error("another document is stored under {handle}; nothing was stored")]
    Collision {
        /// The handle of both.
        handle: Handle,
    },
    /// The disk, or the file's own page limit, is full.
    #[error(
        "no space is left to write {}; free some, then `caveman-browse store gc --older-than 30d` frees more",
        path.display()
    )]
    DiskFull {
        /// The database.
        path: PathBuf,
    },
    /// Another process held the lock for all of the busy timeout.
    #[error("{} was locked by another process for {waited_ms} ms; try again", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
        /// The busy timeout in milliseconds.
        waited_ms: u64,
    },
    /// The file, or where it lies, cannot be written.
    #[error("{} is read-only; make it writable, or name another file in CAVEMAN_CCR_DB", path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// The file is not SQLite's. It was left as it is.
    #[error("{} is not a database and was left as it is; name another file in CAVEMAN_CCR_DB", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// A SQLite database of another program. It was left as it is.
    #[error("{} is another program's database and was left as it is; name another file in CAVEMAN_CCR_DB", path.display())]
    Foreign {
        /// The database.
        path: PathBuf,
    },
    /// The database was written by a newer version of this program. It was left as it is.
    #[error(
        "{} has schema version {found}, this program knows {known}; update it, or name another file in CAVEMAN_CCR_DB",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its `user_version`.
        found: i64,
        /// The newest version that this program reads.
        known: i64,
    },
    /// SQLite found its own structures broken. The file was left as it is.
    #[error("{} is damaged and was left as it is; move it away to begin with an empty store", path.display())]
    DamagedFile {
        /// The database.
        path: PathBuf,
    },
    /// The file system has no WAL, so several processes would not be safe.
    #[error("{} cannot use a write-ahead log (its journal is {mode}); put CAVEMAN_CCR_DB on a local disk", path.display())]
    NoWal {
        /// The database.
        path: PathBuf,
        /// The journal mode that SQLite fell back to.
        mode: String,
    },
    /// A directory, socket, pipe or device.
    #[error("{} is not a regular file; name another file in CAVEMAN_CCR_DB", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file was removed or replaced while it was open. What would be written now could not be found again.
    #[error("{} was moved or deleted while in use; start again to begin with an empty store", path.display())]
    Moved {
        /// Where it was.
        path: PathBuf,
    },
    /// A file or directory could not be made, opened or made private (0600, 0700).
    #[error("cannot {action} {}: {source}; make it accessible, or name another file in CAVEMAN_CCR_DB", path.display())]
    File {
        /// What was tried, as a verb.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Anything else that SQLite reports.
    #[error("{}: {source}; run `caveman-browse doctor`", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// SQLite's own error.
        source: rusqlite::Error,
    },
    /// The compressor refused: out of memory.
    #[error("cannot compress {bytes} bytes: {source}; take a smaller page")]
    Compress {
        /// The size of the input.
        bytes: usize,
        /// zstd's own error.
        source: std::io::Error,
    },
}

/// How stored bytes fail to be what was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// zstd cannot read them.
    #[error("it does not decompress")]
    Compression,
    /// Their length differs from the recorded one.
    #[error("its length differs")]
    Length,
    /// Their SHA-256 differs from the handle.
    #[error("its digest differs")]
    Digest,
    /// The row has another type or a figure out of range.
    #[error("its row is malformed")]
    Row,
    /// SQLite could not read the row's pages.
    #[error("its pages are broken")]
    Pages,
    /// An entry points to bytes that are gone.
    #[error("its bytes are missing")]
    Missing,
}

/// The classes of [`StoreError`], from which the tools make their codes: `InvalidReference` is
/// `cave_invalid_arguments`, `UnknownHandle` and `Corrupt` are `cave_unknown_handle`, `Full` is `cave_store_full`,
/// `TooLarge` is `cave_payload_too_large`, `Busy` is `cave_timeout`. `Unavailable` is
/// `cave_browser_snapshot_uncompressed` where something was to be stored (contract rule 9), otherwise
/// `cave_internal`, like `Internal`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// The reference breaks a limit on arguments.
    InvalidReference,
    /// The reference names nothing, or more than one thing, that the caller may read.
    UnknownHandle,
    /// The budget or the disk is full; deleting old entries helps.
    Full,
    /// One document is over the limit for one entry.
    TooLarge,
    /// A stored document is not what was stored.
    Corrupt,
    /// A lock was held too long; trying again helps.
    Busy,
    /// The file cannot be used as a store until the user does something about it.
    Unavailable,
    /// A fault of this program or of the machine.
    Internal,
}

impl StoreError {
    /// The class of the error. Every variant is named here, so that a new one has to be placed.
    pub fn kind(&self) -> StoreErrorKind {
        match self {
            Self::ReferenceTooLong { .. } => StoreErrorKind::InvalidReference,
            Self::NotAReference { .. }
            | Self::PrefixTooShort { .. }
            | Self::UnknownHandle { .. }
            | Self::UnknownPrefix { .. }
            | Self::UnknownShort { .. }
            | Self::ShortCollected { .. }
            | Self::Ambiguous { .. } => StoreErrorKind::UnknownHandle,
            Self::Full { .. } | Self::DiskFull { .. } => StoreErrorKind::Full,
            Self::TooLarge { .. } => StoreErrorKind::TooLarge,
            Self::Corrupt { .. } => StoreErrorKind::Corrupt,
            Self::Busy { .. } => StoreErrorKind::Busy,
            Self::ReadOnly { .. }
            | Self::NotADatabase { .. }
            | Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::DamagedFile { .. }
            | Self::NoWal { .. }
            | Self::NotAFile { .. }
            | Self::Moved { .. }
            | Self::File { .. } => StoreErrorKind::Unavailable,
            Self::Collision { .. } | Self::Sqlite { .. } | Self::Compress { .. } => StoreErrorKind::Internal,
        }
    }
}
