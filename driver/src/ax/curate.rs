//! From the frames' trees to one page (rules 15 to 17): ignored and bare nodes go, their children stay; text that only
//! repeats its own control goes; a frame's tree hangs below its owner. One pass, no recursion, and no search inside it:
//! a page may be thousands of levels deep, or one row wide. Must not know how a page is printed.

use super::capture::Capture;
use super::error::AxError;
use super::layout::{self, Layout, Placed};
use super::page::{Frame, FrameIx, Node, NodeIx, Page};
use super::parse::{AxNode, Tree, parse};
use super::role::{RoleKind, kind_of};
use super::states::states;
use std::collections::HashMap;

/// Parses and curates all frames of a capture. A frame other than the first that cannot be read is named in a note.
pub fn curate(capture: &Capture) -> Result<Page, AxError> {
    let mut page = Page::default();
    let mut sources = Vec::with_capacity(capture.frames.len());
    let mut layouts: HashMap<String, Layout> = capture
        .frames
        .iter()
        .filter_map(|frame| frame.layout.as_deref())
        .flat_map(layout::read)
        .collect();
    let mut odd = 0;
    for (at, frame) in capture.frames.iter().enumerate() {
        let tree = match parse(&frame.raw) {
            Ok(tree) => Some(tree),
            Err(error) if at == 0 => return Err(error),
            Err(error) => {
                page.notes.push(format!("frame {} is not shown: {error}", frame.url));
                None
            }
        };
        odd += tree.as_ref().map_or(0, |tree| tree.odd);
        sources.push(Source::new(tree, layouts.remove(&frame.frame_id).unwrap_or_default()));
        page.frames.push(Frame {
            frame_id: frame.frame_id.clone(),
            loader_id: frame.loader_id.clone(),
            session: frame.session.clone(),
            url: frame.url.clone(),
        });
    }
    if sources.is_empty() {
        return Err(AxError::NoFrame);
    }
    let mut walk = Walk::new(capture, sources, page);
    walk.run();
    let Walk { mut page, sources, .. } = walk;
    for (source, frame) in sources.iter().zip(&page.frames) {
        if source.tree.is_some() && !source.placed {
            page.notes.push(format!(
                "frame {} is not shown: its owner is not in the page's tree",
                frame.url
            ));
        }
    }
    if odd > 0 {
        page.notes.push(format!("{odd} odd nodes were skipped"));
    }
    Ok(page)
}

/// One frame while it is walked.
struct Source<'a> {
    tree: Option<Tree<'a>>,
    layout: Layout,
    seen: Vec<bool>,
    placed: bool,
    /// Label element -> the name of the control that it labels.
    labels: HashMap<i64, usize>,
}

impl<'a> Source<'a> {
    fn new(tree: Option<Tree<'a>>, layout: Layout) -> Self {
        let mut labels = HashMap::new();
        let nodes = tree.as_ref().map_or(&[][..], |tree| &tree.nodes);
        for (at, node) in nodes.iter().enumerate() {
            if kind_of(&node.role) == RoleKind::Interactive {
                labels.extend(node.labelled_by.iter().map(|label| (*label, at)));
            }
        }
        let seen = vec![false; nodes.len()];
        Source {
            tree,
            layout,
            seen,
            placed: false,
            labels,
        }
    }
}

/// What holds for everything below a point of the tree.
#[derive(Clone, Copy, Default)]
struct Below {
    /// The nearest kept ancestor.
    parent: Option<NodeIx>,
    /// The nearest ancestor whose value is the text in it.
    field: Option<NodeIx>,
    /// The control (in this frame's tree) that the surrounding label names.
    labelled: Option<usize>,
    /// The frame's owner is outside of the viewport.
    off_screen: bool,
}

enum Step {
    Enter { frame: usize, node: u32, below: Below },
    Frame { frame: usize, below: Below },
    Leave(NodeIx),
}

struct Walk<'a> {
    sources: Vec<Source<'a>>,
    /// (frame, owner's backend id) -> the frames that it owns.
    owned: HashMap<(usize, i64), Vec<usize>>,
    page: Page,
    /// How much of a field's value its own text nodes have repeated so far.
    repeated: HashMap<NodeIx, usize>,
    blank: bool,
}

impl<'a> Walk<'a> {
    fn new(capture: &Capture, sources: Vec<Source<'a>>, page: Page) -> Self {
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
        Walk {
            sources,
            owned,
            page,
            repeated: HashMap::new(),
            blank: false,
        }
    }

