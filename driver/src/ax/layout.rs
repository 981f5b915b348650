//! What a frame's layout adds to its tree: `DOMSnapshot.captureSnapshot` with [`LAYOUT_STYLES`]. It says what only a
//! listener or `cursor: pointer` makes clickable (rule 17), what is in the viewport (rule 20), and where text flows on
//! in one line. Must not know roles, nor what a view shows.
//!
//! The reply holds what users typed, passwords included (`inputValue`): it is read here and never stored (rule 19).

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The computed styles to ask for, in this order.
pub const LAYOUT_STYLES: [&str; 3] = ["display", "cursor", "visibility"];

/// What the layout says of one DOM node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// Only a click listener or `cursor: pointer` may make it operable (rule 17).
    pub(super) clickable: bool,
    /// Its box meets the viewport of its document.
    pub(super) in_view: bool,
    /// Columns and rows that a table cell spans; 1 and 1 for all else.
    pub(super) span: (u16, u16),
    /// Nodes with the same number stand in one run of inline content; a block's border starts a new one.
    pub(super) flow: u32,
}

/// One frame's nodes by `backendNodeId`.
#[derive(Debug, Default)]
pub(super) struct Layout {
    nodes: HashMap<i64, Placed>,
}

impl Layout {
    pub(super) fn get(&self, backend_node_id: i64) -> Option<Placed> {
        self.nodes.get(&backend_node_id).copied()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot<'a> {
    documents: Vec<Document>,
    #[serde(borrow)]
    strings: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    frame_id: i64,
    nodes: Nodes,
    layout: Boxes,
    #[serde(default)]
    scroll_offset_x: f64,
    #[serde(default)]
    scroll_offset_y: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Nodes {
    parent_index: Vec<i64>,
    node_type: Vec<i64>,
    node_name: Vec<i64>,
    backend_node_id: Vec<i64>,
    #[serde(default)]
    attributes: Vec<Vec<i64>>,
    is_clickable: Option<Rare>,
}

#[derive(Deserialize)]
struct Rare {
    index: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Boxes {
    node_index: Vec<usize>,
    styles: Vec<Vec<i64>>,
    bounds: Vec<Vec<f64>>,
}

/// Reads a reply; one [`Layout`] for each frame id in it. What cannot be read is no layout: the tree is enough.
pub(super) fn read(raw: &[u8]) -> HashMap<String, Layout> {
    let Ok(snapshot) = serde_json::from_slice::<Snapshot<'_>>(raw) else {
        return HashMap::new();
    };
    let text = |at: i64| {
        let raw = usize::try_from(at).ok().and_then(|at| snapshot.strings.get(at));
        raw.map_or("", |raw| raw.get().trim_matches('"'))
    };
    snapshot
        .documents
        .iter()
        .map(|document| (text(document.frame_id).to_owned(), frame(document, &text)))
        .collect()
}

/// How an element takes part in the flow of its surroundings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Display {
    Inline,
    Block,
    Unboxed,
}

fn frame<'t>(document: &Document, text: &dyn Fn(i64) -> &'t str) -> Layout {
    let Document { nodes, layout, .. } = document;
    let count = nodes.backend_node_id.len();
    let box_of = boxes(layout, count);
    let viewport = viewport(document, &box_of);
    let style = |at: usize, which: usize| {
        let styles = box_of.get(at).copied().flatten().and_then(|at| layout.styles.get(at))?;
        styles.get(which).map(|string| text(*string))
    };
    // The list is in document order, parents first; anything else would be no tree, and is cut off.
    let parent_of: Vec<Option<usize>> = (0..count)
        .map(|at| usize::try_from(*nodes.parent_index.get(at)?).ok().filter(|up| *up < at))
        .collect();
    let name = |at: usize| nodes.node_name.get(at).map_or("", |name| text(*name));
    let element = |at: usize| nodes.node_type.get(at) == Some(&1);
    let clickable = clickable(nodes, &parent_of, &|at| element(at).then(|| name(at)), &style);
    let mut flow = 0_u32;
    // The ancestors of the node at hand, each with how its box ends the flow.
    let mut open: Vec<(usize, Display)> = Vec::new();
    let mut out = HashMap::with_capacity(count);
    for (at, id) in nodes.backend_node_id.iter().enumerate() {
        let parent = parent_of[at];
        while let Some((top, display)) = open.last()
            && Some(*top) != parent
        {
            flow += u32::from(*display == Display::Block);
            open.pop();
        }
        let display = if element(at) {
            display(style(at, 0), parent.and_then(|up| style(up, 0)))
        } else {
            Display::Unboxed
        };
        flow += u32::from(display == Display::Block || name(at) == "BR");
        let own_box = box_of[at].and_then(|at| layout.bounds.get(at));
        let placed = Placed {
            clickable: clickable[at],
            in_view: own_box.is_none_or(|bounds| meets(bounds, viewport)),
            span: if matches!(name(at), "TD" | "TH") {
                span(nodes.attributes.get(at), text)
            } else {
                (1, 1)
            },
            flow,
        };
        out.insert(*id, placed);
        open.push((at, display));
    }
    Layout { nodes: out }
}

