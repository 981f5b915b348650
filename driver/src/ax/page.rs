//! The curated page: an arena in document order, in which a subtree is one range. Must not know JSON, nor how a page
//! is printed.

use super::role::RoleKind;

/// A node's place in [`Page::nodes`]: document order over all frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(pub u32);

impl NodeIx {
    /// As an index into the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A frame's place in [`Page::frames`], the same as in the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameIx(pub u32);

/// A frame as uids need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// CDP frame id.
    pub frame_id: String,
    /// CDP loader id of the document.
    pub loader_id: String,
    /// CDP session that owns the frame; empty for the page's own.
    pub session: String,
    /// The document's URL.
    pub url: String,
}

/// Three-valued `checked` and `pressed` (rule 19: mixed is its own state).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Checked {
    /// Not checked.
    False,
    /// Checked.
    True,
    /// Partly checked.
    Mixed,
}

/// What the AX properties say of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// `disabled`.
    pub disabled: bool,
    /// `checked`; `None` for what cannot be checked.
    pub checked: Option<Checked>,
    /// `pressed`; `None` for what is no toggle.
    pub pressed: Option<Checked>,
    /// `expanded`; `None` for what does not open.
    pub expanded: Option<bool>,
    /// `selected`; `None` for what cannot be selected.
    pub selected: Option<bool>,
    /// `focused`.
    pub focused: bool,
    /// `editable` (`plaintext` or `richtext`).
    pub editable: bool,
    /// `focusable`.
    pub focusable: bool,
    /// `required`.
    pub required: bool,
    /// `readonly`.
    pub readonly: bool,
    /// `invalid` other than `false`.
    pub invalid: bool,
    /// `multiselectable`.
    pub multiselectable: bool,
    /// `multiline`.
    pub multiline: bool,
    /// `modal`.
    pub modal: bool,
    /// `busy`.
    pub busy: bool,
    /// A password field: its value is in no view (rule 19).
    pub protected: bool,
    /// `hasPopup` other than `false`.
    pub has_popup: Option<String>,
    /// `level` of a heading, list or tree item.
    pub level: Option<u32>,
    /// `url` of a link or picture, as Chrome resolved it.
    pub url: Option<String>,
    /// `valuetext`.
    pub value_text: Option<String>,
    /// `valuemin` and `valuemax`, as written.
    pub value_range: Option<(String, String)>,
    /// `roledescription`.
    pub role_description: Option<String>,
}

impl States {
    /// Any of the states that the classic view shows (rule 12).
    pub fn is_shown(&self) -> bool {
        self.disabled
            || self.checked.is_some()
            || self.expanded.is_some()
            || self.selected == Some(true)
            || self.focused
            || self.editable
    }
}

/// One node that a view may show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Chrome's role, such as `button` or `StaticText`.
    pub role: String,
    /// The role's kind.
    pub kind: RoleKind,
    /// Accessible name as Chrome computed it; empty for none.
    pub name: String,
    /// Value as text; `None` for none and for password fields.
    pub value: Option<String>,
    /// Accessible description; empty for none.
    pub description: String,
    /// States and other properties.
    pub states: States,
    /// A listener or `cursor: pointer` makes it clickable (needs the capture's layout).
    pub clickable: bool,
    /// Nodes with the same number in the same frame stand in one run of inline content; `None` without layout.
    pub flow: Option<u32>,
    /// Columns and rows that a table cell spans (needs the capture's layout); 1 and 1 for all else.
    pub span: (u16, u16),
    /// Blank text stood between this node and the one before it.
    pub blank_before: bool,
    /// In the viewport, as far as the capture's layout tells; true when it does not.
    pub visible: bool,
    /// `backendDOMNodeId`.
    pub backend_node_id: Option<i64>,
    /// AX `nodeId` in its frame.
    pub node_id: String,
    /// The frame it is in.
    pub frame: FrameIx,
    /// The nearest shown ancestor, over frame borders.
    pub parent: Option<NodeIx>,
    /// How many ancestors it has.
    pub depth: u32,
    /// The first node after its subtree.
    pub end: NodeIx,
    /// Gets a uid (rule 17) if it has a `backend_node_id`.
    pub wants_uid: bool,
}

/// The curated page. `nodes` is in document order: a node's subtree is `index .. end`.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// All nodes of all frames, document order.
    pub nodes: Vec<Node>,
    /// The frames, the main frame first.
    pub frames: Vec<Frame>,
    /// What a reader has to be told: skipped nodes, frames that could not be placed.
    pub notes: Vec<String>,
}

impl Page {
    /// The node.
    ///
    /// # Panics
    /// When `ix` is of another page.
    pub fn node(&self, ix: NodeIx) -> &Node {
        &self.nodes[ix.index()]
    }

    /// All indices, document order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = NodeIx> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeIx)
    }

    /// The children of a node, in order.
    pub fn children(&self, ix: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        let end = self.node(ix).end;
        let first = NodeIx(ix.0 + 1);
        std::iter::successors((first < end).then_some(first), move |child| {
            let next = self.node(*child).end;
            (next < end).then_some(next)
        })
    }

    /// The ancestors of a node, nearest first.
    pub fn ancestors(&self, ix: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        std::iter::successors(self.node(ix).parent, |up| self.node(*up).parent)
    }

    /// The nodes below a node, document order.
    pub fn descendants(&self, ix: NodeIx) -> impl Iterator<Item = NodeIx> + use<> {
        (ix.0 + 1..self.node(ix).end.0).map(NodeIx)
    }
}
