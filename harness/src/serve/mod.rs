//! The page server: fixtures and odd routes on loopback, so that no measurement needs a network.
//!
//! Must not know scenarios.

mod files;
mod routes;
mod server;

pub use server::{Roots, ServeError, Server};
