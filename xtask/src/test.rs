//! `cargo xtask test`: the stages a change must pass, in order, and one closing line. Knows cargo and the lines of
//! libtest; it must not know what the tests are about.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use clap::ValueEnum;

use crate::chrome::{self, Chrome};
use crate::error::XtaskError;
use crate::process;
use crate::repo::Repo;
use crate::tidy;

/// What of it to run.
#[derive(clap::Args)]
pub(crate) struct TestArgs {
    /// Run only the tests whose name contains TEXT (and none of fmt, tidy, clippy).
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Run only these stages.
    #[arg(long, value_enum, value_name = "STAGE", num_args = 1.., value_delimiter = ',', conflicts_with = "filter")]
    only: Vec<Stage>,
    /// Go on after a failed stage.
    #[arg(long)]
    keep_going: bool,
}

/// The stages, in order: what is quick comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    Fmt,
    Tidy,
    Clippy,
    /// Compile every test, once.
    Build,
    /// Find a Chrome, or get one.
    Chrome,
    Unit,
    Doc,
    /// The integration tests of every package.
    Integration,
    /// The scenarios against a real Chrome.
    Gates,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Fmt => "fmt",
            Stage::Tidy => "tidy",
            Stage::Clippy => "clippy",
            Stage::Build => "build",
            Stage::Chrome => "chrome",
            Stage::Unit => "unit",
            Stage::Doc => "doc",
            Stage::Integration => "integration",
            Stage::Gates => "gates",
        }
    }

    /// Whether the stage runs tests and counts them; the others are one check each.
    fn tests(self) -> bool {
        matches!(self, Stage::Unit | Stage::Doc | Stage::Integration | Stage::Gates)
    }
}

/// The test target that holds the scenarios.
const GATES: &str = "gates";

/// How many tests there were, as their own result lines say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Tally {
    /// Adds a line of the form `test result: ok. 3 passed; 0 failed; 1 ignored; …`; others are none of ours.
    fn read(&mut self, line: &str) {
        let Some(counts) = line
            .strip_prefix("test result: ")
            .and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for part in counts.1.split(';') {
            let mut words = part.split_whitespace();
            let (Some(number), Some(what)) = (words.next().and_then(|word| word.parse::<u64>().ok()), words.next())
            else {
                continue;
            };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }

    /// A stage that failed without a failed test (it did not compile, it crashed) still failed.
    fn settle(mut self, ok: bool, stage: Stage) -> Tally {
        if !stage.tests() {
            return Tally {
                passed: u64::from(ok),
                failed: u64::from(!ok),
                ignored: 0,
            };
        }
        if !ok && self.failed == 0 {
            self.failed = 1;
        }
        self
    }
}

struct Outcome {
    stage: Stage,
    ok: bool,
    tally: Tally,
    took: Duration,
}

/// Runs the stages, prints a summary and the closing line.
pub(crate) fn run(repo: &Repo, install: bool, args: &TestArgs) -> Result<(), XtaskError> {
    let stages = chosen(args);
    let mut outcomes = Vec::new();
    let mut chrome = None;
    for (index, &stage) in stages.iter().enumerate() {
        eprintln!("\n[{}/{}] {}", index + 1, stages.len(), stage.name());
        let began = Instant::now();
        let mut tally = Tally::default();
        let result = one(repo, stage, install, args, &mut chrome, &mut tally);
        if let Err(error) = &result {
            eprintln!("{}: {error}", stage.name());
        }
        let ok = result.is_ok() && tally.failed == 0;
        outcomes.push(Outcome {
            stage,
            ok,
            tally: tally.settle(ok, stage),
            took: began.elapsed(),
        });
        if !ok && !args.keep_going {
            break;
        }
    }
    close(&stages, &outcomes, args)
}

