//! What a run leaves behind: rows of text, one figure a line. Must not know how they are shown.

mod exact;
mod rows;

pub use exact::{Difference, Exact};
pub use rows::{Arm, Record, RecordError, Row, read_all, write};
