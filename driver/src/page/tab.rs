//! The tab itself: its CDP session, the task that feeds its events to the watch, and the guard that every call goes through.
//!
//! Must not know what the calls are for.

use super::error::PageError;
use super::watch::{Readiness, Watch};
use crate::cdp::protocol::browser_protocol::{inspector, network, page, target};
use crate::cdp::{CdpError, Connection, Session};
use std::future::Future;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The deadline of a command that Chrome answers out of its own knowledge.
pub(super) const QUICK: Duration = Duration::from_secs(10);

/// How a page is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageOptions {
    /// The Chrome is ours: its downloads may be refused as a whole. In somebody else's Chrome nothing global is touched.
    pub own_chrome: bool,
}

/// One tab of a Chrome, attached through a flat session. Dropping it detaches nothing and closes nothing.
#[derive(Debug)]
pub struct Page {
    session: Session,
    target_id: String,
    own_chrome: bool,
    state: watch::Receiver<Watch>,
    sender: watch::Sender<Watch>,
    pump: JoinHandle<()>,
}

impl Drop for Page {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

impl Page {
    /// Opens a new tab at `about:blank`.
    ///
    /// # Errors
    /// When Chrome does not answer or refuses.
    pub async fn create(connection: &Connection, options: PageOptions) -> Result<Self, PageError> {
        let browser = connection.browser();
        let made = browser
            .call(target::CreateTargetParams::new("about:blank"), QUICK)
            .await?;
        let page = Self::attach(connection, made.target_id.inner(), options).await?;
        if options.own_chrome
            && let Err(error) = page.fit_window(&browser).await
        {
            // A page of another size is a page; whether Chrome answers at all, the next call will say.
            tracing::debug!(%error, "the window could not be given its size");
        }
        Ok(page)
    }

    /// Attaches to a tab that is there.
    ///
    /// # Errors
    /// When the tab is gone or Chrome does not answer.
    pub async fn attach(connection: &Connection, target_id: &str, options: PageOptions) -> Result<Self, PageError> {
        let browser = connection.browser();
        let browser_events = browser.events();
        let mut attach = target::AttachToTargetParams::new(target_id.to_owned());
        attach.flatten = Some(true);
        let attached = browser.call(attach, QUICK).await?;
        let session = connection.session(attached.session_id.inner());
        let events = session.events();
        if options.own_chrome {
            let deny = crate::cdp::protocol::browser_protocol::browser::SetDownloadBehaviorParams::new(
                crate::cdp::protocol::browser_protocol::browser::SetDownloadBehaviorBehavior::Deny,
            );
            browser.call(deny, QUICK).await?;
        }
        session.call(page::EnableParams::default(), QUICK).await?;
        let tree = session
            .call(page::GetFrameTreeParams::default(), QUICK)
            .await?
            .frame_tree;
        let url = tree.frame.url.clone() + tree.frame.url_fragment.as_deref().unwrap_or_default();
        let blank = url.is_empty() || url == "about:blank";
        let mut first = Watch::new(
            tree.frame.id.inner().clone(),
            tree.frame.loader_id.inner().clone(),
            url,
            Instant::now(),
        );
        (first.dom_ready, first.loaded) = (blank, blank);
        let (sender, state) = watch::channel(first);
        let pump = tokio::spawn(pump(events, browser_events, session.id().to_owned(), sender.clone()));
        let page = Self {
            session,
            target_id: target_id.to_owned(),
            own_chrome: options.own_chrome,
            state,
            sender,
            pump,
        };
        // Chrome repeats the lifecycle events of the document that is there, so a page that had loaded is known as loaded.
        let lifecycle = page::SetLifecycleEventsEnabledParams::new(true);
        let network = network::EnableParams::builder()
            .max_total_buffer_size(0)
            .max_resource_buffer_size(0)
            .build();
        tokio::try_join!(
            page.guarded(page.session.call(lifecycle, QUICK)),
            page.guarded(page.session.call(network, QUICK)),
            page.guarded(page.session.call(inspector::EnableParams::default(), QUICK)),
        )
        .map(|_| ())
        .or_else(|e| {
            if matches!(e, PageError::DialogOpen { .. }) {
                Ok(())
            } else {
                Err(e)
            }
        })?;
        Ok(page)
    }

    /// The CDP session of the tab.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Whether the Chrome is ours, and its tabs may be brought to the front.
    pub(super) fn is_own_chrome(&self) -> bool {
        self.own_chrome
    }

    /// The CDP target id of the tab.
    pub fn target_id(&self) -> &str {
        &self.target_id
    }

    /// Where the main frame is, as its events say.
    pub fn url(&self) -> String {
        self.state.borrow().url.clone()
    }

    /// Loader id of the document in the main frame.
    pub fn loader_id(&self) -> String {
        self.state.borrow().loader.clone()
    }

    /// Frame id of the main frame.
    pub fn main_frame_id(&self) -> String {
        self.state.borrow().main_frame.clone()
    }

