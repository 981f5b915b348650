//! `cargo xtask tidy`: what the layout promises, checked. Each check takes text and gives findings, so that its tests can
//! feed it bad text. The checks must not build or run anything.

mod check;
mod floors;
mod package;
mod paths;
mod rules;
mod source;
mod table;
mod words;

pub(crate) use check::run;
