//! The tables of BENCHMARK.md and the README, out of records. Every figure that is printed comes from a row.

use crate::record::{Arm, Record};
use crate::report::markdown::{beside, plain, spread, table, whole};
use crate::report::published::{Comparison, Of};
use crate::stats::Spread;

fn tokens(record: &Record, arm: Arm, variant: &str, metric: &str) -> Option<Spread> {
    Spread::of(&record.figures(arm, variant, metric))
}

/// Why a peer has no figures, in its own words.
fn missing(record: &Record) -> String {
    let reason = record
        .rows
        .iter()
        .find(|row| row.arm == Arm::Playwright && row.metric == "missing")
        .map_or("no rows", |row| row.value.as_str());
    format!("not measured: {reason}")
}

/// Playwright's figures, only if every run has one: a median of fewer runs is no median of these.
fn playwright(record: &Record) -> Option<Spread> {
    let runs: usize = record.fact("runs").parse().ok()?;
    tokens(record, Arm::Playwright, "-", "tokens").filter(|spread| spread.runs == runs)
}

/// What was measured, when, where, with what; one line a scenario where they differ.
pub(super) fn environment(records: &[Record]) -> String {
    const FACTS: [(&str, &str); 10] = [
        ("date", "Date"),
        ("commit", "Commit"),
        ("build", "Build"),
        ("machine", "Machine"),
        ("chrome", "Chrome"),
        ("viewport", "Window"),
        ("playwright", "Playwright (playwright-core)"),
        ("playwright-chrome", "Chrome driven by Playwright"),
        ("playwright-viewport", "Window in Playwright"),
        ("tokenizer", "Tokenizer"),
    ];
    let mut rows = Vec::new();
    for (key, title) in FACTS {
        let mut values: Vec<&str> = records.iter().map(|record| record.fact(key)).collect();
        values.dedup();
        let shown = if values.len() == 1 {
            values[0].to_owned()
        } else {
            let each = records
                .iter()
                .map(|record| format!("{}: {}", record.scenario, or_none(record.fact(key))));
            each.collect::<Vec<_>>().join("; ")
        };
        rows.push(vec![title.to_owned(), or_none(&shown).to_owned()]);
    }
    let runs = records
        .iter()
        .map(|record| format!("{} {}", record.scenario, record.fact("runs")))
        .collect::<Vec<_>>()
        .join(", ");
    rows.push(vec!["Runs".to_owned(), runs]);
    if let Some(record) = records.first() {
        rows.push(vec![
            "Normal handle".to_owned(),
            record.fact("normal-handle").to_owned(),
        ]);
    }
    table(&["what", "value"], &rows).replacen("---: |", "--- |", 1)
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "not measured" } else { text }
}

/// One section a scenario.
pub(super) fn scenarios(records: &[Record]) -> String {
    records.iter().map(scenario).collect::<Vec<_>>().join("\n")
}

fn scenario(record: &Record) -> String {
    let raw = tokens(record, Arm::Raw, "-", "tokens");
    let aria = playwright(record);
    let against = |median: f64, other: &Option<Spread>| {
        other
            .as_ref()
            .map_or_else(|| "–".to_owned(), |other| beside(median, other.median))
    };
    let mut rows = Vec::new();
    let dash = || "–".to_owned();
    if let Some(raw) = &raw {
        let vs = against(raw.median, &aria);
        rows.push(vec![
            "raw tree".to_owned(),
            dash(),
            spread(raw, whole),
            dash(),
            dash(),
            vs,
            dash(),
        ]);
    }
    match &aria {
        Some(aria) => {
            let vs = against(aria.median, &raw);
            rows.push(vec![
                "Playwright `ariaSnapshot()`".to_owned(),
                dash(),
                spread(aria, whole),
                dash(),
                vs,
                dash(),
                dash(),
            ]);
        }
        None => rows.push(vec![
            "Playwright `ariaSnapshot()`".to_owned(),
            dash(),
            missing(record),
            dash(),
            dash(),
            dash(),
            dash(),
        ]),
    }
    for variant in record.variants() {
        rows.push(ours(record, variant, &raw, &aria));
    }
    let head = [
        "",
        "view",
        "delivered",
        "delivered, normal handle",
        "against raw",
        "against Playwright",
        "budget",
    ];
    let nodes = tokens(record, Arm::Raw, "-", "nodes").map_or(String::new(), |nodes| {
        let bytes = tokens(record, Arm::Raw, "-", "bytes").map_or(String::new(), |bytes| spread(&bytes, whole));
        format!(" Raw: {} nodes, {bytes} bytes.", spread(&nodes, whole))
    });
    format!(
        "### {}\n\n{}{nodes}\n\n{}",
        record.scenario,
        plain(record.fact("summary")),
        table(&head, &rows)
    )
}

