//! Claims about focus and `interactive` (rule 20), and that a huge page is no trouble.
#![allow(clippy::unwrap_used)]

use super::{Request, project};
use crate::ax::{Page, curate, fixture};
use crate::render::classic;
use crate::uid;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn shown(page: &Page, request: &Request<'_>) -> Vec<String> {
    let uids = uid::classic(page);
    let view = project(page, &uids, request);
    classic::render(page, &view, &uids)
        .lines()
        .map(|line| line.trim().to_owned())
        .collect()
}

fn ask(page: &Page, query: &str) -> Vec<String> {
    shown(
        page,
        &Request {
            query: Some(query),
            interactive: false,
        },
    )
}

fn tree(nodes: &[Value]) -> Page {
    curate(&fixture::single(json!(nodes).to_string().as_bytes())).unwrap()
}

fn node(id: usize, role: &str, name: &str, children: impl IntoIterator<Item = usize>) -> Value {
    let children: Vec<String> = children.into_iter().map(|id| id.to_string()).collect();
    json!({"nodeId": id.to_string(), "role": {"value": role}, "name": {"value": name}, "childIds": children, "backendDOMNodeId": id})
}

#[test]
fn a_match_in_a_row_brings_the_whole_row_and_the_header() {
    let page = curate(&fixture::read("order-table")).unwrap();
    assert_eq!(
        ask(&page, "ORD-0173")[1..],
        [
            "table \"Orders awaiting review\"",
            "row",
            "columnheader \"Order\"",
            "columnheader \"Customer\"",
            "columnheader \"Status\"",
            "columnheader \"Amount\"",
            "columnheader \"Action\"",
            "row",
            "cell \"ORD-0173\"",
            "cell \"Customer 173\"",
            "cell \"ready\"",
            "cell \"EUR 193.00\"",
            "cell \"Review ORD-0173\"",
            "[uye] button \"Review ORD-0173\"",
        ]
    );
}

#[test]
fn all_header_rows_come_along_and_no_other_row() {
    let lines = ask(&curate(&fixture::read("table-spans")).unwrap(), "INV-0027");
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("columnheader")).count(),
        4,
        "{lines:#?}"
    );
    assert!(lines.iter().any(|line| line.contains("54.00")));
    assert!(
        !lines
            .iter()
            .any(|line| line.contains("INV-0026") || line.contains("INV-0028"))
    );
}

#[test]
fn when_one_node_has_all_words_only_such_nodes_count() {
    let page = tree(&[
        node(1, "RootWebArea", "P", 2..5),
        node(2, "button", "Save draft", []),
        node(3, "button", "Save order", []),
        node(4, "button", "Order history", []),
    ]);
    assert_eq!(ask(&page, "ORDER save"), ["page \"P\"", "[u3] button \"Save order\""]);
    assert_eq!(
        ask(&page, "save history"),
        [
            "page \"P\"",
            "[u2] button \"Save draft\"",
            "[u3] button \"Save order\"",
            "[u4] button \"Order history\""
        ]
    );
}

#[test]
fn role_value_and_state_are_searched_too() {
    let mut field = node(2, "textbox", "A", []);
    field["value"] = json!({"value": "Zürich"});
    let mut off = node(3, "button", "B", []);
    off["properties"] = json!([{"name": "disabled", "value": {"value": true}}]);
    let page = tree(&[node(1, "RootWebArea", "P", 2..4), field, off]);
    assert_eq!(ask(&page, "ZÜRICH").len(), 2);
    assert_eq!(ask(&page, "disabled")[1], "[u3] button \"B\" {disabled}");
    assert_eq!(ask(&page, "textbox")[1], "[u2] textbox \"A\" = \"Zürich\"");
}

#[test]
fn nothing_found_gives_the_root_and_says_so() {
    let page = curate(&fixture::read("checkout")).unwrap();
    assert_eq!(
        ask(&page, "zebra"),
        ["[u5] page \"Agent checkout\" {focused}", "note: no accessible match"]
    );
}

#[test]
fn a_blank_query_is_no_query() {
    let page = curate(&fixture::read("checkout")).unwrap();
    assert_eq!(ask(&page, " \n "), shown(&page, &Request::default()));
}

#[test]
fn at_most_twelve_matches_are_shown_and_visible_ones_first() {
    let nodes: Vec<Value> = std::iter::once(node(1, "RootWebArea", "P", 2..42))
        .chain((2..42).map(|id| node(id, "button", &format!("go {id}"), [])))
        .collect();
    let mut page = tree(&nodes);
    assert_eq!(ask(&page, "go").len(), 1 + 12);
    for node in &mut page.nodes[1..31] {
        node.visible = false;
    }
    let lines = ask(&page, "go");
    assert_eq!(lines.len(), 1 + 12);
    assert_eq!(lines.last().unwrap(), "[u15] button \"go 41\"");
    assert!(lines.contains(&"[uw] button \"go 32\"".to_owned()));
}

