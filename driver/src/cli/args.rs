//! The arguments. Must not know what they cause.

use crate::render::{Choice, PayloadKind, ViewKind};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

/// The browser for agents that pay by the token.
#[derive(Debug, Parser)]
#[command(name = "caveman-browse", version, about, after_help = EXAMPLES)]
pub(super) struct Cli {
    /// Without a command: the MCP server on stdio.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  caveman-browse                                                the MCP server on stdio
  caveman-browse snapshot http://localhost:3000                 the page, compact, with [uid] handles
  caveman-browse snapshot http://localhost:3000 save settings   only what matches, and what places it
  caveman-browse snapshot -i                                    the page as it is now: what can be operated
  caveman-browse act u1f click                                  click the element [u1f] of the last snapshot
  caveman-browse act u1a type ops@example.com                   type into a field
  caveman-browse act u1c select Pro                             choose an option
  caveman-browse eval document.title                            run JavaScript in the page
  caveman-browse recover ccr_0123… ORD-0173                     the exact original, or the records that match
  caveman-browse close                                          end the Chrome that these commands share
  caveman-browse doctor                                         which Chrome is used, and why

The commands share one Chrome and one page, which stay until close. State lives in CAVEMAN_HOME (~/.caveman).
Errors go to stderr as `cave_<code>: text` with exit status 1; wrong usage exits with 2.";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show a page as a compact view with [uid] handles
    Snapshot(SnapshotArgs),
    /// Click, type, select, scroll or wait on the page of the last snapshot
    Act(ActArgs),
    /// Run a JavaScript expression in the page and print its result as JSON
    Eval(EvalArgs),
    /// Print the exact original of a snapshot, or the records in it that match
    Recover(RecoverArgs),
    /// End the Chrome that the commands share; one that was running before is left running
    Close,
    /// Say which Chrome is used and why, and what to do when there is none
    Doctor(DoctorArgs),
    /// Say what the store holds, or delete what is old
    #[command(subcommand)]
    Store(super::store::StoreCommand),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(super) struct SnapshotArgs {
    /// Where to go: http:, https:, about:blank or data:text/html; without it the page as it is
    pub url: Option<String>,
    /// Terms to focus the view on
    pub query: Vec<String>,
    /// Terms to focus the view on, without going anywhere
    #[arg(short = 'q', long = "query", value_name = "TERMS", conflicts_with = "query")]
    pub focus: Option<String>,
    /// Only what can be operated, and what places it
    #[arg(short, long)]
    pub interactive: bool,
    /// Milliseconds to wait after the page is ready, 0 to 30000
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub wait: u32,
    /// The grammar of the view; where not given, `CAVEMAN_BROWSE_VIEW`
    #[arg(long, value_parser = choice::<ViewKind>(), value_name = "VIEW")]
    pub view: Option<ViewKind>,
    /// The form of the result; where not given, `CAVEMAN_BROWSE_PAYLOAD`
    #[arg(long, value_parser = choice::<PayloadKind>(), value_name = "FORM")]
    pub payload: Option<PayloadKind>,
    /// Print the whole result as one JSON object: text, counts, handle, url, notes, times
    #[arg(long)]
    pub json: bool,
}

/// Takes the words of a choice, and shows them in help, completions and refusals.
fn choice<C: Choice + Send + Sync>() -> impl TypedValueParser<Value = C> {
    let words = C::WORDS.iter().map(|(word, _)| *word);
    PossibleValuesParser::new(words).try_map(|word| C::of(&word).ok_or_else(|| format!("give {}", C::words())))
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Only find Chrome and print where it is; start nothing
    #[arg(long)]
    pub find: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = ACTIONS)]
pub(super) struct ActArgs {
    /// The handle, as it stands in the brackets; `-` where the action takes none
    pub uid: String,
    /// click, type, select, scroll, wait; accept or dismiss a dialog
    pub action: String,
    /// The text to type, or the option to select; several words are joined with blanks
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub text: Vec<String>,
}

const ACTIONS: &str = "\
Examples:
  caveman-browse act u1f click
  caveman-browse act u1a type ops@example.com
  caveman-browse act u1c select Pro
  caveman-browse act - wait

`settled:false` means: done, and the page may still be at work. Take a snapshot to see what came of it.";

#[derive(Debug, Args)]
pub(super) struct EvalArgs {
    /// The expression; a promise is awaited. Several words are joined with blanks
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub expression: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct RecoverArgs {
    /// `ccr_…`, a prefix of it, or a short handle such as s7
    pub handle: String,
    /// Print only the records that match these terms
    pub query: Vec<String>,
}
