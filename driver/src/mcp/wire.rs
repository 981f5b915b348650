//! JSON-RPC as it comes off the wire: each line is judged before the SDK sees it, because the SDK ignores what it cannot
//! read and stops at what comes before its turn. A request with an id is never met with silence (contract, rule 28).
//!
//! Must not know tools.

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use serde_json::{Map, Value, json};

use super::arguments::quote;
use super::frame::Line;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// The methods that this server has, and whether one may come before `initialize`.
const METHODS: [(&str, bool); 5] = [
    ("initialize", true),
    ("ping", true),
    ("tools/list", false),
    ("tools/call", false),
    ("server/discover", true),
];

/// The key of a request's `_meta` which names the protocol version where there is no `initialize` (2026-07-28).
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// What becomes of a line.
#[derive(Debug)]
pub(super) enum Verdict {
    /// A request for the SDK.
    Request(RequestId, Box<ClientJsonRpcMessage>),
    /// A notification for the SDK; it may take back a request.
    Notification {
        cancels: Option<RequestId>,
        message: Box<ClientJsonRpcMessage>,
    },
    /// Answered here, one message each.
    Answer(Vec<Value>),
    /// Nothing to answer: a blank line, a notification that nobody waits for, an answer to nothing.
    Nothing,
}

/// Judges lines. Knows whether the session has begun.
#[derive(Debug, Default)]
pub(super) struct Judge {
    begun: bool,
}

impl Judge {
    /// What becomes of a line; `in_flight` says whether a request of that id is still being answered.
    pub(super) fn judge(&mut self, line: &Line, limit: usize, in_flight: &dyn Fn(&RequestId) -> bool) -> Verdict {
        let line = match line {
            Line::Whole(line) => line.trim_ascii(),
            Line::TooLong { head, tail } => {
                let text = format!("cave_payload_too_large: the line was over {limit} bytes and was discarded");
                return refuse(&id_of_discarded(head, tail), INVALID_REQUEST, &text);
            }
        };
        if line.is_empty() {
            return Verdict::Nothing;
        }
        let message = match serde_json::from_slice::<Value>(line) {
            Ok(message) => message,
            Err(error) => {
                let text = format!("not JSON: {error}; send one JSON-RPC message a line");
                return refuse(&Value::Null, PARSE_ERROR, &text);
            }
        };
        match message {
            Value::Object(message) => self.message(message, in_flight),
            Value::Array(batch) => refuse_batch(&batch),
            other => {
                let text = format!("a message is a JSON object, not {}", kind_of(&other));
                refuse(&Value::Null, INVALID_REQUEST, &text)
            }
        }
    }

    fn message(&mut self, mut message: Map<String, Value>, in_flight: &dyn Fn(&RequestId) -> bool) -> Verdict {
        let echo = message.get("id").map_or(Value::Null, echo);
        let method = match message.get("method") {
            Some(Value::String(method)) => method.clone(),
            Some(_) => return refuse(&echo, INVALID_REQUEST, "method must be a string"),
            // An answer. This server asks its client nothing, so nobody waits for it.
            None if message.contains_key("result") || message.contains_key("error") => return Verdict::Nothing,
            None => return refuse(&echo, INVALID_REQUEST, "the message has no method"),
        };
        if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return refuse(&echo, INVALID_REQUEST, "jsonrpc must be \"2.0\"");
        }
        // A request carries an id; without the key it is a notification.
        let id = match message.get("id") {
            None => return self.notification(message),
            Some(id) => match serde_json::from_value::<RequestId>(id.clone()) {
                Ok(id) => id,
                Err(_) => return refuse(&echo, INVALID_REQUEST, "id must be a string or an integer of 64 bits"),
            },
        };
        match message.get("params") {
            None | Some(Value::Object(_)) => {}
            Some(Value::Null) => drop(message.remove("params")),
            Some(other) => {
                let text = format!("params must be an object, not {}", kind_of(other));
                return refuse(&echo, INVALID_PARAMS, &text);
            }
        }
        let Some((_, early)) = METHODS.iter().find(|(name, _)| *name == method) else {
            let known: Vec<&str> = METHODS.iter().map(|(name, _)| *name).collect();
            let text = format!("no method {}; this server has {}", quote(&method), known.join(", "));
            return refuse(&echo, METHOD_NOT_FOUND, &text);
        };
        if in_flight(&id) {
            let text = format!("id {echo} is in use by a request that is still running; give each request its own");
            return refuse(&echo, INVALID_REQUEST, &text);
        }
        let inline = message
            .get("params")
            .and_then(|params| params.get("_meta")?.get(VERSION_KEY))
            .is_some();
        if !self.begun && !early && !inline {
            let text = format!("{method} came before initialize; send initialize first");
            return refuse(&echo, INVALID_REQUEST, &text);
        }
        match serde_json::from_value::<ClientJsonRpcMessage>(Value::Object(message)) {
            Ok(JsonRpcMessage::Request(request)) if !matches!(request.request, ClientRequest::CustomRequest(_)) => {
                self.begun |= inline || matches!(request.request, ClientRequest::InitializeRequest(_));
                Verdict::Request(id, Box::new(JsonRpcMessage::Request(request)))
            }
            _ => refuse(&echo, INVALID_PARAMS, params_of(&method)),
        }
    }

    fn notification(&self, message: Map<String, Value>) -> Verdict {
        // Before its time the SDK would stop at it.
        if !self.begun {
            return Verdict::Nothing;
        }
        match serde_json::from_value::<ClientJsonRpcMessage>(Value::Object(message)) {
            Ok(JsonRpcMessage::Notification(notification)) => {
                let cancels = match &notification.notification {
                    ClientNotification::CancelledNotification(cancelled) => cancelled.params.request_id.clone(),
                    _ => None,
                };
                Verdict::Notification {
                    cancels,
                    message: Box::new(JsonRpcMessage::Notification(notification)),
                }
            }
            _ => Verdict::Nothing,
        }
    }
}

