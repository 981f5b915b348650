//! An expression of the caller's in the page's own world, its value as JSON (contract, rule 26).
//!
//! Must not know how the result is delivered.

use super::error::{PageError, shown};
use super::tab::{Page, QUICK};
use crate::cdp::protocol::js_protocol::runtime::{
    CallFunctionOnParams, EvaluateParams, ReleaseObjectParams, TerminateExecutionParams, TimeDelta,
};
use crate::cdp::{CdpError, RawReply};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::time::{Duration, Instant};

/// How long an expression may take, promises included (contract, rule 26).
pub const EVAL_LIMIT: Duration = Duration::from_secs(10);
/// Chrome stops a running expression at the limit by itself; its answer takes a moment more.
const GRACE: Duration = Duration::from_millis(250);
/// A page that runs nothing answers in a few milliseconds.
const PROBE: Duration = Duration::from_millis(750);
/// How much of an exception's message is quoted, in characters.
const QUOTE: usize = 500;

/// Why an expression has no value.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The page itself does not answer, or a dialog blocks it.
    #[error(transparent)]
    Page(#[from] PageError),
    /// It threw, or its promise was rejected.
    #[error("{message}")]
    Threw {
        /// The exception, on one line.
        message: String,
    },
    /// The page went to another document before it finished.
    #[error("the page went elsewhere before the expression finished")]
    Left,
    /// Its value cannot be written as JSON.
    #[error("the result cannot be returned ({reason}); return plain data, such as strings, numbers, arrays of them")]
    Unreturnable {
        /// Chrome's reason.
        reason: String,
    },
    /// It did not end in time. What ran was stopped.
    #[error("the expression did not finish within {} s{}", limit.as_secs(), if *stopped { " and was stopped" } else { "; its promise is still pending" })]
    TooLong {
        /// The limit.
        limit: Duration,
        /// It was running, and not waiting.
        stopped: bool,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Evaluated<'a> {
    #[serde(borrow)]
    result: Remote<'a>,
    #[serde(borrow)]
    exception_details: Option<Exception<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remote<'a> {
    #[serde(rename = "type")]
    kind: String,
    subtype: Option<String>,
    class_name: Option<String>,
    object_id: Option<String>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    unserializable_value: Option<String>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Exception<'a> {
    text: String,
    #[serde(borrow)]
    exception: Option<Remote<'a>>,
}

impl Page {
    /// Evaluates an expression, awaits its promise, and gives its value as JSON text. `undefined` is null; what JSON has
    /// no form for (NaN, a `BigInt`, a function, a node, a date) is a string that describes it.
    ///
    /// # Errors
    /// When it throws, takes too long, has no value to return, or the page does not answer.
    pub async fn evaluate(&self, expression: &str) -> Result<String, EvalError> {
        self.showable()?;
        let began = Instant::now();
        let running = self.session().call_raw(evaluation(expression), EVAL_LIMIT + GRACE);
        let reply = match tokio::select! {
            biased;
            reply = self.guarded(running) => reply,
            () = self.left() => return Err(EvalError::Left),
        } {
            Ok(reply) => reply,
            Err(PageError::Cdp(CdpError::Deadline { .. })) => return Err(self.stop().await),
            // Stopped at the limit by Chrome, which calls that by several names.
            Err(PageError::Cdp(CdpError::Protocol { .. })) if began.elapsed() >= EVAL_LIMIT => {
                return Err(EvalError::TooLong {
                    limit: EVAL_LIMIT,
                    stopped: true,
                });
            }
            Err(error) => return Err(refused(error)),
        };
        // The page may have gone to a place that is not shown while it ran.
        self.showable()?;
        self.value(&reply).await
    }

    async fn value(&self, reply: &RawReply) -> Result<String, EvalError> {
        let evaluated = decode(reply)?;
        if let Some(exception) = evaluated.exception_details {
            return Err(EvalError::Threw {
                message: message(&exception),
            });
        }
        let Some(id) = evaluated
            .result
            .object_id
            .as_ref()
            .filter(|_| !as_description(&evaluated.result))
        else {
            return Ok(json_of(&evaluated.result));
        };
        // Chrome writes the object itself; nothing of the page's runs but its getters.
        let mut whole = CallFunctionOnParams::new("function () { return this; }");
        whole.object_id = Some(id.clone().into());
        whole.return_by_value = Some(true);
        let whole = match self.guarded(self.session().call_raw(whole, EVAL_LIMIT)).await {
            Ok(whole) => whole,
            Err(PageError::Cdp(CdpError::Deadline { .. })) => return Err(self.stop().await),
            Err(error) => return Err(refused(error)),
        };
        let plain = json_of(&decode(&whole)?.result);
        let (session, id) = (self.session().clone(), id.clone());
        tokio::spawn(async move {
            let _ = session.call(ReleaseObjectParams::new(id), QUICK).await;
        });
        // An object of the browser's own keeps nothing in itself: its name says more than an empty object.
        let named = evaluated
            .result
            .class_name
            .as_deref()
            .is_some_and(|name| name != "Object");
        Ok(if plain == "{}" && named {
            described(&evaluated.result)
        } else {
            plain
        })
    }

    /// Returns when the main frame has gone to another document; a promise of the one before is never settled then.
    async fn left(&self) {
        let mut state = self.state();
        let before = state.borrow().loader.clone();
        let gone = state.wait_for(|state| state.loader != before).await.is_ok();
        if gone {
            tokio::time::sleep(GRACE).await;
        } else {
            std::future::pending::<()>().await;
        }
    }

    /// Ends what runs, so that the page stays usable. A promise that only waits is left alone: stopping would hit
    /// whatever the page runs next.
    async fn stop(&self) -> EvalError {
        match self
            .guarded(self.session().call_raw(EvaluateParams::new("0"), PROBE))
            .await
        {
            Ok(_) => {
                return EvalError::TooLong {
                    limit: EVAL_LIMIT,
                    stopped: false,
                };
            }
            Err(PageError::Cdp(CdpError::Deadline { .. })) => {}
            Err(error) => return EvalError::Page(error),
        }
        let terminate = self
            .guarded(self.session().call(TerminateExecutionParams::default(), QUICK))
            .await;
        match terminate {
            Ok(_) => EvalError::TooLong {
                limit: EVAL_LIMIT,
                stopped: true,
            },
            Err(error) => EvalError::Page(error),
        }
    }
}

fn evaluation(expression: &str) -> EvaluateParams {
    let mut evaluate = EvaluateParams::new(expression);
    evaluate.await_promise = Some(true);
    evaluate.user_gesture = Some(true);
    evaluate.timeout = Some(TimeDelta::new(EVAL_LIMIT.as_secs_f64() * 1e3));
    evaluate
}

/// What a refusal of the command itself means.
fn refused(error: PageError) -> EvalError {
    match error {
        PageError::Cdp(CdpError::Protocol { message, .. }) => {
            let reason = shown(&message, QUOTE);
            // Chrome tells these apart by their text alone; the code is -32000 for all.
            if reason.contains("terminated") {
                EvalError::TooLong {
                    limit: EVAL_LIMIT,
                    stopped: true,
                }
            } else if reason.contains("navigated")
                || reason.contains("context was destroyed")
                || reason.contains("collected")
            {
                EvalError::Left
            } else {
                EvalError::Unreturnable { reason }
            }
        }
        other => EvalError::Page(other),
    }
}

/// What is told in words: it has no form in JSON, or an empty one.
fn as_description(result: &Remote<'_>) -> bool {
    match result.kind.as_str() {
        "function" | "symbol" => true,
        _ => matches!(
            result.subtype.as_deref(),
            Some(
                "node"
                    | "regexp"
                    | "date"
                    | "map"
                    | "set"
                    | "weakmap"
                    | "weakset"
                    | "error"
                    | "proxy"
                    | "promise"
                    | "generator"
                    | "iterator"
                    | "arraybuffer"
                    | "dataview"
            )
        ),
    }
}

fn json_of(result: &Remote<'_>) -> String {
    match (&result.unserializable_value, result.value) {
        (Some(special), _) if special == "-0" => special.clone(),
        (Some(special), _) => serde_json::Value::from(special.as_str()).to_string(),
        (None, Some(value)) => readable(value.get()),
        (None, None) if result.kind == "undefined" => "null".to_owned(),
        (None, None) => described(result),
    }
}

fn described(result: &Remote<'_>) -> String {
    result
        .description
        .map_or_else(|| "null".to_owned(), |description| readable(description.get()))
}

/// Chrome escapes whatever is not ASCII: six bytes where a reader needs one letter. Printable characters are written out,
/// half a surrogate pair becomes U+FFFD, everything else stays as it came, numbers and the order of keys included.
fn readable(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let unit = |text: &str| {
            text.strip_prefix("\\u")
                .and_then(|hex| u32::from_str_radix(hex.get(..4)?, 16).ok())
        };
        let Some(first) = unit(rest) else {
            let taken = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            out.push_str(&rest[..taken]);
            rest = &rest[taken..];
            continue;
        };
        let pair = || {
            let second = unit(rest.get(6..)?).filter(|low| (0xdc00..0xe000).contains(low))?;
            char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
        };
        let (character, taken) = match first {
            0xd800..0xdc00 => pair().map_or(('\u{fffd}', 6), |character| (character, 12)),
            _ => (char::from_u32(first).unwrap_or('\u{fffd}'), 6),
        };
        if character.is_ascii() || character.is_control() || shown(character.encode_utf8(&mut [0; 4]), 1) == " " {
            out.push_str(&rest[..taken]);
        } else {
            out.push(character);
        }
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

fn decode(reply: &RawReply) -> Result<Evaluated<'_>, EvalError> {
    serde_json::from_str(reply.text()).map_err(|source| {
        EvalError::Page(PageError::Cdp(CdpError::Decode {
            method: "Runtime.evaluate".to_owned(),
            source,
        }))
    })
}

fn message(exception: &Exception<'_>) -> String {
    let plain = |raw: &RawValue| serde_json::from_str::<String>(raw.get()).unwrap_or_else(|_| raw.get().to_owned());
    let thrown = exception.exception.as_ref();
    let text = match thrown {
        Some(Remote {
            description: Some(description),
            subtype: Some(subtype),
            ..
        }) if subtype == "error" => {
            let description = plain(description);
            // The stack follows its own message line by line; a message may have several lines itself.
            description.split("\n    at ").next().unwrap_or_default().to_owned()
        }
        Some(Remote { value: Some(value), .. }) => format!("thrown: {}", readable(value.get())),
        Some(Remote {
            unserializable_value: Some(value),
            ..
        }) => format!("thrown: {value}"),
        Some(Remote {
            description: Some(description),
            ..
        }) => format!("thrown: {}", plain(description)),
        _ => exception.text.clone(),
    };
    shown(&text, QUOTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_written_out_and_nothing_else_changes() {
        let json = r#"{"b":1.50,"a":"\u00e9\ud83d\ude00 \ud800x \u202e \u0007 \\u00e9 \" \n \u0041"}"#;
        let read =
            r#"{"b":1.50,"a":"é😀 \u{fffd}x \u202e \u0007 \\u00e9 \" \n \u0041"}"#.replace("\\u{fffd}", "\u{fffd}");
        assert_eq!(readable(json), read);
        assert!(serde_json::from_str::<serde_json::Value>(&read).is_ok());
    }
}
