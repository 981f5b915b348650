//! The database's shape, version and settings. It must not know what is put into it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::error::StoreError;
use super::files::{self, Identity};

/// "cvmB" in SQLite's header: a database with another number is another program's.
const APPLICATION_ID: i64 = 0x6376_6d42;
/// The version that this program writes, in `user_version`.
pub(super) const VERSION: i64 = 1;
/// What the log is cut to after a checkpoint, so that one large document does not stay twice.
const LOG_LIMIT_BYTES: i64 = 16 << 20;
/// Pause between two tries to switch to the log, which SQLite refuses at once when another process does the same.
const SWITCH_PAUSE: Duration = Duration::from_millis(5);

// Large columns come last: SQLite reads the ones before them without touching their pages.
// `totals` is kept by triggers, so that the budget is one row to read, whoever writes.
const CREATE: &str = "
CREATE TABLE blobs (
    handle TEXT NOT NULL PRIMARY KEY,
    raw INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE snapshots (
    scope TEXT NOT NULL,
    number INTEGER NOT NULL,
    handle TEXT NOT NULL REFERENCES blobs (handle),
    created INTEGER NOT NULL,
    url TEXT NOT NULL,
    records_digest TEXT,
    records_raw INTEGER NOT NULL DEFAULT 0,
    records_stored INTEGER NOT NULL DEFAULT 0,
    records BLOB,
    PRIMARY KEY (scope, number)
);
CREATE INDEX snapshots_by_handle ON snapshots (handle);
CREATE INDEX snapshots_by_prefix ON snapshots (scope, handle, number);
CREATE INDEX snapshots_by_age ON snapshots (created);
CREATE TABLE scopes (scope TEXT NOT NULL PRIMARY KEY, last INTEGER NOT NULL);
CREATE TABLE totals (one INTEGER PRIMARY KEY CHECK (one = 1), documents INTEGER, snapshots INTEGER, raw INTEGER, stored INTEGER);
INSERT INTO totals VALUES (1, 0, 0, 0, 0);
CREATE TRIGGER blob_in AFTER INSERT ON blobs BEGIN
    UPDATE totals SET documents = documents + 1, raw = raw + new.raw, stored = stored + new.stored;
END;
CREATE TRIGGER blob_changed AFTER UPDATE ON blobs BEGIN
    UPDATE totals SET raw = raw + new.raw - old.raw, stored = stored + new.stored - old.stored;
END;
CREATE TRIGGER blob_out AFTER DELETE ON blobs BEGIN
    UPDATE totals SET documents = documents - 1, raw = raw - old.raw, stored = stored - old.stored;
END;
CREATE TRIGGER snapshot_in AFTER INSERT ON snapshots BEGIN
    UPDATE totals SET snapshots = snapshots + 1, stored = stored + new.records_stored;
END;
CREATE TRIGGER snapshot_out AFTER DELETE ON snapshots BEGIN
    UPDATE totals SET snapshots = snapshots - 1, stored = stored - old.records_stored;
END;
";

/// Where a connection leads, for its errors.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// None in memory.
    pub(super) opened: Option<Identity>,
    pub(super) busy_timeout_ms: u64,
}

impl Place {
    /// SQLite's error as ours.
    pub(super) fn error(&self, source: rusqlite::Error) -> StoreError {
        let path = self.path.clone();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy {
                path,
                waited_ms: self.busy_timeout_ms,
            },
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
            // The shared memory of the log has no error of its own for a full disk.
            Some(ErrorCode::SystemIoFailure) if self.opened.is_some() && files::is_full(&path) => {
                StoreError::DiskFull { path }
            }
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { path },
            Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::DamagedFile { path },
            _ => StoreError::Sqlite { path, source },
        }
    }
}

