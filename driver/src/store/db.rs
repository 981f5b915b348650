//! Putting and getting. It owns the budget and what a reference resolves to; it must not know what the bytes mean.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::codec;
use super::error::{Damage, StoreError};
use super::files;
use super::handle::{Handle, Reference, ScopeId, short};
use super::schema::{self, Place};

/// SQLite's own limit for one row (`SQLITE_MAX_LENGTH`), less what the other columns may take.
const MAX_STORED_BYTES: u64 = 999_000_000;

/// Limits of a store.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The most compressed bytes that are kept. Default: 1 GiB (contract rule 37).
    pub budget_bytes: u64,
    /// How long another process's lock is waited for, in milliseconds. Default: 5000.
    pub busy_timeout_ms: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            budget_bytes: 1 << 30,
            busy_timeout_ms: 5000,
        }
    }
}

/// What is kept beside a document's bytes.
#[derive(Debug, Clone, Default)]
pub struct SnapshotMeta {
    /// Where the page was.
    pub url: String,
    /// Whatever the view needs to say later what changed. Compressed and checked like the document.
    pub records: Option<Vec<u8>>,
}

/// The names of a stored document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// By content; resolves in every scope.
    pub handle: Handle,
    /// `s7`: by number, in the scope that put it, never reused.
    pub short: String,
}

/// One snapshot as the store remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Of its document.
    pub handle: Handle,
    /// In its scope.
    pub short: String,
    /// Where the page was.
    pub url: String,
    /// Milliseconds since 1970, UTC.
    pub created_ms: i64,
    /// What was given as `SnapshotMeta::records`.
    pub records: Option<Vec<u8>>,
}

/// Bytes made ready to be stored: compressed, and with their handle. It is the part of [`Store::put`] that takes time,
/// and needs no database, so that it can be done beside something else.
#[derive(Debug)]
pub struct Packed {
    handle: Handle,
    /// The bytes' length before.
    raw: usize,
    data: Vec<u8>,
}

impl Packed {
    /// Makes `bytes` ready.
    pub fn of(bytes: &[u8]) -> Result<Self, StoreError> {
        Ok(Self {
            data: pack_row(bytes)?,
            handle: Handle::of(bytes),
            raw: bytes.len(),
        })
    }

    /// Whether these are the bytes that were packed.
    fn is_of(&self, bytes: &[u8]) -> bool {
        self.raw == bytes.len()
            && codec::unpack(&self.data, self.raw as u64, &self.handle).is_ok_and(|raw| raw == bytes)
    }
}

/// Exact originals by handle. Calls are short and blocking; one store serves many threads, one file many processes.
#[derive(Debug)]
pub struct Store {
    conn: Mutex<Connection>,
    pub(super) place: Place,
    pub(super) options: Options,
}

impl Store {
    /// Opens the database at `path`. Makes missing directories (0700) and the file (0600); takes other users' access
    /// away from one that is there. A file that is not this program's is left exactly as it is.
    pub fn open(path: &Path, options: Options) -> Result<Self, StoreError> {
        let (conn, place) = schema::open_file(path, options.busy_timeout_ms)?;
        Ok(Self {
            conn: Mutex::new(conn),
            place,
            options,
        })
    }

    /// A store that ends with this process (`CAVEMAN_BROWSE_EPHEMERAL`).
    pub fn in_memory(options: Options) -> Result<Self, StoreError> {
        let (conn, place) = schema::open_memory(options.busy_timeout_ms)?;
        Ok(Self {
            conn: Mutex::new(conn),
            place,
            options,
        })
    }

    /// Stores `bytes` and gives them a short handle in `scope`. The same content is stored once. All or nothing: a
    /// refusal stores nothing, deletes nothing and uses no number.
    pub fn put(&self, scope: &ScopeId, bytes: &[u8], meta: &SnapshotMeta) -> Result<Stored, StoreError> {
        self.check_unmoved()?;
        self.put_packed(scope, &Packed::of(bytes)?, meta)
    }

