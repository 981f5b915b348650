//! The MCP server as a process, spoken to without an SDK.
#![allow(clippy::unwrap_used, missing_docs)]

mod calls;
mod catalog;
mod client;
#[cfg(target_os = "linux")]
mod hygiene;
mod protocol;
