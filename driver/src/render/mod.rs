//! The only owner of a text grammar. Pure; must not know where the text goes.

mod choice;
pub mod classic;
mod escape;
pub mod payload;
#[cfg(test)]
mod tests;

pub use choice::{Choice, PayloadKind, ViewKind};
pub use escape::{push_quoted, push_safe};
pub use payload::{Accounting, PayloadError, settle};
