//! What the tests against a real Chrome share: finding it or saying why not, a page in it, its processes.

#![allow(dead_code, clippy::unwrap_used, clippy::missing_panics_doc)]

pub mod processes;
pub mod proxy;

use std::path::PathBuf;
use std::time::Duration;

use caveman_browse::cdp::protocol::browser_protocol::target::{AttachToTargetParams, CreateTargetParams};
use caveman_browse::cdp::{Connection, Session};
use caveman_browse::chrome::{self, Chrome, ChromeError, Env, LaunchOptions};

/// A deadline that only a broken thing meets.
pub const LONG: Duration = Duration::from_secs(30);

/// The browser to test with. Without one the test is skipped, but fails in CI and where one is required.
pub fn browser() -> Option<PathBuf> {
    match chrome::find(&Env::system()) {
        Ok(found) => Some(found.path),
        Err(ChromeError::NotFound { .. })
            if std::env::var_os("CI").is_none() && std::env::var_os("CAVEMAN_REQUIRE_CHROME").is_none() =>
        {
            eprintln!("skipped: no Chrome");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A Chrome of the test's own. `None`: skipped.
pub async fn launched() -> Option<Chrome> {
    Some(chrome::launch(LaunchOptions::new(browser()?)).await.unwrap())
}

/// A new tab at this URL.
pub async fn tab(connection: &Connection, url: &str) -> Session {
    let browser = connection.browser();
    let target = browser
        .call(CreateTargetParams::new(url), LONG)
        .await
        .unwrap()
        .target_id;
    let attach = AttachToTargetParams::builder()
        .target_id(target)
        .flatten(true)
        .build()
        .unwrap();
    connection.session(browser.call(attach, LONG).await.unwrap().session_id.inner().clone())
}