/// What a method's params must be, for one whose params the SDK could not read.
fn params_of(method: &str) -> &'static str {
    match method {
        "initialize" => {
            "initialize needs params {protocolVersion: string, capabilities: object, clientInfo: {name, version}}"
        }
        "tools/call" => "tools/call needs params {name: string, arguments: object}",
        "tools/list" => "tools/list takes params {cursor: string} or none",
        _ => "the params are not what this method takes",
    }
}

/// One refusal for each request of a batch, so that none waits for ever.
fn refuse_batch(batch: &[Value]) -> Verdict {
    let text = "batches are not taken; send one message a line";
    let mut ids: Vec<Value> = batch
        .iter()
        .filter(|message| message.get("method").is_some())
        .filter_map(|message| message.get("id").map(echo))
        .filter(|id| !id.is_null())
        .collect();
    if ids.is_empty() {
        ids.push(Value::Null);
    }
    Verdict::Answer(ids.into_iter().map(|id| error(&id, INVALID_REQUEST, text)).collect())
}

fn refuse(id: &Value, code: i64, text: &str) -> Verdict {
    Verdict::Answer(vec![error(id, code, text)])
}

fn error(id: &Value, code: i64, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } })
}

/// An id as it is given back: a string or a number as it came, anything else as `null`.
fn echo(id: &Value) -> Value {
    if id.is_string() || id.is_number() {
        id.clone()
    } else {
        Value::Null
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The id of a line that was not kept, from its ends: the first or the last member of the object, where clients put it.
fn id_of_discarded(head: &[u8], tail: &[u8]) -> Value {
    id_in_head(head).or_else(|| id_in_tail(tail)).unwrap_or(Value::Null)
}

/// Reads members from the front until one is not a plain value.
fn id_in_head(head: &[u8]) -> Option<Value> {
    let mut rest = head.trim_ascii_start().strip_prefix(b"{")?;
    loop {
        let (name, after) = one_value(rest)?;
        let (value, after) = one_value(after.trim_ascii_start().strip_prefix(b":")?)?;
        if name == "id" {
            return Some(echo(&value));
        }
        rest = after.trim_ascii_start().strip_prefix(b",")?;
    }
}

/// A whole JSON value at the front, and what follows it.
fn one_value(text: &[u8]) -> Option<(Value, &[u8])> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let after = text.get(values.byte_offset()..).filter(|after| !after.is_empty())?;
    Some((value, after))
}

/// If a line is an object and ends with `"id": value }`, that is a member of the outermost object: its last brace closes
/// it, and no string can end there.
fn id_in_tail(tail: &[u8]) -> Option<Value> {
    let tail = tail.trim_ascii_end().strip_suffix(b"}")?;
    // It may begin in the middle of a character.
    let tail = (0..4).find_map(|skip| std::str::from_utf8(tail.get(skip..)?).ok())?;
    let key = tail.rfind("\"id\"")?;
    let value = tail[key + 4..].trim_start().strip_prefix(':')?;
    let value: Value = serde_json::from_str(value).ok()?;
    tail[..key].trim_end().ends_with([',', '{']).then(|| echo(&value))
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
