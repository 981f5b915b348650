//! Taking the accessibility tree of a page, byte for byte as Chrome sent it, and certain which document it is of.
//!
//! Must not know what the tree says.

use super::error::PageError;
use super::tab::{Page, QUICK, meaning};
use crate::ax::{Capture, FrameCapture};
use crate::cdp::protocol::browser_protocol::accessibility::GetFullAxTreeParams;
use crate::cdp::protocol::browser_protocol::page;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The deadline of the tree itself: 12 MB take Chrome 0.6 s; a page that needs this long does not answer.
const TREE: Duration = Duration::from_secs(30);
/// How often a capture is thrown away because the page navigated meanwhile.
const TRIES: u32 = 4;

/// A capture and how long Chrome took for it.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The frames' replies.
    pub capture: Capture,
    /// The bare round trip of `Accessibility.getFullAXTree`.
    pub round_trip: Duration,
}

impl Page {
    /// Takes the tree of the main frame. The document before and after the reply must be the same one.
    ///
    /// # Errors
    /// What keeps the page from answering, or `Unsettled` when it navigates again and again.
    pub async fn capture(&self) -> Result<Taken, PageError> {
        for _ in 0..TRIES {
            self.showable()?;
            let session = self.session();
            let started = Instant::now();
            let before = session.call(page::GetFrameTreeParams::default(), QUICK);
            let tree = async {
                let reply = session.call_raw(GetFullAxTreeParams::default(), TREE).await;
                (reply, started.elapsed())
            };
            let after = async {
                // Sent in the same breath, behind the tree: Chrome answers a session in order.
                session.call(page::GetFrameTreeParams::default(), TREE).await
            };
            let (before, (reply, round_trip), after) = self
                .guarded(async {
                    let (before, tree, after) = tokio::join!(before, tree, after);
                    Ok((before, tree, after))
                })
                .await?;
            let before = before.map_err(meaning)?.frame_tree.frame;
            let after = after.map_err(meaning)?.frame_tree.frame;
            if before.loader_id != after.loader_id {
                self.ready(Instant::now() + QUICK).await?;
                continue;
            }
            let reply = reply.map_err(meaning)?;
            let url = after.url + after.url_fragment.as_deref().unwrap_or_default();
            self.correct(|state| {
                if state.url != url {
                    state.url.clone_from(&url);
                }
            });
            self.showable()?;
            let frame = FrameCapture {
                frame_id: after.id.inner().clone(),
                loader_id: after.loader_id.inner().clone(),
                url,
                owner: None,
                session: String::new(),
                raw: Arc::from(reply.result()),
                layout: None,
            };
            return Ok(Taken {
                capture: Capture { frames: vec![frame] },
                round_trip,
            });
        }
        Err(PageError::Unsettled { times: TRIES })
    }
}
