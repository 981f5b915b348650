//! What is put comes back exactly, or not at all.

use super::super::{Damage, Handle, Options, SnapshotMeta, Store, StoreError, StoreErrorKind};
use super::{Home, noise, put, scope};
use proptest::prelude::*;

fn memory() -> Store {
    Store::in_memory(Options::default()).unwrap()
}

fn refused(store: &Store, reference: &str, scope_name: &str) -> StoreError {
    store.get(reference, &scope(scope_name)).unwrap_err()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_bytes_come_back_as_they_were(bytes in proptest::collection::vec(any::<u8>(), 0..4000)) {
        let store = memory();
        let stored = put(&store, "a", &bytes);
        prop_assert_eq!(&store.get(stored.handle.as_str(), &scope("b")).unwrap(), &bytes);
        prop_assert_eq!(&store.get(&stored.short, &scope("a")).unwrap(), &bytes);
    }

    #[test]
    fn no_reference_makes_the_store_panic(reference in ".{0,80}") {
        let kind = refused(&memory(), &reference, "a").kind();
        prop_assert_eq!(kind, StoreErrorKind::UnknownHandle);
    }
}

#[test]
fn a_handle_is_half_of_the_sha_256_of_the_exact_bytes() {
    // FIPS 180-2, appendix B.1: SHA-256 of "abc".
    assert_eq!(Handle::of(b"abc").as_str(), "ccr_ba7816bf8f01cfea414140de5dae2223");
    assert_eq!(put(&memory(), "a", b"abc").handle, Handle::of(b"abc"));
}

#[test]
fn one_content_is_stored_once_under_a_new_short_handle_each_time() {
    let store = memory();
    let first = put(&store, "a", b"page");
    let second = put(&store, "a", b"page");
    assert_eq!(first.handle, second.handle);
    assert_eq!((first.short.as_str(), second.short.as_str()), ("s1", "s2"));
    let stats = store.stats().unwrap();
    assert_eq!((stats.documents, stats.snapshots, stats.raw_bytes), (1, 2, 4));
}

#[test]
fn short_handles_and_prefixes_resolve_only_in_the_scope_that_made_them() {
    let store = memory();
    let stored = put(&store, "a", b"page");
    let prefix = &stored.handle.as_str()[..12];
    assert_eq!(store.get("s1", &scope("a")).unwrap(), b"page");
    assert_eq!(store.get(prefix, &scope("a")).unwrap(), b"page");
    assert_eq!(store.get(stored.handle.as_str(), &scope("b")).unwrap(), b"page");
    assert!(matches!(refused(&store, "s1", "b"), StoreError::UnknownShort { short } if short == "s1"));
    assert!(matches!(refused(&store, prefix, "b"), StoreError::UnknownPrefix { .. }));
    put(&store, "b", b"other");
    assert_eq!(store.get("s1", &scope("b")).unwrap(), b"other");
}

#[test]
fn a_prefix_of_two_handles_is_ambiguous_and_of_one_content_twice_is_not() {
    let home = Home::new();
    let store = home.store();
    let stored = put(&store, "a", b"page");
    put(&store, "a", b"page");
    let prefix = stored.handle.as_str()[..12].to_owned();
    assert_eq!(store.get(&prefix, &scope("a")).unwrap(), b"page");
    // A neighbour of the same prefix, written past the store: nobody can make two such pages in a test's time.
    let mut neighbour = stored.handle.as_str()[..35].to_owned();
    neighbour.push(if stored.handle.as_str().ends_with('0') {
        '1'
    } else {
        '0'
    });
    let raw = home.raw();
    raw.execute(
        "INSERT INTO blobs (handle, raw, stored, data) VALUES (?1, 0, 0, x'')",
        [&neighbour],
    )
    .unwrap();
    raw.execute(
        "INSERT INTO snapshots (scope, number, handle, created, url) VALUES ('a', 9, ?1, 0, '')",
        [&neighbour],
    )
    .unwrap();
    let error = refused(&store, &prefix, "a");
    assert!(matches!(&error, StoreError::Ambiguous { matches: 2, .. }), "{error}");
    assert_eq!(error.kind(), StoreErrorKind::UnknownHandle);
    assert!(error.to_string().contains("ambiguous"));
    assert_eq!(store.get(stored.handle.as_str(), &scope("a")).unwrap(), b"page");
}

