//! Several real processes on one file: this test binary starts itself again.

use super::super::{Options, SnapshotMeta, Store};
use super::{Home, noise, scope};
use std::collections::HashSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const FILE: &str = "STORE_TEST_FILE";
const NAME: &str = "STORE_TEST_NAME";
const DEED: &str = "STORE_TEST_DEED";
const PUTS: u64 = 25;

/// What a child does. As a test of its own it does nothing: it is there to be started with the variables set.
#[test]
fn child() {
    let (Ok(file), Ok(name), Ok(deed)) = (std::env::var(FILE), std::env::var(NAME), std::env::var(DEED)) else {
        return;
    };
    let store = Store::open(
        Path::new(&file),
        Options {
            busy_timeout_ms: 60_000,
            ..Options::default()
        },
    )
    .unwrap();
    let seed: u64 = name.parse().unwrap();
    match deed.as_str() {
        "put" => {
            for round in 0..PUTS {
                // One page of its own, and one that all children have.
                let own = noise(20_000, 1000 * (seed + 1) + round);
                let stored = store.put(&scope("home"), &own, &SnapshotMeta::default()).unwrap();
                let shared = noise(20_000, round);
                store.put(&scope("home"), &shared, &SnapshotMeta::default()).unwrap();
                assert_eq!(store.get(&stored.short, &scope("home")).unwrap(), own);
                println!("\nnumber {}", stored.short);
            }
        }
        "die" => {
            for round in 0.. {
                store
                    .put(&scope("home"), &noise(50_000, round), &SnapshotMeta::default())
                    .unwrap();
                println!("\nput {round}");
            }
        }
        other => panic!("no deed {other}"),
    }
}

fn start(home: &Home, name: u64, deed: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::tests::processes::child", "--nocapture"])
        .env(FILE, home.database())
        .env(NAME, name.to_string())
        .env(DEED, deed)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn processes_that_open_a_fresh_home_at_once_lose_nothing_and_share_no_number() {
    let home = Home::new();
    let children: Vec<_> = (0..4).map(|name| start(&home, name, "put")).collect();
    let mut numbers = HashSet::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{text}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let own: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("number "))
            .map(str::to_owned)
            .collect();
        assert_eq!(own.len() as u64, PUTS, "{text}");
        for number in own {
            assert!(numbers.insert(number.clone()), "{number} was given out twice");
        }
    }
    let stats = home.store().stats().unwrap();
    assert_eq!(stats.snapshots, 4 * PUTS * 2);
    assert_eq!(stats.documents, 4 * PUTS + PUTS);
    assert_eq!(stats.raw_bytes, stats.documents * 20_000);
    let held: i64 = home
        .raw()
        .query_row("SELECT sum(length(data)) FROM blobs", [], |row| row.get(0))
        .unwrap();
    assert_eq!(stats.stored_bytes, u64::try_from(held).unwrap());
    let sound: String = home
        .raw()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
}

#[test]
fn a_process_that_is_killed_while_it_stores_leaves_all_that_it_had_stored() {
    use std::io::{BufRead, BufReader};
    let home = Home::new();
    let mut child = start(&home, 0, "die");
    let mut told = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        if let Some(round) = line.unwrap().strip_prefix("put ") {
            told = round.parse().unwrap();
            if told == 20 {
                child.kill().unwrap();
                break;
            }
        }
    }
    child.wait().unwrap();
    assert_eq!(told, 20);
    let store = home.store();
    for round in 0..=told {
        assert_eq!(
            store.get(&format!("s{}", round + 1), &scope("home")).unwrap(),
            noise(50_000, round)
        );
    }
    let sound: String = home
        .raw()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
}

#[test]
fn threads_share_one_store() {
    let home = Home::new();
    let store = home.store();
    std::thread::scope(|threads| {
        for name in 0..4 {
            let store = &store;
            threads.spawn(move || {
                for round in 0..20 {
                    let page = noise(5000, 100 * name + round);
                    let stored = store.put(&scope("a"), &page, &SnapshotMeta::default()).unwrap();
                    assert_eq!(store.get(&stored.short, &scope("a")).unwrap(), page);
                }
            });
        }
    });
    assert_eq!(store.stats().unwrap().snapshots, 80);
}
