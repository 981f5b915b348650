//! The file: private, and never touched when it is not ours.

use super::super::{Options, SnapshotMeta, Store, StoreError, StoreErrorKind};
use super::{Home, contents, noise, put, scope};
use std::fs;
use std::path::Path;

fn refused(path: &Path) -> StoreError {
    Store::open(
        path,
        Options {
            busy_timeout_ms: 50,
            ..Options::default()
        },
    )
    .unwrap_err()
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_new_store_is_private_with_its_directories_and_the_files_beside_it() {
    let home = Home::new();
    set_mode(home.directory.path(), 0o755);
    let path = home.directory.path().join("one/two/ccr.db");
    let store = Store::open(&path, Options::default()).unwrap();
    put(&store, "a", b"page");
    for name in ["ccr.db", "ccr.db-wal", "ccr.db-shm"] {
        assert_eq!(mode(&path.with_file_name(name)), 0o600, "{name}");
    }
    assert_eq!(mode(&home.directory.path().join("one")), 0o700);
    assert_eq!(mode(&home.directory.path().join("one/two")), 0o700);
    assert_eq!(
        mode(home.directory.path()),
        0o755,
        "a directory that was there keeps its mode"
    );
}

#[cfg(unix)]
#[test]
fn a_store_that_others_could_read_is_made_private() {
    let home = Home::new();
    drop(home.store());
    set_mode(&home.database(), 0o644);
    let _store = home.store();
    assert_eq!(mode(&home.database()), 0o600);
}

#[test]
fn a_file_that_is_not_a_database_is_left_as_it_is() {
    let home = Home::new();
    for text in [
        b"my notes".to_vec(),
        noise(100_000, 3),
        b"SQLite format 4\0and more".to_vec(),
    ] {
        fs::write(home.database(), &text).unwrap();
        #[cfg(unix)]
        set_mode(&home.database(), 0o644);
        let error = refused(&home.database());
        assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
        assert_eq!(error.kind(), StoreErrorKind::Unavailable);
        assert_eq!(contents(&home.database()), text);
        #[cfg(unix)]
        assert_eq!(mode(&home.database()), 0o644);
    }
}

#[test]
fn another_programs_database_is_left_as_it_is() {
    let home = Home::new();
    home.raw()
        .execute_batch("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')")
        .unwrap();
    let before = contents(&home.database());
    let error = refused(&home.database());
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    assert_eq!(contents(&home.database()), before);
}

#[test]
fn a_newer_version_is_named_and_left_as_it_is() {
    let home = Home::new();
    put(&home.store(), "a", b"page");
    home.raw().execute_batch("PRAGMA user_version = 7").unwrap();
    let before = contents(&home.database());
    let error = refused(&home.database());
    assert!(matches!(error, StoreError::Newer { found: 7, known: 1, .. }), "{error}");
    assert_eq!(contents(&home.database()), before);
    home.raw().execute_batch("PRAGMA user_version = -3").unwrap();
    assert!(matches!(refused(&home.database()), StoreError::DamagedFile { .. }));
}

#[cfg(unix)]
#[test]
fn a_read_only_file_stays_read_only() {
    let home = Home::new();
    put(&home.store(), "a", b"page");
    set_mode(&home.database(), 0o400);
    let error = refused(&home.database());
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    assert_eq!(mode(&home.database()), 0o400);
}

#[test]
fn what_is_not_a_regular_file_is_refused_at_once() {
    let home = Home::new();
    fs::create_dir(home.database()).unwrap();
    assert!(matches!(refused(&home.database()), StoreError::NotAFile { .. }));
    #[cfg(unix)]
    assert!(matches!(refused(Path::new("/dev/null")), StoreError::NotAFile { .. }));
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let home = Home::new();
    fs::write(home.database(), b"a file").unwrap();
    let error = refused(&home.database().join("below/ccr.db"));
    assert!(matches!(error, StoreError::File { .. }), "{error}");
    assert!(error.to_string().contains("below"), "{error}");
    assert_eq!(contents(&home.database()), b"a file");
}

#[test]
fn broken_pages_are_told_apart_from_an_unknown_handle() {
    let home = Home::new();
    let stored = put(&home.store(), "a", &noise(200_000, 5));
    let mut bytes = contents(&home.database());
    // Page 1 holds the header and the schema; it stays whole, so that the file opens.
    bytes[4096..].fill(0x5a);
    fs::write(home.database(), &bytes).unwrap();
    let error = match Store::open(&home.database(), Options::default()) {
        Ok(store) => store.get(stored.handle.as_str(), &scope("a")).unwrap_err(),
        Err(error) => error,
    };
    assert!(
        matches!(error, StoreError::Corrupt { .. } | StoreError::DamagedFile { .. }),
        "{error}"
    );
    assert_eq!(contents(&home.database()).len(), bytes.len());
}

#[test]
fn a_database_cut_short_gives_no_bytes() {
    let home = Home::new();
    let stored = put(&home.store(), "a", &noise(200_000, 5));
    let bytes = contents(&home.database());
    for length in [20, 100, 4096, bytes.len() / 2, bytes.len() - 4096] {
        fs::write(home.database(), &bytes[..length]).unwrap();
        let got = Store::open(&home.database(), Options::default())
            .and_then(|store| store.get(stored.handle.as_str(), &scope("a")));
        assert!(got.is_err(), "{length} bytes");
    }
}

#[test]
fn a_full_disk_stores_nothing_and_says_so() {
    let home = Home::new();
    let store = home.store();
    put(&store, "a", b"page");
    let before = store.stats().unwrap();
    let limit = |pages: i64| {
        let conn = store.lock();
        conn.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |row| {
            row.get::<_, i64>(0)
        })
        .unwrap()
    };
    limit(1);
    let error = store
        .put(&scope("a"), &noise(500_000, 1), &SnapshotMeta::default())
        .unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    assert_eq!(error.kind(), StoreErrorKind::Full);
    assert!(error.to_string().contains("store gc --older-than"), "{error}");
    assert_eq!(store.stats().unwrap(), before);
    assert_eq!(store.get("s1", &scope("a")).unwrap(), b"page");
    limit(1_000_000);
    assert_eq!(put(&store, "a", &noise(500_000, 1)).short, "s2");
}

