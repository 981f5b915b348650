//! The accessibility tree: what came off the wire (`capture`), its JSON (`parse`), and the curated page (`curate`).
//! Pure: knows no browser, no socket, no file, no clock.

mod capture;
mod curate;
mod error;
#[cfg(test)]
#[path = "fixture_tests.rs"]
pub(crate) mod fixture;
mod json;
mod layout;
mod page;
mod parse;
mod records;
mod role;
mod states;
#[cfg(test)]
mod tests;
mod words;

pub use capture::{Capture, FrameCapture, FrameOwner};
pub use curate::curate;
pub use error::AxError;
pub use layout::LAYOUT_STYLES;
pub use page::{Checked, Frame, FrameIx, Node, NodeIx, Page, States};
pub use parse::{AxNode, Tree, parse};
pub use records::{Record, Records};
pub use role::{RoleKind, kind_of};
pub use words::{role_word, state_words};
