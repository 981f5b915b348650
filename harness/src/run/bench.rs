//! The measuring: each run of each scenario in a Chrome of its own, our arm first, then the peers, all against one page
//! server.

use std::time::Instant;

use caveman_browse::cdp::CdpError;
use caveman_browse::render::PayloadError;
use caveman_browse::tools::snapshot::{Snapshot, SnapshotRequest};

use crate::arm::{Browser, BrowserError, Playwright};
use crate::machine;
use crate::normal::{HANDLES, normal_after, normal_handle};
use crate::record::{Arm, Record, Row};
use crate::run::plan::Plan;
use crate::run::progress::Progress;
use crate::run::steps;
use crate::scenario::{Scenario, Variant};
use crate::serve::{ServeError, Server};
use crate::stats::Spread;

/// How often the bare command and a snapshot are timed, one after the other, in one run.
const PAIRS: usize = 7;

/// Why a run has no figures at all.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The page server.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Our arm.
    #[error("{scenario}, run {run}: {source}")]
    Browser {
        /// The scenario.
        scenario: String,
        /// The run, from 1.
        run: usize,
        /// What happened.
        source: BrowserError,
    },
    /// A result that does not settle with the normal handle.
    #[error("{scenario}, {variant}: with the normal handle: {source}")]
    Normal {
        /// The scenario.
        scenario: String,
        /// The variant.
        variant: String,
        /// What happened.
        source: PayloadError,
    },
}

/// All that was measured, one record a scenario.
pub type Bench = Vec<Record>;

/// Measures the plan.
///
/// # Errors
/// When our own arm cannot be measured. A peer that cannot be is a row that says so.
pub async fn measure(plan: &Plan) -> Result<Bench, BenchError> {
    let server = Server::start(plan.roots()).await?;
    let playwright = if plan.ours_only {
        Playwright::without("left out: only our own figures are checked")
    } else {
        Playwright::prepare(&plan.root, &plan.chrome).await
    };
    let progress = Progress::new(plan.runs * plan.scenarios.len() * 2);
    let mut records: Vec<Record> = plan.scenarios.iter().map(|scenario| begin(plan, scenario)).collect();
    // Runs outside, scenarios inside: what changes on the machine meanwhile spreads over all of them.
    for run in 1..=plan.runs {
        for (scenario, record) in plan.scenarios.iter().zip(&mut records) {
            let url = steps::url(&server, &scenario.address);
            progress.at(format!("{} {run}/{}: caveman-browse", scenario.name, plan.runs));
            ours(plan, scenario, run, &url, record).await?;
            progress.done();
            progress.at(format!("{} {run}/{}: Playwright", scenario.name, plan.runs));
            peer(&playwright, scenario, run, &url, record).await;
            progress.done();
        }
    }
    progress.end();
    Ok(records)
}

fn begin(plan: &Plan, scenario: &Scenario) -> Record {
    let lock = std::fs::read_to_string(plan.root.join("Cargo.lock")).unwrap_or_default();
    let version = machine::locked_version(&lock, "bpe-openai").unwrap_or_else(|| "of unknown version".to_owned());
    let normal = normal_handle();
    let facts = [
        ("summary", scenario.summary.clone()),
        ("date", machine::now()),
        ("commit", machine::commit(&plan.root)),
        ("machine", machine::describe()),
        (
            "build",
            if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        ),
        ("tokenizer", format!("o200k_base by bpe-openai {version}")),
        ("runs", plan.runs.to_string()),
        (
            "normal-handle",
            format!(
                "{} tokens; {HANDLES} random ones cost {} to {}, medians of five {} to {}",
                normal.tokens,
                normal.min,
                normal.max,
                normal.tokens - normal.five_below,
                normal.tokens + normal.five_above
            ),
        ),
    ];
    let mut record = Record {
        scenario: scenario.name.clone(),
        facts: facts.map(|(key, value)| (key.to_owned(), value)).to_vec(),
        rows: Vec::new(),
    };
    for variant in &scenario.variants {
        let asked = variant
            .query
            .as_deref()
            .map_or(String::new(), |query| format!("query {query}"));
        let asked = if variant.interactive {
            "interactive".to_owned()
        } else {
            asked
        };
        push(&mut record, Arm::Ours, &variant.name, 0, "asked", asked);
        let payload = match variant.payload {
            caveman_browse::render::PayloadKind::Text => "text",
            caveman_browse::render::PayloadKind::Json => "json",
        };
        push(&mut record, Arm::Ours, &variant.name, 0, "payload", payload.to_owned());
        if let Some(tokens) = variant.budget.tokens {
            push(&mut record, Arm::Ours, &variant.name, 0, "budget", tokens.to_string());
        }
    }
    record
}

fn push(record: &mut Record, arm: Arm, variant: &str, run: usize, metric: &str, value: String) {
    record.rows.push(Row {
        arm,
        variant: variant.to_owned(),
        run,
        metric: metric.to_owned(),
        value,
    });
}