#[test]
fn references_that_name_nothing_are_refused_by_what_is_wrong_with_them() {
    let store = memory();
    let stored = put(&store, "a", b"page");
    let upper = stored.handle.as_str().to_uppercase();
    let longer = format!("{}0", stored.handle);
    for spelled in [
        "",
        "s",
        "s0",
        "s01",
        "S1",
        "s-1",
        "s1 ",
        " s1",
        "s١",
        "7",
        "ccr",
        "ccr_zz345678",
        &upper,
        &longer,
    ] {
        assert!(
            matches!(refused(&store, spelled, "a"), StoreError::NotAReference { .. }),
            "{spelled:?}"
        );
    }
    assert!(matches!(refused(&store, "s2", "a"), StoreError::UnknownShort { .. }));
    assert!(matches!(
        refused(&store, "s99999999999999999999999", "a"),
        StoreError::UnknownShort { .. }
    ));
    assert!(matches!(
        refused(&store, &stored.handle.as_str()[..11], "a"),
        StoreError::PrefixTooShort { .. }
    ));
    assert!(matches!(
        refused(&store, "ccr_", "a"),
        StoreError::PrefixTooShort { .. }
    ));
    let absent = Handle::of(b"never stored");
    assert!(matches!(refused(&store, absent.as_str(), "a"), StoreError::UnknownHandle { handle } if handle == absent));
}

#[test]
fn a_reference_of_more_than_512_characters_is_an_invalid_argument() {
    let store = memory();
    assert!(matches!(
        refused(&store, &"é".repeat(512), "a"),
        StoreError::NotAReference { .. }
    ));
    let error = refused(&store, &"é".repeat(513), "a");
    assert!(matches!(error, StoreError::ReferenceTooLong { chars: 513 }));
    assert_eq!(error.kind(), StoreErrorKind::InvalidReference);
}

#[test]
fn damaged_bytes_are_never_given_out() {
    let other = zstd::bulk::compress(b"another page", 1).unwrap();
    let long = zstd::bulk::compress(b"page and more", 1).unwrap();
    let cases: [(&str, &[u8], Damage); 8] = [
        ("UPDATE blobs SET data = ?1", &other, Damage::Length),
        ("UPDATE blobs SET data = ?1, raw = 12", &other, Damage::Digest),
        ("UPDATE blobs SET data = ?1", &long, Damage::Length),
        ("UPDATE blobs SET data = ?1", b"", Damage::Compression),
        ("UPDATE blobs SET data = ?1", b"not zstd at all", Damage::Compression),
        ("UPDATE blobs SET raw = -1 WHERE ?1 IS NOT NULL", b"", Damage::Row),
        (
            "UPDATE blobs SET raw = 9223372036854775807 WHERE ?1 IS NOT NULL",
            b"",
            Damage::Row,
        ),
        ("UPDATE blobs SET data = 7 WHERE ?1 IS NOT NULL", b"", Damage::Row),
    ];
    for (sql, data, expected) in cases {
        let home = Home::new();
        let store = home.store();
        let stored = put(&store, "a", b"page");
        assert_eq!(home.raw().execute(sql, [data]).unwrap(), 1);
        let error = refused(&store, "s1", "a");
        assert!(error.to_string().contains(stored.handle.as_str()), "{error}");
        assert_eq!(error.kind(), StoreErrorKind::Corrupt);
        let StoreError::Corrupt { handle, damage } = error else {
            panic!("{sql}: {error}")
        };
        assert_eq!((handle, damage), (stored.handle, expected), "{sql}");
    }
}

