//! From the frames' trees to one page (rules 15 to 17): ignored and bare nodes go, their children stay; text that only
//! repeats its own control's name goes; a frame's tree hangs below its owner. One pass, no recursion: a page may be
//! thousands of levels deep. Must not know how a page is printed.

use super::capture::Capture;
use super::error::AxError;
use super::page::{Checked, Frame, FrameIx, Node, NodeIx, Page, States};
use super::parse::{AxNode, Tree, parse};
use super::role::{RoleKind, kind_of};
use std::collections::HashMap;

/// Parses and curates all frames of a capture. A frame other than the first that cannot be read is named in a note.
pub fn curate(capture: &Capture) -> Result<Page, AxError> {
    let mut page = Page::default();
    let mut trees: Vec<Option<Tree<'_>>> = Vec::with_capacity(capture.frames.len());
    let mut odd = 0;
    for (at, frame) in capture.frames.iter().enumerate() {
        match parse(&frame.raw) {
            Ok(tree) => {
                odd += tree.odd;
                trees.push(Some(tree));
            }
            Err(error) if at == 0 => return Err(error),
            Err(error) => {
                page.notes.push(format!("frame {} is not shown: {error}", frame.url));
                trees.push(None);
            }
        }
        page.frames.push(Frame {
            frame_id: frame.frame_id.clone(),
            loader_id: frame.loader_id.clone(),
            session: frame.session.clone(),
            url: frame.url.clone(),
        });
    }
    if trees.is_empty() {
        return Err(AxError::NoFrame);
    }
    let mut walk = Walk::new(capture, &trees);
    walk.frame(0, None, &mut page);
    for (at, placed) in walk.placed.iter().enumerate() {
        if !placed && trees.get(at).is_some_and(Option::is_some) {
            page.notes.push(format!(
                "frame {} is not shown: its owner is not in the page's tree",
                page.frames[at].url
            ));
        }
    }
    if odd > 0 {
        page.notes.push(format!("{odd} odd nodes were skipped"));
    }
    Ok(page)
}

enum Step {
    Enter {
        frame: usize,
        node: u32,
        parent: Option<NodeIx>,
    },
    Frame {
        frame: usize,
        parent: Option<NodeIx>,
    },
    Leave(NodeIx),
}

struct Walk<'a> {
    trees: &'a [Option<Tree<'a>>],
    /// (frame, owner's backend id) -> the frames that it owns.
    owned: HashMap<(usize, i64), Vec<usize>>,
    seen: Vec<Vec<bool>>,
    placed: Vec<bool>,
}

impl<'a> Walk<'a> {
    fn new(capture: &Capture, trees: &'a [Option<Tree<'a>>]) -> Self {
        let by_id: HashMap<&str, usize> = capture
            .frames
            .iter()
            .enumerate()
            .map(|(at, frame)| (frame.frame_id.as_str(), at))
            .collect();
        let mut owned: HashMap<(usize, i64), Vec<usize>> = HashMap::new();
        for (at, frame) in capture.frames.iter().enumerate().skip(1) {
            if let Some(owner) = &frame.owner
                && let Some(parent) = by_id.get(owner.parent_frame_id.as_str())
            {
                owned.entry((*parent, owner.backend_node_id)).or_default().push(at);
            }
        }
        let seen = trees
            .iter()
            .map(|tree| vec![false; tree.as_ref().map_or(0, |tree| tree.nodes.len())])
            .collect();
        Walk {
            trees,
            owned,
            seen,
            placed: vec![false; trees.len()],
        }
    }

    fn frame(&mut self, first: usize, parent: Option<NodeIx>, page: &mut Page) {
        let mut stack = vec![Step::Frame { frame: first, parent }];
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(ix) => page.nodes[ix.index()].end = next_ix(page),
                Step::Frame { frame, parent } => {
                    if std::mem::replace(&mut self.placed[frame], true) {
                        continue;
                    }
                    if let Some(tree) = &self.trees[frame] {
                        stack.extend(tree.roots.iter().rev().map(|&node| Step::Enter { frame, node, parent }));
                    }
                }
                Step::Enter { frame, node, parent } => self.enter(frame, node, parent, page, &mut stack),
            }
        }
    }

    fn enter(&mut self, frame: usize, at: u32, parent: Option<NodeIx>, page: &mut Page, stack: &mut Vec<Step>) {
        let Some(tree) = &self.trees[frame] else { return };
        if std::mem::replace(&mut self.seen[frame][at as usize], true) {
            return;
        }
        let ax = &tree.nodes[at as usize];
        let mut below = parent;
        if let Some(node) = keep(ax, frame, parent, page) {
            let ix = next_ix(page);
            page.nodes.push(node);
            stack.push(Step::Leave(ix));
            below = Some(ix);
        }
        if let Some(frames) = ax.backend_node_id.and_then(|id| self.owned.get(&(frame, id)))
            && !ax.hidden
        {
            stack.extend(frames.iter().rev().map(|&frame| Step::Frame { frame, parent: below }));
        }
        stack.extend(ax.children.iter().rev().map(|&node| Step::Enter {
            frame,
            node,
            parent: below,
        }));
    }
}

