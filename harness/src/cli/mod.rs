//! The harness's own commands, as xtask calls them. Must not know how anything is measured or written.

mod args;
mod bench;
mod run;
mod say;

pub use run::main;
