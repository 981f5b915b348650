//! The seam of this room; the room itself follows and replaces this file.
#![allow(missing_docs)]
use std::{fmt, path::Path};
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct StoreError;
pub enum StoreErrorKind {
    InvalidReference,
    UnknownHandle,
    Full,
    TooLarge,
    Corrupt,
    Busy,
    Unavailable,
    Internal,
}
impl StoreError {
    pub fn kind(&self) -> StoreErrorKind {
        StoreErrorKind::Internal
    }
}
#[derive(Default)]
pub struct Options;
#[derive(Debug)]
pub struct Store;
#[derive(Debug, Clone)]
pub struct ScopeId;
impl ScopeId {
    pub fn random() -> Self {
        ScopeId
    }
}
#[derive(Debug, Clone)]
pub struct Handle;
impl fmt::Display for Handle {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}
#[derive(Debug, Clone)]
pub struct Stored {
    pub handle: Handle,
    pub short: String,
}
pub struct SnapshotMeta {
    pub url: String,
    pub records: Option<Vec<u8>>,
}
impl Store {
    pub fn open(_: &Path, _: Options) -> Result<Store, StoreError> {
        Err(StoreError)
    }
    pub fn in_memory(_: Options) -> Result<Store, StoreError> {
        Err(StoreError)
    }
    pub fn put(&self, _: &ScopeId, _: &[u8], _: &SnapshotMeta) -> Result<Stored, StoreError> {
        Err(StoreError)
    }
}
