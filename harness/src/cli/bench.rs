//! `harness bench`: measure, judge, then either compare (`--check`) or write.

use std::path::Path;

use serde::Serialize;

use crate::cli::args::BenchArgs;
use crate::cli::run::CliError;
use crate::cli::say;
use crate::record::{self, Difference, Exact, Record};
use crate::report;
use crate::run::{Plan, Verdict, measure};

/// What `--json` prints.
#[derive(Serialize)]
struct Printed<'a> {
    records: &'a [Record],
    verdict: &'a Verdict,
    /// Only with `--check`.
    differences: &'a [Difference],
    passes: bool,
}

/// Whether everything passes.
pub(super) async fn bench(root: &Path, args: &BenchArgs) -> Result<bool, CliError> {
    let plan = Plan::new(root, args.filter.as_deref(), args.runs.into(), args.check)?;
    let records = measure(&plan).await?;
    let verdict = Verdict::of(&plan.scenarios, &records);
    let mut differences = Vec::new();
    if args.check {
        differences = compare(root, &plan, &records)?;
    } else {
        record::write(root, &records, &plan.known)?;
        for path in report::write(root)? {
            say::wrote(root, &path);
        }
    }
    let passes = verdict.passes() && differences.is_empty();
    if args.json {
        let result = Printed {
            records: &records,
            verdict: &verdict,
            differences: &differences,
            passes,
        };
        say::json(&result)?;
    } else {
        say::figures(&records);
    }
    say::verdict(&verdict);
    say::differences(&differences);
    Ok(passes)
}

/// The exact figures that are not as committed. Another Chrome gives another tree, so there only the budgets hold.
fn compare(root: &Path, plan: &Plan, records: &[Record]) -> Result<Vec<Difference>, CliError> {
    let path = report::exact_path(root);
    let committed = match std::fs::read_to_string(&path) {
        Ok(text) => Exact::from_text(&text),
        Err(source) => return Err(CliError::Exact { path, source }),
    };
    let now = Exact::of(records);
    let mut differences = Vec::new();
    for (scenario, record) in plan.scenarios.iter().zip(records) {
        match committed.chrome(&scenario.name) {
            Some(chrome) if chrome != record.chrome_major() => {
                say::other_chrome(&scenario.name, chrome, record.chrome_major());
            }
            _ => differences.extend(now.differences(&committed, &scenario.name)),
        }
    }
    Ok(differences)
}
