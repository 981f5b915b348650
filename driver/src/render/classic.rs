//! The classic view (rule 12): `[uid] role "name" = "value" {state}`, two blanks a level. Must not know how nodes are
//! chosen.

use super::escape::{push_quoted, push_safe};
use crate::ax::{Node, NodeIx, Page, RoleKind, role_word, state_words};
use crate::uid::UidTable;
use crate::view::View;

/// Deeper levels are printed at this one: a page of thousands of levels must not be a square of blanks.
const MAX_LEVEL: usize = 40;

/// The lines of a view, without trailer and without a final line feed. Notes are last, as `note: …`.
pub fn render(page: &Page, view: &View, uids: &UidTable) -> String {
    let mut out = String::with_capacity(view.kept.len() * 40);
    // The ends of the shown ancestors: a focused view leaves some out, and a level is a shown one.
    let mut open: Vec<NodeIx> = Vec::new();
    for ix in &view.kept {
        let node = page.node(*ix);
        while open.last().is_some_and(|end| *end <= *ix) {
            open.pop();
        }
        let level = open.len();
        open.push(node.end);
        if node.kind == RoleKind::Break {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        for _ in 0..level.min(MAX_LEVEL) {
            out.push_str("  ");
        }
        if let Some(uid) = uids.uid(*ix) {
            out.push('[');
            out.push_str(uid.as_str());
            out.push_str("] ");
        }
        push_role(&mut out, &node.role);
        let name = node.name.trim();
        if !name.is_empty() {
            out.push(' ');
            push_quoted(&mut out, name);
        }
        if let Some(value) = node.value.as_deref().filter(|value| value.trim() != name) {
            out.push_str(" = ");
            push_quoted(&mut out, value);
        }
        push_states(node, &mut out);
    }
    for note in &view.notes {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str("note: ");
        push_safe(&mut out, note);
    }
    out
}

/// A role is a word; what a made-up tree puts there instead is quoted.
fn push_role(out: &mut String, role: &str) {
    let word = role_word(role);
    if word.len() <= 64
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    {
        out.push_str(word);
    } else {
        push_quoted(out, word);
    }
}

/// ` {a,b}` with the states of the classic view, or nothing.
fn push_states(node: &Node, out: &mut String) {
    let mut open = false;
    for word in state_words(node) {
        out.push_str(if open { "," } else { " {" });
        out.push_str(word);
        open = true;
    }
    if open {
        out.push('}');
    }
}
