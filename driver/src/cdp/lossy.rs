//! JSON text with unpaired surrogate escapes, which Chrome does send, made acceptable to a strict decoder.
//!
//! Works on a copy: the bytes of a reply are never changed.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// Decodes JSON. Where a strict decoder refuses, unpaired surrogate escapes become U+FFFD and it tries once more.
pub(super) fn decode<T: DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
    let strict = match serde_json::from_str(json) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    match replace_unpaired(json) {
        Cow::Borrowed(_) => Err(strict),
        Cow::Owned(repaired) => serde_json::from_str(&repaired),
    }
}

/// `\ud800` without its partner becomes `\ufffd`; all else stays as it is.
fn replace_unpaired(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(offset) = bytes[at..].iter().position(|&byte| byte == b'\\') {
        let escape = at + offset;
        let Some(unit) = unit_at(bytes, escape) else {
            // Another escape: skip it and what it escapes. A backslash outside of a string is not JSON, whatever we do.
            at = (escape + 2).min(bytes.len());
            continue;
        };
        at = escape + 6;
        if is_high(unit) && unit_at(bytes, at).is_some_and(is_low) {
            at += 6;
        } else if is_high(unit) || is_low(unit) {
            out.push_str(&json[copied..escape]);
            out.push_str("\\ufffd");
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[copied..]);
    Cow::Owned(out)
}

/// The UTF-16 unit of a `\uXXXX` escape that starts here.
fn unit_at(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    if escape[0] != b'\\' || escape[1] != b'u' {
        return None;
    }
    escape[2..].iter().try_fold(0_u16, |unit, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(digit).ok()?)
    })
}

fn is_high(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_unpaired_surrogate_becomes_the_replacement_character() {
        let cases = [
            (r#""a\ud800b""#, "a\u{fffd}b"),
            (r#""\udc00""#, "\u{fffd}"),
            (r#""\ud83d\ude00 \ud83d""#, "\u{1f600} \u{fffd}"),
            (r#""\ud800\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ud800A\ud800\n""#, "\u{fffd}A\u{fffd}\n"),
            (r#""\\ud800 \ud800""#, "\\ud800 \u{fffd}"),
            (r#""é\ud800é""#, "é\u{fffd}é"),
        ];
        for (json, expected) in cases {
            assert_eq!(decode::<String>(json).unwrap(), expected, "{json}");
        }
    }

    #[test]
    fn sound_json_is_not_copied() {
        for json in [r#""\ud83d\ude00""#, r#""\\ud800""#, "{}", r#""\u00e9""#, "\\", "\\ud8"] {
            assert!(matches!(replace_unpaired(json), Cow::Borrowed(_)), "{json}");
        }
    }

    #[test]
    fn broken_json_keeps_its_first_error() {
        assert!(decode::<String>("{").is_err());
        assert!(decode::<String>(r#""\ud800"#).is_err());
    }
}
