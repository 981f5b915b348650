//! From arguments to an exit code. Must not know how a command does its work.

use super::args::{Cli, Command};
use super::{doctor, once};
use crate::settings::{Settings, SettingsError};
use crate::tools::{Code, ToolError};
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

/// What a command answers: text for stdout, without its last line feed.
pub(super) type Answer = Result<String, Failure>;

/// Why a command has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// A tool's own error.
    #[error("{}: {_0}", _0.code())]
    Tool(#[from] ToolError),
    /// The environment says something impossible.
    #[error("{}: {_0}", Code::InvalidArguments)]
    Settings(#[from] SettingsError),
    /// The runtime could not be made.
    #[error("{}: the process could not start its runtime: {_0}", Code::Internal)]
    Runtime(std::io::Error),
    /// An interrupt ended the command.
    #[error("interrupted")]
    Interrupted,
}

/// The whole program. Usage errors end in clap with exit code 2.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let _ = tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("CAVEMAN_LOG"))
        .with_writer(std::io::stderr)
        .try_init();
    match answer(&cli) {
        Ok(text) => {
            let mut out = std::io::stdout().lock();
            // A reader that went away is no error of ours.
            let _ = writeln!(out, "{text}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let _ = writeln!(std::io::stderr(), "{failure}");
            ExitCode::FAILURE
        }
    }
}

fn answer(cli: &Cli) -> Answer {
    let settings = Settings::from_process()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = runtime.map_err(Failure::Runtime)?;
    let answer = runtime.block_on(async {
        match &cli.command {
            Command::Snapshot(args) => once::snapshot(&settings, args).await,
            Command::Doctor(args) => doctor::run(&settings, args).await,
        }
    });
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    answer
}