    /// [`Store::put`] for bytes that were made ready before.
    pub fn put_packed(&self, scope: &ScopeId, document: &Packed, meta: &SnapshotMeta) -> Result<Stored, StoreError> {
        self.check_unmoved()?;
        // All that takes time comes before the lock that other processes wait for.
        let Packed {
            handle,
            raw,
            data: packed,
        } = document;
        let records = match &meta.records {
            Some(records) => Some((pack_row(records)?, records.len() as u64, Handle::of(records))),
            None => None,
        };
        let mut conn = self.lock();
        let tx = self.write(&mut conn)?;
        let before = self.stored_bytes(&tx)?;
        let held = self.held(&tx, document)?;
        let added = held.added(packed) + records.as_ref().map_or(0, |(packed, ..)| packed.len() as u64);
        if added > 0 && before.saturating_add(added) > self.options.budget_bytes {
            return Err(StoreError::Full {
                used: before,
                needed: added,
                budget: self.options.budget_bytes,
            });
        }
        let stored = self.sql(|| {
            let sql = match held {
                Held::Whole => None,
                Held::Damaged { .. } => Some("UPDATE blobs SET raw = ?2, stored = ?3, data = ?4 WHERE handle = ?1"),
                Held::Not => Some("INSERT INTO blobs (handle, raw, stored, data) VALUES (?1, ?2, ?3, ?4)"),
            };
            if let Some(sql) = sql {
                tx.execute(
                    sql,
                    params![handle.as_str(), number(*raw), number(packed.len()), packed],
                )?;
            }
            let last: i64 = tx.query_row(
                "INSERT INTO scopes (scope, last) VALUES (?1, 1)
                 ON CONFLICT (scope) DO UPDATE SET last = last + 1 RETURNING last",
                [scope.as_str()],
                |row| row.get(0),
            )?;
            let (records_packed, records_raw, records_digest) = match &records {
                Some((packed, raw, digest)) => (Some(packed), *raw, Some(digest.as_str())),
                None => (None, 0, None),
            };
            tx.execute(
                "INSERT INTO snapshots
                 (scope, number, handle, created, url, records_digest, records_raw, records_stored, records)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    scope.as_str(),
                    last,
                    handle.as_str(),
                    now_ms(),
                    meta.url,
                    records_digest,
                    i64::try_from(records_raw).unwrap_or(i64::MAX),
                    number(records_packed.map_or(0, Vec::len)),
                    records_packed
                ],
            )?;
            Ok(Stored {
                handle: handle.clone(),
                short: short(last),
            })
        })?;
        self.sql(|| tx.commit())?;
        Ok(stored)
    }

    /// The exact bytes behind `reference`: a full handle of any scope, or a prefix (8 hex digits at least) or a short
    /// handle of `scope`. Their digest is checked.
    pub fn get(&self, reference: &str, scope: &ScopeId) -> Result<Vec<u8>, StoreError> {
        let reference = Reference::parse(reference)?;
        let mut conn = self.lock();
        let tx = self.read(&mut conn)?;
        let handle = self.resolve(&tx, &reference, scope)?;
        let found = tx
            .prepare_cached("SELECT raw, data FROM blobs WHERE handle = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([handle.as_str()], |row| Ok(unpack_row(row, 0, 1, &handle)))
                    .optional()
            })
            .map_err(|e| self.unreadable(e, &handle))?;
        match (found, &reference) {
            (Some(found), _) => found.map_err(|damage| StoreError::Corrupt { handle, damage }),
            (None, Reference::Full(_)) => Err(StoreError::UnknownHandle { handle }),
            (None, _) => Err(StoreError::Corrupt {
                handle,
                damage: Damage::Missing,
            }),
        }
    }

    /// The snapshot behind `reference` as `scope` made it, with its records. A full handle or a prefix means the
    /// scope's latest snapshot with that content.
    pub fn snapshot(&self, reference: &str, scope: &ScopeId) -> Result<Snapshot, StoreError> {
        let reference = Reference::parse(reference)?;
        let mut conn = self.lock();
        let tx = self.read(&mut conn)?;
        let handle = self.resolve(&tx, &reference, scope)?;
        let wanted = if let Reference::Short(number) = reference {
            Some(number)
        } else {
            None
        };
        let row = tx
            .prepare_cached(
                "SELECT number, url, created, records_digest, records_raw, records FROM snapshots
                 WHERE scope = ?1 AND handle = ?2 AND (?3 IS NULL OR number = ?3) ORDER BY number DESC LIMIT 1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row(params![scope.as_str(), handle.as_str(), wanted], |row| {
                        let records = match row.get::<_, Option<String>>(3)? {
                            None => Ok(None),
                            Some(digest) => Handle::stored(digest)
                                .ok_or(Damage::Row)
                                .and_then(|digest| unpack_row(row, 4, 5, &digest))
                                .map(Some),
                        };
                        Ok((row.get(0)?, row.get(1)?, row.get(2)?, records))
                    })
                    .optional()
            })
            .map_err(|e| self.unreadable(e, &handle))?;
        let Some((number, url, created_ms, records)) = row else {
            return Err(StoreError::UnknownHandle { handle });
        };
        match records {
            Ok(records) => Ok(Snapshot {
                handle,
                short: short(number),
                url,
                created_ms,
                records,
            }),
            Err(damage) => Err(StoreError::Corrupt { handle, damage }),
        }
    }

    /// What is already there under the document's handle. A handle is given out only for bytes that can be read back,
    /// so that one which was damaged is written anew.
    fn held(&self, tx: &Transaction<'_>, document: &Packed) -> Result<Held, StoreError> {
        let Packed {
            handle,
            raw,
            data: packed,
        } = document;
        let found = self.sql(|| {
            tx.prepare_cached("SELECT stored, raw, data FROM blobs WHERE handle = ?1")?
                .query_row([handle.as_str()], |row| {
                    let stored = unsigned(row, 0).unwrap_or(0);
                    // Compression is deterministic, so that most often nothing need be unpacked.
                    let same_length = unsigned(row, 1).is_ok_and(|held| held == *raw as u64);
                    if same_length && matches!(row.get_ref(2)?, ValueRef::Blob(data) if data == packed) {
                        return Ok(Ok(Held::Whole));
                    }
                    Ok(match unpack_row(row, 1, 2, handle) {
                        Ok(held) if document.is_of(&held) => Ok(Held::Whole),
                        Ok(_) => Err(StoreError::Collision { handle: handle.clone() }),
                        Err(_) => Ok(Held::Damaged { stored }),
                    })
                })
                .optional()
        })?;
        found.unwrap_or(Ok(Held::Not))
    }

    fn stored_bytes(&self, tx: &Transaction<'_>) -> Result<u64, StoreError> {
        self.sql(|| tx.query_row("SELECT max(stored, 0) FROM totals", [], |row| unsigned(row, 0)))
    }

    pub(super) fn check_unmoved(&self) -> Result<(), StoreError> {
        match self.place.opened {
            Some(opened) if !files::is_unmoved(&self.place.path, opened) => Err(StoreError::Moved {
                path: self.place.path.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// The connection. A thread that panicked while it had it left a transaction at most, which its drop undid.
    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.conn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn read<'c>(&self, conn: &'c mut Connection) -> Result<Transaction<'c>, StoreError> {
        self.sql(|| conn.transaction())
    }

    /// A transaction that has the write lock from its first moment: one that took it later could be refused at once.
    pub(super) fn write<'c>(&self, conn: &'c mut Connection) -> Result<Transaction<'c>, StoreError> {
        self.sql(|| conn.transaction_with_behavior(TransactionBehavior::Immediate))
    }

    pub(super) fn sql<T>(&self, run: impl FnOnce() -> rusqlite::Result<T>) -> Result<T, StoreError> {
        run().map_err(|e| self.place.error(e))
    }

    /// An error while one document was read. Broken pages concern that document, as far as is known.
    fn unreadable(&self, error: rusqlite::Error, handle: &Handle) -> StoreError {
        match self.place.error(error) {
            StoreError::DamagedFile { .. } => StoreError::Corrupt {
                handle: handle.clone(),
                damage: Damage::Pages,
            },
            other => other,
        }
    }
}

