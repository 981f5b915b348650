//! What is printed: figures to standard output, verdicts to standard error.

use std::path::Path;

use serde::Serialize;

use crate::record::{Arm, Difference, Record};
use crate::run::Verdict;
use crate::stats::Spread;

pub(super) fn wrote(root: &Path, path: &Path) {
    eprintln!("wrote {}", path.strip_prefix(root).unwrap_or(path).display());
}

pub(super) fn json(value: &impl Serialize) -> Result<(), serde_json::Error> {
    println!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}

pub(super) fn other_chrome(scenario: &str, committed: u32, here: u32) {
    eprintln!(
        "{scenario}: the committed figures are of Chrome {committed}, this is Chrome {here}: only the budgets are checked"
    );
}

/// A line a figure: scenario, who, median and range.
pub(super) fn figures(records: &[Record]) {
    for record in records {
        let line = |who: &str, arm, variant: &str, metric: &str| {
            if let Some(spread) = Spread::of(&record.figures(arm, variant, metric)) {
                println!(
                    "{:<14} {who:<14} {metric:<9} {} [{}, {}]",
                    record.scenario, spread.median, spread.min, spread.max
                );
            }
        };
        line("raw", Arm::Raw, "-", "tokens");
        line("playwright", Arm::Playwright, "-", "tokens");
        for variant in record.variants() {
            line(variant, Arm::Ours, variant, "view");
            line(variant, Arm::Ours, variant, "after");
        }
        if let Some(time) = record.rows.iter().find(|row| row.arm == Arm::Time) {
            line("time", Arm::Time, &time.variant, "ratio");
        }
        let missing = record
            .rows
            .iter()
            .find(|row| row.arm == Arm::Playwright && row.metric == "missing");
        if let Some(missing) = missing {
            println!("{:<14} playwright     not measured: {}", record.scenario, missing.value);
        }
    }
}

pub(super) fn verdict(verdict: &Verdict) {
    for lost in &verdict.lost {
        eprintln!(
            "LOST    {} {}: no figure, since the view lacks {}",
            lost.scenario, lost.variant, lost.what
        );
    }
    for broken in &verdict.broken {
        eprintln!(
            "BUDGET  {} {} {}: {} allowed, {} measured, over by {}",
            broken.scenario, broken.variant, broken.bound, broken.allowed, broken.measured, broken.over
        );
    }
}

pub(super) fn differences(differences: &[Difference]) {
    for one in differences {
        eprintln!("DIFFERS {}: {} committed, {} now", one.figure, one.committed, one.now);
    }
    if !differences.is_empty() {
        eprintln!("if the change is meant, run `cargo xtask bench` and commit what it writes, with the reason");
    }
}