fn chosen(args: &TestArgs) -> Vec<Stage> {
    let all = Stage::value_variants();
    all.iter()
        .copied()
        .filter(|stage| match (&args.filter, args.only.as_slice()) {
            (Some(_), _) => stage.tests() || *stage == Stage::Chrome || *stage == Stage::Build,
            (None, []) => true,
            (None, only) => only.contains(stage),
        })
        .collect()
}

fn one(
    repo: &Repo,
    stage: Stage,
    install: bool,
    args: &TestArgs,
    chrome: &mut Option<Chrome>,
    tally: &mut Tally,
) -> Result<(), XtaskError> {
    let names = test_targets(repo)?;
    // Always the whole workspace: another choice of packages is another choice of features, and the generated protocol
    // would be compiled a second time.
    let cargo: &[&str] = match stage {
        Stage::Tidy => return tidy::run(repo),
        Stage::Chrome => {
            *chrome = Some(chrome::ensure(repo, "debug", install)?);
            return Ok(());
        }
        Stage::Fmt => &["fmt", "--all", "--check"],
        Stage::Clippy => &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        Stage::Build => &["test", "--workspace", "--no-run"],
        Stage::Unit => &["test", "--workspace", "--no-fail-fast", "--lib", "--bins"],
        Stage::Doc => &["test", "--workspace", "--no-fail-fast", "--doc"],
        Stage::Integration | Stage::Gates => &["test", "--workspace", "--no-fail-fast"],
    };
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(cargo).current_dir(repo.root());
    // A snapshot that is missing or different fails and writes nothing; a missing Chrome is a failure, never a skip.
    command.env("INSTA_UPDATE", "no").env("CAVEMAN_REQUIRE_CHROME", "1");
    if matches!(stage, Stage::Integration | Stage::Gates) {
        let chosen: Vec<_> = names
            .iter()
            .filter(|name| (*name == GATES) == (stage == Stage::Gates))
            .collect();
        if chosen.is_empty() {
            eprintln!("no such test target yet");
            return Ok(());
        }
        for name in chosen {
            command.args(["--test", name]);
        }
    }
    if let (true, Some(filter)) = (stage.tests(), &args.filter) {
        command.args(["--", filter]);
    }
    if let Some(chrome) = chrome {
        chrome.hand_to(&mut command);
    }
    let program = process::shown(&command);
    eprintln!("$ {program}");
    let status = process::stream(command, |line| tally.read(line))?;
    if status.success() {
        return Ok(());
    }
    Err(XtaskError::Ended {
        program,
        status: status.to_string(),
    })
}

