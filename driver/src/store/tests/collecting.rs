//! The budget and `gc`: nothing goes unless it was asked for, and what goes does not come back as something else.

use super::super::{Options, SnapshotMeta, Store, StoreError, StoreErrorKind};
use super::{Home, noise, put, scope};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn age(home: &Home, number: i64, days: i64) {
    let changed = home
        .raw()
        .execute(
            "UPDATE snapshots SET created = created - ?2 * 86400000 WHERE number = ?1",
            [number, days],
        )
        .unwrap();
    assert_eq!(changed, 1);
}

#[test]
fn a_full_store_refuses_names_gc_and_deletes_nothing() {
    let store = Store::in_memory(Options {
        budget_bytes: 5000,
        ..Options::default()
    })
    .unwrap();
    put(&store, "a", &noise(3000, 1));
    let before = store.stats().unwrap();
    let error = store
        .put(&scope("a"), &noise(3000, 2), &SnapshotMeta::default())
        .unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Full);
    assert!(
        error.to_string().contains("caveman-browse store gc --older-than"),
        "{error}"
    );
    let StoreError::Full { used, needed, budget } = error else {
        panic!("{error}")
    };
    assert_eq!((used, budget), (before.stored_bytes, 5000));
    assert!(needed > 2000);
    assert_eq!(store.stats().unwrap(), before);
    assert_eq!(store.get("s1", &scope("a")).unwrap(), noise(3000, 1));
    // What is there already needs no room, and a number that was refused is not used up.
    assert_eq!(put(&store, "a", &noise(3000, 1)).short, "s2");
    assert_eq!(put(&store, "a", b"small").short, "s3");
}

#[test]
fn records_count_toward_the_budget() {
    let store = Store::in_memory(Options {
        budget_bytes: 5000,
        ..Options::default()
    })
    .unwrap();
    let meta = |seed| SnapshotMeta {
        url: String::new(),
        records: Some(noise(2000, seed)),
    };
    store.put(&scope("a"), b"page", &meta(1)).unwrap();
    store.put(&scope("a"), b"page", &meta(2)).unwrap();
    let error = store.put(&scope("a"), b"page", &meta(3)).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Full);
}

#[test]
fn the_budget_holds_to_the_byte() {
    let room = zstd::bulk::compress(b"page", 1).unwrap().len() as u64;
    let exact = Store::in_memory(Options {
        budget_bytes: room,
        ..Options::default()
    })
    .unwrap();
    put(&exact, "a", b"page");
    assert_eq!(exact.stats().unwrap().stored_bytes, room);
    let less = Store::in_memory(Options {
        budget_bytes: room - 1,
        ..Options::default()
    })
    .unwrap();
    assert!(less.put(&scope("a"), b"page", &SnapshotMeta::default()).is_err());
    assert_eq!(less.stats().unwrap().snapshots, 0);
}

#[test]
fn gc_takes_what_is_old_enough_and_keeps_what_a_young_snapshot_shares() {
    let home = Home::new();
    let store = home.store();
    put(&store, "a", b"shared");
    put(&store, "a", b"old alone");
    put(&store, "a", b"shared");
    age(&home, 1, 40);
    age(&home, 2, 40);
    let collected = store.gc(30 * DAY).unwrap();
    assert_eq!(
        (collected.snapshots, collected.documents, collected.shrunk),
        (2, 1, true)
    );
    assert_eq!(store.get("s3", &scope("a")).unwrap(), b"shared");
    assert!(matches!(store.get("s2", &scope("a")), Err(StoreError::ShortCollected { short }) if short == "s2"));
    let stats = store.stats().unwrap();
    assert_eq!((stats.snapshots, stats.documents, stats.raw_bytes), (1, 1, 6));
    assert_eq!(stats.oldest_ms, stats.newest_ms);
    assert_eq!(store.gc(30 * DAY).unwrap().snapshots, 0);
}

#[test]
fn a_short_handle_is_not_used_again_after_gc_and_reopening() {
    let home = Home::new();
    let store = home.store();
    put(&store, "a", b"one");
    assert_eq!(put(&store, "a", b"two").short, "s2");
    assert_eq!(store.gc(Duration::ZERO).unwrap().snapshots, 2);
    drop(store);
    let store = home.store();
    assert!(matches!(
        store.get("s2", &scope("a")),
        Err(StoreError::ShortCollected { .. })
    ));
    assert_eq!(put(&store, "a", b"three").short, "s3");
}

#[test]
fn gc_gives_the_space_back_and_lets_a_full_store_go_on() {
    let home = Home::new();
    let options = Options {
        budget_bytes: 4_000_000,
        ..Options::default()
    };
    let store = Store::open(&home.database(), options).unwrap();
    for seed in 0..3 {
        put(&store, "a", &noise(1_200_000, seed));
    }
    let more = || store.put(&scope("a"), &noise(1_200_000, 9), &SnapshotMeta::default());
    assert_eq!(more().unwrap_err().kind(), StoreErrorKind::Full);
    age(&home, 1, 2);
    age(&home, 2, 2);
    let size = || std::fs::metadata(home.database()).unwrap().len();
    let collected = store.gc(DAY).unwrap();
    assert!(collected.stored_bytes > 2_400_000, "{collected:?}");
    assert!(collected.shrunk);
    assert!(size() < 1_500_000, "{} bytes are left", size());
    more().unwrap();
    assert_eq!(store.get("s3", &scope("a")).unwrap(), noise(1_200_000, 2));
}

#[test]
fn gc_without_a_limit_on_age_takes_nothing_by_overflow() {
    let store = Store::in_memory(Options::default()).unwrap();
    put(&store, "a", b"page");
    assert_eq!(store.gc(Duration::MAX).unwrap().snapshots, 0);
    assert_eq!(store.get("s1", &scope("a")).unwrap(), b"page");
}

#[test]
fn an_empty_store_has_no_oldest() {
    let stats = Store::in_memory(Options::default()).unwrap().stats().unwrap();
    assert_eq!(
        (stats.snapshots, stats.stored_bytes, stats.oldest_ms, stats.newest_ms),
        (0, 0, None, None)
    );
    assert_eq!(stats.budget_bytes, 1 << 30);
}

#[test]
fn gc_beside_a_reader_deletes_but_leaves_the_file_as_large_as_it_is() {
    let home = Home::new();
    let options = Options {
        busy_timeout_ms: 30,
        ..Options::default()
    };
    let store = Store::open(&home.database(), options).unwrap();
    let handle = put(&store, "a", &noise(1_000_000, 1)).handle;
    let other = home.raw();
    other.execute_batch("BEGIN; SELECT count(*) FROM blobs").unwrap();
    let collected = store.gc(Duration::ZERO).unwrap();
    assert_eq!((collected.documents, collected.shrunk), (1, false));
    let seen: i64 = other
        .query_row(
            "SELECT length(data) FROM blobs WHERE handle = ?1",
            [handle.as_str()],
            |row| row.get(0),
        )
        .unwrap();
    assert!(seen >= 1_000_000, "the reader still sees what it began with");
    other.execute_batch("COMMIT").unwrap();
    assert!(store.gc(Duration::ZERO).unwrap().shrunk);
    assert!(std::fs::metadata(home.database()).unwrap().len() < 200_000);
}