fn ours(record: &Record, variant: &str, raw: &Option<Spread>, aria: &Option<Spread>) -> Vec<String> {
    let note = |metric| record.note(Arm::Ours, variant, metric).unwrap_or_default();
    let asked = note("asked");
    let title = if asked.is_empty() || asked == variant {
        format!("ours, {variant}")
    } else {
        format!("ours, {variant} (`{asked}`)")
    };
    let budget = note("budget").parse().map_or_else(|_| "–".to_owned(), whole);
    let lost = record
        .rows
        .iter()
        .find(|row| row.arm == Arm::Ours && row.variant == variant && row.metric == "lost");
    if let Some(lost) = lost {
        let none = || "–".to_owned();
        return vec![
            title,
            none(),
            format!("no figure: lost {}", lost.value),
            none(),
            none(),
            none(),
            budget,
        ];
    }
    let cell = |metric| tokens(record, Arm::Ours, variant, metric).map_or(String::new(), |one| spread(&one, whole));
    let after = tokens(record, Arm::Ours, variant, "after");
    let vs = |other: &Option<Spread>| match (&after, other) {
        (Some(after), Some(other)) => beside(after.median, other.median),
        _ => "–".to_owned(),
    };
    vec![
        title,
        cell("view"),
        cell("after"),
        cell("normal"),
        vs(raw),
        vs(aria),
        budget,
    ]
}

/// Time of a snapshot over the bare command.
pub(super) fn times(records: &[Record]) -> String {
    let rows: Vec<_> = records
        .iter()
        .filter_map(|record| {
            let variant = record.rows.iter().find(|row| row.arm == Arm::Time)?.variant.clone();
            let of = |metric| tokens(record, Arm::Time, &variant, metric);
            Some(vec![
                format!("{}, {variant}", record.scenario),
                spread(&of("bare_ms")?, |ms| format!("{ms:.1}")),
                spread(&of("snapshot_ms")?, |ms| format!("{ms:.1}")),
                spread(&of("ratio")?, |ratio| format!("{ratio:.2}")),
            ])
        })
        .collect();
    let head = ["", "bare `getFullAXTree`, ms", "snapshot, ms", "snapshot / bare"];
    table(&head, &rows)
}

/// Published figures beside ours.
pub(super) fn published(comparisons: &[Comparison<'_>], records: &[Record]) -> String {
    let rows: Vec<_> = comparisons
        .iter()
        .map(|one| {
            let figure = one.figure;
            let of = match figure.of {
                Of::Tokens => "",
                Of::After => ", delivered",
                Of::View => ", view",
            };
            vec![
                format!("{}: {}{of}", figure.scenario, figure.column),
                whole(f64::from(figure.tokens)),
                figure.chrome.to_string(),
                one.ours
                    .as_ref()
                    .map_or_else(|| "–".to_owned(), |ours| spread(ours, whole)),
                one.verdict.clone(),
            ]
        })
        .collect();
    let mut out = table(&["figure", "published", "on Chrome", "here", "verdict"], &rows);
    for record in records {
        if let Some(note) = explain(record, comparisons) {
            out.push('\n');
            out.push_str(&note);
            out.push('\n');
        }
    }
    out
}

/// Why the raw tree differs: shown by what does not. The same page gives the same text to Playwright and to us; only the JSON
/// that Chrome wraps it in has another size.
fn explain(record: &Record, comparisons: &[Comparison<'_>]) -> Option<String> {
    let of = |column: &str| {
        comparisons
            .iter()
            .find(|one| one.figure.scenario == record.scenario && one.figure.column == column)
    };
    let raw = of("raw")?;
    if !raw.verdict.starts_with("differs") {
        return None;
    }
    let ours = raw.ours.as_ref()?;
    let nodes = tokens(record, Arm::Raw, "-", "nodes")?;
    let steady: Vec<_> = comparisons
        .iter()
        .filter(|one| one.figure.scenario == record.scenario && one.verdict == "agrees")
        .map(|one| one.figure.column.as_str())
        .collect();
    if steady.is_empty() {
        return Some(format!(
            "{}: the raw tree differs, and nothing else agrees: that is not explained by Chrome's version.",
            record.scenario
        ));
    }
    Some(format!(
        "{}: the raw tree is {} beside the published one, {:.1} tokens a node over {} nodes, on Chrome {} in place of {}. On the very same page {} agree, \
         so it is the wrapping that changed and not the page.",
        record.scenario,
        beside(ours.median, f64::from(raw.figure.tokens)),
        ours.median / nodes.median,
        whole(nodes.median),
        record.chrome_major(),
        raw.figure.chrome,
        steady.join(", ")
    ))
}

/// The README's table: a line a scenario.
pub(super) fn summary(records: &[Record]) -> String {
    let rows: Vec<_> = records
        .iter()
        .map(|record| {
            let cell = |spread: Option<Spread>, none: String| spread.map_or(none, |one| whole(one.median));
            let ours = |variant| {
                let none = || "–".to_owned();
                if record.variants().contains(&variant) {
                    cell(tokens(record, Arm::Ours, variant, "after"), "no figure".to_owned())
                } else {
                    none()
                }
            };
            vec![
                record.scenario.clone(),
                cell(tokens(record, Arm::Raw, "-", "tokens"), "–".to_owned()),
                cell(playwright(record), "not measured".to_owned()),
                ours("full"),
                ours("interactive"),
                ours("focused"),
            ]
        })
        .collect();
    let head = [
        "page",
        "raw tree",
        "Playwright `ariaSnapshot()`",
        "ours, full",
        "ours, interactive",
        "ours, focused",
    ];
    table(&head, &rows)
}
