//! Claims about parsing and curating: rules 15, 16, 17 and 19, and that no JSON breaks them.
#![allow(clippy::unwrap_used)]

use super::fixture::{frame, read, single};
use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A node as Chrome writes it: id, role, name, children.
fn node(id: &str, role: &str, name: &str, children: &[&str]) -> Value {
    json!({
        "nodeId": id,
        "ignored": false,
        "role": {"type": "role", "value": role},
        "name": {"type": "computedString", "value": name},
        "properties": [],
        "childIds": children,
        "backendDOMNodeId": id.parse::<i64>().unwrap_or(0),
    })
}

fn with(mut node: Value, key: &str, value: Value) -> Value {
    node[key] = value;
    node
}

fn property(mut node: Value, name: &str, value: impl Into<Value>) -> Value {
    let value = value.into();
    node["properties"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": name, "value": {"type": "x", "value": value}}));
    node
}

fn ignored(id: &str, children: &[&str]) -> Value {
    json!({"nodeId": id, "ignored": true, "role": {"value": "none"}, "childIds": children, "backendDOMNodeId": 7})
}

fn page_of(nodes: &[Value]) -> Page {
    curate(&single(json!({ "nodes": nodes }).to_string().as_bytes())).unwrap()
}

/// `role "name"` with a mark for each level, as a test wants to see it.
fn sketch(page: &Page) -> Vec<String> {
    page.nodes
        .iter()
        .map(|node| {
            format!("{}{} {}", ".".repeat(node.depth as usize), node.role, node.name)
                .trim_end()
                .to_owned()
        })
        .collect()
}

#[test]
fn a_bare_array_and_an_envelope_are_the_same_tree() {
    let nodes = [node("1", "RootWebArea", "P", &["2"]), node("2", "button", "Go", &[])];
    let bare = curate(&single(json!(nodes).to_string().as_bytes())).unwrap();
    assert_eq!(bare.nodes, page_of(&nodes).nodes);
}

#[test]
fn a_repeated_identical_node_is_dropped_without_a_note() {
    let copy = node("2", "StaticText", "once", &[]);
    let page = page_of(&[node("1", "RootWebArea", "P", &["2"]), copy.clone(), copy]);
    assert_eq!(sketch(&page), ["RootWebArea P", ".StaticText once"]);
    assert_eq!(page.notes, Vec::<String>::new());
}

#[test]
fn a_repeated_id_with_other_content_is_skipped_and_counted() {
    let page = page_of(&[
        node("1", "RootWebArea", "P", &["2"]),
        node("2", "StaticText", "first", &[]),
        node("2", "button", "second", &[]),
    ]);
    assert_eq!(sketch(&page), ["RootWebArea P", ".StaticText first"]);
    assert_eq!(page.notes, ["1 odd nodes were skipped"]);
}

#[test]
fn odd_elements_are_skipped_and_counted_and_their_children_stay() {
    let roleless = json!({"nodeId": "2", "ignored": false, "childIds": ["3"]});
    let page = page_of(&[
        node("1", "RootWebArea", "P", &["2"]),
        roleless,
        node("3", "button", "Go", &[]),
        json!("text"),
        json!(null),
        json!([[]]),
        json!({"role": {"value": "button"}}),
    ]);
    assert_eq!(sketch(&page), ["RootWebArea P", ".button Go"]);
    assert_eq!(page.notes, ["5 odd nodes were skipped"]);
}

#[test]
fn a_child_that_is_not_in_the_reply_is_a_leaf() {
    let page = page_of(&[
        node("1", "RootWebArea", "P", &["404", "2"]),
        node("2", "Iframe", "F", &["99"]),
    ]);
    assert_eq!(sketch(&page), ["RootWebArea P", ".Iframe F"]);
    assert!(page.notes.is_empty());
}

#[test]
fn a_circle_ends_and_each_node_is_shown_once() {
    let page = page_of(&[
        node("1", "RootWebArea", "P", &["2"]),
        node("2", "group", "G", &["3", "1"]),
        node("3", "list", "L", &["2", "3", "1"]),
        node("8", "button", "adrift", &["9"]),
        node("9", "group", "adrift too", &["8"]),
    ]);
    assert_eq!(
        sketch(&page),
        [
            "RootWebArea P",
            ".group G",
            "..list L",
            "button adrift",
            ".group adrift too"
        ]
    );
}

#[test]
fn a_tree_without_a_shown_node_is_refused() {
    let refused = |json: &str| curate(&single(json.as_bytes())).unwrap_err();
    assert!(matches!(
        refused(&json!({"nodes": [ignored("1", &[])]}).to_string()),
        AxError::Empty { nodes: 1 }
    ));
    assert!(matches!(refused("[]"), AxError::Empty { nodes: 0 }));
    assert!(matches!(refused("{}"), AxError::NoNodes));
    assert!(matches!(refused(r#"{"nodes": 3}"#), AxError::NoNodes));
    assert!(matches!(refused("nodes"), AxError::Malformed { .. }));
    assert!(matches!(refused("[1,2"), AxError::Malformed { .. }));
    assert!(matches!(refused("[] []"), AxError::Malformed { .. }));
    assert!(matches!(
        curate(&Capture { frames: Vec::new() }).unwrap_err(),
        AxError::NoFrame
    ));
}

#[test]
fn ignored_and_bare_nodes_go_and_what_is_in_them_stays() {
    let page = page_of(&[
        node("1", "RootWebArea", "P", &["2"]),
        ignored("2", &["3"]),
        node("3", "generic", "", &["4", "5", "6"]),
        node("4", "LabelText", "", &["7"]),
        property(node("5", "generic", "", &[]), "focusable", true),
        node("6", "none", "", &[]),
        node("7", "StaticText", "words", &["8"]),
        node("8", "InlineTextBox", "words", &[]),
    ]);
    assert_eq!(sketch(&page), ["RootWebArea P", ".StaticText words", ".generic"]);
}

#[test]
fn text_goes_when_it_repeats_its_own_control_and_stays_when_another_node_has_the_name() {
    let page = page_of(&[
        node("1", "RootWebArea", "P", &["2", "4", "6"]),
        node("2", "button", "Save order", &["3", "31"]),
        node("3", "StaticText", "Save", &[]),
        node("31", "StaticText", " order", &[]),
        node("4", "paragraph", "", &["5"]),
        node("5", "StaticText", "Save order", &[]),
        node("6", "button", "Review ORD-0173", &["7"]),
        node("7", "StaticText", "Review", &[]),
    ]);
    assert_eq!(
        sketch(&page),
        [
            "RootWebArea P",
            ".button Save order",
            ".paragraph",
            "..StaticText Save order",
            ".button Review ORD-0173",
            "..StaticText Review"
        ]
    );
}

#[test]
fn a_labels_text_goes_only_for_the_control_that_it_names() {
    let mut email = node("4", "textbox", "Email", &[]);
    email["properties"] =
        json!([{"name": "labelledby", "value": {"type": "nodeList", "relatedNodes": [{"backendDOMNodeId": 2}]}}]);
    let page = page_of(&[
        node("1", "RootWebArea", "P", &["2", "4", "5"]),
        node("2", "LabelText", "", &["3"]),
        node("3", "StaticText", "Email ", &[]),
        email,
        node("5", "LabelText", "", &["6"]),
        node("6", "StaticText", "Email", &[]),
    ]);
    assert_eq!(sketch(&page), ["RootWebArea P", ".textbox Email", ".StaticText Email"]);
}

#[test]
fn a_masked_value_and_its_length_are_nowhere() {
    let page = curate(&read("widgets")).unwrap();
    let field = page.nodes.iter().find(|node| node.name == "Password").unwrap();
    assert!(field.states.protected);
    assert!(field.wants_uid);
    assert!(!format!("{page:?}").contains('\u{2022}') || !format!("{field:?}").contains('\u{2022}'));
    assert!(page.nodes.iter().all(|node| !node.name.contains("\u{2022}\u{2022}")));
}

#[test]
fn a_protected_field_has_no_value_whatever_it_holds() {
    let field = property(
        with(node("2", "textbox", "PIN", &["3"]), "value", json!({"value": "1234"})),
        "protected",
        json!(true),
    );
    let page = page_of(&[
        node("1", "RootWebArea", "P", &["2"]),
        field,
        node("3", "StaticText", "1234", &[]),
    ]);
    assert!(!format!("{page:?}").contains("1234"));
}

#[test]
fn mixed_is_neither_checked_nor_unchecked() {
    let state = |value: Value| {
        let page = page_of(&[property(node("1", "checkbox", "All", &[]), "checked", value)]);
        page.nodes[0].states.checked
    };
    assert_eq!(state(json!("mixed")), Some(Checked::Mixed));
    assert_eq!(state(json!("true")), Some(Checked::True));
    assert_eq!(state(json!(true)), Some(Checked::True));
    assert_eq!(state(json!("false")), Some(Checked::False));
}

#[test]
fn values_are_shown_as_chrome_wrote_them() {
    let value = |value: Value| {
        let page = page_of(&[with(
            node("1", "slider", "S", &[]),
            "value",
            json!({"type": "x", "value": value}),
        )]);
        page.nodes[0].value.clone()
    };
    assert_eq!(value(json!(0)).as_deref(), Some("0"));
    assert_eq!(value(json!(false)).as_deref(), Some("false"));
    assert_eq!(value(json!("false")).as_deref(), Some("false"));
    assert_eq!(value(json!(1.5)).as_deref(), Some("1.5"));
    assert_eq!(value(json!("")), None);
}

#[test]
fn unpaired_surrogates_and_nul_are_text() {
    let raw =
        br#"[{"nodeId":"1","role":{"value":"button"},"name":{"value":"a\ud800b\u0000c"},"\ud801":1,"childIds":[]}]"#;
    assert_eq!(curate(&single(raw)).unwrap().nodes[0].name, "a\u{FFFD}b\0c");
}

#[test]
fn uids_are_wanted_by_widgets_focusables_and_unknown_roles_only() {
    let wants = |node: Value| page_of(&[node]).nodes[0].wants_uid;
    assert!(wants(node("1", "button", "b", &[])));
    assert!(wants(node("1", "FancyThing", "b", &[])));
    assert!(!wants(node("1", "heading", "b", &[])));
    assert!(!wants(node("1", "StaticText", "b", &[])));
    assert!(wants(property(
        node("1", "heading", "b", &[]),
        "focusable",
        json!(true)
    )));
}

#[test]
fn what_only_a_listener_or_a_pointer_makes_clickable_wants_a_uid() {
    let page = curate(&read("clickable")).unwrap();
    let around = |text: &str| {
        let at = page.nodes.iter().position(|node| node.name == text).unwrap();
        page.nodes[page.nodes[at].parent.unwrap().index()].clone()
    };
    for text in [
        "Inline div",
        "Listener div",
        "Tab div",
        "Item with listener",
        "Delegated tile",
    ] {
        assert!(around(text).wants_uid, "{text}");
    }
    assert!(!page.nodes.iter().any(|node| node.role == "heading" && node.wants_uid));
}

#[test]
fn what_the_window_does_not_show_is_known() {
    let page = curate(&read("checkout")).unwrap();
    let visible = |name: &str| page.nodes.iter().find(|node| node.name == name).unwrap().visible;
    assert!(visible("Email"));
    assert!(!visible("Save order"));
}

#[test]
fn blocks_break_a_flow_and_inline_elements_do_not() {
    let page = curate(&read("article")).unwrap();
    let flow = |name: &str| page.nodes.iter().find(|node| node.name == name).unwrap().flow;
    assert_eq!(flow("Mara Quill"), flow("2 March 2031"));
    assert_ne!(flow("Mara Quill"), flow("piles up"));
    assert_ne!(flow("Rivers"), flow("Coasts"));
    assert_ne!(flow("."), flow("The table gives three of the larger ones."));
}

#[test]
fn a_spanned_cell_is_known() {
    let page = curate(&read("table-spans")).unwrap();
    let span = |name: &str| {
        page.nodes
            .iter()
            .find(|node| node.name == name && node.role != "StaticText")
            .unwrap()
            .span
    };
    assert_eq!(span("Number"), (1, 2));
    assert_eq!(span("Money"), (2, 1));
    assert_eq!(span("Quarter total"), (3, 1));
    assert_eq!(span("INV-0000"), (1, 1));
}

#[test]
fn a_value_nested_a_hundred_thousand_levels_deep_is_skipped() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let raw = format!(
        r#"{{"x":{deep},"nodes":[{{"nodeId":"1","role":{{"value":"button","x":{deep}}},"name":{{"value":{deep}}},"properties":{deep},"x":{deep}}},{deep}]}}"#
    );
    let page = curate(&single(raw.as_bytes())).unwrap();
    assert_eq!(sketch(&page), ["button"]);
    assert_eq!(page.notes.len(), 1);
}

#[test]
fn a_frame_hangs_below_its_owner_and_keeps_its_ids_apart() {
    for name in ["frames", "frames-cross"] {
        let page = curate(&read(name)).unwrap();
        let at = |what: &str| page.indices().find(|ix| page.node(*ix).name == what).unwrap();
        let button = at("Send order");
        assert!(
            page.ancestors(button).any(|up| page.node(up).role == "Iframe"),
            "{name}"
        );
        assert_ne!(page.node(button).frame, page.node(at("Outer action")).frame);
        assert!(page.notes.is_empty(), "{:?}", page.notes);
    }
}

#[test]
fn a_frame_of_a_hidden_or_missing_owner_is_named_and_not_shown() {
    let mut owner = ignored("2", &[]);
    owner["ignoredReasons"] = json!([{"name": "ariaHiddenElement", "value": {"value": true}}]);
    let main = json!([node("1", "RootWebArea", "P", &["2"]), owner]).to_string();
    let inner = json!([node("1", "RootWebArea", "secret", &[])]).to_string();
    for backend_node_id in [7, 8] {
        let mut child = frame("CHILD", inner.as_bytes());
        child.owner = Some(FrameOwner {
            parent_frame_id: "MAIN".to_owned(),
            backend_node_id,
        });
        let page = curate(&Capture {
            frames: vec![frame("MAIN", main.as_bytes()), child],
        })
        .unwrap();
        assert_eq!(sketch(&page), ["RootWebArea P"]);
        assert_eq!(
            page.notes,
            ["frame http://child.test/ is not shown: its owner is not in the page's tree"]
        );
    }
}

#[test]
fn a_frame_that_cannot_be_read_is_named_and_the_page_is_shown() {
    let main = json!([node("1", "RootWebArea", "P", &[])]).to_string();
    let page = curate(&Capture {
        frames: vec![frame("MAIN", main.as_bytes()), frame("CHILD", b"{}")],
    })
    .unwrap();
    assert_eq!(sketch(&page), ["RootWebArea P"]);
    assert_eq!(page.notes.len(), 1);
}

#[test]
fn one_frame_is_stored_as_its_bytes_and_several_as_one_document() {
    let capture = read("frames");
    let document: Value = serde_json::from_slice(&capture.document()).unwrap();
    assert_eq!(document["frames"].as_array().unwrap().len(), 2);
    assert_eq!(document["frames"][1]["frameId"], json!(capture.frames[1].frame_id));
    for frame in &capture.frames {
        let raw = std::str::from_utf8(&frame.raw).unwrap();
        assert!(
            std::str::from_utf8(&capture.document()).unwrap().contains(raw),
            "each part is the verbatim reply"
        );
    }
    let one = single(&capture.frames[0].raw);
    assert_eq!(*one.document(), *capture.frames[0].raw);
}

#[test]
fn ranges_parents_and_children_of_the_arena_agree() {
    for (name, capture) in fixture::all() {
        let page = curate(&capture).unwrap();
        for ix in page.indices() {
            for child in page.children(ix) {
                assert_eq!(page.node(child).parent, Some(ix), "{name}");
                assert_eq!(page.node(child).depth, page.node(ix).depth + 1);
            }
            let below = page
                .descendants(ix)
                .filter(|below| page.node(*below).parent == Some(ix))
                .count();
            assert_eq!(below, page.children(ix).count());
        }
    }
}

/// Any JSON, and JSON that looks like nodes: few ids, so that they clash and point in circles.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(
                prop_oneof![
                    Just("nodes".to_owned()),
                    Just("nodeId".to_owned()),
                    Just("role".to_owned()),
                    Just("name".to_owned()),
                    Just("value".to_owned()),
                    Just("properties".to_owned()),
                    Just("childIds".to_owned()),
                    ".{0,4}"
                ],
                inner,
                0..6
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

pub(crate) fn any_nodes() -> impl Strategy<Value = Vec<Value>> {
    let roles = prop::sample::select(vec![
        "RootWebArea",
        "button",
        "StaticText",
        "row",
        "table",
        "cell",
        "columnheader",
        "listitem",
        "generic",
        "LabelText",
        "textbox",
        "Iframe",
        "LineBreak",
        "odd role \n[u1]",
        "",
    ]);
    let properties = prop::collection::vec(
        (
            prop::sample::select(vec!["focusable", "editable", "checked", "labelledby", "url", "level"]),
            any_json(),
        )
            .prop_map(|(name, value)| json!({"name": name, "value": {"value": value}})),
        0..3,
    );
    let ids = || (0..24_u8).prop_map(|id| id.to_string());
    let one = (
        ids(),
        roles,
        ".{0,24}",
        prop::option::of(".{0,12}"),
        prop::collection::vec(ids(), 0..5),
        any::<bool>(),
        properties,
        0..9_i64,
    )
        .prop_map(|(id, role, name, value, children, ignored, properties, backend)| {
            json!({"nodeId": id, "ignored": ignored, "role": {"value": role}, "name": {"value": name},
                "value": {"value": value}, "childIds": children, "properties": properties, "backendDOMNodeId": backend})
        });
    prop::collection::vec(one, 0..40)
}

proptest! {
    #[test]
    fn no_json_breaks_the_reader(json in any_json()) {
        let _ = curate(&single(json.to_string().as_bytes()));
    }

    #[test]
    fn no_bytes_break_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = curate(&single(&bytes));
    }

    #[test]
    fn no_layout_breaks_the_tree(numbers in prop::collection::vec(prop::collection::vec(-2..9_i64, 0..9), 8), any in any_json()) {
        let layout = json!({
            "strings": ["MAIN", "block", "pointer", "inline", "BR", "flex", "TD", any],
            "documents": [{"frameId": 0, "nodes": {
                "parentIndex": numbers[0], "nodeType": numbers[1], "nodeName": numbers[2], "backendNodeId": numbers[3],
                "attributes": [numbers[4], numbers[5]],
                "isClickable": {"index": numbers[6].iter().map(|at| at.unsigned_abs()).collect::<Vec<_>>()}},
                "layout": {"nodeIndex": [0, 1, 2, 99], "styles": [numbers[7], numbers[0]], "bounds": [numbers[1], [0, 0, 9, 9]]}}],
        });
        let mut capture = single(json!([node("1", "RootWebArea", "P", &["2"]), node("2", "row", "R", &[])]).to_string().as_bytes());
        for text in [layout.to_string(), any.to_string()] {
            capture.frames[0].layout = Some(text.into_bytes().into());
            prop_assert_eq!(curate(&capture).unwrap().nodes.len(), 2);
        }
    }

    #[test]
    fn every_node_is_shown_at_most_once_and_under_its_range(nodes in any_nodes()) {
        let ids: std::collections::HashSet<String> = nodes.iter().map(|node| node["nodeId"].to_string()).collect();
        if let Ok(page) = curate(&single(json!(nodes).to_string().as_bytes())) {
            prop_assert!(page.nodes.len() <= ids.len());
            for ix in page.indices() {
                let node = page.node(ix);
                prop_assert!(node.end > ix && node.end.index() <= page.nodes.len());
                if let Some(parent) = node.parent {
                    prop_assert!(parent < ix && node.end <= page.node(parent).end);
                }
            }
        }
    }
}
