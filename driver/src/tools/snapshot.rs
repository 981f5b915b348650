//! `browser_snapshot`: go somewhere or stay, read the tree, keep the original, answer with the view.
//!
//! Must not know whether a client or a command line asked.

use super::error::ToolError;
use crate::ax::{self, Capture};
use crate::page::CheckedUrl;
use crate::render::{self, Accounting, PayloadKind, ViewKind};
use crate::session::Session;
use crate::store::{Packed, SnapshotMeta, StoreError, Stored};
use crate::tokens;
use crate::uid::{self, Uid};
use crate::view;
use std::time::{Duration, Instant};

/// The longest `wait`, in milliseconds (contract, rule 6).
pub const WAIT_LIMIT_MS: u32 = 30_000;
/// The longest `query`, in bytes (contract, rule 6).
pub const QUERY_LIMIT: usize = 4 * 1024;

/// What a snapshot is asked for (contract, rule 6).
#[derive(Debug, Clone, Default)]
pub struct SnapshotRequest {
    /// Where to go first; `None` reads the page as it is.
    pub url: Option<String>,
    /// How long to wait after the navigation, in milliseconds, 0 to 30,000.
    pub wait_ms: u32,
    /// Terms to focus the view on; at most 4 KiB.
    pub query: Option<String>,
    /// Only what can be operated, and what places it.
    pub interactive: bool,
    /// The grammar of the view.
    pub view: ViewKind,
    /// The form of the delivered text.
    pub payload: PayloadKind,
    /// What the caller has to tell the reader besides, before all other notes.
    pub notes: Vec<String>,
}

/// How long the parts of a snapshot took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Starting Chrome where that was needed, going to the address, becoming ready, the caller's wait.
    pub arrive: Duration,
    /// The bare round trip of `Accessibility.getFullAXTree`.
    pub round_trip: Duration,
    /// From the moment the page was ready to the finished text: the round trip, the view, the counts, the store.
    pub snapshot: Duration,
}

/// A delivered snapshot.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The exact text for the reader, trailer included.
    pub text: String,
    /// The view alone.
    pub view: String,
    /// The counts.
    pub accounting: Accounting,
    /// Where the original is kept.
    pub stored: Stored,
    /// Where the page is.
    pub url: String,
    /// The uids that the view shows.
    pub uids: Vec<Uid>,
    /// What is worth knowing besides: what was not waited for, what was started anew, nodes that were skipped. All of it is in
    /// the delivered text.
    pub notes: Vec<String>,
    /// So many of the notes, the last ones, stand in the view; the others between it and the trailer.
    pub notes_in_view: usize,
    /// How long it took.
    pub timing: Timing,
}

/// Loads the tokenizer, which the first snapshot would wait for (tens of milliseconds).
pub fn warm_up() {
    tokens::count("");
}

/// Takes a snapshot. Only a snapshot that succeeds changes the session's uids.
///
/// # Errors
/// Every way in which there is no view to deliver; see [`super::Code`].
pub async fn run(session: &mut Session, request: &SnapshotRequest) -> Result<Snapshot, ToolError> {
    let url = check(request)?;
    // Without a store there is nothing to recover from, so Chrome need not be bothered (contract, rules 4 and 9).
    let store = session.store().cloned().ok_or(ToolError::NoStore)?;
    let scope = session.scope().clone();

    let began = Instant::now();
    let mut notes = request.notes.clone();
    let (page, anew) = session.page().await?;
    notes.extend(anew);
    let arrived = match &url {
        Some(url) => page.navigate(url, request.wait_ms).await,
        None => page.settle().await,
    };
    notes.extend(arrived.map_err(ToolError::Snapshot)?.notes);
    let arrive = began.elapsed();

    let ready = Instant::now();
    let taken = page.capture().await.map_err(ToolError::Snapshot)?;
    let before = beside(&taken.capture, tokens::count_bytes);
    let packed = beside(&taken.capture, Packed::of);
    let tree = ax::curate(&taken.capture)?;
    let uids = uid::classic(&tree);
    let view_request = view::Request {
        query: request.query.as_deref(),
        interactive: request.interactive,
    };
    let view = view::project(&tree, &uids, &view_request);
    let text = match request.view {
        ViewKind::Classic => render::classic::render(&tree, &view, &uids),
    };
    let at = taken
        .capture
        .frames
        .first()
        .map(|frame| frame.url.clone())
        .unwrap_or_default();
    let meta = SnapshotMeta {
        url: at.clone(),
        records: None,
    };
    let ended = |_| ToolError::Internal("a thread that worked on the raw tree ended early".to_owned());
    let packed: Result<Packed, StoreError> = packed.await.map_err(ended)?;
    let stored = store.put_packed(&scope, &packed?, &meta)?;
    let before = before.await.map_err(ended)?;
    let handle = stored.handle.to_string();
    let (delivered, accounting) = render::settle(&text, &notes, before, &handle, request.payload, &tokens::count)?;
    // Those of the view are in its text already.
    notes.extend(view.notes.iter().cloned());
    let shown = view.kept.iter().filter_map(|ix| uids.uid(*ix).cloned()).collect();
    session.set_uids(uids);
    let timing = Timing {
        arrive,
        round_trip: taken.round_trip,
        snapshot: ready.elapsed(),
    };
    Ok(Snapshot {
        text: delivered,
        view: text,
        accounting,
        stored,
        url: at,
        uids: shown,
        notes_in_view: view.notes.len(),
        notes,
        timing,
    })
}

/// Checks the arguments, before anything is started.
///
/// # Errors
/// What is wrong with them.
pub fn check(request: &SnapshotRequest) -> Result<Option<CheckedUrl>, ToolError> {
    if request.wait_ms > WAIT_LIMIT_MS {
        return Err(ToolError::Argument {
            name: "wait",
            problem: format!("is {} ms; give 0 to {WAIT_LIMIT_MS}", request.wait_ms),
        });
    }
    if let Some(query) = &request.query
        && query.len() > QUERY_LIMIT
    {
        return Err(ToolError::Argument {
            name: "query",
            problem: format!("has {} bytes; give at most {QUERY_LIMIT}", query.len()),
        });
    }
    request
        .url
        .as_deref()
        .map(CheckedUrl::parse)
        .transpose()
        .map_err(ToolError::Snapshot)
}

/// Works on the raw tree on another thread, beside what is done with it here.
fn beside<T: Send + 'static>(
    capture: &Capture,
    work: impl FnOnce(&[u8]) -> T + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    let capture = capture.clone();
    tokio::task::spawn_blocking(move || work(&capture.document()))
}
