//! `browser_recover`: the exact original behind a handle, or the whole records in it that a query names (rule 27).
//!
//! Must not know the browser: a store is all it needs.

use super::error::ToolError;
use super::snapshot::QUERY_LIMIT;
use crate::ax::Records;
use crate::store::{ScopeId, Store};
use aho_corasick::AhoCorasick;
use std::fmt::Write;

/// What to recover.
#[derive(Debug, Clone, Default)]
pub struct RecoverRequest {
    /// A full handle, a prefix or a short handle; at most 512 characters.
    pub reference: String,
    /// Terms; only records that have them are answered. At most 4 KiB; a blank one is none.
    pub query: Option<String>,
}

/// What was recovered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// What to deliver, exactly and however large.
    pub bytes: Vec<u8>,
    /// What of the original it is.
    pub part: Part,
}

/// What of the original was recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The original, byte for byte: there was no query, or nothing in the document could be told apart by it.
    Whole,
    /// Whole records with a marker at every gap.
    Records {
        /// How many are there.
        shown: usize,
        /// How many the document has.
        of: usize,
    },
}

/// Recovers. Without a query: the exact bytes. With one, of a document that has records (AX nodes): those in which all
/// terms are found, or, where no record has all of them, those in which any is; each record verbatim, on lines of its
/// own, in the order of the document. Every gap has its own line, `… 12 records left out …`, and in a document of several frames
/// the first record of a frame stands below `… frame "<id>" "<url>" …`; a record begins with `{`, so that none can be
/// mistaken for such a line. No match at all is one gap, `… no record matches; 12 records left out …`. The exact bytes
/// again where nothing can be told apart: the document has no records, or every record matches.
///
/// # Errors
/// A reference or a query over its limit, a handle that resolves to nothing here, a stored original that is damaged.
pub fn run(store: &Store, scope: &ScopeId, request: &RecoverRequest) -> Result<Recovered, ToolError> {
    let query = request.query.as_deref().unwrap_or_default();
    if query.len() > QUERY_LIMIT {
        return Err(ToolError::Argument {
            name: "query",
            problem: format!("has {} bytes; give at most {QUERY_LIMIT}", query.len()),
        });
    }
    let bytes = store.get(&request.reference, scope).map_err(ToolError::Recover)?;
    Ok(match excerpt(&bytes, query)? {
        Some(part) => part,
        None => Recovered {
            bytes,
            part: Part::Whole,
        },
    })
}

/// The records that `query` names; None when nothing can be told apart.
fn excerpt(document: &[u8], query: &str) -> Result<Option<Recovered>, ToolError> {
    let terms = terms(query);
    if terms.is_empty() {
        return Ok(None);
    }
    let Some(records) = Records::of(document) else {
        return Ok(None);
    };
    let scores = scores(&records, &terms)?;
    let all = terms.len();
    let least = if scores.contains(&all) { all } else { 1 };
    let shown = scores.iter().filter(|score| **score >= least).count();
    if shown == records.all.len() {
        return Ok(None);
    }
    let mut out = String::new();
    let mut left_out = 0;
    let mut frame = None;
    for (record, score) in records.all.iter().zip(&scores) {
        if *score < least {
            left_out += 1;
            continue;
        }
        push_gap(&mut out, &mut left_out, shown);
        if let Some((id, url)) = records.frames.get(record.frame)
            && frame.replace(record.frame) != Some(record.frame)
        {
            let _ = writeln!(out, "… frame {id} {url} …");
        }
        out.push_str(record.text);
        out.push('\n');
    }
    push_gap(&mut out, &mut left_out, shown);
    out.truncate(out.trim_end_matches('\n').len());
    let part = Part::Records {
        shown,
        of: records.all.len(),
    };
    Ok(Some(Recovered {
        bytes: out.into_bytes(),
        part,
    }))
}

fn push_gap(out: &mut String, left_out: &mut usize, shown: usize) {
    let none = if shown == 0 { "no record matches; " } else { "" };
    let left_out = std::mem::take(left_out);
    if left_out > 0 {
        let records = if left_out == 1 { "record" } else { "records" };
        let _ = writeln!(out, "… {none}{left_out} {records} left out …");
    }
}

/// How many of the terms each record has. One pass over the text, however many terms there are.
fn scores(records: &Records<'_>, terms: &[String]) -> Result<Vec<usize>, ToolError> {
    let finder = AhoCorasick::new(terms)
        .map_err(|error| ToolError::Internal(format!("the query's terms could not be looked for: {error}")))?;
    // The record, counted from 1, in which a term was last found: nothing need be cleared between records.
    let mut found_in = vec![0_usize; terms.len()];
    let mut words = String::new();
    let score = |(at, record): (usize, &crate::ax::Record<'_>)| {
        words.clear();
        record.push_words(&mut words);
        let mut score = 0;
        for hit in finder.find_overlapping_iter(&words) {
            if std::mem::replace(&mut found_in[hit.pattern().as_usize()], at + 1) != at + 1 {
                score += 1;
                if score == terms.len() {
                    break;
                }
            }
        }
        score
    };
    Ok(records.all.iter().enumerate().map(score).collect())
}

/// Lower-case terms, each once, as the views' focus has them (rule 20).
fn terms(query: &str) -> Vec<String> {
    let mut terms: Vec<String> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

#[cfg(test)]
mod tests;
