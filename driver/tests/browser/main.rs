//! The transport and the browser as a process, against a real Chrome.
#![allow(clippy::unwrap_used, unreachable_pub)]

#[path = "../support/mod.rs"]
mod support;

mod crashes;
mod detached;
#[cfg(target_os = "linux")]
mod ends;
#[cfg(target_os = "linux")]
mod starts;
mod wire;
