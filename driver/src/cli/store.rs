//! `caveman-browse store`: what the store holds, and letting go of what is old. Must not know SQL or tools other than
//! their errors.

use super::run::Answer;
use crate::settings::Settings;
use crate::store::{Collected, Options, Stats, Store, StoreError};
use crate::tools::ToolError;
use clap::Subcommand;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What to do with the store.
#[derive(Debug, Subcommand)]
pub(super) enum StoreCommand {
    /// Say how many originals are kept, how large they are and how old
    Stats {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Delete the originals that are older than an age, and give their space back
    Gc {
        /// The age: a number and s, m, h, d or w
        #[arg(long, value_name = "AGE", value_parser = age)]
        older_than: Duration,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// Why a text is not an age.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AgeError {
    /// No number and unit.
    #[error("give a whole number and one of s, m, h, d, w, such as 30d")]
    Spelling,
    /// More seconds than there is room for.
    #[error("that is longer than any clock runs; give less, such as 30d")]
    TooLong,
}

const UNITS: [(char, u64); 5] = [('w', 604_800), ('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// Reads `30d`, `12h`, `90m`, `45s` or `2w`.
pub(super) fn age(text: &str) -> Result<Duration, AgeError> {
    let last = text.chars().next_back().ok_or(AgeError::Spelling)?;
    let (_, seconds) = UNITS.iter().find(|(unit, _)| *unit == last).ok_or(AgeError::Spelling)?;
    let digits = &text[..text.len() - last.len_utf8()];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AgeError::Spelling);
    }
    let number: u64 = digits.parse().map_err(|_| AgeError::TooLong)?;
    number
        .checked_mul(*seconds)
        .map(Duration::from_secs)
        .ok_or(AgeError::TooLong)
}

/// Does what was asked with the store that the settings name.
pub(super) fn run(settings: &Settings, command: &StoreCommand) -> Answer {
    Ok(answer(settings, command).map_err(ToolError::Recover)?)
}

fn answer(settings: &Settings, command: &StoreCommand) -> Result<String, StoreError> {
    let options = Options::default();
    let (store, place) = if settings.ephemeral {
        (
            Store::in_memory(options)?,
            "in memory, ends with each command".to_owned(),
        )
    } else {
        (
            Store::open(&settings.database, options)?,
            settings.database.display().to_string(),
        )
    };
    Ok(match command {
        StoreCommand::Stats { json: true } => stats_json(&store.stats()?, &place),
        StoreCommand::Stats { json: false } => stats_text(&store.stats()?, &place, now_ms()),
        StoreCommand::Gc { older_than, json: true } => gc_json(&store.gc(*older_than)?),
        StoreCommand::Gc {
            older_than,
            json: false,
        } => gc_text(&store.gc(*older_than)?),
    })
}

fn stats_json(stats: &Stats, place: &str) -> String {
    serde_json::json!({ "store": place, "stats": stats }).to_string()
}

fn stats_text(stats: &Stats, place: &str, now_ms: i64) -> String {
    let Stats {
        snapshots,
        documents,
        raw_bytes,
        stored_bytes,
        budget_bytes,
        ..
    } = stats;
    let when = |created: Option<i64>| created.map_or("none".to_owned(), |created| ago(now_ms - created));
    format!(
        "store      {place}\n\
         snapshots  {snapshots}, of {documents} different documents\n\
         raw        {raw_bytes} bytes\n\
         stored     {stored_bytes} of {budget_bytes} bytes\n\
         oldest     {}\n\
         newest     {}",
        when(stats.oldest_ms),
        when(stats.newest_ms)
    )
}

fn gc_json(collected: &Collected) -> String {
    serde_json::json!({ "collected": collected }).to_string()
}

fn gc_text(collected: &Collected) -> String {
    let Collected {
        snapshots,
        documents,
        stored_bytes,
        shrunk,
    } = collected;
    let rest = if *shrunk {
        ""
    } else {
        "; the file is in use and shrinks at a later gc"
    };
    format!("removed {snapshots} snapshots, {documents} documents, {stored_bytes} bytes{rest}")
}

/// An age in the largest unit that says it, as `gc` takes it.
fn ago(age_ms: i64) -> String {
    let seconds = u64::try_from(age_ms / 1000).unwrap_or(0);
    // Weeks are left to the reader: `33d` says more than `4w`.
    let (unit, length) = UNITS[1..]
        .iter()
        .find(|(_, length)| seconds >= *length)
        .unwrap_or(&('s', 1));
    format!("{}{unit} ago", seconds / length)
}

fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::chrome::Env;
    use crate::store::{ScopeId, SnapshotMeta};
    use clap::Parser;
    use std::path::Path;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(subcommand)]
        command: StoreCommand,
    }

    fn parse(line: &str) -> Result<StoreCommand, clap::Error> {
        Line::try_parse_from(std::iter::once("store").chain(line.split(' '))).map(|line| line.command)
    }

    fn settings(home: &Path) -> Settings {
        let home = home.display().to_string();
        Settings::read(
            &|name| (name == "CAVEMAN_HOME").then(|| home.clone().into()),
            Env::system(),
        )
        .unwrap()
    }

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        assert_eq!(age("30d"), Ok(Duration::from_secs(30 * 86_400)));
        assert_eq!(age("0s"), Ok(Duration::ZERO));
        assert_eq!(age("2w"), age("14d"));
        assert_eq!(age("90m"), Ok(Duration::from_secs(5400)));
        for text in [
            "", "d", "30", "-1d", "+1d", "1.5d", "30 d", "30D", "30y", "d30", "३d", "30dé",
        ] {
            assert_eq!(age(text), Err(AgeError::Spelling), "{text:?}");
        }
        for text in ["99999999999999999999d", "18446744073709551615w"] {
            assert_eq!(age(text), Err(AgeError::TooLong), "{text:?}");
        }
    }

    #[test]
    fn gc_is_not_run_without_an_age() {
        assert_eq!(parse("gc").unwrap_err().exit_code(), 2);
        assert_eq!(parse("gc --older-than soon").unwrap_err().exit_code(), 2);
        assert!(matches!(
            parse("gc --older-than 1d --json"),
            Ok(StoreCommand::Gc { json: true, .. })
        ));
    }

    #[test]
    fn stats_and_gc_tell_what_a_home_holds() {
        let home = tempfile::tempdir().unwrap();
        let settings = settings(home.path());
        let say = |line: &str| run(&settings, &parse(line).unwrap()).unwrap();
        let first = say("stats");
        assert!(first.contains("snapshots  0, of 0 different documents"), "{first}");
        assert!(first.ends_with("oldest     none\nnewest     none"), "{first}");
        let store = Store::open(&settings.database, Options::default()).unwrap();
        for page in [b"one".as_slice(), b"two", b"one"] {
            store.put(&ScopeId::random(), page, &SnapshotMeta::default()).unwrap();
        }
        let stats: serde_json::Value = serde_json::from_str(&say("stats --json")).unwrap();
        assert_eq!(stats["stats"]["snapshots"], 3);
        assert_eq!(stats["stats"]["documents"], 2);
        assert_eq!(stats["stats"]["raw_bytes"], 6);
        assert_eq!(say("gc --older-than 1d"), "removed 0 snapshots, 0 documents, 0 bytes");
        let collected: serde_json::Value = serde_json::from_str(&say("gc --older-than 0s --json")).unwrap();
        assert_eq!(collected["collected"]["snapshots"], 3);
        assert_eq!(collected["collected"]["shrunk"], true);
    }

    #[test]
    fn a_store_that_cannot_be_opened_is_told_with_a_code() {
        let home = tempfile::tempdir().unwrap();
        let settings = settings(home.path());
        std::fs::write(&settings.database, b"my notes").unwrap();
        let error = run(&settings, &StoreCommand::Stats { json: false })
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("cave_") && error.contains("ccr.db"), "{error}");
        assert_eq!(std::fs::read(&settings.database).unwrap(), b"my notes");
    }

    #[test]
    fn an_age_is_told_in_the_unit_that_gc_takes() {
        let told: Vec<String> = [-5000, 0, 59_000, 3_600_000, 86_400_000 * 33]
            .iter()
            .map(|age_ms| ago(*age_ms))
            .collect();
        assert_eq!(told, ["0s ago", "0s ago", "59s ago", "1h ago", "33d ago"]);
    }
}