    /// The dialog that blocks the page, if one does.
    pub fn dialog(&self) -> Option<super::Dialog> {
        self.state.borrow().dialog.clone()
    }

    /// Whether the tab can still be used: neither closed nor crashed.
    pub fn is_alive(&self) -> bool {
        let state = self.state.borrow();
        !state.closed && !state.crashed
    }

    /// Whether the tab is gone for good.
    pub fn is_closed(&self) -> bool {
        self.state.borrow().closed
    }

    pub(super) fn state(&self) -> watch::Receiver<Watch> {
        self.state.clone()
    }

    /// Corrects the state by what a reply (and not an event) said.
    pub(super) fn correct(&self, change: impl FnOnce(&mut Watch)) {
        self.sender.send_modify(change);
    }

    /// Answers the dialog that is open.
    ///
    /// # Errors
    /// When none is open, or Chrome does not answer.
    pub async fn answer_dialog(&self, accept: bool, text: Option<&str>) -> Result<(), PageError> {
        let mut answer = page::HandleJavaScriptDialogParams::new(accept);
        answer.prompt_text = text.map(str::to_owned);
        self.session.call(answer, QUICK).await?;
        self.correct(|state| state.dialog = None);
        Ok(())
    }

    /// Answers a dialog for an act.
    ///
    /// # Errors
    /// `NoDialog` when none is open.
    pub async fn close_dialog(&self, accept: bool, text: Option<&str>) -> Result<(), super::ActError> {
        match self.answer_dialog(accept, text).await {
            // Chrome refuses for this one reason.
            Err(PageError::Cdp(CdpError::Protocol { .. })) => Err(super::ActError::NoDialog),
            other => Ok(other?),
        }
    }

    /// Awaits a call, but not past what would keep it from ever being answered: a dialog, a crash, the end of the tab.
    ///
    /// # Errors
    /// The call's own error, or what happened to the page meanwhile.
    pub async fn guarded<T>(&self, call: impl Future<Output = Result<T, CdpError>>) -> Result<T, PageError> {
        let mut state = self.state.clone();
        tokio::select! {
            biased;
            done = call => done.map_err(meaning),
            trouble = trouble(&mut state) => Err(trouble),
        }
    }

    /// Waits until the page is ready, at most until `limit`. Answers with what was not waited for.
    pub(super) async fn ready(&self, limit: Instant) -> Result<Option<String>, PageError> {
        let mut state = self.state.clone();
        loop {
            let (found, problem) = {
                let state = state.borrow_and_update();
                (state.readiness(Instant::now()), problem(&state))
            };
            if let Some(problem) = problem {
                return Err(problem);
            }
            let until = match found {
                Readiness::Ready(note) => return Ok(note),
                Readiness::Wait(until) => until.map_or(limit, |until| until.min(limit)),
            };
            if Instant::now() >= limit {
                return Ok(Some("the page is still loading; what had arrived is shown".to_owned()));
            }
            tokio::select! {
                changed = state.changed() => if changed.is_err() { return Err(PageError::Closed) },
                () = tokio::time::sleep_until(until.into()) => {}
            }
        }
    }
}

/// What a failed call means for the page.
pub(super) fn meaning(error: CdpError) -> PageError {
    match error {
        CdpError::Crashed { .. } => PageError::Crashed,
        CdpError::Detached { .. } => PageError::Closed,
        other => PageError::Cdp(other),
    }
}

/// What keeps a page from answering.
pub(super) fn problem(state: &Watch) -> Option<PageError> {
    if state.closed {
        Some(PageError::Closed)
    } else if state.crashed {
        Some(PageError::Crashed)
    } else {
        state.dialog.clone().map(|dialog| PageError::DialogOpen {
            kind: dialog.kind,
            message: dialog.message,
        })
    }
}

async fn trouble(state: &mut watch::Receiver<Watch>) -> PageError {
    loop {
        if let Some(found) = problem(&state.borrow_and_update()) {
            return found;
        }
        if state.changed().await.is_err() {
            return PageError::Closed;
        }
    }
}

async fn pump(
    mut events: crate::cdp::Events,
    mut browser: crate::cdp::Events,
    session: String,
    state: watch::Sender<Watch>,
) {
    loop {
        let (event, from_browser) = tokio::select! {
            biased;
            event = events.next() => (event, false),
            event = browser.next() => (event, true),
        };
        let Some(event) = event else {
            state.send_modify(|state| state.closed = true);
            return;
        };
        if from_browser && !(event.method() == "Target.detachedFromTarget" && names(event.params(), &session)) {
            continue;
        }
        state.send_if_modified(|state| state.apply(event.method(), event.params(), Instant::now()));
    }
}

fn names(params: &[u8], session: &str) -> bool {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Detached {
        session_id: String,
    }
    serde_json::from_slice::<Detached>(params).is_ok_and(|detached| detached.session_id == session)
}
