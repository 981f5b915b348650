//! From a reference to the one handle that it means in a scope. It must not know what is stored under it.

use rusqlite::{Transaction, params};

use super::db::Store;
use super::error::StoreError;
use super::handle::{Handle, Reference, ScopeId, short};

impl Store {
    /// The handle that `reference` means. A full handle means itself, stored or not.
    pub(super) fn resolve(
        &self,
        tx: &Transaction<'_>,
        reference: &Reference,
        scope: &ScopeId,
    ) -> Result<Handle, StoreError> {
        match reference {
            Reference::Full(handle) => Ok(handle.clone()),
            Reference::Prefix { text, least, greatest } => {
                let (matches, first): (u32, Option<String>) = self.sql(|| {
                    tx.prepare_cached(
                        "SELECT count(DISTINCT handle), min(handle) FROM snapshots
                         WHERE scope = ?1 AND handle BETWEEN ?2 AND ?3",
                    )?
                    .query_row([scope.as_str(), least, greatest], |row| Ok((row.get(0)?, row.get(1)?)))
                })?;
                match (matches, first.and_then(Handle::stored)) {
                    (1, Some(handle)) => Ok(handle),
                    (0, _) => Err(StoreError::UnknownPrefix { prefix: text.clone() }),
                    (1, None) => Err(StoreError::DamagedFile {
                        path: self.place.path.clone(),
                    }),
                    (matches, _) => Err(StoreError::Ambiguous {
                        prefix: text.clone(),
                        matches: u64::from(matches),
                    }),
                }
            }
            Reference::Short(number) => {
                let (handle, last): (Option<String>, Option<i64>) = self.sql(|| {
                    tx.prepare_cached(
                        "SELECT (SELECT handle FROM snapshots WHERE scope = ?1 AND number = ?2),
                                (SELECT last FROM scopes WHERE scope = ?1)",
                    )?
                    .query_row(params![scope.as_str(), number], |row| Ok((row.get(0)?, row.get(1)?)))
                })?;
                match handle {
                    Some(handle) => Handle::stored(handle).ok_or_else(|| StoreError::DamagedFile {
                        path: self.place.path.clone(),
                    }),
                    None if last.is_some_and(|last| *number <= last) => {
                        Err(StoreError::ShortCollected { short: short(*number) })
                    }
                    None => Err(StoreError::UnknownShort { short: short(*number) }),
                }
            }
        }
    }
}
