//! One page of a Chrome: going somewhere, knowing when it is ready, taking its accessibility tree as it came off the wire.
//!
//! Must not know what a view is, what is stored, or who asked.

mod capture;
mod error;
mod navigate;
mod tab;
mod url;
mod watch;

pub use capture::Taken;
pub use error::PageError;
pub use navigate::Arrived;
pub use tab::{Page, PageOptions};
pub use url::CheckedUrl;
pub use watch::Dialog;
