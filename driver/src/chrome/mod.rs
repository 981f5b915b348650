//! The seam of this room; the room itself follows and replaces this file.
#![allow(missing_docs)]
use std::path::PathBuf;
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct ChromeError;
#[derive(Debug, Clone)]
pub struct Env;
impl Env {
    pub fn system() -> Self {
        Env
    }
}
#[derive(Debug)]
pub struct Found {
    pub path: PathBuf,
    pub by: String,
    pub looked_at: Vec<String>,
}
pub fn find(_: &Env) -> Result<Found, ChromeError> {
    Err(ChromeError)
}
#[derive(Debug)]
pub enum Profile {
    Temporary,
    Named(PathBuf),
}
#[derive(Debug)]
pub enum Lifetime {
    WithUs,
    Detached { port: u16 },
}
#[derive(Debug)]
pub struct LaunchOptions {
    pub binary: PathBuf,
    pub profile: Profile,
    pub headful: bool,
    pub lifetime: Lifetime,
}
#[derive(Debug)]
pub struct Chrome;
impl Chrome {
    pub fn ws_url(&self) -> &str {
        ""
    }
    pub fn pid(&self) -> u32 {
        0
    }
    pub async fn end(self) -> Result<(), ChromeError> {
        Ok(())
    }
}
pub async fn launch(_: LaunchOptions) -> Result<Chrome, ChromeError> {
    Err(ChromeError)
}
#[derive(Debug)]
pub struct ShutdownSignal;
pub async fn shutdown_signal() -> std::io::Result<ShutdownSignal> {
    std::future::pending().await
}
pub async fn version(_: &str) -> Result<String, ChromeError> {
    Err(ChromeError)
}