fn next_ix(page: &Page) -> NodeIx {
    NodeIx(u32::try_from(page.nodes.len()).unwrap_or(u32::MAX))
}

/// The node for the page, or `None` where rule 16 drops it.
fn keep(ax: &AxNode<'_>, frame: usize, parent: Option<NodeIx>, page: &Page) -> Option<Node> {
    if ax.ignored {
        return None;
    }
    let kind = kind_of(&ax.role);
    if kind == RoleKind::Inline {
        return None;
    }
    let states = states(ax);
    let value = if states.protected { None } else { ax.value.as_deref() };
    let says_nothing = ax.name.trim().is_empty() && value.is_none() && !states.is_shown();
    match kind {
        RoleKind::Bare | RoleKind::Label if says_nothing && !states.focusable => return None,
        RoleKind::Text if ax.name.trim().is_empty() => return None,
        RoleKind::Text if parent.is_some_and(|up| page.node(up).name.trim() == ax.name.trim()) => return None,
        _ => {}
    }
    let mut node = Node {
        role: ax.role.to_string(),
        kind,
        name: ax.name.to_string(),
        value: value.map(str::to_owned),
        description: ax.description.to_string(),
        states,
        clickable: false,
        visible: true,
        backend_node_id: ax.backend_node_id,
        node_id: ax.id.to_string(),
        frame: FrameIx(u32::try_from(frame).unwrap_or(u32::MAX)),
        parent,
        depth: parent.map_or(0, |up| page.node(up).depth + 1),
        end: NodeIx(0),
        wants_uid: false,
    };
    node.decide_uid();
    Some(node)
}

fn states(ax: &AxNode<'_>) -> States {
    let mut states = States::default();
    let (mut low, mut high) = (None, None);
    for (name, value) in &ax.properties {
        let value = value.as_ref();
        let on = value == "true";
        match name.as_ref() {
            "disabled" => states.disabled = on,
            "checked" => states.checked = Some(checked(value)),
            "pressed" => states.pressed = Some(checked(value)),
            "expanded" => states.expanded = Some(on),
            "selected" => states.selected = Some(on),
            "focused" => states.focused = on,
            "focusable" => states.focusable = on,
            "editable" => states.editable = !matches!(value, "" | "false"),
            "required" => states.required = on,
            "readonly" => states.readonly = on,
            "invalid" => states.invalid = !matches!(value, "" | "false"),
            "multiselectable" => states.multiselectable = on,
            "multiline" => states.multiline = on,
            "modal" => states.modal = on,
            "busy" => states.busy = on,
            "protected" => states.protected = on,
            "hasPopup" if !matches!(value, "" | "false") => states.has_popup = Some(value.to_owned()),
            "level" => states.level = value.parse().ok(),
            "url" => states.url = Some(value.to_owned()),
            "valuetext" => states.value_text = Some(value.to_owned()),
            "valuemin" => low = Some(value.to_owned()),
            "valuemax" => high = Some(value.to_owned()),
            "roledescription" => states.role_description = Some(value.to_owned()),
            _ => {}
        }
    }
    states.value_range = low.zip(high);
    states
}

fn checked(value: &str) -> Checked {
    match value {
        "true" => Checked::True,
        "mixed" => Checked::Mixed,
        _ => Checked::False,
    }
}
