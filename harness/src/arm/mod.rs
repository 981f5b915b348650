//! What is measured: our views, the raw tree that they come from, and the peers. Must not know how results are reported.

mod bare;
mod browser;
mod node;
mod playwright;

pub use bare::{Bare, RawTree};
pub use browser::{Browser, BrowserError};
pub use playwright::{Aria, Playwright};
