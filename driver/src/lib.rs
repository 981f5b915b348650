//! caveman-browse as a library: a real Chrome over CDP, a compact view of its accessibility tree, the exact original kept.
//!
//! Floors, lowest first; a floor imports only lower ones: pure (`ax`, `view`, `render`, `tokens`, `uid`) < `store`,
//! `cdp` < `chrome`, `page` < `session` < `tools`, `settings` < `mcp`, `cli`. `cargo xtask tidy` holds this.

pub mod ax;
pub mod cdp;
pub mod chrome;
pub mod cli;
pub mod mcp;
pub mod page;
pub mod render;
pub mod session;
pub mod settings;
pub mod store;
pub mod tokens;
pub mod tools;
pub mod uid;
pub mod view;
