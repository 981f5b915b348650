//! One scenario file = one named test against a real Chrome. All of them share one Chrome, a tab each.
//!
//! A missing Chrome is a failure where `CAVEMAN_REQUIRE_CHROME=1` (as `cargo xtask test` sets it), else the tests are ignored.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use caveman_browse::chrome::{self, Chrome, Env, LaunchOptions};
use harness::run::gate;
use harness::scenario::{Kind, Scenario, load_all};
use harness::serve::{Roots, Server};
use libtest_mimic::{Arguments, Failed, Trial};
use tokio::runtime::Runtime;

/// What all trials share.
struct Shared {
    runtime: Runtime,
    server: Server,
    ws_url: String,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scenarios = match scenarios(&root) {
        Ok(scenarios) => scenarios,
        Err(error) => {
            // A file that is wrong must not make the others pass quietly.
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let wanted = |scenario: &Scenario| match &arguments.filter {
        Some(filter) => name(scenario).contains(filter.as_str()),
        None => true,
    };
    if arguments.list || !scenarios.iter().any(wanted) {
        let trials = scenarios.iter().map(|one| Trial::test(name(one), || Ok(()))).collect();
        return libtest_mimic::run(&arguments, trials).exit_code();
    }
    let (shared, chrome, missing) = match start(&root) {
        Ok((shared, chrome)) => (Some(Arc::new(shared)), Some(chrome), String::new()),
        Err(error) => (None, None, error),
    };
    let required = std::env::var("CAVEMAN_REQUIRE_CHROME").is_ok_and(|value| value == "1");
    if shared.is_none() && !required {
        eprintln!("no Chrome, so no gates: {missing}");
    }
    let trials = scenarios
        .into_iter()
        .map(|scenario| {
            let (shared, missing) = (shared.clone(), missing.clone());
            let without = shared.is_none();
            Trial::test(name(&scenario), move || match shared {
                Some(shared) => trial(&shared, &scenario),
                None => Err(Failed::from(missing)),
            })
            .with_ignored_flag(without && !required)
        })
        .collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let (Some(shared), Some(chrome)) = (shared, chrome)
        && let Err(error) = shared.runtime.block_on(chrome.end())
    {
        eprintln!("Chrome was not ended: {error}");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

fn scenarios(root: &Path) -> Result<Vec<Scenario>, harness::scenario::ScenarioError> {
    let mut all = load_all(root, Kind::Gate)?;
    all.extend(load_all(root, Kind::Bench)?);
    Ok(all)
}

fn name(scenario: &Scenario) -> String {
    format!("{}::{}", scenario.kind.directory(), scenario.name)
}

fn start(root: &Path) -> Result<(Shared, Chrome), String> {
    let found = chrome::find(&Env::system()).map_err(|error| error.to_string())?;
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let chrome = runtime
        .block_on(chrome::launch(LaunchOptions::new(found.path)))
        .map_err(|error| error.to_string())?;
    let pages: PathBuf = root.join("fixtures").join("pages");
    let others = Vec::new();
    let server = runtime
        .block_on(Server::start(Roots { pages, others }))
        .map_err(|error| error.to_string())?;
    let ws_url = chrome.ws_url().to_owned();
    let shared = Shared {
        runtime,
        server,
        ws_url,
    };
    Ok((shared, chrome))
}

fn trial(shared: &Shared, scenario: &Scenario) -> Result<(), Failed> {
    let passed = gate(scenario, &shared.ws_url, &shared.server);
    Ok(shared.runtime.block_on(passed)?)
}
