//! One scenario as a test: its variants keep what they must and their budgets, its steps end as the file says. One tab of a
//! Chrome that others use too.

use std::collections::HashMap;

use crate::arm::{Browser, BrowserError};
use crate::budget::{Broken, Worst, judge};
use crate::run::bench::{lost, request};
use crate::run::steps::{StepError, Steps, url};
use crate::scenario::{Door, Scenario};
use crate::serve::Server;

/// Why a scenario does not pass.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// The browser, before any step.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// The file asks for doors that are not driven here.
    #[error("the steps of this file do not go through the library door, and no other is driven")]
    Door,
    /// A view lost what it had to keep.
    #[error("{variant} lost {lost:?}; the view is:\n{view}")]
    Lost {
        /// The variant.
        variant: String,
        /// What it lost.
        lost: Vec<String>,
        /// The view.
        view: String,
    },
    /// A budget was broken.
    #[error("{}", .0.iter().map(|one| format!("{} breaks its {}: {} allowed, {} measured", one.variant, one.bound, one.allowed, one.measured)).collect::<Vec<_>>().join("\n"))]
    Budget(Vec<Broken>),
    /// A step.
    #[error("the step of line {line} {source}")]
    Step {
        /// Where it begins in the file.
        line: usize,
        /// What happened.
        source: StepError,
    },
}

/// Runs the scenario in a new tab of the Chrome at `ws_url`.
///
/// # Errors
/// The first thing that is not as the file says.
pub async fn gate(scenario: &Scenario, ws_url: &str, server: &Server) -> Result<(), GateError> {
    if !scenario.doors.contains(&Door::Library) {
        return Err(GateError::Door);
    }
    let mut browser = Browser::in_chrome(ws_url).await?;
    let passed = inside(scenario, &mut browser, server).await;
    let ended = browser.end().await;
    passed?;
    Ok(ended?)
}

async fn inside(scenario: &Scenario, browser: &mut Browser, server: &Server) -> Result<(), GateError> {
    let open = !scenario.variants.is_empty() || scenario.ready.is_some();
    if open {
        browser
            .open(&url(server, &scenario.address), scenario.ready.as_ref())
            .await?;
    }
    let mut all = Vec::new();
    for variant in &scenario.variants {
        let snapshot = browser.snapshot(&request(variant)).await?;
        let lost = lost(variant, &snapshot.view);
        if !lost.is_empty() {
            return Err(GateError::Lost {
                variant: variant.name.clone(),
                lost: lost.into_iter().map(str::to_owned).collect(),
                view: snapshot.view,
            });
        }
        all.push(Worst {
            variant: variant.name.clone(),
            after: snapshot.accounting.after,
            ratio: snapshot.accounting.ratio,
        });
    }
    let broken: Vec<_> = scenario
        .variants
        .iter()
        .zip(&all)
        .flat_map(|(variant, worst)| judge(&scenario.name, &variant.budget, worst, &all))
        .collect();
    if !broken.is_empty() {
        return Err(GateError::Budget(broken));
    }
    let mut steps = Steps {
        browser,
        server,
        first: (!open).then_some(&scenario.address),
        remembered: HashMap::new(),
        latest: None,
        delivered: String::new(),
    };
    for step in &scenario.steps {
        steps.run(step).await.map_err(|source| GateError::Step {
            line: step.line,
            source,
        })?;
    }
    Ok(())
}
