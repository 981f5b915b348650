//! Page text made harmless: one node is one line, and what a page wrote can end neither its own quotes nor its line.

use std::fmt::Write as _;

/// Text in quotes: `"` and `\` escaped, line breaks and tabs as `\n` and `\t`, other invisible steering as `\u{…}`.
pub fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            other => push_char(out, other),
        }
    }
    out.push('"');
}

/// Text without quotes, on one line: for notes, errors and other lines of ours that quote a page.
pub fn push_safe(out: &mut String, text: &str) {
    for character in text.chars() {
        push_char(out, character);
    }
}

fn push_char(out: &mut String, character: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        other if steers(other) => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(other));
        }
        other => out.push(other),
    }
}

/// Controls (C0, DEL, C1), the line and paragraph separators, bidirectional overrides and isolates, and the tag block:
/// they move, hide or reorder what a reader or a terminal sees.
fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}'
            | '\u{061C}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}
