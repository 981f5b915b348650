//! Which nodes are kept, and the note that goes with them (rule 20). It trims the view only: the uid table is that of
//! the full page.

use super::focus;
use crate::ax::{NodeIx, Page};
use crate::uid::UidTable;

/// What the agent asked to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request<'a> {
    /// Words to look for; a blank one is none.
    pub query: Option<&'a str>,
    /// Only uid lines and what places them.
    pub interactive: bool,
}

/// A page's nodes to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Document order.
    pub kept: Vec<NodeIx>,
    /// What the reader has to know of the view: nothing matched, nodes were skipped.
    pub notes: Vec<String>,
}

/// The note of a query that nothing matches (rule 20).
pub(super) const NO_MATCH: &str = "no accessible match";

/// Trims a page to a request. With `interactive` and no uid at all, the full view (rule 20).
pub fn project(page: &Page, uids: &UidTable, request: &Request<'_>) -> View {
    let mut notes = page.notes.clone();
    let mut keep = vec![true; page.nodes.len()];
    if let Some(query) = request.query.filter(|query| !query.trim().is_empty()) {
        keep = focus::keep(page, uids, query);
        if keep.iter().all(|kept| !kept) {
            notes.push(NO_MATCH.to_owned());
            if let Some(root) = keep.first_mut() {
                *root = true;
            }
            return View {
                kept: collect(page, &keep),
                notes,
            };
        }
    }
    if request.interactive
        && let Some(mut handles) = handles(page, uids, &keep)
    {
        close_upwards(page, &mut handles);
        keep = handles;
    }
    View {
        kept: collect(page, &keep),
        notes,
    }
}

/// The kept nodes that have a uid, and the text of those that have no name of their own; `None` without any uid.
fn handles(page: &Page, uids: &UidTable, keep: &[bool]) -> Option<Vec<bool>> {
    let mut handles = vec![false; page.nodes.len()];
    // Whether the nearest uid at or above a node is one without name and value.
    let mut nameless = vec![false; page.nodes.len()];
    for ix in page.indices() {
        let node = page.node(ix);
        let has_uid = uids.uid(ix).is_some();
        let inside = node.parent.is_some_and(|up| nameless[up.index()]);
        nameless[ix.index()] = if has_uid {
            node.name.trim().is_empty() && node.value.is_none()
        } else {
            inside
        };
        handles[ix.index()] = keep[ix.index()] && (has_uid || (inside && !node.name.trim().is_empty()));
    }
    handles.contains(&true).then_some(handles)
}

/// Adds the ancestors of what is kept: children come after their parents, so one backward pass does.
pub(super) fn close_upwards(page: &Page, keep: &mut [bool]) {
    for ix in page.indices().rev() {
        if keep[ix.index()]
            && let Some(parent) = page.node(ix).parent
        {
            keep[parent.index()] = true;
        }
    }
}

fn collect(page: &Page, keep: &[bool]) -> Vec<NodeIx> {
    page.indices().filter(|ix| keep[ix.index()]).collect()
}
