//! A look at the process table, independent of how the product counts: everything below a process, and whether all of it
//! is gone. Linux.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

/// One process: its number and when it started, so that a reused number is not taken for it.
pub type Process = (u32, u64);

struct Row {
    parent: u32,
    group: u32,
    started: u64,
    zombie: bool,
}

fn table() -> BTreeMap<u32, Row> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let row = Row {
            zombie: fields[0] == "Z",
            parent: fields[1].parse().ok()?,
            group: fields[2].parse().ok()?,
            started: fields[19].parse().ok()?,
        };
        Some((pid, row))
    })
    .collect()
}

/// A process, everything below it, and everything in its group.
pub fn tree(root: u32) -> BTreeSet<Process> {
    let table = table();
    let mut tree: BTreeSet<u32> = table
        .iter()
        .filter(|(_, row)| row.group == root)
        .map(|(pid, _)| *pid)
        .collect();
    tree.insert(root);
    loop {
        let below: Vec<u32> = table
            .iter()
            .filter(|(pid, row)| tree.contains(&row.parent) && !tree.contains(pid))
            .map(|(pid, _)| *pid)
            .collect();
        if below.is_empty() {
            break;
        }
        tree.extend(below);
    }
    tree.into_iter()
        .filter_map(|pid| Some((pid, table.get(&pid)?.started)))
        .collect()
}

/// Those of them which still run.
pub fn alive(processes: &BTreeSet<Process>) -> Vec<Process> {
    let table = table();
    let runs = |process: &&Process| {
        table
            .get(&process.0)
            .is_some_and(|row| row.started == process.1 && !row.zombie)
    };
    processes.iter().filter(runs).copied().collect()
}

/// Whether no member of a process group runs.
pub fn group_is_gone(group: u32) -> bool {
    table().values().all(|row| row.group != group || row.zombie)
}

/// Waits until something is so.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(15), "not within 15 s: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until nothing is left of a browser.
pub fn gone(processes: &BTreeSet<Process>, profile: &Path) {
    eventually("every process of Chrome is gone", || alive(processes).is_empty());
    eventually("the profile is gone", || !profile.exists());
}
