//! Whether what was measured passes: what was lost, which budgets were broken. Pure.

use serde::Serialize;

use crate::budget::{Broken, Worst, judge};
use crate::record::{Arm, Record};
use crate::scenario::Scenario;
use crate::stats::Spread;

/// A text that a view had to hold and did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// The scenario.
    pub scenario: String,
    /// The variant.
    pub variant: String,
    /// What was lost.
    pub what: String,
}

/// The verdict over some scenarios.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verdict {
    /// What was lost.
    pub lost: Vec<Lost>,
    /// Which bounds were broken.
    pub broken: Vec<Broken>,
}

impl Verdict {
    /// Of each scenario and its record.
    pub fn of(scenarios: &[Scenario], records: &[Record]) -> Verdict {
        let mut verdict = Verdict::default();
        for (scenario, record) in scenarios.iter().zip(records) {
            verdict.add(scenario, record);
        }
        verdict
    }

    fn add(&mut self, scenario: &Scenario, record: &Record) {
        let mut all = Vec::new();
        for variant in &scenario.variants {
            let lost = record
                .rows
                .iter()
                .find(|row| row.arm == Arm::Ours && row.variant == variant.name && row.metric == "lost");
            if let Some(lost) = lost {
                self.lost.push(Lost {
                    scenario: scenario.name.clone(),
                    variant: variant.name.clone(),
                    what: lost.value.clone(),
                });
                continue;
            }
            let after = Spread::of(&record.figures(Arm::Ours, &variant.name, "after"));
            let ratio = Spread::of(&record.figures(Arm::Ours, &variant.name, "ratio"));
            if let (Some(after), Some(ratio)) = (after, ratio) {
                all.push(Worst {
                    variant: variant.name.clone(),
                    after: tokens(after.max),
                    ratio: ratio.min,
                });
            }
        }
        for worst in &all {
            if let Some(variant) = scenario.variants.iter().find(|variant| variant.name == worst.variant) {
                self.broken.extend(judge(&scenario.name, &variant.budget, worst, &all));
            }
        }
    }

    /// Nothing lost, nothing broken.
    pub fn passes(&self) -> bool {
        self.lost.is_empty() && self.broken.is_empty()
    }
}

/// Counts were written as whole numbers.
fn tokens(count: f64) -> usize {
    format!("{count:.0}").parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::Row;
    use crate::scenario::{Kind, load_text};

    fn scenario() -> Scenario {
        let text = "summary = \"s\"\npage = \"p.html\"\n[[variant]]\nname = \"full\"\nbudget = 100\n[[variant]]\nname = \"focused\"\nbudget = 20\nmin_ratio = 0.9\nmax_of = { variant = \"full\", share = 0.1 }\nkeep = [\"x\"]\n";
        load_text("s.toml", "s", Kind::Bench, text, &|_| true).unwrap()
    }

    fn record(rows: &[(&str, usize, &str, &str)]) -> Record {
        Record {
            scenario: "s".to_owned(),
            facts: Vec::new(),
            rows: rows
                .iter()
                .map(|(variant, run, metric, value)| Row {
                    arm: Arm::Ours,
                    variant: (*variant).to_owned(),
                    run: *run,
                    metric: (*metric).to_owned(),
                    value: (*value).to_owned(),
                })
                .collect(),
        }
    }

    #[test]
    fn the_worst_run_is_judged_and_not_the_middle_one() {
        let record = record(&[
            ("full", 1, "after", "90"),
            ("full", 2, "after", "101"),
            ("full", 3, "after", "90"),
            ("full", 1, "ratio", "0.5"),
            ("focused", 1, "after", "10"),
            ("focused", 1, "ratio", "0.95"),
            ("focused", 2, "ratio", "0.89"),
        ]);
        let verdict = Verdict::of(&[scenario()], &[record]);
        let broken: Vec<_> = verdict
            .broken
            .iter()
            .map(|one| format!("{} {}", one.variant, one.bound))
            .collect();
        assert_eq!(broken, ["full budget", "focused min_ratio"]);
        assert!(!verdict.passes());
    }

    #[test]
    fn what_was_lost_has_no_figure_to_judge() {
        let record = record(&[
            ("full", 1, "after", "90"),
            ("full", 1, "ratio", "0.5"),
            ("focused", 1, "after", "9"),
            ("focused", 1, "ratio", "0.1"),
            ("focused", 2, "lost", "x"),
        ]);
        let verdict = Verdict::of(&[scenario()], &[record]);
        assert_eq!(verdict.broken, []);
        assert_eq!(verdict.lost[0].what, "x");
        assert!(!verdict.passes());
    }
}
