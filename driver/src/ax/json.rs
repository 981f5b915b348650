//! JSON leaves as Chrome writes them: strings with unpaired surrogates (an input cut inside an emoji) are text, not an
//! error. Knows nothing of nodes.

use serde_json::value::RawValue;
use std::borrow::Cow;

/// The text of a leaf: a string unescaped, a number or boolean as written; `None` for null, arrays and objects.
/// An unpaired surrogate becomes U+FFFD.
pub(super) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let raw = raw.get();
    match raw.as_bytes().first()? {
        b'"' => Some(unescape(raw.get(1..raw.len().checked_sub(1)?)?)),
        b'n' | b'[' | b'{' => None,
        _ => Some(Cow::Borrowed(raw)),
    }
}

/// A boolean leaf, also when it is written as a string (`"true"`).
pub(super) fn flag(raw: &RawValue) -> bool {
    matches!(raw.get(), "true" | "\"true\"")
}

/// A whole number, also when it is written as a string.
pub(super) fn integer(raw: &RawValue) -> Option<i64> {
    raw.get().trim_matches('"').parse().ok()
}

fn unescape(inner: &str) -> Cow<'_, str> {
    if !inner.as_bytes().contains(&b'\\') {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let Some(&kind) = rest.as_bytes().get(at + 1) else {
            return Cow::Owned(out);
        };
        let mut used = at + 2;
        match kind {
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                let (decoded, length) = unit(rest, at);
                out.push(decoded);
                used = at + length;
            }
            // JSON allows only `"`, `\` and `/` here, and the reader has checked it.
            other => out.push(char::from(other)),
        }
        rest = rest.get(used..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Decodes `\uXXXX` at `at`, with its pair when there is one: the character and the bytes it took.
fn unit(text: &str, at: usize) -> (char, usize) {
    let Some(high) = hex(text, at) else {
        return (char::REPLACEMENT_CHARACTER, 2);
    };
    if let Some(plain) = char::from_u32(high) {
        return (plain, 6);
    }
    if high < 0xDC00
        && let Some(low @ 0xDC00..=0xDFFF) = hex(text, at + 6)
        && let Some(paired) = char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    {
        return (paired, 12);
    }
    (char::REPLACEMENT_CHARACTER, 6)
}

fn hex(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(json: &str) -> Option<String> {
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        text(raw).map(Cow::into_owned)
    }

    #[test]
    fn an_unpaired_surrogate_is_a_replacement_character() {
        assert_eq!(read(r#""L\ud800R""#).unwrap(), "L\u{FFFD}R");
        assert_eq!(read(r#""v\ud83d""#).unwrap(), "v\u{FFFD}");
        assert_eq!(read(r#""\udc00\ud83d\ud83d\ude00""#).unwrap(), "\u{FFFD}\u{FFFD}😀");
        assert_eq!(read(r#""\ud83dé""#).unwrap(), "\u{FFFD}é");
    }

    #[test]
    fn every_escape_of_json_is_read() {
        assert_eq!(
            read(r#""\"\\\/\b\f\n\r\t\u0000\u00e9é""#).unwrap(),
            "\"\\/\u{8}\u{c}\n\r\t\0éé"
        );
    }

    #[test]
    fn numbers_and_booleans_are_their_own_text() {
        assert_eq!(read("0").unwrap(), "0");
        assert_eq!(read("1.50").unwrap(), "1.50");
        assert_eq!(read("false").unwrap(), "false");
        assert_eq!(read("null"), None);
        assert_eq!(read("[1]"), None);
    }
}