#[test]
fn every_flipped_bit_of_a_stored_document_is_noticed() {
    let home = Home::new();
    let store = home.store();
    let page: Vec<u8> = (0..40)
        .flat_map(|row| format!("row {row} of a table; ").into_bytes())
        .collect();
    let stored = put(&store, "a", &page);
    let raw = home.raw();
    let good: Vec<u8> = raw.query_row("SELECT data FROM blobs", [], |row| row.get(0)).unwrap();
    for at in 0..good.len() * 8 {
        let mut bad = good.clone();
        bad[at / 8] ^= 1 << (at % 8);
        raw.execute("UPDATE blobs SET data = ?1", [&bad]).unwrap();
        match store.get(stored.handle.as_str(), &scope("a")) {
            // A bit of the frame that means nothing: the bytes are the exact ones all the same.
            Ok(bytes) => assert_eq!(bytes, page, "bit {at}"),
            Err(error) => assert_eq!(error.kind(), StoreErrorKind::Corrupt, "bit {at}: {error}"),
        }
    }
}

#[test]
fn putting_a_page_whose_stored_copy_is_damaged_makes_it_whole_again() {
    let home = Home::new();
    let store = home.store();
    let stored = put(&store, "a", b"page");
    home.raw()
        .execute("UPDATE blobs SET data = x'00', stored = 1", [])
        .unwrap();
    assert_eq!(refused(&store, "s1", "a").kind(), StoreErrorKind::Corrupt);
    assert_eq!(put(&store, "a", b"page").handle, stored.handle);
    assert_eq!(store.get("s1", &scope("a")).unwrap(), b"page");
    let held: i64 = home
        .raw()
        .query_row("SELECT sum(length(data)) FROM blobs", [], |row| row.get(0))
        .unwrap();
    assert_eq!(store.stats().unwrap().stored_bytes, u64::try_from(held).unwrap());
}

#[test]
fn records_come_back_by_short_handle_and_their_damage_is_noticed() {
    let home = Home::new();
    let store = home.store();
    let meta = |records: Option<&[u8]>| SnapshotMeta {
        url: "https://a.test/x".to_owned(),
        records: records.map(<[u8]>::to_vec),
    };
    store.put(&scope("a"), b"page", &meta(Some(b"one"))).unwrap();
    store.put(&scope("a"), b"page", &meta(Some(b"two"))).unwrap();
    let last = store.put(&scope("a"), b"page", &meta(None)).unwrap();
    let of = |reference: &str| store.snapshot(reference, &scope("a")).unwrap();
    assert_eq!(of("s1").records.as_deref(), Some(b"one".as_slice()));
    assert_eq!(of("s2").records.as_deref(), Some(b"two".as_slice()));
    assert_eq!((of("s3").records, of("s3").url.as_str()), (None, "https://a.test/x"));
    assert_eq!(of(last.handle.as_str()).short, "s3");
    assert!(store.snapshot("s1", &scope("b")).is_err());
    assert!(matches!(
        store.snapshot(last.handle.as_str(), &scope("b")),
        Err(StoreError::UnknownHandle { .. })
    ));
    home.raw()
        .execute(
            "UPDATE snapshots SET records = (SELECT records FROM snapshots WHERE number = 2)",
            [],
        )
        .unwrap();
    assert!(matches!(
        store.snapshot("s1", &scope("a")),
        Err(StoreError::Corrupt {
            damage: Damage::Digest,
            ..
        })
    ));
    assert!(of("s2").records.is_some());
}

#[test]
fn a_document_of_200_megabytes_comes_back_whole() {
    let home = Home::new();
    let store = home.store();
    // Half of it does not compress, so that what is stored is large too.
    let mut page = noise(100_000_000, 7);
    page.resize(200_000_000, b' ');
    let stored = put(&store, "a", &page);
    assert!(store.get(&stored.short, &scope("a")).unwrap() == page);
    drop(store);
    let reopened = home.store();
    assert!(reopened.get(stored.handle.as_str(), &scope("b")).unwrap() == page);
    assert_eq!(reopened.stats().unwrap().raw_bytes, 200_000_000);
}

#[test]
fn two_random_scopes_are_not_the_same() {
    use super::super::ScopeId;
    let scopes: std::collections::HashSet<_> = (0..1000).map(|_| ScopeId::random()).collect();
    assert_eq!(scopes.len(), 1000);
    let scope = ScopeId::random();
    assert_eq!(ScopeId::from(scope.as_str().to_owned()), scope);
}
