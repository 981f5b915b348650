//! `cargo xtask corpus`: real pages out of pinned packages, in a cache outside the tree. It must not know what the pages are
//! measured for, and it runs nothing that a package brings.

mod check;
mod fetch;
mod manifest;
mod resources;
mod run;

pub(crate) use run::{CorpusArgs, run};
