//! From arguments to an exit code. Must not know how a command does its work.

use super::args::{Cli, Command};
use super::state::StateError;
use super::{commands, doctor, shared, store};
use crate::settings::{Settings, SettingsError};
use crate::tools::{Code, ToolError};
use clap::{CommandFactory, Parser};
use std::io::{self, Write};
use std::process::ExitCode;

/// What a command answers: text for stdout, without its last line feed.
pub(super) type Answer = Result<String, Failure>;

/// What goes to stdout.
enum Output {
    /// A text; a line feed follows it.
    Text(String),
    /// These bytes and no others.
    Exact(Vec<u8>),
}

/// Why a command has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// A tool's own error.
    #[error("{}: {_0}", _0.code())]
    Tool(#[from] ToolError),
    /// The environment says something impossible.
    #[error("{}: {_0}", Code::InvalidArguments)]
    Settings(#[from] SettingsError),
    /// The home cannot be used.
    #[error("{}: {_0}", _0.code())]
    State(#[from] StateError),
    /// The runtime could not be made.
    #[error("{}: the process could not start its runtime: {_0}", Code::Internal)]
    Runtime(io::Error),
    /// An interrupt ended the command.
    #[error("interrupted; nothing was written")]
    Interrupted {
        /// The exit code that shells expect.
        exit: u8,
    },
}

impl StateError {
    fn code(&self) -> Code {
        match self {
            Self::File { .. } => Code::BrowserUnavailable,
            Self::Locked { .. } => Code::Timeout,
        }
    }
}

impl Failure {
    pub(super) fn interrupted(signal: io::Result<crate::chrome::ShutdownSignal>) -> Self {
        Self::Interrupted {
            exit: signal.map_or(1, crate::chrome::ShutdownSignal::exit_code),
        }
    }
}

/// The whole program; `serve` is what it does without a command. Usage errors end in clap with exit code 2.
pub fn main(serve: fn(Settings) -> ExitCode) -> ExitCode {
    let cli = Cli::parse();
    log_on_demand();
    let answer = match (Settings::from_process(), &cli.command) {
        (Err(error), _) => Err(error.into()),
        (Ok(settings), None) => return serve(settings),
        (Ok(settings), Some(command)) => answer(&settings, command),
    };
    match answer {
        Ok(output) => {
            let bytes = match output {
                Output::Text(text) => (text + "\n").into_bytes(),
                Output::Exact(bytes) => bytes,
            };
            let mut out = io::stdout().lock();
            // A reader that went away is no error of ours.
            let _ = out.write_all(&bytes).and_then(|()| out.flush());
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let _ = writeln!(io::stderr(), "{failure}");
            match failure {
                Failure::Interrupted { exit } => ExitCode::from(exit),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

/// Logs to standard error when `CAVEMAN_LOG` says what to log; otherwise not a line.
fn log_on_demand() {
    if std::env::var_os("CAVEMAN_LOG").is_none_or(|filter| filter.is_empty()) {
        return;
    }
    let mut filter = tracing_subscriber::EnvFilter::from_env("CAVEMAN_LOG");
    // Below this the MCP SDK logs whole messages: what is typed into a password field would be among them.
    if let Ok(quiet) = "rmcp=warn".parse() {
        filter = filter.add_directive(quiet);
    }
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .try_init();
}

fn answer(settings: &Settings, command: &Command) -> Result<Output, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = runtime.map_err(Failure::Runtime)?;
    let answer = runtime.block_on(async {
        let answer = match command {
            Command::Snapshot(args) => commands::snapshot(settings, args).await,
            Command::Act(args) => commands::act(settings, args).await,
            Command::Eval(args) => commands::eval(settings, args).await,
            Command::Recover(args) => return commands::recover(settings, args).await.map(Output::Exact),
            Command::Close => shared::close(settings).await,
            Command::Doctor(args) => doctor::run(settings, args).await,
            Command::Store(command) => store::run(settings, command),
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(*shell, &mut Cli::command(), "caveman-browse", &mut script);
                return Ok(Output::Exact(script));
            }
        };
        answer.map(Output::Text)
    });
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    answer
}
