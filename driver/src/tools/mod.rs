//! The use cases: one tool a file, shared by the MCP server and the command line.

pub mod act;
pub mod catalog;
mod error;
pub mod eval;
pub mod recover;
pub mod snapshot;

pub use error::{Code, ToolError};