/// Rule 17: the outermost elements with `cursor: pointer`, and those with a click listener, unless something operable is
/// inside: then the listener stands for what is in it (delegation), and a handle on it would be one too many.
fn clickable<'t>(
    nodes: &Nodes,
    parent_of: &[Option<usize>],
    element: &dyn Fn(usize) -> Option<&'t str>,
    style: &dyn Fn(usize, usize) -> Option<&'t str>,
) -> Vec<bool> {
    let count = parent_of.len();
    let mut listens = vec![false; count];
    for at in nodes.is_clickable.iter().flat_map(|rare| &rare.index) {
        if let Some(slot) = listens.get_mut(*at) {
            *slot = true;
        }
    }
    let pointer = |at: usize| style(at, 1) == Some("pointer");
    let mut operable_inside = vec![false; count];
    let mut clickable = vec![false; count];
    for at in (0..count).rev() {
        let parent = parent_of[at];
        let could = element(at).is_some_and(|name| !matches!(name, "HTML" | "BODY" | "LABEL" | "OPTION" | "OPTGROUP"))
            && style(at, 2) != Some("hidden");
        let outermost = could && pointer(at) && !parent.is_some_and(pointer);
        let listener = could && listens[at];
        clickable[at] = outermost || (listener && !operable_inside[at]);
        if let Some(parent) = parent {
            operable_inside[parent] |= operable_inside[at] || outermost || listener;
        }
    }
    clickable
}

/// The first layout object of each DOM node.
fn boxes(layout: &Boxes, count: usize) -> Vec<Option<usize>> {
    let mut box_of = vec![None; count];
    let known = layout.styles.len().min(layout.bounds.len());
    for (at, node) in layout.node_index.iter().enumerate().take(known) {
        if let Some(slot @ None) = box_of.get_mut(*node) {
            *slot = Some(at);
        }
    }
    box_of
}

/// x, y, width, height of what is on screen: the document's own box, moved by the scroll offset.
fn viewport(document: &Document, box_of: &[Option<usize>]) -> Option<[f64; 4]> {
    let bounds = document.layout.bounds.get(box_of.first().copied().flatten()?)?;
    let [_, _, width, height] = bounds.as_slice() else {
        return None;
    };
    Some([document.scroll_offset_x, document.scroll_offset_y, *width, *height])
}

fn meets(bounds: &[f64], viewport: Option<[f64; 4]>) -> bool {
    let (Some([left, top, width, height]), &[x, y, w, h]) = (viewport, bounds) else {
        return true;
    };
    x < left + width && x + w > left && y < top + height && y + h > top
}

/// `colspan` and `rowspan`; the attributes are a flat list of names and values. HTML's own limits are 1000 and 65534.
fn span<'t>(attributes: Option<&Vec<i64>>, text: &dyn Fn(i64) -> &'t str) -> (u16, u16) {
    let mut span = (1, 1);
    for pair in attributes.map_or(&[][..], Vec::as_slice).chunks_exact(2) {
        let number = || text(pair[1]).trim().parse().unwrap_or(1).max(1);
        match text(pair[0]) {
            "colspan" => span.0 = number().min(1000),
            "rowspan" => span.1 = number(),
            _ => {}
        }
    }
    span
}

/// A box makes a block of its own when its display says so, or when its parent lays its children out as items.
fn display(own: Option<&str>, parent: Option<&str>) -> Display {
    let laid_out = parent.is_some_and(|parent| parent.contains("flex") || parent.contains("grid"));
    match own {
        None | Some("none" | "contents") => Display::Unboxed,
        Some(own) if own.starts_with("inline") || own.starts_with("ruby") => {
            if laid_out {
                Display::Block
            } else {
                Display::Inline
            }
        }
        Some(_) => Display::Block,
    }
}
