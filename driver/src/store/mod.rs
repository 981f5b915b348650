//! The store: exact originals in one SQLite file, by handle. It owns handles, digests, compression, the budget, file
//! modes and the schema; it must not know what the bytes mean, nor pages, sessions, tools or the network.

mod codec;
mod db;
mod error;
mod files;
mod handle;
mod keep;
mod resolve;
mod schema;

#[cfg(test)]
mod tests;

pub use db::{Options, Packed, Snapshot, SnapshotMeta, Store, Stored};
pub use error::{Damage, StoreError, StoreErrorKind};
pub use handle::{Handle, ScopeId};
pub use keep::{Collected, Stats};