    fn run(&mut self) {
        let mut stack = vec![Step::Frame {
            frame: 0,
            below: Below::default(),
        }];
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(ix) => self.leave(ix),
                Step::Frame { frame, below } => {
                    let source = &mut self.sources[frame];
                    if std::mem::replace(&mut source.placed, true) {
                        continue;
                    }
                    let roots = source.tree.as_ref().map_or(&[][..], |tree| &tree.roots);
                    stack.extend(roots.iter().rev().map(|&node| Step::Enter { frame, node, below }));
                }
                Step::Enter { frame, node, below } => self.enter(frame, node, below, &mut stack),
            }
        }
    }

    fn enter(&mut self, frame: usize, at: u32, above: Below, stack: &mut Vec<Step>) {
        let source = &mut self.sources[frame];
        let Some(tree) = &source.tree else { return };
        if std::mem::replace(&mut source.seen[at as usize], true) {
            return;
        }
        let ax = &tree.nodes[at as usize];
        let placed = ax.backend_node_id.and_then(|id| source.layout.get(id));
        let mut below = above;
        if let Some(control) = ax.backend_node_id.and_then(|id| source.labels.get(&id)) {
            below.labelled = Some(*control);
        }
        let mut masked = false;
        if let Some(node) = node(ax, placed, frame, above, &self.page) {
            let control = above.labelled.map(|control| tree.nodes[control].name.as_ref());
            let blank = node.kind == RoleKind::Text && node.name.trim().is_empty();
            if blank {
                self.blank = true;
            } else if !goes(&node, control, &self.page)
                && !repeats_field(&self.page, &mut self.repeated, &node, above.field)
            {
                let ix = next_ix(&self.page);
                masked = node.states.protected;
                below.parent = Some(ix);
                if node.states.editable && node.value.is_some() {
                    below.field = Some(ix);
                }
                let blank_before = std::mem::take(&mut self.blank);
                self.page.nodes.push(Node { blank_before, ..node });
                stack.push(Step::Leave(ix));
            }
        }
        if masked {
            return;
        }
        if let Some(frames) = ax.backend_node_id.and_then(|id| self.owned.get(&(frame, id)))
            && !ax.hidden
        {
            let off_screen = above.off_screen || placed.is_some_and(|placed| !placed.in_view);
            let below = Below {
                parent: below.parent,
                off_screen,
                ..Below::default()
            };
            stack.extend(frames.iter().rev().map(|&frame| Step::Frame { frame, below }));
        }
        stack.extend(ax.children.iter().rev().map(|&node| Step::Enter { frame, node, below }));
    }

    /// Closes a node; where all below it is text that, taken together, is its name, the text goes.
    fn leave(&mut self, ix: NodeIx) {
        let first = ix.index() + 1;
        if self.spells_its_name(ix) {
            self.page.nodes.truncate(first);
        }
        self.page.nodes[ix.index()].end = next_ix(&self.page);
    }

    /// Stops at the first word or node that is something else, so that no node is looked at for more than its parent.
    fn spells_its_name(&self, ix: NodeIx) -> bool {
        let mut name = words(&self.page.nodes[ix.index()].name);
        let below = self.page.nodes.get(ix.index() + 1..).unwrap_or_default();
        let spelled = below.iter().all(|node| {
            let own_text = node.kind == RoleKind::Text && node.parent == Some(ix);
            own_text && words(&node.name).all(|word| name.next() == Some(word))
        });
        spelled && name.next().is_none()
    }
}

/// Text in a field that repeats the field's own value; compared from where the text before it ended.
fn repeats_field(page: &Page, repeated: &mut HashMap<NodeIx, usize>, node: &Node, field: Option<NodeIx>) -> bool {
    let Some(field) = field.filter(|_| node.kind == RoleKind::Text) else {
        return false;
    };
    let value = page.node(field).value.as_deref().unwrap_or_default();
    let at = repeated.entry(field).or_insert(0);
    let rest = value[*at..].trim_start();
    let repeats = rest.starts_with(node.name.trim());
    if repeats {
        *at = value.len() - rest.len() + node.name.trim().len();
    }
    repeats
}

fn words(text: &str) -> std::str::SplitWhitespace<'_> {
    text.split_whitespace()
}

fn next_ix(page: &Page) -> NodeIx {
    NodeIx(u32::try_from(page.nodes.len()).unwrap_or(u32::MAX))
}

/// Rule 16: bare nodes, and text that only repeats the name of the node around it or of the control that its label names.
fn goes(node: &Node, labelled: Option<&str>, page: &Page) -> bool {
    let bare = node.name.trim().is_empty() && node.value.is_none() && !node.states.is_shown();
    match node.kind {
        RoleKind::Bare | RoleKind::Label => bare && !node.states.focusable && !node.clickable,
        RoleKind::Text => {
            let own = node.parent.map(|up| page.node(up).name.as_str());
            own.into_iter()
                .chain(labelled)
                .any(|name| words(name).eq(words(&node.name)))
        }
        _ => false,
    }
}

/// The node as a view may show it; `None` for ignored ones and the parts of a text.
fn node(ax: &AxNode<'_>, placed: Option<Placed>, frame: usize, above: Below, page: &Page) -> Option<Node> {
    let placed = placed.unwrap_or(Placed {
        clickable: false,
        in_view: true,
        span: (1, 1),
        flow: 0,
    });
    if ax.ignored && (ax.hidden || !placed.clickable) {
        return None;
    }
    let role = if ax.ignored { "generic" } else { ax.role.as_ref() };
    let kind = kind_of(role);
    if kind == RoleKind::Inline {
        return None;
    }
    let mut states = states(ax);
    // Everything inside an editable root is editable; it is the root that a reader can type into.
    states.editable &= matches!(kind, RoleKind::Interactive | RoleKind::Unknown) || states.focusable;
    let clickable = placed.clickable && matches!(kind, RoleKind::Bare | RoleKind::Structural);
    Some(Node {
        role: role.to_owned(),
        kind,
        name: ax.name.to_string(),
        value: ax.value.as_deref().filter(|_| !states.protected).map(str::to_owned),
        description: ax.description.to_string(),
        wants_uid: matches!(kind, RoleKind::Interactive | RoleKind::Unknown) || states.focusable || clickable,
        states,
        clickable,
        flow: (placed.flow > 0).then_some(placed.flow),
        span: placed.span,
        blank_before: false,
        visible: placed.in_view && !above.off_screen,
        backend_node_id: ax.backend_node_id,
        node_id: ax.id.to_string(),
        frame: FrameIx(u32::try_from(frame).unwrap_or(u32::MAX)),
        parent: above.parent,
        depth: above.parent.map_or(0, |up| page.node(up).depth + 1),
        end: NodeIx(0),
    })
}