/// A fact that the first run finds out.
fn learn(record: &mut Record, key: &str, value: String) {
    if record.fact(key).is_empty() {
        record.facts.push((key.to_owned(), value));
    }
}

async fn ours(plan: &Plan, scenario: &Scenario, run: usize, url: &str, record: &mut Record) -> Result<(), BenchError> {
    let broke = |source: BrowserError| BenchError::Browser {
        scenario: scenario.name.clone(),
        run,
        source,
    };
    let bare = |source: CdpError| broke(BrowserError::Bare(source));
    let mut browser = Browser::launch(&plan.chrome).await.map_err(broke)?;
    browser.open(url, scenario.ready.as_ref()).await.map_err(broke)?;
    learn(record, "chrome", browser.bare.chrome_version().await.map_err(bare)?);
    learn(record, "viewport", browser.bare.viewport().await.map_err(bare)?);

    let raw = browser.bare.raw_tree().await.map_err(bare)?;
    for (metric, value) in [("tokens", raw.tokens), ("bytes", raw.bytes), ("nodes", raw.nodes)] {
        push(record, Arm::Raw, "-", run, metric, value.to_string());
    }
    for variant in &scenario.variants {
        let snapshot = browser.snapshot(&request(variant)).await.map_err(broke)?;
        figures(scenario, variant, run, &snapshot, record)?;
    }
    times(&mut browser, scenario, run, record).await.map_err(broke)?;
    browser.end().await.map_err(broke)
}

/// The page as it is, asked for in the variant's way.
pub(super) fn request(variant: &Variant) -> SnapshotRequest {
    SnapshotRequest {
        query: variant.query.clone(),
        interactive: variant.interactive,
        payload: variant.payload,
        ..SnapshotRequest::default()
    }
}

/// Texts of `keep` that the view does not hold.
pub(super) fn lost<'a>(variant: &'a Variant, view: &str) -> Vec<&'a str> {
    variant
        .keep
        .iter()
        .map(String::as_str)
        .filter(|text| !view.contains(text))
        .collect()
}

fn figures(
    scenario: &Scenario,
    variant: &Variant,
    run: usize,
    snapshot: &Snapshot,
    record: &mut Record,
) -> Result<(), BenchError> {
    let lost = lost(variant, &snapshot.view);
    if !lost.is_empty() {
        // A wrong answer has no price.
        push(record, Arm::Ours, &variant.name, run, "lost", lost.join(" | "));
        return Ok(());
    }
    let accounting = &snapshot.accounting;
    let beside = &snapshot.notes[..snapshot.notes.len() - snapshot.notes_in_view];
    let normal = normal_after(&snapshot.view, beside, accounting.before, variant.payload).map_err(|source| {
        BenchError::Normal {
            scenario: scenario.name.clone(),
            variant: variant.name.clone(),
            source,
        }
    })?;
    let rows = [
        ("before", accounting.before.to_string()),
        ("view", accounting.view.to_string()),
        ("after", accounting.after.to_string()),
        ("normal", normal.to_string()),
        ("ratio", format!("{:.4}", accounting.ratio)),
    ];
    for (metric, value) in rows {
        push(record, Arm::Ours, &variant.name, run, metric, value);
    }
    Ok(())
}

/// Wall time of the first variant's snapshot over the bare command, by turns, so that what else the machine does meets both.
async fn times(
    browser: &mut Browser,
    scenario: &Scenario,
    run: usize,
    record: &mut Record,
) -> Result<(), BrowserError> {
    let Some(first) = scenario.variants.first() else {
        return Ok(());
    };
    let request = request(first);
    let (mut bare, mut snapshots, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        let (mut bare_ms, mut snapshot_ms) = (0.0, 0.0);
        for turn in 0..2 {
            if (pair + turn) % 2 == 0 {
                bare_ms = browser.bare.round_trip().await?.as_secs_f64() * 1e3;
            } else {
                let began = Instant::now();
                browser.snapshot(&request).await?;
                snapshot_ms = began.elapsed().as_secs_f64() * 1e3;
            }
        }
        bare.push(bare_ms);
        snapshots.push(snapshot_ms);
        ratios.push(snapshot_ms / bare_ms);
    }
    for (metric, samples) in [("bare_ms", bare), ("snapshot_ms", snapshots), ("ratio", ratios)] {
        if let Some(spread) = Spread::of(&samples) {
            push(
                record,
                Arm::Time,
                &first.name,
                run,
                metric,
                format!("{:.2}", spread.median),
            );
        }
    }
    Ok(())
}

async fn peer(playwright: &Playwright, scenario: &Scenario, run: usize, url: &str, record: &mut Record) {
    match playwright.measure(url, scenario.ready.as_ref()).await {
        Ok(aria) => {
            push(record, Arm::Playwright, "-", run, "tokens", aria.tokens.to_string());
            learn(record, "playwright", aria.playwright);
            learn(record, "playwright-chrome", aria.chrome);
            learn(record, "playwright-viewport", aria.viewport);
        }
        Err(reason) => push(record, Arm::Playwright, "-", run, "missing", reason),
    }
}
