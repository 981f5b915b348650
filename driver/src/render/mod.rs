//! The only owner of a text grammar. Pure; must not know where the text goes.

pub mod classic;
mod escape;
pub mod payload;
#[cfg(test)]
mod tests;

pub use escape::{push_quoted, push_safe};
pub use payload::{Accounting, PayloadError, PayloadKind, settle};
