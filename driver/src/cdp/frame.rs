//! One websocket message taken apart without touching its bytes: the envelope only, values stay as ranges.
//!
//! `RawValue` passes over a value without recursion and without looking at its escapes, so neither depth nor unpaired
//! surrogates matter here.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lossy;

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(rename = "sessionId", borrow)]
    session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct WireError<'a> {
    #[serde(default)]
    code: i64,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

/// What one message says. Ranges are byte offsets in the message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// A reply to the command with this id.
    Reply { id: u64, outcome: Outcome },
    /// An event; session is "" for the browser. Without parameters the range is empty.
    Event {
        method: String,
        session: String,
        params: Range<usize>,
    },
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Result(Range<usize>),
    Error {
        code: i64,
        message: String,
        data: Option<String>,
    },
    Neither,
}

/// Reads the envelope. `None`: neither a reply nor an event.
pub(super) fn parse(text: &str) -> Result<Option<Parsed>, serde_json::Error> {
    let envelope: Envelope<'_> = serde_json::from_str(text)?;
    if let Some(id) = envelope.id {
        let outcome = match (envelope.error, envelope.result) {
            (Some(error), _) => refused(error.get()),
            (None, Some(result)) => Outcome::Result(range_in(text, result.get())),
            (None, None) => Outcome::Neither,
        };
        return Ok(Some(Parsed::Reply { id, outcome }));
    }
    Ok(envelope.method.map(|method| Parsed::Event {
        method: method.into_owned(),
        session: envelope.session.map(Cow::into_owned).unwrap_or_default(),
        params: envelope.params.map_or(0..0, |params| range_in(text, params.get())),
    }))
}

fn refused(error: &str) -> Outcome {
    match serde_json::from_str::<WireError<'_>>(error) {
        Ok(wire) => Outcome::Error {
            code: wire.code,
            message: wire.message.map(text_of).unwrap_or_default(),
            data: wire.data.map(text_of),
        },
        Err(_) => Outcome::Error {
            code: 0,
            message: error.to_owned(),
            data: None,
        },
    }
}

/// The text of a JSON string; any other value as JSON.
fn text_of(raw: &RawValue) -> String {
    lossy::decode(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
}

/// Where `part`, a slice of `whole`, lies in it.
fn range_in(whole: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - whole.as_ptr() as usize;
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn result_of(text: &str) -> &str {
        match parse(text).unwrap().unwrap() {
            Parsed::Reply {
                outcome: Outcome::Result(range),
                ..
            } => &text[range],
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_result_is_the_verbatim_slice_of_the_message() {
        let odd = r#"{"b":1.50, "a" : "\/\u00e9\ud800", "n":123456789.12345679 }"#;
        assert_eq!(
            result_of(&format!(r#"{{ "id":7,"result": {odd} ,"sessionId":"S"}}"#)),
            odd
        );
    }

    #[test]
    fn depth_does_not_matter() {
        let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
        assert_eq!(result_of(&format!(r#"{{"id":1,"result":{deep}}}"#)), deep);
    }

    #[test]
    fn an_error_keeps_its_data_and_a_broken_message() {
        let text = r#"{"id":1,"error":{"code":-32000,"message":"no \ud800","data":{"k":1}}}"#;
        let Some(Parsed::Reply { outcome, .. }) = parse(text).unwrap() else {
            panic!()
        };
        let expected = Outcome::Error {
            code: -32000,
            message: "no \u{fffd}".into(),
            data: Some(r#"{"k":1}"#.into()),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn what_is_neither_reply_nor_event_is_nothing() {
        assert_eq!(parse("{}").unwrap(), None);
        assert!(parse("[").is_err());
        assert!(parse("").is_err());
    }
}