enum Held {
    Not,
    Whole,
    Damaged { stored: u64 },
}

impl Held {
    /// By how much the stored bytes grow when `packed` is written.
    fn added(&self, packed: &[u8]) -> u64 {
        match self {
            Self::Not => packed.len() as u64,
            Self::Whole => 0,
            Self::Damaged { stored } => (packed.len() as u64).saturating_sub(*stored),
        }
    }
}

fn pack_row(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let packed = codec::pack(bytes)?;
    if packed.len() as u64 > MAX_STORED_BYTES {
        return Err(StoreError::TooLarge {
            bytes: packed.len() as u64,
            limit: MAX_STORED_BYTES,
        });
    }
    Ok(packed)
}

fn unpack_row(row: &Row<'_>, raw: usize, data: usize, digest: &Handle) -> Result<Vec<u8>, Damage> {
    let raw = unsigned(row, raw).map_err(|_| Damage::Row)?;
    match row.get_ref(data) {
        Ok(ValueRef::Blob(packed)) => codec::unpack(packed, raw, digest),
        _ => Err(Damage::Row),
    }
}

/// A count or a length; an error when the column holds anything else.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value = row.get::<_, i64>(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

fn number(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Milliseconds since 1970. A clock before that counts as 1970: the entry is then the first that `gc` takes.
pub(super) fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
