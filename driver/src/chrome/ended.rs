//! Ending a Chrome that an earlier process of ours started.
//!
//! Must not know how it was found.

use super::error::ChromeError;
use super::process::{self, How};
use crate::cdp::Connection;
use crate::cdp::protocol::browser_protocol::browser;
use std::time::{Duration, Instant};

/// How long a Chrome that was asked to close may take to write its profile.
const POLITE: Duration = Duration::from_secs(5);
/// How long killed processes may take to go.
const DYING: Duration = Duration::from_secs(3);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Ends a Chrome that is attached to: `Browser.close`, then its process group (`pid` leads it) if it stays.
///
/// # Errors
/// [`ChromeError::StillRunning`] where even SIGKILL does not end it in time.
pub async fn end_attached(connection: &Connection, pid: Option<u32>) -> Result<(), ChromeError> {
    // Chrome may be gone before it answers.
    let _ = connection.browser().call(browser::CloseParams::default(), POLITE).await;
    let Some(pid) = pid else { return Ok(()) };
    if gone(pid, POLITE).await {
        return Ok(());
    }
    process::end_group(pid, How::AtOnce);
    if gone(pid, DYING).await {
        Ok(())
    } else {
        Err(ChromeError::StillRunning { pid, after: DYING })
    }
}

async fn gone(pid: u32, within: Duration) -> bool {
    let began = Instant::now();
    while !process::group_is_gone(pid) {
        if began.elapsed() >= within {
            return false;
        }
        tokio::time::sleep(LOOK).await;
    }
    true
}
