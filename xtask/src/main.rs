//! `cargo xtask`: the commands of this repository. It starts in a blink and shells out.
//! It must not know the driver's or the harness's code: it links neither and speaks to their binaries.

mod bench;
mod chrome;
mod corpus;
mod error;
mod install;
mod process;
mod repo;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand, builder::FalseyValueParser};

use crate::error::XtaskError;
use crate::repo::Repo;

/// The commands of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure this machine: five fresh Chromes a scenario, tables to BENCHMARK.md and reports/.
    Bench {
        #[command(flatten)]
        chrome: Install,
        /// Passed on to `harness bench`: --runs N, --filter TEXT, --check, …
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Everything a change must pass: fmt, tidy, clippy, unit, doc and integration tests, the gates against a real Chrome.
    Test {
        #[command(flatten)]
        chrome: Install,
        #[command(flatten)]
        args: test::TestArgs,
    },
    /// Fetch the pages of others, from pinned packages, into a cache outside the tree; --check takes a snapshot of each.
    Corpus {
        #[command(flatten)]
        chrome: Install,
        #[command(flatten)]
        args: corpus::CorpusArgs,
    },
    /// Check the layout: floors, file heads, sizes, words that must not be there.
    Tidy,
}

#[derive(clap::Args, Clone, Copy)]
struct Install {
    /// Get a Chrome where none is found: Playwright's download, else the system's package (root, Debian or Ubuntu).
    #[arg(long, env = "CAVEMAN_INSTALL", value_parser = FalseyValueParser::new())]
    install: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(args.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), XtaskError> {
    let repo = Repo::locate()?;
    match command {
        Command::Bench { chrome, args } => bench::run(&repo, chrome.install, args),
        Command::Test { chrome, args } => test::run(&repo, chrome.install, &args),
        Command::Corpus { chrome, args } => corpus::run(&repo, chrome.install, &args),
        Command::Tidy => tidy::run(&repo),
    }
}
