//! From rows to tables. Reads records and published figures, measures nothing, and writes between markers only.

mod markdown;
mod published;
mod splice;
mod tables;
mod write;

pub use published::{Comparison, Published, PublishedError};
pub use splice::SpliceError;
pub(crate) use write::exact_path;
pub use write::{ReportError, write};
