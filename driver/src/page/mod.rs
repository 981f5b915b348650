//! One page of a Chrome: going somewhere, knowing when it is ready, taking its accessibility tree as it came off the wire.
//!
//! Must not know what a view is, what is stored, or who asked.

mod act_error;
mod actionability;
mod capture;
mod element;
mod error;
mod evaluate;
mod field;
mod input;
mod navigate;
mod tab;
mod url;
mod watch;
mod window;
mod world;

pub use act_error::{ActError, Check, Choice, Cover, RoleName, Stale};
pub use capture::Taken;
pub use element::Element;
pub use error::PageError;
pub(crate) use error::{quoted, shown};
pub use evaluate::{EVAL_LIMIT, EvalError};
pub use field::Chosen;
pub use input::Clicked;
pub use navigate::Arrived;
pub use tab::{Page, PageOptions};
pub use url::CheckedUrl;
pub use watch::Dialog;
pub use window::VIEWPORT;
