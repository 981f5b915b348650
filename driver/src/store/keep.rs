//! What the store holds, and letting go of it. Nothing is deleted but by `gc`, and `gc` only runs when it is asked for.

use std::time::Duration;

use rusqlite::Connection;
use serde::Serialize;

use super::db::{Store, now_ms, unsigned};
use super::error::StoreError;

/// Pages that are given back in one step; the log is emptied after each, so that it does not grow to the size of what
/// is deleted. A full disk is a reason to collect.
const STEP_PAGES: u32 = 4096;

/// What a store holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// How many snapshots were put and not collected.
    pub snapshots: u64,
    /// How many different documents they have.
    pub documents: u64,
    /// Those documents' bytes.
    pub raw_bytes: u64,
    /// What they and the records take, compressed. The budget is over this.
    pub stored_bytes: u64,
    /// The most that `stored_bytes` may be.
    pub budget_bytes: u64,
    /// When the oldest snapshot was put: milliseconds since 1970, UTC. None in an empty store.
    pub oldest_ms: Option<i64>,
    /// When the newest one was.
    pub newest_ms: Option<i64>,
}

/// What `gc` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Collected {
    /// Snapshots removed.
    pub snapshots: u64,
    /// Documents removed: those that no snapshot which is left needs.
    pub documents: u64,
    /// Compressed bytes that the budget got back.
    pub stored_bytes: u64,
    /// Whether the file was made as small as it can be. False when other processes were reading: the space is reused,
    /// and the next `gc` gives it back.
    pub shrunk: bool,
}

impl Store {
    /// What the store holds now.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        let mut conn = self.lock();
        let tx = self.read(&mut conn)?;
        self.sql(|| {
            tx.query_row(
                "SELECT snapshots, documents, raw, stored,
                        (SELECT min(created) FROM snapshots), (SELECT max(created) FROM snapshots) FROM totals",
                [],
                |row| {
                    Ok(Stats {
                        snapshots: unsigned(row, 0)?,
                        documents: unsigned(row, 1)?,
                        raw_bytes: unsigned(row, 2)?,
                        stored_bytes: unsigned(row, 3)?,
                        budget_bytes: self.options.budget_bytes,
                        oldest_ms: row.get(4)?,
                        newest_ms: row.get(5)?,
                    })
                },
            )
        })
    }

    /// Removes the snapshots that are at least `older_than` old, then the documents that no other snapshot has, and
    /// gives the space back. Short handles that are gone stay gone: their numbers are not used again.
    pub fn gc(&self, older_than: Duration) -> Result<Collected, StoreError> {
        self.check_unmoved()?;
        let age_ms = i64::try_from(older_than.as_millis()).unwrap_or(i64::MAX);
        let mut conn = self.lock();
        let tx = self.write(&mut conn)?;
        let mut collected = self.sql(|| {
            let totals = || {
                tx.query_row("SELECT snapshots, documents, stored FROM totals", [], |row| {
                    Ok((unsigned(row, 0)?, unsigned(row, 1)?, unsigned(row, 2)?))
                })
            };
            let before = totals()?;
            tx.execute(
                "DELETE FROM snapshots WHERE created <= ?1",
                [now_ms().saturating_sub(age_ms)],
            )?;
            tx.execute(
                "DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.handle = blobs.handle)",
                [],
            )?;
            let after = totals()?;
            Ok(Collected {
                snapshots: before.0.saturating_sub(after.0),
                documents: before.1.saturating_sub(after.1),
                stored_bytes: before.2.saturating_sub(after.2),
                shrunk: false,
            })
        })?;
        self.sql(|| tx.commit())?;
        // What was asked for is done; whether the file could also be cut is told, not refused.
        collected.shrunk = match self.sql(|| shrink(&conn)) {
            Ok(shrunk) => shrunk,
            Err(StoreError::Busy { .. } | StoreError::DiskFull { .. }) => false,
            Err(error) => return Err(error),
        };
        Ok(collected)
    }
}

fn shrink(conn: &Connection) -> rusqlite::Result<bool> {
    let free = || conn.query_row("PRAGMA freelist_count", [], |row| unsigned(row, 0));
    let mut left = free()?;
    let mut emptied = empty_log(conn)?;
    // A reader that outlasts the busy timeout once would do so at every step.
    while left > 0 && emptied {
        // Each row that is stepped over is one page given back.
        let mut statement = conn.prepare(&format!("PRAGMA incremental_vacuum({STEP_PAGES})"))?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
        drop(rows);
        emptied = empty_log(conn)?;
        let now = free()?;
        if now >= left {
            return Ok(false);
        }
        left = now;
    }
    Ok(emptied)
}

/// Moves the log into the database. False when a reader of another process kept it from being done.
fn empty_log(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        .map(|busy| busy == 0)
}
