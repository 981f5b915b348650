//! Going to an address, and what can come of it: a page, no content, a download, a refusal, silence.
//!
//! Must not know what is done with the page afterwards.

use super::error::{PageError, shown};
use super::tab::{Page, QUICK, problem};
use super::url::{CheckedUrl, may_be_shown};
use crate::cdp::CdpError;
use crate::cdp::protocol::browser_protocol::page;
use std::time::{Duration, Instant};

/// How long a page may take to become ready, without the caller's `wait`.
const READY_LIMIT: Duration = Duration::from_secs(15);
/// How long the name of a download may take to arrive after Chrome said that there is one.
const DOWNLOAD_NAME: Duration = Duration::from_millis(500);
/// How much of an address a message quotes, in characters.
const QUOTE: usize = 160;

/// A navigation that ended on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// What was not waited for, or was done on the way; empty when nothing.
    pub notes: Vec<String>,
}

impl Page {
    /// Goes to `url`, waits until the page is ready (15 s + `wait_ms` at most), then `wait_ms` more.
    ///
    /// # Errors
    /// Whatever came instead of a page: see [`PageError`].
    pub async fn navigate(&self, url: &CheckedUrl, wait_ms: u32) -> Result<Arrived, PageError> {
        let wait = Duration::from_millis(u64::from(wait_ms));
        let started = Instant::now();
        let limit = started + READY_LIMIT + wait;
        let mut notes = Vec::new();
        if let Some(dialog) = self.dialog() {
            // Going elsewhere is an answer to a dialog: the page that asked is left.
            self.answer_dialog(dialog.kind == "beforeunload", None).await?;
            notes.push(format!(
                "the {} dialog \"{}\" was closed by leaving its page",
                dialog.kind, dialog.message
            ));
        }
        // If the caller goes away now, the next look at the page still waits for where it went.
        self.correct(|state| {
            state.download = None;
            state.leaving = true;
        });
        let sent = self
            .session()
            .call(page::NavigateParams::new(url.as_str()), limit - started);
        let answer = self.guarded(sent).await;
        if !matches!(&answer, Ok(reply) if reply.error_text.is_none() && reply.loader_id.is_some()) {
            // No document comes of it.
            self.correct(|state| state.leaving = false);
        }
        let reply = match answer {
            Ok(reply) => reply,
            Err(PageError::Cdp(CdpError::Deadline { .. })) => {
                let _ = self.session().call(page::StopLoadingParams::default(), QUICK).await;
                return Err(PageError::NoAnswer {
                    shown: shown(url.as_str(), QUOTE),
                    seconds: started.elapsed().as_secs(),
                });
            }
            Err(other) => return Err(other),
        };
        if let Some(error) = reply.error_text {
            return Err(self.what_failed(url, &error, reply.is_download.unwrap_or(false)).await);
        }
        if let Some(loader) = reply.loader_id {
            // The reply may be ahead of the events of the same commit.
            self.committed(loader.inner(), limit).await?;
            notes.extend(self.ready(limit).await?);
        }
        if !wait.is_zero() {
            let mut state = self.state();
            let trouble = state.wait_for(|state| problem(state).is_some());
            // What happens during the wait is judged below.
            let _ = tokio::time::timeout(wait, trouble).await;
            notes.extend(self.ready(limit.max(Instant::now() + QUICK)).await?);
        }
        notes.dedup();
        self.showable()?;
        Ok(Arrived { notes })
    }

    /// Waits until a page that is still loading is ready, as after a navigation.
    ///
    /// # Errors
    /// As [`Page::navigate`].
    pub async fn settle(&self) -> Result<Arrived, PageError> {
        let notes = self.ready(Instant::now() + READY_LIMIT).await?;
        self.showable()?;
        Ok(Arrived {
            notes: notes.into_iter().collect(),
        })
    }

    /// Refuses a page that brought itself to an address that may not be shown, and Chrome's own error page.
    ///
    /// # Errors
    /// `WentToDenied` or `Navigation`.
    pub(super) fn showable(&self) -> Result<(), PageError> {
        let at = self.url();
        if at.starts_with("chrome-error:") {
            return Err(PageError::Navigation {
                shown: "the page".to_owned(),
                reason: "Chrome shows its own error page".to_owned(),
                hint: "; navigate with url",
            });
        }
        if may_be_shown(&at) {
            Ok(())
        } else {
            Err(PageError::WentToDenied {
                shown: shown(&at, QUOTE),
            })
        }
    }

    async fn committed(&self, loader: &str, limit: Instant) -> Result<(), PageError> {
        let before = self.state().borrow().commits;
        let mut state = self.state();
        let arrived =
            state.wait_for(|state| state.loader == loader || state.commits > before || problem(state).is_some());
        match tokio::time::timeout_at(limit.into(), arrived).await {
            Ok(Ok(state)) => problem(&state).map_or(Ok(()), Err),
            Ok(Err(_)) => Err(PageError::Closed),
            Err(_) => Ok(()),
        }
    }

    async fn what_failed(&self, url: &CheckedUrl, error: &str, is_download: bool) -> PageError {
        let shown_url = shown(url.as_str(), QUOTE);
        if is_download || error == "net::ERR_ABORTED" {
            let mut state = self.state();
            let named = state.wait_for(|state| state.download.is_some());
            let patience = if is_download { DOWNLOAD_NAME } else { DOWNLOAD_NAME / 10 };
            if let Ok(Ok(state)) = tokio::time::timeout(patience, named).await {
                let file = state.download.clone().unwrap_or_default();
                return PageError::Download { shown: shown_url, file };
            }
            if is_download {
                return PageError::Download {
                    shown: shown_url,
                    file: String::new(),
                };
            }
            return PageError::NoContent { shown: shown_url };
        }
        PageError::Navigation {
            shown: shown_url,
            reason: shown(error, 80),
            hint: hint(error),
        }
    }
}

/// The next step for a `net::ERR_…` text.
fn hint(error: &str) -> &'static str {
    match error {
        "net::ERR_NAME_NOT_RESOLVED" => "; no such host: check the name",
        "net::ERR_CONNECTION_REFUSED" => "; nothing listens there: is the server running, is the port right?",
        "net::ERR_UNSAFE_PORT" => "; Chrome does not open this port",
        "net::ERR_UNSAFE_REDIRECT" => "; it redirects to an address that is not opened",
        "net::ERR_TOO_MANY_REDIRECTS" => "; it redirects in a circle",
        "net::ERR_INTERNET_DISCONNECTED" | "net::ERR_ADDRESS_UNREACHABLE" => {
            "; there is no way to that network from here"
        }
        e if e.starts_with("net::ERR_CERT_") || e.starts_with("net::ERR_SSL_") => {
            "; its certificate or TLS is not acceptable: try http:// or mend the certificate"
        }
        _ => "; check the address and try again",
    }
}
