//! The use cases: one tool a file, shared by the MCP server and the command line.

pub mod catalog;
mod error;
pub mod recover;
pub mod snapshot;

pub use error::{Code, ToolError};
