//! Query focus (rule 20): deterministic, by words, no embeddings. One pass over the page's text whatever the number of
//! words, and at most `MATCHES` places are widened after it.

use super::project::close_upwards;
use crate::ax::{Node, NodeIx, Page, role_word, state_words};
use aho_corasick::{AhoCorasick, MatchKind};
use std::cmp::Reverse;

/// How many of the best matches are shown (rule 20).
const MATCHES: usize = 12;

/// Header rows that come along with a row: real tables have one, rarely two or three.
const HEADER_ROWS: usize = 3;

/// Which nodes a query shows; none at all when nothing matches.
pub(super) fn keep(page: &Page, query: &str) -> Vec<bool> {
    let mut keep = vec![false; page.nodes.len()];
    let mut tables = Vec::new();
    for ix in matches(page, query) {
        keep[ix.index()] = true;
        let Some(item) = item_around(page, ix) else { continue };
        if keep[item.index()] && page.descendants(item).all(|below| keep[below.index()]) {
            continue;
        }
        keep[item.index()..page.node(item).end.index()].fill(true);
        if let Some(table) = page.ancestors(item).find(|up| is_table(page.node(*up)))
            && page.node(item).role == "row"
            && !tables.contains(&table)
        {
            tables.push(table);
            keep_headers(page, table, &mut keep);
        }
    }
    close_upwards(page, &mut keep);
    keep
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
    if !out.is_ascii() {
        *out = out.to_lowercase();
    } else {
        out.make_ascii_lowercase();
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
