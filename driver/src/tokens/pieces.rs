//! Where `o200k_base` cuts a text before it encodes, for texts that are ASCII for the most part: a table in place of a regular
//! expression. It answers only where ASCII decides alone; everything else is the encoder's own expression's to say. That
//! both cut alike is held by a test. Must not know what a token is.
//!
//! The expression, alternative by alternative, the first that matches taking as much as it can:
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```

/// What a byte is to the expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    /// CR and LF.
    Line,
    /// Blanks other than those.
    Blank,
    /// Neither letter, digit nor blank: punctuation and control characters.
    Mark,
    /// Part of a character beyond ASCII.
    Beyond,
    /// Behind the last byte.
    End,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Beyond; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            b'\r' | b'\n' => Class::Line,
            b' ' | b'\t' | 0x0b | 0x0c => Class::Blank,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

fn class(text: &[u8], at: usize) -> Class {
    text.get(at).map_or(Class::End, |byte| CLASSES[*byte as usize])
}

/// Where the piece that begins at `at` ends; `None` where a character beyond ASCII may have a say. `at` must be where a
/// piece begins: the expression never looks back, so nothing before it matters.
pub(super) fn end(text: &[u8], at: usize) -> Option<usize> {
    let next = || class(text, at + 1);
    match class(text, at) {
        Class::Upper | Class::Lower => word(text, at),
        Class::Digit => digits(text, at),
        Class::Line => blank(text, at),
        Class::Blank => match next() {
            Class::Upper | Class::Lower => word(text, at + 1),
            Class::Mark if text[at] == b' ' => marks(text, at + 1),
            Class::Beyond => None,
            _ => blank(text, at),
        },
        Class::Mark => match next() {
            Class::Upper | Class::Lower => word(text, at + 1),
            Class::Beyond => None,
            _ => marks(text, at),
        },
        Class::Beyond | Class::End => None,
    }
}

/// Letters: capitals, then small ones; and what an apostrophe shortens.
fn word(text: &[u8], mut at: usize) -> Option<usize> {
    while class(text, at) == Class::Upper {
        at += 1;
    }
    while class(text, at) == Class::Lower {
        at += 1;
    }
    match class(text, at) {
        Class::Beyond => None,
        Class::Mark if text[at] == b'\'' => shortened(text, at),
        _ => Some(at),
    }
}

/// The apostrophe at `at` ends a word, or belongs to it: `'s`, `'ll`.
fn shortened(text: &[u8], at: usize) -> Option<usize> {
    if class(text, at + 1) == Class::Beyond {
        return None; // a long s is an s, too
    }
    let letter = |at: usize| text.get(at).map_or(0, u8::to_ascii_lowercase);
    Some(match (letter(at + 1), letter(at + 2)) {
        (b's' | b't' | b'm' | b'd', _) => at + 2,
        (b'r' | b'v', b'e') | (b'l', b'l') => at + 3,
        _ => at,
    })
}

fn digits(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    while end < at + 3 {
        match class(text, end) {
            Class::Digit => end += 1,
            Class::Beyond => return None,
            _ => break,
        }
    }
    Some(end)
}

/// Marks, then ends of lines and slashes.
fn marks(text: &[u8], mut at: usize) -> Option<usize> {
    while class(text, at) == Class::Mark {
        at += 1;
    }
    if class(text, at) == Class::Beyond {
        return None;
    }
    while matches!(text.get(at), Some(b'\r' | b'\n' | b'/')) {
        at += 1;
    }
    Some(at)
}

/// Blanks up to the last end of a line among them; without one all but the last, which goes to what follows.
fn blank(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    let mut line = None;
    loop {
        match class(text, end) {
            Class::Line => {
                end += 1;
                line = Some(end);
            }
            Class::Blank => end += 1,
            Class::Beyond => return None,
            Class::End => return Some(line.unwrap_or(end)),
            _ if line.is_some() => return line,
            _ if end - at > 1 => return Some(end - 1),
            _ => return Some(end),
        }
    }
}
