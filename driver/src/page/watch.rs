//! What the events of a page say about it: a plain reducer over CDP events, and the readiness rule over its state.
//!
//! Must not know sockets; the time of each event is handed in.

use super::error::shown;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// No request is open and still `load` has not fired: only the page's own scripts can hold it up, so they get time. Large
/// applications take seconds on a busy machine between their last byte and `load`.
const IDLE: Duration = Duration::from_secs(5);
/// Requests are open but nothing has moved on any of them for so long: they are long polls or never answer.
const STUCK: Duration = Duration::from_secs(2);
/// A document whose own bytes never end has stood still, or kept coming, for so long since it was committed.
const ENDLESS: Duration = Duration::from_secs(4);

/// A JavaScript dialog that blocks the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// alert, confirm, prompt or beforeunload.
    pub kind: String,
    /// Its text, on one line, shortened.
    pub message: String,
}

/// The state of one page as its events tell it.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    /// Frame id of the main frame.
    pub main_frame: String,
    /// Loader of the document that the main frame shows.
    pub loader: String,
    /// Where the main frame is.
    pub url: String,
    /// `DOMContentLoaded` fired for that loader.
    pub dom_ready: bool,
    /// `load` fired for that loader.
    pub loaded: bool,
    /// Counts committed documents of the main frame.
    pub commits: u64,
    /// The main frame is about to go elsewhere, as the page asked.
    pub leaving: bool,
    /// The dialog that is open.
    pub dialog: Option<Dialog>,
    /// A navigation of the main frame turned out to be this file.
    pub download: Option<String>,
    /// The renderer died.
    pub crashed: bool,
    /// The target is gone.
    pub closed: bool,
    open: HashSet<String>,
    document_request: Option<String>,
    committed_at: Instant,
    moved_at: Instant,
}

/// What is still missing before the page can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Readiness {
    /// Ready; the note says what was not waited for.
    Ready(Option<String>),
    /// Not ready; nothing but an event can change that before this moment.
    Wait(Option<Instant>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameParams<'a> {
    #[serde(borrow, default)]
    frame_id: Cow<'a, str>,
    #[serde(borrow, default)]
    loader_id: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(default)]
    url: String,
    #[serde(borrow, default)]
    suggested_filename: Cow<'a, str>,
    #[serde(borrow, default)]
    disposition: Cow<'a, str>,
}

#[derive(Deserialize)]
struct NavigatedParams<'a> {
    #[serde(borrow)]
    frame: NavigatedFrame<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigatedFrame<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    loader_id: Cow<'a, str>,
    url: String,
    #[serde(default)]
    url_fragment: String,
}

#[derive(Deserialize)]
struct DialogParams {
    #[serde(default)]
    message: String,
    #[serde(default, rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestParams<'a> {
    #[serde(borrow, default)]
    request_id: Cow<'a, str>,
    #[serde(borrow, default)]
    frame_id: Cow<'a, str>,
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
}

impl Watch {
    /// A page whose main frame is `main_frame`, seen first at `now`.
    pub(super) fn new(main_frame: String, loader: String, url: String, now: Instant) -> Self {
        Self {
            main_frame,
            loader,
            url,
            dom_ready: true,
            loaded: true,
            commits: 0,
            leaving: false,
            dialog: None,
            download: None,
            crashed: false,
            closed: false,
            open: HashSet::new(),
            document_request: None,
            committed_at: now,
            moved_at: now,
        }
    }

    /// Takes in one event. Events that say nothing here, and events that cannot be read, change nothing.
    /// Returns whether anything changed.
    pub(super) fn apply(&mut self, method: &str, params: &[u8], now: Instant) -> bool {
        self.take(method, params, now).unwrap_or(false)
    }

