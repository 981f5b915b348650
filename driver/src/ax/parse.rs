//! `Accessibility.getFullAXTree` as a linked tree of borrowed nodes (rule 15). Every node that Chrome may send is taken
//! or counted as odd; only bytes that are not JSON, or not a tree, are an error. Must not know what a view shows.

use super::error::AxError;
use super::json;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

/// One AX node; strings borrow from the reply where they need no unescaping.
#[derive(Debug, Default)]
pub struct AxNode<'a> {
    /// `nodeId`.
    pub id: Cow<'a, str>,
    /// `ignored`: not shown, its children are.
    pub ignored: bool,
    /// `role.value`; absent on some ignored nodes.
    pub role: Cow<'a, str>,
    /// `name.value`.
    pub name: Cow<'a, str>,
    /// `value.value` as text: a number or boolean as Chrome wrote it. `None` when there is none.
    pub value: Option<Cow<'a, str>>,
    /// `description.value`.
    pub description: Cow<'a, str>,
    /// `backendDOMNodeId`.
    pub backend_node_id: Option<i64>,
    /// `properties`, each with its value as text.
    pub properties: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The nodes of `childIds` that are in this reply, in order.
    pub children: Vec<u32>,
    /// `backendDOMNodeId` of the nodes that its `labelledby` names.
    pub labelled_by: Vec<i64>,
    /// Ignored because it or an ancestor is hidden (`ignoredReasons`).
    pub hidden: bool,
    fields: Fields<'a>,
}

/// A frame's tree.
#[derive(Debug)]
pub struct Tree<'a> {
    /// The nodes in the order of the reply.
    pub nodes: Vec<AxNode<'a>>,
    /// Nodes that no other node names as its child, in order; then the first of each closed circle.
    pub roots: Vec<u32>,
    /// Elements of `nodes` that were skipped: no object, no id, no role, or an id used before by a different node.
    pub odd: usize,
}

/// Reads a bare node array or `{nodes: […]}`.
pub fn parse(raw: &[u8]) -> Result<Tree<'_>, AxError> {
    let mut reader = serde_json::Deserializer::from_slice(raw);
    let nodes = serde::Deserializer::deserialize_any(&mut reader, TopVisitor)
        .and_then(|nodes| reader.end().map(|()| nodes))
        .map_err(|error| AxError::Malformed {
            detail: error.to_string(),
        })?
        .ok_or(AxError::NoNodes)?;
    link(nodes)
}

/// The members of a node that are read at all, as they stand in the reply.
#[derive(Clone, Copy, Debug, Default)]
struct Fields<'a> {
    id: Option<&'a RawValue>,
    ignored: Option<&'a RawValue>,
    ignored_reasons: Option<&'a RawValue>,
    role: Option<&'a RawValue>,
    name: Option<&'a RawValue>,
    value: Option<&'a RawValue>,
    description: Option<&'a RawValue>,
    properties: Option<&'a RawValue>,
    children: Option<&'a RawValue>,
    backend: Option<&'a RawValue>,
}

impl Fields<'_> {
    /// As far as we read it, the same node again.
    fn same_as(&self, other: &Fields<'_>) -> bool {
        let same = |one: Option<&RawValue>, two: Option<&RawValue>| one.map(RawValue::get) == two.map(RawValue::get);
        same(self.id, other.id)
            && same(self.ignored, other.ignored)
            && same(self.role, other.role)
            && same(self.name, other.name)
            && same(self.value, other.value)
            && same(self.description, other.description)
            && same(self.properties, other.properties)
            && same(self.children, other.children)
            && same(self.backend, other.backend)
    }
}

