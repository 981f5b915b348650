//! What came off the wire, one reply a frame. Immutable; must not know what a reply means.

use std::borrow::Cow;
use std::sync::Arc;

/// The `<iframe>` (or other frame owner) element in the parent document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameOwner {
    /// CDP frame id of the parent frame.
    pub parent_frame_id: String,
    /// `backendNodeId` of the owner element in the parent's document (`DOM.getFrameOwner`).
    pub backend_node_id: i64,
}

/// One frame's verbatim replies.
#[derive(Clone, Debug)]
pub struct FrameCapture {
    /// CDP frame id.
    pub frame_id: String,
    /// CDP loader id of the document that was read.
    pub loader_id: String,
    /// The document's URL.
    pub url: String,
    /// Where the frame hangs; `None` for the main frame.
    pub owner: Option<FrameOwner>,
    /// CDP session that owns the frame: empty for the page's own, another for an out-of-process frame.
    pub session: String,
    /// The verbatim slice of the `result` value of `Accessibility.getFullAXTree`.
    pub raw: Arc<[u8]>,
    /// The verbatim `result` of `DOMSnapshot.captureSnapshot` with [`super::LAYOUT_STYLES`], when it was asked for. It covers
    /// the other frames of the same session too. It may hold a typed password: it is never stored (rule 19).
    pub layout: Option<Arc<[u8]>>,
}

/// All frames of one page, the main frame first.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Main frame first, then the others in any order.
    pub frames: Vec<FrameCapture>,
}

impl Capture {
    /// The stored document (rule 8): one frame is its raw bytes exactly; several are one object whose parts are the
    /// verbatim replies with frame id and URL.
    pub fn document(&self) -> Cow<'_, [u8]> {
        if let [only] = self.frames.as_slice() {
            return Cow::Borrowed(&only.raw);
        }
        let size = self
            .frames
            .iter()
            .map(|frame| frame.raw.len() + frame.url.len() + 128)
            .sum();
        let mut out = Vec::with_capacity(size);
        out.extend_from_slice(b"{\"frames\":[");
        for (at, frame) in self.frames.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(b"{\"frameId\":");
            push_string(&mut out, &frame.frame_id);
            out.extend_from_slice(b",\"url\":");
            push_string(&mut out, &frame.url);
            out.extend_from_slice(b",\"result\":");
            out.extend_from_slice(&frame.raw);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
        Cow::Owned(out)
    }
}

fn push_string(out: &mut Vec<u8>, text: &str) {
    // `Value::String` cannot fail to print, which `to_string(&str)` would ask us to handle.
    out.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
}
