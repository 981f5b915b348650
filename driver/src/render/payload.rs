//! What an agent receives (rules 10 and 13): the view and its own exact cost. Must not know where the raw tree is kept.

use super::choice::PayloadKind;
use super::escape::push_safe;
use serde::Serialize;
use serde_json::value::RawValue;

/// The counts of a result, in o200k tokens; the basis is always `inferred`.
#[derive(Clone, Debug, PartialEq)]
pub struct Accounting {
    /// The raw tree.
    pub before: usize,
    /// The view text alone.
    pub view: usize,
    /// The exact delivered text, this accounting included.
    pub after: usize,
    /// `1 - after / before`, 4 decimals.
    pub ratio: f64,
    /// Of the stored original.
    pub handle: String,
}

/// Where the counts come from: a local count, never a provider's bill (rule 3).
pub const BASIS: &str = "inferred";

/// Why no honest result could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// Stating the count changes the count, and no number states itself.
    #[error("the delivered text's own count did not settle near {near} tokens; take the snapshot again")]
    Unsettled {
        /// The last count that was tried.
        near: usize,
    },
    /// Rule 9: what is delivered must be smaller than the raw tree.
    #[error("the result of {after} tokens is not smaller than the raw tree of {before}; ask with a query")]
    NotSmaller {
        /// Tokens of the raw tree.
        before: usize,
        /// Tokens of the result.
        after: usize,
    },
}

/// How far around the last count a self-consistent one is looked for when plain iteration goes in circles.
const SEARCH: usize = 4;

/// What may stand behind the last character, blank in text as in JSON: one more way to say the number that is true.
const ENDINGS: [&str; 3] = ["", "\n", " \n"];

/// How many notes are printed, and how long each may be, in characters. A page's frames may each have one.
const NOTES: usize = 8;
const NOTE_LENGTH: usize = 300;

/// Builds the delivered text, whose `after` is the count of that very text: a fixed point or an error. The notes are lines
/// `note: …` between the view and the trailer; no line that a page wrote begins so.
pub fn settle(
    view_text: &str,
    notes: &[String],
    before: usize,
    handle: &str,
    kind: PayloadKind,
    count: &dyn Fn(&str) -> usize,
) -> Result<(String, Accounting), PayloadError> {
    let view = count(view_text);
    let notes = printed(notes);
    let attempt = |after: usize, ending: &str| {
        let accounting = Accounting {
            before,
            view,
            after,
            ratio: ratio(before, after),
            handle: handle.to_owned(),
        };
        let text = print(view_text, &notes, &accounting, kind) + ending;
        let counted = count(&text);
        (text, accounting, counted)
    };
    let mut after = view;
    for ending in ENDINGS {
        for _ in 0..8 {
            let (text, accounting, counted) = attempt(after, ending);
            if counted == after {
                return smaller(text, accounting);
            }
            after = counted;
        }
        for guess in after.saturating_sub(SEARCH)..=after + SEARCH {
            let (text, accounting, counted) = attempt(guess, ending);
            if counted == guess {
                return smaller(text, accounting);
            }
        }
    }
    Err(PayloadError::Unsettled { near: after })
}

fn smaller(text: String, accounting: Accounting) -> Result<(String, Accounting), PayloadError> {
    let Accounting { before, after, .. } = accounting;
    if after < before {
        Ok((text, accounting))
    } else {
        Err(PayloadError::NotSmaller { before, after })
    }
}

fn ratio(before: usize, after: usize) -> f64 {
    if before == 0 {
        return 0.0;
    }
    let exact = 1.0 - after as f64 / before as f64;
    (exact * 10_000.0).round() / 10_000.0
}

/// The notes as they are printed: each on one line, cut where it is long, and where there are many, how many more.
fn printed(notes: &[String]) -> Vec<String> {
    let mut printed: Vec<String> = notes.iter().take(NOTES).map(|note| one_line(note)).collect();
    if let Some(more) = notes.len().checked_sub(NOTES).filter(|more| *more > 0) {
        printed.push(format!("{more} more notes"));
    }
    printed
}

fn one_line(note: &str) -> String {
    let mut out = String::new();
    match note.char_indices().nth(NOTE_LENGTH) {
        Some((end, _)) => {
            push_safe(&mut out, &note[..end]);
            out.push('…');
        }
        None => push_safe(&mut out, note),
    }
    out
}

#[derive(Serialize)]
struct Json<'a> {
    uids: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    recovery_handle: &'a str,
    tokens_before: usize,
    view_tokens: usize,
    tokens_after: usize,
    ratio: &'a RawValue,
    basis: &'static str,
}

fn print(view_text: &str, notes: &[String], accounting: &Accounting, kind: PayloadKind) -> String {
    let Accounting {
        before,
        view,
        after,
        ratio,
        handle,
    } = accounting;
    // Always 4 decimals: `0.95` beside `0.9501` would make the count jump with the count.
    let ratio = format!("{ratio:.4}");
    match kind {
        PayloadKind::Text => {
            let notes: String = notes.iter().map(|note| format!("\nnote: {note}")).collect();
            format!(
                "{view_text}{notes}\ncaveman before={before} view={view} after={after} ratio={ratio} basis={BASIS} handle={handle}"
            )
        }
        PayloadKind::Json => json(view_text, notes, accounting, ratio),
    }
}

fn json(view_text: &str, notes: &[String], accounting: &Accounting, ratio: String) -> String {
    let Ok(ratio) = RawValue::from_string(ratio) else {
        return String::new();
    };
    serde_json::to_string(&Json {
        uids: view_text,
        notes,
        recovery_handle: &accounting.handle,
        tokens_before: accounting.before,
        view_tokens: accounting.view,
        tokens_after: accounting.after,
        ratio: &ratio,
        basis: BASIS,
    })
    .unwrap_or_default()
}
