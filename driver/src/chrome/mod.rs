//! Chrome as a process: found, started quietly, and ended for certain.
//!
//! Knows how a browser is found, launched, attached and ended; must not know what a page is. Only here and in `cdp` is
//! chromiumoxide named (its detection is the last resort of the search).

pub mod attach;
mod detached;
mod ended;
mod endpoint;
mod env;
mod error;
mod find;
mod flags;
mod holder;
mod keeper;
mod launch;
mod places;
mod process;
mod profile;
mod signal;
mod watchdog;

pub use ended::end_attached;
pub use env::{Arch, Env, Files, Os, Platform, Sight};
pub use error::ChromeError;
pub use find::{Found, FoundBy, Looked, VARIABLE, find};
pub use holder::{Holder, holder};
pub use launch::{Chrome, LaunchOptions, Lifetime, Profile, launch, launch_within};
pub use signal::{ShutdownSignal, shutdown_signal};
