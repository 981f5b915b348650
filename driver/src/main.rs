//! The binary: the command line, and without a command the MCP server.

use std::process::ExitCode;

fn main() -> ExitCode {
    caveman_browse::cli::main(caveman_browse::mcp::run)
}