/// The integration test targets of all packages: `<package>/tests/<name>.rs` or `<package>/tests/<name>/main.rs`.
fn test_targets(repo: &Repo) -> Result<Vec<String>, XtaskError> {
    let mut names: Vec<String> = repo
        .files()?
        .iter()
        .filter_map(|file| test_target(file))
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

fn test_target(file: &str) -> Option<&str> {
    let (package, rest) = file.split_once("/tests/")?;
    if package.contains('/') {
        return None;
    }
    match rest.split_once('/') {
        None => Path::new(rest)
            .extension()
            .is_some_and(|end| end == "rs")
            .then(|| rest.trim_end_matches(".rs")),
        Some((name, "main.rs")) => Some(name),
        Some(_) => None,
    }
}

fn close(stages: &[Stage], outcomes: &[Outcome], args: &TestArgs) -> Result<(), XtaskError> {
    println!();
    let mut sum = Tally::default();
    for Outcome { stage, ok, tally, took } in outcomes {
        sum.passed += tally.passed;
        sum.failed += tally.failed;
        sum.ignored += tally.ignored;
        let word = if *ok { "ok" } else { "FAILED" };
        let counted = match (stage.tests(), tally.ignored) {
            (false, _) => String::new(),
            (true, 0) => format!("{} passed, {} failed", tally.passed, tally.failed),
            (true, ignored) => format!("{} passed, {} failed, {ignored} ignored", tally.passed, tally.failed),
        };
        println!(
            "{:<12} {word:<6} {:>6.1} s  {counted}",
            stage.name(),
            took.as_secs_f64()
        );
    }
    for stage in &stages[outcomes.len()..] {
        println!("{:<12} not run", stage.name());
    }
    println!("{} passed, {} failed", sum.passed, sum.failed);
    let failed: Vec<_> = outcomes
        .iter()
        .filter(|one| !one.ok)
        .map(|one| one.stage.name().to_owned())
        .collect();
    if !failed.is_empty() {
        return Err(XtaskError::Stages { stages: failed });
    }
    let ran: u64 = outcomes
        .iter()
        .filter(|one| one.stage.tests())
        .map(|one| one.tally.passed)
        .sum();
    match &args.filter {
        Some(filter) if ran == 0 => Err(XtaskError::NothingMatches { filter: filter.clone() }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn tally(lines: &[&str]) -> Tally {
        let mut tally = Tally::default();
        for line in lines {
            tally.read(line);
        }
        tally
    }

    #[test]
    fn result_lines_are_summed_and_other_lines_are_not() {
        let sum = tally(&[
            "running 2 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test 9 passed; ... ok",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.2s",
        ]);
        assert_eq!(
            sum,
            Tally {
                passed: 7,
                failed: 2,
                ignored: 1
            }
        );
    }

    #[test]
    fn a_stage_that_fails_without_a_failed_test_counts_as_one_failure() {
        assert_eq!(Tally::default().settle(false, Stage::Unit).failed, 1);
        assert_eq!(
            tally(&["test result: FAILED. 1 passed; 2 failed; 0 ignored"])
                .settle(false, Stage::Unit)
                .failed,
            2
        );
        assert_eq!(Tally::default().settle(false, Stage::Clippy).failed, 1);
        assert_eq!(Tally::default().settle(true, Stage::Clippy).passed, 1);
    }

    #[test]
    fn test_targets_are_files_and_directories_with_a_main() {
        assert_eq!(test_target("driver/tests/live.rs"), Some("live"));
        assert_eq!(test_target("harness/tests/gates/main.rs"), Some("gates"));
        assert_eq!(test_target("harness/tests/gates/plan.rs"), None);
        assert_eq!(test_target("driver/tests/page.html"), None);
        assert_eq!(test_target("fixtures/pages/tests/x.rs"), None);
    }

    fn args(filter: Option<&str>, only: &[Stage]) -> TestArgs {
        TestArgs {
            filter: filter.map(str::to_owned),
            only: only.to_vec(),
            keep_going: false,
        }
    }

    #[test]
    fn a_filter_runs_tests_only_and_a_choice_keeps_the_order() {
        assert!(!chosen(&args(Some("uid"), &[])).contains(&Stage::Clippy));
        assert!(chosen(&args(Some("uid"), &[])).contains(&Stage::Gates));
        assert_eq!(
            chosen(&args(None, &[Stage::Unit, Stage::Fmt])),
            [Stage::Fmt, Stage::Unit]
        );
        assert_eq!(chosen(&args(None, &[])).len(), Stage::value_variants().len());
    }

    #[test]
    fn a_failed_stage_and_an_empty_filter_fail_the_command() {
        let outcome = |stage: Stage, ok, passed| Outcome {
            stage,
            ok,
            tally: Tally {
                passed,
                ..Tally::default()
            }
            .settle(ok, stage),
            took: Duration::ZERO,
        };
        let bad = close(&[Stage::Unit], &[outcome(Stage::Unit, false, 0)], &args(None, &[])).unwrap_err();
        assert!(bad.to_string().contains("unit"), "{bad}");
        let none = close(&[Stage::Unit], &[outcome(Stage::Unit, true, 0)], &args(Some("zz"), &[])).unwrap_err();
        assert!(none.to_string().contains("zz"), "{none}");
        close(&[Stage::Unit], &[outcome(Stage::Unit, true, 1)], &args(Some("zz"), &[])).unwrap();
    }
}