    fn take(&mut self, method: &str, params: &[u8], now: Instant) -> Option<bool> {
        match method {
            "Page.frameNavigated" => {
                let event: NavigatedParams<'_> = serde_json::from_slice(params).ok()?;
                if event.frame.id != self.main_frame.as_str() {
                    return Some(false);
                }
                // A commit that a lifecycle event has announced already is the same one.
                if self.loader != event.frame.loader_id {
                    self.commit(event.frame.loader_id.into_owned(), now);
                }
                self.url = event.frame.url + &event.frame.url_fragment;
            }
            "Page.navigatedWithinDocument" => {
                let event: FrameParams<'_> = serde_json::from_slice(params).ok()?;
                if event.frame_id != self.main_frame.as_str() {
                    return Some(false);
                }
                self.url = event.url;
                self.leaving = false;
            }
            "Page.lifecycleEvent" => {
                let event: FrameParams<'_> = serde_json::from_slice(params).ok()?;
                if event.frame_id != self.main_frame.as_str() {
                    return Some(false);
                }
                match &*event.name {
                    "commit" if self.loader != event.loader_id => self.commit(event.loader_id.into_owned(), now),
                    "DOMContentLoaded" if self.loader == event.loader_id => self.dom_ready = true,
                    "load" if self.loader == event.loader_id => {
                        self.dom_ready = true;
                        self.loaded = true;
                    }
                    _ => return Some(false),
                }
            }
            "Page.frameRequestedNavigation" => {
                let event: FrameParams<'_> = serde_json::from_slice(params).ok()?;
                if event.frame_id != self.main_frame.as_str() || event.disposition != "currentTab" {
                    return Some(false);
                }
                self.leaving = true;
            }
            "Page.frameStoppedLoading" | "Page.frameClearedScheduledNavigation" => {
                let event: FrameParams<'_> = serde_json::from_slice(params).ok()?;
                if event.frame_id != self.main_frame.as_str() {
                    return Some(false);
                }
                self.leaving = false;
            }
            "Page.javascriptDialogOpening" => {
                let event: DialogParams = serde_json::from_slice(params).ok()?;
                self.dialog = Some(Dialog {
                    kind: shown(&event.kind, 20),
                    message: shown(&event.message, 300),
                });
            }
            "Page.javascriptDialogClosed" => self.dialog = None,
            "Page.downloadWillBegin" => {
                let event: FrameParams<'_> = serde_json::from_slice(params).ok()?;
                self.download = Some(shown(&event.suggested_filename, 120));
                self.leaving = false;
            }
            "Network.requestWillBeSent" => {
                let event: RequestParams<'_> = serde_json::from_slice(params).ok()?;
                // An EventSource or WebSocket stays open by design.
                if matches!(&*event.r#type, "EventSource" | "WebSocket" | "Ping" | "Prefetch") {
                    return Some(false);
                }
                if event.r#type == "Document" && event.frame_id == self.main_frame.as_str() {
                    self.document_request = Some(event.request_id.clone().into_owned());
                }
                self.open.insert(event.request_id.into_owned());
                self.moved_at = now;
            }
            "Network.responseReceived" | "Network.dataReceived" => {
                let event: RequestParams<'_> = serde_json::from_slice(params).ok()?;
                if !self.open.contains(&*event.request_id) {
                    return Some(false);
                }
                self.moved_at = now;
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                let event: RequestParams<'_> = serde_json::from_slice(params).ok()?;
                if self.document_request.as_deref() == Some(&*event.request_id) {
                    self.document_request = None;
                }
                if !self.open.remove(&*event.request_id) {
                    return Some(false);
                }
                self.moved_at = now;
            }
            "Inspector.targetCrashed" => self.crashed = true,
            "Inspector.targetReloadedAfterCrash" => self.crashed = false,
            "Inspector.detached" | "Target.detachedFromTarget" => self.closed = true,
            _ => return Some(false),
        }
        Some(true)
    }

    fn commit(&mut self, loader: String, now: Instant) {
        self.loader = loader;
        self.dom_ready = false;
        self.loaded = false;
        self.leaving = false;
        self.commits += 1;
        self.committed_at = now;
        self.moved_at = now;
        // What the document before had open is not this one's; its own request stays, it carries the body.
        let own = self.document_request.clone();
        self.open.retain(|id| Some(id) == own.as_ref());
    }

    /// The readiness rule: `load`, or `DOMContentLoaded` and a quiet network; and what to make of pages that never get there.
    pub(super) fn readiness(&self, now: Instant) -> Readiness {
        if self.leaving {
            return Readiness::Wait(None);
        }
        if self.loaded {
            return Readiness::Ready(None);
        }
        if !self.dom_ready {
            let at = self.committed_at + ENDLESS;
            if self.document_request.is_none() || self.commits == 0 {
                return Readiness::Wait(None);
            }
            return if now >= at {
                Readiness::Ready(Some(
                    "the page's own response has not ended; what had arrived is shown".to_owned(),
                ))
            } else {
                Readiness::Wait(Some(at))
            };
        }
        let (at, note) = match self.open.len() {
            0 => (
                self.moved_at + IDLE,
                "load has not fired; the network is quiet".to_owned(),
            ),
            n => (
                self.moved_at + STUCK,
                format!("load has not fired; {n} requests are still open"),
            ),
        };
        if now >= at {
            Readiness::Ready(Some(note))
        } else {
            Readiness::Wait(Some(at))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn watch(now: Instant) -> Watch {
        let mut watch = Watch::new("F".into(), "L0".into(), "about:blank".into(), now);
        watch.apply(
            "Page.frameNavigated",
            br#"{"frame":{"id":"F","loaderId":"L1","url":"http://x/"}}"#,
            now,
        );
        watch
    }

    fn lifecycle(watch: &mut Watch, name: &str, loader: &str, now: Instant) {
        let params = format!(r#"{{"frameId":"F","loaderId":"{loader}","name":"{name}","timestamp":1}}"#);
        watch.apply("Page.lifecycleEvent", params.as_bytes(), now);
    }

    #[test]
    fn load_makes_ready() {
        let now = Instant::now();
        let mut watch = watch(now);
        assert!(matches!(watch.readiness(now), Readiness::Wait(_)));
        lifecycle(&mut watch, "load", "L1", now);
        assert_eq!(watch.readiness(now), Readiness::Ready(None));
    }

    #[test]
    fn the_load_of_an_earlier_document_does_not_count() {
        let now = Instant::now();
        let mut watch = watch(now);
        lifecycle(&mut watch, "load", "L0", now);
        assert!(matches!(watch.readiness(now), Readiness::Wait(_)));
    }

    #[test]
    fn a_quiet_network_after_the_dom_makes_ready() {
        let now = Instant::now();
        let mut watch = watch(now);
        lifecycle(&mut watch, "DOMContentLoaded", "L1", now);
        assert_eq!(watch.readiness(now), Readiness::Wait(Some(now + IDLE)));
        assert!(matches!(watch.readiness(now + IDLE), Readiness::Ready(Some(_))));
    }

    #[test]
    fn an_open_request_is_waited_for_but_not_for_ever() {
        let now = Instant::now();
        let mut watch = watch(now);
        watch.apply(
            "Network.requestWillBeSent",
            br#"{"requestId":"1","loaderId":"L1","type":"Image"}"#,
            now,
        );
        lifecycle(&mut watch, "DOMContentLoaded", "L1", now);
        assert_eq!(watch.readiness(now + STUCK / 2), Readiness::Wait(Some(now + STUCK)));
        let Readiness::Ready(Some(note)) = watch.readiness(now + STUCK) else {
            panic!("not ready")
        };
        assert!(note.contains("1 requests"));
    }

    #[test]
    fn a_response_that_never_ends_is_shown_as_far_as_it_came() {
        let now = Instant::now();
        let mut watch = Watch::new("F".into(), "L0".into(), "about:blank".into(), now);
        let sent = br#"{"requestId":"D","loaderId":"L1","frameId":"F","type":"Document"}"#;
        watch.apply("Network.requestWillBeSent", sent, now);
        watch.apply(
            "Page.frameNavigated",
            br#"{"frame":{"id":"F","loaderId":"L1","url":"http://x/"}}"#,
            now,
        );
        assert_eq!(watch.readiness(now), Readiness::Wait(Some(now + ENDLESS)));
        assert!(matches!(watch.readiness(now + ENDLESS), Readiness::Ready(Some(_))));
    }

    #[test]
    fn a_page_that_is_about_to_leave_is_not_ready() {
        let now = Instant::now();
        let mut watch = watch(now);
        lifecycle(&mut watch, "load", "L1", now);
        watch.apply(
            "Page.frameRequestedNavigation",
            br#"{"frameId":"F","url":"http://y/","disposition":"currentTab"}"#,
            now,
        );
        assert_eq!(watch.readiness(now), Readiness::Wait(None));
        watch.apply(
            "Page.frameNavigated",
            br#"{"frame":{"id":"F","loaderId":"L2","url":"http://y/"}}"#,
            now,
        );
        assert!(!watch.leaving);
    }

    #[test]
    fn events_of_other_frames_and_nonsense_change_nothing() {
        let now = Instant::now();
        let mut watch = watch(now);
        assert!(!watch.apply(
            "Page.frameNavigated",
            br#"{"frame":{"id":"G","loaderId":"L9","url":"http://z/"}}"#,
            now
        ));
        assert!(!watch.apply("Page.lifecycleEvent", b"[]", now));
        assert!(!watch.apply("No.suchEvent", b"{}", now));
        assert_eq!(watch.url, "http://x/");
    }
}