/// Opens the file at `path`, making it first where there is none.
pub(super) fn open_file(path: &Path, busy_timeout_ms: u64) -> Result<(Connection, Place), StoreError> {
    let opened = files::prepare(path)?;
    let place = Place {
        path: path.to_owned(),
        opened: Some(opened),
        busy_timeout_ms,
    };
    // No CREATE: the file is there, with our mode. No URI: a path with `?` in it is a path.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags).map_err(|e| place.error(e))?;
    conn.busy_timeout(Duration::from_millis(busy_timeout_ms))
        .map_err(|e| place.error(e))?;
    // Only looks: what is not ours is not changed.
    let state = state_now(&conn, &place)?;
    files::make_private(path)?;
    if state == State::Empty {
        // Has to come before the first page is written; afterwards it has no effect.
        conn.pragma_update(None, "auto_vacuum", "INCREMENTAL")
            .map_err(|e| place.error(e))?;
    }
    switch_to_log(&conn, &place)?;
    settle(&mut conn, &place)?;
    files::make_private(path)?;
    Ok((conn, place))
}

/// Opens a store that ends with the process.
pub(super) fn open_memory(busy_timeout_ms: u64) -> Result<(Connection, Place), StoreError> {
    let place = Place {
        path: PathBuf::from(":memory:"),
        opened: None,
        busy_timeout_ms,
    };
    let mut conn = Connection::open_in_memory().map_err(|e| place.error(e))?;
    conn.pragma_update(None, "auto_vacuum", "INCREMENTAL")
        .map_err(|e| place.error(e))?;
    settle(&mut conn, &place)?;
    Ok((conn, place))
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Empty,
    Ours,
}

/// What the database is, seen in one moment: between two looks another process may have made its tables.
fn state_now(conn: &Connection, place: &Place) -> Result<State, StoreError> {
    let tx = conn.unchecked_transaction().map_err(|e| place.error(e))?;
    state(&tx, place)
}

/// What the database is, by its own header. Refuses what is not ours or not known.
fn state(conn: &Connection, place: &Place) -> Result<State, StoreError> {
    let number = |sql: &str| {
        conn.query_row(sql, [], |row| row.get::<_, i64>(0))
            .map_err(|e| place.error(e))
    };
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    if application == 0 && version == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0 {
        return Ok(State::Empty);
    }
    if application != APPLICATION_ID {
        return Err(StoreError::Foreign {
            path: place.path.clone(),
        });
    }
    match version {
        VERSION => Ok(State::Ours),
        found if found > VERSION => Err(StoreError::Newer {
            path: place.path.clone(),
            found,
            known: VERSION,
        }),
        // There is no older version than the first.
        _ => Err(StoreError::DamagedFile {
            path: place.path.clone(),
        }),
    }
}

fn switch_to_log(conn: &Connection, place: &Place) -> Result<(), StoreError> {
    let until = Instant::now() + Duration::from_millis(place.busy_timeout_ms);
    loop {
        let switched = conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match switched.map_err(|e| place.error(e)) {
            Ok(mode) if mode.eq_ignore_ascii_case("wal") => return Ok(()),
            Ok(mode) => {
                return Err(StoreError::NoWal {
                    path: place.path.clone(),
                    mode,
                });
            }
            Err(StoreError::Busy { .. }) if Instant::now() < until => std::thread::sleep(SWITCH_PAUSE),
            Err(error) => return Err(error),
        }
    }
}

/// Settings of the connection, and the tables where there are none yet.
fn settle(conn: &mut Connection, place: &Place) -> Result<(), StoreError> {
    let set = |conn: &Connection| {
        conn.pragma_update(None, "synchronous", "NORMAL")?;
        conn.pragma_update(None, "foreign_keys", true)?;
        conn.pragma_update(None, "trusted_schema", false)?;
        conn.query_row(
            &format!("PRAGMA journal_size_limit = {LOG_LIMIT_BYTES}"),
            [],
            |_| Ok(()),
        )
    };
    set(conn).map_err(|e| place.error(e))?;
    if state_now(conn, place)? == State::Ours {
        return Ok(());
    }
    let tx = conn
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|e| place.error(e))?;
    // Another process may have been first while we waited for the lock.
    if state(&tx, place)? == State::Empty {
        tx.execute_batch(CREATE).map_err(|e| place.error(e))?;
        tx.pragma_update(None, "application_id", APPLICATION_ID)
            .map_err(|e| place.error(e))?;
        tx.pragma_update(None, "user_version", VERSION)
            .map_err(|e| place.error(e))?;
    }
    tx.commit().map_err(|e| place.error(e))
}
