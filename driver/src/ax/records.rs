//! A stored document taken apart again: the way back from `Capture::document`, to the verbatim bytes of each node.
//! Must not know which of them anyone looks for.

use super::json;
use super::words::role_word;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The nodes of a stored document, in its order.
#[derive(Debug)]
pub struct Records<'a> {
    /// All of them, frame after frame.
    pub all: Vec<Record<'a>>,
    /// Frame id and URL as they are written there, by `Record::frame`; empty where the document is one frame's reply.
    pub frames: Vec<(&'a str, &'a str)>,
}

/// One node.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// Its bytes as Chrome sent them.
    pub text: &'a str,
    /// The place of its frame in `Records::frames`; 0 where there are none.
    pub frame: usize,
}

impl<'a> Records<'a> {
    /// Takes apart what `Capture::document` made. None when there is no node in it.
    pub fn of(document: &'a [u8]) -> Option<Self> {
        let whole: &RawValue = serde_json::from_slice(document).ok()?;
        let mut records = Self {
            all: Vec::new(),
            frames: Vec::new(),
        };
        let top = read::<Top<'_>>(whole).unwrap_or_default();
        if let Some(parts) = top.frames.and_then(read::<Vec<&RawValue>>) {
            for part in parts {
                let part: Part<'_> = read(part)?;
                records.take(part.result, records.frames.len());
                records.frames.push((part.frame_id.get(), part.url.get()));
            }
        } else {
            records.take(whole, 0);
        }
        (!records.all.is_empty()).then_some(records)
    }

    fn take(&mut self, reply: &'a RawValue, frame: usize) {
        let list = if reply.get().starts_with('[') {
            Some(reply)
        } else {
            read::<Top<'_>>(reply).and_then(|top| top.nodes)
        };
        let nodes = list.and_then(read::<Vec<&RawValue>>).unwrap_or_default();
        self.all.extend(
            nodes
                .into_iter()
                .filter(|node| node.get().starts_with('{'))
                .map(|node| Record {
                    text: node.get(),
                    frame,
                }),
        );
    }
}

impl Record<'_> {
    /// Appends what a query looks at, in lower case: role (and the views' word for it), name, value, description, and
    /// the properties that are not false, in the views' words where those differ.
    pub fn push_words(&self, out: &mut String) {
        let from = out.len();
        let Some(node) = serde_json::from_str::<Fields<'_>>(self.text).ok() else {
            return;
        };
        let mut push = |word: &str| {
            out.push_str(word);
            out.push('\n');
        };
        if let Some(role) = content(node.role) {
            push(&role);
            let word = role_word(&role);
            if word != role {
                push(word);
            }
        }
        for text in [node.name, node.value, node.description]
            .map(content)
            .into_iter()
            .flatten()
        {
            push(&text);
        }
        for property in node.properties.and_then(read::<Vec<&RawValue>>).unwrap_or_default() {
            let Some(property) = read::<Property<'_>>(property) else {
                continue;
            };
            let (Some(name), Some(value)) = (property.name.and_then(json::text), content(property.value)) else {
                continue;
            };
            match (&*name, &*value) {
                ("checked", "false") => push("unchecked"),
                ("expanded", "true" | "false") => push(if value == "true" { "expanded" } else { "collapsed" }),
                (_, "false") => {}
                (name, "true") => push(name),
                (name, value) => {
                    push(name);
                    push(value);
                }
            }
        }
        if out[from..].is_ascii() {
            out[from..].make_ascii_lowercase();
        } else {
            let lower = out[from..].to_lowercase();
            out.truncate(from);
            out.push_str(&lower);
        }
    }
}

/// The `value` of an `AXValue`.
fn content(value: Option<&RawValue>) -> Option<std::borrow::Cow<'_, str>> {
    json::text(read::<AxValue<'_>>(value?)?.value?)
}

fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

#[derive(Deserialize, Default)]
struct Top<'a> {
    #[serde(borrow)]
    nodes: Option<&'a RawValue>,
    #[serde(borrow)]
    frames: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    frame_id: &'a RawValue,
    #[serde(borrow)]
    url: &'a RawValue,
    #[serde(borrow)]
    result: &'a RawValue,
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    role: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    properties: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Property<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct AxValue<'a> {
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}
