//! The catalog: what each tool is called, what a model is told about it and what it takes. The one source for
//! `tools/list`, for the checking of arguments and for the documentation.
//!
//! Must not know MCP, and not how a tool does its work. At most 300 tokens together (contract, rule 2): a test holds it.

use serde_json::{Map, Value, json};

/// Which tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolId {
    /// `browser_snapshot`
    Snapshot,
    /// `browser_act`
    Act,
    /// `browser_eval`
    Eval,
    /// `browser_recover`
    Recover,
}

/// One tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolSpec {
    /// Which one it is.
    pub id: ToolId,
    /// Its name, as a client calls it.
    pub name: &'static str,
    /// What a model is told; every word costs each of its sessions.
    pub description: &'static str,
    /// What it takes, in the order in which a refusal lists it.
    pub parameters: &'static [Parameter],
}

/// One argument of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type and limits.
    pub kind: Kind,
    /// A call without it is refused.
    pub required: bool,
}

/// The type and the limits of an argument. The limits are checked, not listed in the schema: they would cost tokens in
/// every session, and the refusal names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string of at most so many bytes of UTF-8.
    Bytes(usize),
    /// A string of at most 1 MiB: `text`, `option`, `expression` (contract, rules 21 and 26). Longer is
    /// `cave_payload_too_large`.
    Payload,
    /// A string of at most so many characters (Unicode scalar values).
    Characters(usize),
    /// An integer number of milliseconds, 0 to the limit.
    Milliseconds(u32),
    /// `true` or `false`.
    Flag,
}

impl Kind {
    /// The name of the type in JSON Schema.
    pub fn schema_type(self) -> &'static str {
        match self {
            Kind::Bytes(_) | Kind::Payload | Kind::Characters(_) => "string",
            Kind::Milliseconds(_) => "integer",
            Kind::Flag => "boolean",
        }
    }
}

impl ToolSpec {
    /// The JSON Schema of the arguments.
    pub fn input_schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .map(|parameter| {
                (
                    parameter.name.to_owned(),
                    json!({ "type": parameter.kind.schema_type() }),
                )
            })
            .collect();
        let required: Vec<&str> = self
            .parameters
            .iter()
            .filter(|parameter| parameter.required)
            .map(|parameter| parameter.name)
            .collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
    }
}

const fn optional(name: &'static str, kind: Kind) -> Parameter {
    Parameter {
        name,
        kind,
        required: false,
    }
}

const fn required(name: &'static str, kind: Kind) -> Parameter {
    Parameter {
        name,
        kind,
        required: true,
    }
}

/// The limit of a payload, and of the content of a `data:` address (contract, rule 7), in bytes.
pub const MIB: usize = 1024 * 1024;
/// The limit of a `query` (contract, rule 6).
const QUERY: Kind = Kind::Bytes(4 * 1024);
/// The limit of a handle (contract, rule 27).
const HANDLE: Kind = Kind::Characters(512);

/// `browser_snapshot` (contract, rule 6).
pub const SNAPSHOT: ToolSpec = ToolSpec {
    id: ToolId::Snapshot,
    name: "browser_snapshot",
    description: "Read page; [uid]s for browser_act. url: go there. wait: ms. query: only matching parts. interactive: only controls. since: handle; only changes.",
    parameters: &[
        // A `data:` address may have 1 MiB of content; the scheme and the type come on top. What is allowed decides the page floor.
        optional("url", Kind::Bytes(MIB + 1024)),
        optional("wait", Kind::Milliseconds(30_000)),
        optional("query", QUERY),
        optional("interactive", Kind::Flag),
        optional("since", HANDLE),
    ],
};

/// `browser_act` (contract, rules 21 to 24).
pub const ACT: ToolSpec = ToolSpec {
    id: ToolId::Act,
    name: "browser_act",
    description: "click, type, select, scroll, wait; or lines of `verb uid text`. query: view after.",
    parameters: &[
        required("action", Kind::Payload),
        optional("uid", Kind::Characters(512)),
        optional("text", Kind::Payload),
        optional("option", Kind::Payload),
        optional("query", QUERY),
    ],
};

/// `browser_eval` (contract, rule 26).
pub const EVAL: ToolSpec = ToolSpec {
    id: ToolId::Eval,
    name: "browser_eval",
    description: "Run JS in page.",
    parameters: &[required("expression", Kind::Payload)],
};

/// `browser_recover` (contract, rule 27).
pub const RECOVER: ToolSpec = ToolSpec {
    id: ToolId::Recover,
    name: "browser_recover",
    description: "Exact original of a handle. query: only matching records.",
    parameters: &[required("recovery_handle", HANDLE), optional("query", QUERY)],
};

/// Every tool, in the order of `tools/list`.
pub const CATALOG: [ToolSpec; 4] = [SNAPSHOT, ACT, EVAL, RECOVER];

/// The tool of that name.
pub fn find(name: &str) -> Option<&'static ToolSpec> {
    CATALOG.iter().find(|spec| spec.name == name)
}

/// The catalog as compact JSON `[{name, description, inputSchema}]`: what the budget counts.
pub fn to_json() -> String {
    let tools: Vec<Value> = CATALOG
        .iter()
        .map(|spec| json!({ "name": spec.name, "description": spec.description, "inputSchema": spec.input_schema() }))
        .collect();
    Value::Array(tools).to_string()
}