fn link(elements: Vec<Option<Fields<'_>>>) -> Result<Tree<'_>, AxError> {
    let total = elements.len();
    let mut odd = 0;
    let mut by_id: HashMap<Cow<'_, str>, u32> = HashMap::with_capacity(total);
    let mut nodes: Vec<AxNode<'_>> = Vec::with_capacity(total);
    for element in elements {
        let Some((fields, id)) = element.and_then(|fields| Some((fields, json::text(fields.id?)?))) else {
            odd += 1;
            continue;
        };
        let at = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        match by_id.entry(id) {
            Entry::Occupied(earlier) => {
                let same = nodes
                    .get(*earlier.get() as usize)
                    .is_some_and(|node| node.fields.same_as(&fields));
                odd += usize::from(!same);
            }
            Entry::Vacant(free) => {
                let node = decode(fields, free.key().clone());
                if !node.ignored && node.role.is_empty() {
                    // It stays as an ignored node: what hangs below it is still the page's.
                    odd += 1;
                }
                free.insert(at);
                nodes.push(node);
            }
        }
    }
    if !nodes.iter().any(|node| !node.ignored && !node.role.is_empty()) {
        return Err(AxError::Empty { nodes: total });
    }
    for node in &mut nodes {
        if node.role.is_empty() {
            node.ignored = true;
        }
        node.children = list(node.fields.children)
            .into_iter()
            .filter_map(json::text)
            .filter_map(|id| by_id.get(&id).copied())
            .collect();
    }
    let roots = roots(&nodes);
    Ok(Tree { nodes, roots, odd })
}

/// Nodes without a parent; then whatever is not reachable from them, entered at its first node.
fn roots(nodes: &[AxNode<'_>]) -> Vec<u32> {
    let count = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
    let mut claimed = vec![false; nodes.len()];
    for child in nodes.iter().flat_map(|node| &node.children) {
        claimed[*child as usize] = true;
    }
    let mut roots = Vec::new();
    let mut seen = vec![false; nodes.len()];
    let mut stack = Vec::new();
    let orphans = (0..count).filter(|at| !claimed[*at as usize]);
    for start in orphans.chain(0..count) {
        if seen[start as usize] {
            continue;
        }
        roots.push(start);
        seen[start as usize] = true;
        stack.push(start);
        while let Some(at) = stack.pop() {
            for child in &nodes[at as usize].children {
                if !std::mem::replace(&mut seen[*child as usize], true) {
                    stack.push(*child);
                }
            }
        }
    }
    roots
}

fn decode<'a>(fields: Fields<'a>, id: Cow<'a, str>) -> AxNode<'a> {
    let ignored = fields.ignored.is_some_and(json::flag);
    if ignored {
        let hidden = list(fields.ignored_reasons).into_iter().any(|reason| {
            matches!(
                member(Some(reason), "name").and_then(json::text).as_deref(),
                Some(
                    "ariaHiddenElement"
                        | "ariaHiddenSubtree"
                        | "notRendered"
                        | "notVisible"
                        | "inertElement"
                        | "inertSubtree"
                        | "activeModalDialog"
                )
            )
        });
        let backend_node_id = fields.backend.and_then(json::integer);
        let role = content(fields.role).unwrap_or_default();
        return AxNode {
            id,
            ignored,
            role,
            backend_node_id,
            hidden,
            fields,
            ..AxNode::default()
        };
    }
    let mut properties = Vec::new();
    let mut labelled_by = Vec::new();
    for property in list(fields.properties) {
        let Some(name) = member(Some(property), "name").and_then(json::text) else {
            continue;
        };
        let value = member(Some(property), "value");
        if name == "labelledby" {
            let nodes = list(member(value, "relatedNodes"));
            labelled_by.extend(
                nodes
                    .into_iter()
                    .filter_map(|node| json::integer(member(Some(node), "backendDOMNodeId")?)),
            );
        } else if let Some(value) = member(value, "value").and_then(json::text) {
            properties.push((name, value));
        }
    }
    AxNode {
        id,
        ignored,
        role: content(fields.role).unwrap_or_default(),
        name: content(fields.name).unwrap_or_default(),
        value: content(fields.value).filter(|value| !value.is_empty()),
        description: content(fields.description).unwrap_or_default(),
        backend_node_id: fields.backend.and_then(json::integer),
        properties,
        labelled_by,
        children: Vec::new(),
        hidden: false,
        fields,
    }
}

/// The `value` of an `AXValue`; a bare scalar is taken too.
fn content(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let raw = raw?;
    if raw.get().starts_with('{') {
        json::text(member(Some(raw), "value")?)
    } else {
        json::text(raw)
    }
}

fn member<'a>(raw: Option<&'a RawValue>, key: &'static str) -> Option<&'a RawValue> {
    let mut reader = serde_json::Deserializer::from_str(raw?.get());
    serde::Deserializer::deserialize_map(&mut reader, MemberVisitor(key)).ok()?
}

fn list(raw: Option<&RawValue>) -> Vec<&RawValue> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// A key as bytes: `str` would refuse one with an unpaired surrogate, and the whole tree with it.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, [u8]>;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, [u8]>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key")
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(bytes))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(bytes.to_vec()))
    }
}

struct MemberVisitor(&'static str);

impl<'de> Visitor<'de> for MemberVisitor {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key_seed(Key)? {
            if *key == *self.0.as_bytes() {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

struct TopVisitor;

impl<'de> Visitor<'de> for TopVisitor {
    type Value = Option<Vec<Option<Fields<'de>>>>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an array of nodes or an object with `nodes`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = seq.next_element_seed(NodeVisitor)? {
            nodes.push(node);
        }
        Ok(Some(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key_seed(Key)? {
            if *key == *b"nodes" {
                found = map.next_value_seed(NodesSeed)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// The value of `nodes`: an array, or nothing that we can use.
struct NodesSeed;

impl<'de> DeserializeSeed<'de> for NodesSeed {
    type Value = Option<Vec<Option<Fields<'de>>>>;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        let raw = <&RawValue as serde::Deserialize>::deserialize(reader)?;
        if !raw.get().starts_with('[') {
            return Ok(None);
        }
        let mut inner = serde_json::Deserializer::from_str(raw.get());
        serde::Deserializer::deserialize_seq(&mut inner, TopVisitor).map_err(D::Error::custom)
    }
}

/// One element of the array; `None` when it is no object.
struct NodeVisitor;

impl<'de> DeserializeSeed<'de> for NodeVisitor {
    type Value = Option<Fields<'de>>;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        let raw = <&RawValue as serde::Deserialize>::deserialize(reader)?;
        if !raw.get().starts_with('{') {
            return Ok(None);
        }
        let mut inner = serde_json::Deserializer::from_str(raw.get());
        serde::Deserializer::deserialize_map(&mut inner, self)
            .map(Some)
            .map_err(D::Error::custom)
    }
}

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a node")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some(key) = map.next_key_seed(Key)? {
            let slot = match &*key {
                b"nodeId" => &mut fields.id,
                b"ignored" => &mut fields.ignored,
                b"ignoredReasons" => &mut fields.ignored_reasons,
                b"role" => &mut fields.role,
                b"name" => &mut fields.name,
                b"value" => &mut fields.value,
                b"description" => &mut fields.description,
                b"properties" => &mut fields.properties,
                b"childIds" => &mut fields.children,
                b"backendDOMNodeId" => &mut fields.backend,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *slot = Some(map.next_value()?);
        }
        Ok(fields)
    }
}
