//! What roles and states are called (rule 12): the words a view prints and a query matches. Must not know how a line looks.

use super::page::{Checked, Node};

/// `page`, `text` and `label` stand for Chrome's internal names; the rest is as Chrome spells it.
pub fn role_word(role: &str) -> &str {
    match role {
        "RootWebArea" => "page",
        "StaticText" => "text",
        "LabelText" => "label",
        other => other,
    }
}

/// The node's states, in the order in which they are printed.
pub fn state_words(node: &Node) -> impl Iterator<Item = &'static str> {
    let states = &node.states;
    let words = [
        states.disabled.then_some("disabled"),
        states.checked.map(|checked| match checked {
            Checked::True => "checked",
            Checked::False => "unchecked",
            Checked::Mixed => "mixed",
        }),
        states.expanded.map(|open| if open { "expanded" } else { "collapsed" }),
        (states.selected == Some(true)).then_some("selected"),
        states.focused.then_some("focused"),
        states.editable.then_some("editable"),
    ];
    words.into_iter().flatten()
}
