//! The command line: arguments in, text on stdout, errors on stderr with exit 1, usage errors with exit 2.
//!
//! Must not know CDP; what a command does lives in `tools`.

mod args;
mod commands;
mod doctor;
mod run;
mod shared;
mod state;
mod store;

pub use run::main;
