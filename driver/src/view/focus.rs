//! Query focus (rule 20): deterministic, by words, no embeddings. One pass over the page's text whatever the number of
//! words, and at most `MATCHES` places are widened after it.

use super::project::close_upwards;
use crate::ax::{Node, NodeIx, Page, RoleKind, role_word, state_words};
use crate::uid::UidTable;
use aho_corasick::{AhoCorasick, MatchKind};
use std::cmp::Reverse;

/// How many of the best matches are shown (rule 20).
const MATCHES: usize = 12;

/// Header rows that come along with a row: real tables have one, rarely two or three.
const HEADER_ROWS: usize = 3;

/// Which nodes a query shows; none at all when nothing matches.
pub(super) fn keep(page: &Page, uids: &UidTable, query: &str) -> Vec<bool> {
    let mut keep = vec![false; page.nodes.len()];
    let mut whole: Vec<NodeIx> = Vec::new();
    let mut tables: Vec<NodeIx> = Vec::new();
    let matches = matches(page, query);
    for &ix in &matches {
        keep[ix.index()] = true;
        if let Some(item) = item_around(page, ix)
            && !whole.contains(&item)
        {
            whole.push(item);
            keep_item(page, item, &mut keep);
            if page.node(item).role == "row"
                && let Some(table) = page.ancestors(item).find(|up| is_table(page.node(*up)))
                && !tables.contains(&table)
            {
                tables.push(table);
                keep_headers(page, table, &mut keep);
            }
        }
    }
    let asked = keep.clone();
    close_upwards(page, &mut keep);
    for ix in page.indices() {
        let node = page.node(ix);
        if keep[ix.index()] && !asked[ix.index()] && !places(node) && uids.uid(ix).is_none() {
            keep[ix.index()] = false;
        }
    }
    keep
}

/// A whole row or list item, but for text that is already part of the name of the control around it. Texts are looked
/// for in the name one after the other, so that a control of many thousand texts is read once.
fn keep_item(page: &Page, item: NodeIx, keep: &mut [bool]) {
    let mut within: Option<(NodeIx, &str)> = None;
    for ix in std::iter::once(item).chain(page.descendants(item)) {
        let node = page.node(ix);
        let mut repeats = false;
        if node.kind == RoleKind::Text
            && let Some(parent) = node.parent.filter(|up| page.node(*up).kind == RoleKind::Interactive)
        {
            let rest = within
                .filter(|(control, _)| *control == parent)
                .map_or(&*page.node(parent).name, |(_, rest)| rest);
            let after = rest.trim_start().strip_prefix(node.name.trim());
            repeats = after.is_some();
            within = Some((parent, after.unwrap_or(rest)));
        }
        keep[ix.index()] |= !repeats;
    }
}

/// An ancestor that says where a match is: it has a name, a value or a state, or its role alone tells something.
fn places(node: &Node) -> bool {
    !node.name.trim().is_empty()
        || node.value.is_some()
        || node.states.is_shown()
        || !matches!(
            node.role.as_str(),
            "main" | "rowgroup" | "generic" | "paragraph" | "group" | "section" | "Section"
        )
}

/// The best matches, best first.
fn matches(page: &Page, query: &str) -> Vec<NodeIx> {
    let terms = terms(query);
    let Ok(finder) = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&terms) else {
        return Vec::new();
    };
    let mut scored = Vec::new();
    let mut hay = String::new();
    // The stamp of the node in which a term was last found: no clearing between nodes.
    let mut found_in = vec![u32::MAX; terms.len()];
    for ix in page.indices() {
        haystack(page.node(ix), &mut hay);
        let mut score = 0_usize;
        for hit in finder.find_overlapping_iter(&hay) {
            let stamp = &mut found_in[hit.pattern().as_usize()];
            if *stamp != ix.0 {
                *stamp = ix.0;
                score += 1;
                if score == terms.len() {
                    break;
                }
            }
        }
        if score > 0 {
            scored.push((score, ix));
        }
    }
    if scored.iter().any(|(score, _)| *score == terms.len()) {
        scored.retain(|(score, _)| *score == terms.len());
    }
    scored.sort_by_key(|(score, ix)| (Reverse(*score), !page.node(*ix).visible, *ix));
    scored.into_iter().take(MATCHES).map(|(_, ix)| ix).collect()
}

/// Lower-case words, each once.
fn terms(query: &str) -> Vec<String> {
    let mut terms: Vec<String> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

fn haystack(node: &Node, out: &mut String) {
    out.clear();
    out.push_str(role_word(&node.role));
    out.push(' ');
    out.push_str(&node.name);
    if let Some(value) = &node.value {
        out.push(' ');
        out.push_str(value);
    }
    for word in state_words(node) {
        out.push(' ');
        out.push_str(word);
    }
    if out.is_ascii() {
        out.make_ascii_lowercase();
    } else {
        *out = out.to_lowercase();
    }
}

/// The nearest row or list item around a match, itself included.
fn item_around(page: &Page, ix: NodeIx) -> Option<NodeIx> {
    std::iter::once(ix)
        .chain(page.ancestors(ix))
        .find(|at| matches!(page.node(*at).role.as_str(), "row" | "listitem"))
}

fn is_table(node: &Node) -> bool {
    matches!(node.role.as_str(), "table" | "grid" | "treegrid")
}

/// Keeps the header rows of a table: rows with column headers and no data cell.
fn keep_headers(page: &Page, table: NodeIx, keep: &mut [bool]) {
    let mut kept = 0;
    let mut at = table.0 + 1;
    while at < page.node(table).end.0 && kept < HEADER_ROWS {
        let node = page.node(NodeIx(at));
        if is_table(node) {
            at = node.end.0;
        } else if node.role == "row" {
            let mut headers = false;
            let mut data = false;
            for child in page.children(NodeIx(at)) {
                match page.node(child).role.as_str() {
                    "columnheader" => headers = true,
                    "cell" | "gridcell" => data = true,
                    _ => {}
                }
            }
            if headers && !data {
                keep[at as usize..node.end.index()].fill(true);
                kept += 1;
            }
            at = node.end.0;
        } else {
            at += 1;
        }
    }
}
