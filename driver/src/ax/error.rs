//! What can be wrong with a tree. Odd nodes are no error: they are skipped and counted in a note (rule 15).

/// Why a reply of `Accessibility.getFullAXTree` is not a tree.
#[derive(Debug, thiserror::Error)]
pub enum AxError {
    /// The bytes are not JSON, or not one of the two accepted shapes.
    #[error("the accessibility tree is not readable ({detail}); take the snapshot again")]
    Malformed {
        /// What the JSON reader said, with line and column.
        detail: String,
    },
    /// JSON, but neither a bare array of nodes nor an object with a `nodes` array.
    #[error("the accessibility tree has no `nodes` array; take the snapshot again")]
    NoNodes,
    /// No node is left once the ignored ones are gone (rule 15).
    #[error(
        "the accessibility tree of {nodes} nodes has none that is not ignored; wait for the page, then take the snapshot again"
    )]
    Empty {
        /// How many nodes the reply had.
        nodes: usize,
    },
    /// A capture without any frame.
    #[error("the capture holds no frame; take the snapshot again")]
    NoFrame,
}