#[test]
fn a_lock_that_is_held_too_long_is_busy_and_reading_goes_on() {
    let home = Home::new();
    let store = Store::open(
        &home.database(),
        Options {
            busy_timeout_ms: 30,
            ..Options::default()
        },
    )
    .unwrap();
    put(&store, "a", b"page");
    let other = home.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.put(&scope("a"), b"more", &SnapshotMeta::default()).unwrap_err();
    assert!(matches!(error, StoreError::Busy { waited_ms: 30, .. }), "{error}");
    assert_eq!(error.kind(), StoreErrorKind::Busy);
    assert_eq!(store.get("s1", &scope("a")).unwrap(), b"page");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(put(&store, "a", b"more").short, "s2");
}

#[cfg(unix)]
#[test]
fn a_store_whose_file_was_deleted_takes_nothing_more() {
    let home = Home::new();
    let store = home.store();
    put(&store, "a", b"page");
    fs::remove_file(home.database()).unwrap();
    let error = store.put(&scope("a"), b"more", &SnapshotMeta::default()).unwrap_err();
    assert!(matches!(error, StoreError::Moved { .. }), "{error}");
}

#[test]
fn settings_that_several_processes_rely_on_are_in_force() {
    let home = Home::new();
    let store = home.store();
    let conn = store.lock();
    let text = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(text("PRAGMA journal_mode"), "wal");
    assert_eq!(number("PRAGMA synchronous"), 1, "NORMAL");
    assert_eq!(number("PRAGMA auto_vacuum"), 2, "INCREMENTAL");
    assert_eq!(number("PRAGMA busy_timeout"), 5000);
    assert_eq!(number("PRAGMA foreign_keys"), 1);
}

#[test]
fn a_path_with_odd_characters_is_a_path() {
    let home = Home::new();
    let path = home.directory.path().join("a?mode=ro&x#y%20 é.db");
    put(&Store::open(&path, Options::default()).unwrap(), "a", b"page");
    assert!(path.is_file());
}

#[test]
fn every_error_says_what_to_do_next() {
    let home = Home::new();
    fs::write(home.database(), b"my notes").unwrap();
    let text = refused(&home.database()).to_string();
    assert!(text.contains("ccr.db") && text.contains("CAVEMAN_CCR_DB"), "{text}");
}
