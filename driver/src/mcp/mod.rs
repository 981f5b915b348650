//! The MCP server on stdio (contract, rules 2 and 28 to 30): `caveman-browse` without a subcommand.
//!
//! Must not know CDP; what a tool does lives in `tools`. Only this room knows MCP and its SDK.

mod arguments;
mod frame;
mod run;
mod serve;
mod server;
mod toolbox;
mod transport;
mod wire;

pub use run::run;
