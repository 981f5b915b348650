//! The arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Measures caveman-browse and its peers, and writes the tables.
#[derive(Debug, Parser)]
#[command(name = "harness", version, about)]
pub(super) struct Cli {
    /// The repository; found from the current directory where not given.
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Measure the scenarios and write reports/, BENCHMARK.md and the README's table
    Bench(BenchArgs),
    /// Write the report again from the rows in reports/runs
    Report,
    /// Check every scenario file and list what there is
    Scenarios,
    /// Serve fixtures/pages on loopback until standard input closes; prints where
    Serve(ServeArgs),
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// A directory to serve besides, at /@NAME/
    #[arg(long = "other", value_name = "NAME=DIR", value_parser = other)]
    pub others: Vec<(String, PathBuf)>,
}

fn other(text: &str) -> Result<(String, PathBuf), &'static str> {
    match text.split_once('=') {
        Some((name, directory)) if !name.is_empty() && !directory.is_empty() && !name.contains('/') => {
            Ok((name.to_owned(), directory.into()))
        }
        _ => Err("give NAME=DIR"),
    }
}

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Runs of each scenario, a fresh Chrome each
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=99))]
    pub runs: u16,
    /// Only scenarios whose name contains S; the others keep their rows
    #[arg(long, value_name = "S")]
    pub filter: Option<String>,
    /// Write nothing; compare with the committed figures and the budgets
    #[arg(long)]
    pub check: bool,
    /// Print what was measured as one JSON object on standard output
    #[arg(long)]
    pub json: bool,
}
