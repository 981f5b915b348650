//! Arguments in, exit status out: 0 when everything passes, 1 when not, 2 for wrong usage.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::args::{Cli, Command, ServeArgs};
use crate::cli::{bench, say};
use crate::record::RecordError;
use crate::report::{self, ReportError};
use crate::run::{BenchError, PlanError};
use crate::scenario::{Kind, ScenarioError, load_all};
use crate::serve::{Roots, ServeError, Server};

/// Why a command has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    #[error("there is no repository here: no directory from {} up has scenarios/FORMAT.md; give --root", from.display())]
    NoRoot { from: PathBuf },
    #[error("the asynchronous runtime: {0}")]
    Runtime(std::io::Error),
    #[error("{}: {source}; measure and commit first", path.display())]
    Exact { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Bench(#[from] BenchError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The program.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<bool, CliError> {
    let root = match &cli.root {
        Some(root) => root.clone(),
        None => locate(std::env::current_dir().unwrap_or_default())?,
    };
    match &cli.command {
        Command::Bench(args) => {
            let runtime = tokio::runtime::Runtime::new().map_err(CliError::Runtime)?;
            runtime.block_on(bench::bench(&root, args))
        }
        Command::Report => {
            for path in report::write(&root)? {
                say::wrote(&root, &path);
            }
            Ok(true)
        }
        Command::Scenarios => {
            for kind in [Kind::Bench, Kind::Gate] {
                for scenario in load_all(&root, kind)? {
                    println!("{}::{:<16} {}", kind.directory(), scenario.name, scenario.summary);
                }
            }
            Ok(true)
        }
        Command::Serve(args) => {
            let runtime = tokio::runtime::Runtime::new().map_err(CliError::Runtime)?;
            runtime.block_on(serve(&root, args))?;
            // A look at standard input that is still open would keep the runtime.
            runtime.shutdown_background();
            Ok(true)
        }
    }
}

/// Serves until whoever asked for it goes away.
async fn serve(root: &Path, args: &ServeArgs) -> Result<(), CliError> {
    let server = Server::start(Roots {
        pages: root.join("fixtures").join("pages"),
        others: args.others.clone(),
    })
    .await?;
    println!("{}", server.url(""));
    let (mut input, mut nothing) = (tokio::io::stdin(), tokio::io::sink());
    let closed = tokio::io::copy(&mut input, &mut nothing);
    tokio::select! {
        // Closed or unreadable, nobody is there.
        _ = closed => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    Ok(())
}

fn locate(from: PathBuf) -> Result<PathBuf, CliError> {
    let found = from
        .ancestors()
        .find(|directory| directory.join("scenarios").join("FORMAT.md").is_file())
        .map(Path::to_owned);
    found.ok_or(CliError::NoRoot { from })
}
