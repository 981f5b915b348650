//! Projecting a page: which nodes a request shows. Pure; must not know how they are printed.

mod focus;
mod project;
#[cfg(test)]
mod tests;

pub use project::{Request, View, project};