#[test]
fn interactive_keeps_handles_and_what_places_them_and_without_a_handle_everything() {
    let page = curate(&fixture::read("article")).unwrap();
    let lines = shown(
        &page,
        &Request {
            query: None,
            interactive: true,
        },
    );
    assert!(lines.iter().any(|line| line.contains("link \"Mara Quill\"")));
    assert!(lines.iter().any(|line| line.starts_with("navigation \"Main\"")));
    assert!(!lines.contains(&"heading \"Tides of the Severn\"".to_owned()));
    assert!(!lines.iter().any(|line| line.contains("fourteen metres")));

    let bare = tree(&[node(1, "RootWebArea", "P", [2]), node(2, "heading", "H", [])]);
    assert_eq!(
        shown(
            &bare,
            &Request {
                query: None,
                interactive: true
            }
        ),
        ["page \"P\"", "heading \"H\""]
    );
}

#[test]
fn a_handle_without_a_name_brings_its_text() {
    let page = curate(&fixture::read("clickable")).unwrap();
    let lines = shown(
        &page,
        &Request {
            query: None,
            interactive: true,
        },
    );
    for text in [
        "Inline div",
        "Listener div",
        "Tab div",
        "Item with listener",
        "Delegated tile",
    ] {
        assert!(lines.contains(&format!("text \"{text}\"")), "{text}");
    }
    assert!(!lines.iter().any(|line| line.contains("none")));
}

#[test]
fn neither_query_nor_interactive_narrows_the_uids() {
    let page = curate(&fixture::read("order-table")).unwrap();
    let uids = uid::classic(&page);
    assert_eq!(uids.len(), 201);
    let before = uids.clone();
    project(
        &page,
        &uids,
        &Request {
            query: Some("ORD-0173"),
            interactive: true,
        },
    );
    assert_eq!(uids, before);
}

/// 36,000 nodes, the largest tree that was met on a real page, in the shapes that make a careless walk quadratic.
fn shapes() -> Vec<(&'static str, Page)> {
    const NODES: usize = 36_000;
    let text = |id: usize| node(id, "StaticText", &format!("word {id} common"), []);
    let deep = (1..NODES)
        .map(|id| node(id, "group", &format!("level {id} common"), [id + 1]))
        .collect::<Vec<_>>();
    let mut wide = vec![node(1, "RootWebArea", "P", 2..NODES)];
    wide.extend((2..NODES).map(text));
    let mut row = vec![node(1, "table", "T", [2]), node(2, "row", "", 3..NODES)];
    row.extend((3..NODES).map(|id| node(id, "cell", &format!("cell {id} common"), [])));
    let mut rows = (1..NODES)
        .map(|id| node(id, "row", "common", [id + 1]))
        .collect::<Vec<_>>();
    rows.push(node(NODES, "cell", "common", []));
    let mut field = node(1, "textbox", "F", 2..NODES);
    field["properties"] =
        json!([{"name": "editable", "value": {"value": "richtext"}}, {"name": "focusable", "value": {"value": true}}]);
    field["value"] = json!({"value": (2..NODES).fold(String::new(), |mut all, id| { let _ = write!(all, "word {id} common "); all })});
    let mut editor = vec![field];
    editor.extend((2..NODES).map(text));
    let mut link = vec![
        node(1, "listitem", "", [2]),
        node(2, "link", &"word common ".repeat(NODES), 3..NODES),
    ];
    link.extend((3..NODES).map(|id| node(id, "StaticText", if id % 2 == 0 { "common" } else { "word" }, [])));
    vec![
        ("deep", tree(&deep)),
        ("wide", tree(&wide)),
        ("one row", tree(&row)),
        ("nested rows", tree(&rows)),
        ("editor", tree(&editor)),
        ("link", tree(&link)),
    ]
}

#[test]
fn thirty_six_thousand_nodes_of_any_shape_are_viewed_and_searched() {
    let many: String = (0..500).fold("common ".to_owned(), |mut all, at| {
        let _ = write!(all, "{at} ");
        all
    });
    for (shape, page) in shapes() {
        let uids = uid::classic(&page);
        for request in [
            Request::default(),
            Request {
                query: None,
                interactive: true,
            },
            Request {
                query: Some("common"),
                interactive: false,
            },
            Request {
                query: Some(&many),
                interactive: true,
            },
        ] {
            let view = project(&page, &uids, &request);
            assert!(!view.kept.is_empty(), "{shape}");
            let text = classic::render(&page, &view, &uids);
            assert!(
                text.len() <= 200 * page.nodes.len() + 1_000_000,
                "{shape}: {} bytes",
                text.len()
            );
        }
    }
}
