//! The four tools through the protocol, on a real Chrome: what is delivered, and what is told besides.

use super::client::{Server, chrome_is_there};
use serde_json::{Value, json};

const PAGE: &str = "data:text/html,<title>Order</title><h1>Order</h1><label for=m>Email</label><input id=m>\
                    <button onclick=\"document.querySelector('output').textContent='Saved '%2Bm.value\">Save order</button>\
                    <output>Ready</output><p>Some words that are there so that the tree is larger than the view of it.</p>";

/// The uid of the line that names something.
fn uid_of(view: &str, name: &str) -> String {
    let line = view
        .lines()
        .find(|line| line.contains(name) && line.contains('['))
        .unwrap_or_else(|| panic!("{view}"));
    let (_, rest) = line.split_once('[').unwrap();
    rest.split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned()
}

#[test]
fn a_page_is_seen_acted_on_verified_and_recovered() {
    if !chrome_is_there() {
        return;
    }
    let mut server = Server::with_chrome();
    let taken = server.call("browser_snapshot", &json!({"url": PAGE}));
    let view = taken["content"][0]["text"].as_str().unwrap().to_owned();
    let meta = &taken["_meta"];
    assert_eq!(taken["content"].as_array().unwrap().len(), 1);
    assert_eq!(meta["basis"], "inferred");
    assert_eq!(meta["url"], PAGE);
    assert_eq!(meta["after"], caveman_browse::tokens::count(&view), "{meta}");
    let (before, after) = (meta["before"].as_f64().unwrap(), meta["after"].as_f64().unwrap());
    assert!(
        (meta["ratio"].as_f64().unwrap() - (1.0 - after / before)).abs() < 0.000_051,
        "{meta}"
    );
    let handle = meta["handle"].as_str().unwrap().to_owned();
    let short = meta["short"].as_str().unwrap().to_owned();

    let email = uid_of(&view, "Email");
    server.text(
        "browser_act",
        &json!({"action": "type", "uid": email, "text": "ops@example.com"}),
    );
    let seen = server.text(
        "browser_act",
        &json!({"action": "click", "uid": uid_of(&view, "Save order"), "query": "Saved"}),
    );
    assert!(seen.contains("Saved ops@example.com"), "{seen}");
    let verified = server.text("browser_snapshot", &json!({"query": "Saved"}));
    assert!(verified.contains("Saved ops@example.com"), "{verified}");
    assert_eq!(
        server.text("browser_eval", &json!({"expression": "document.title"})),
        r#"{"result":"Order"}"#
    );

    for reference in [&handle, &short] {
        let original = server.text("browser_recover", &json!({"recovery_handle": reference}));
        assert_eq!(Value::from(caveman_browse::tokens::count(&original)), meta["before"]);
        assert!(serde_json::from_str::<Value>(&original).unwrap()["nodes"].is_array());
    }
    let part = server.text(
        "browser_recover",
        &json!({"recovery_handle": handle, "query": "Save order"}),
    );
    assert!(part.contains("Save order") && part.contains('…'), "{part}");
    server.close_input();
    assert!(server.wait().success());
}

#[test]
fn each_refusal_reaches_the_model_with_its_code_and_the_session_goes_on() {
    if !chrome_is_there() {
        return;
    }
    let mut server = Server::with_chrome();
    let text = server.text("browser_snapshot", &json!({"url": PAGE}));
    let save = uid_of(&text, "Save order");
    for (name, arguments, code) in [
        (
            "browser_snapshot",
            json!({"url": "file:///etc/passwd"}),
            "cave_browser_url_denied: ",
        ),
        (
            "browser_snapshot",
            json!({"url": "/relative"}),
            "cave_invalid_arguments: ",
        ),
        (
            "browser_snapshot",
            json!({"url": "http://127.0.0.1:1/"}),
            "cave_browser_snapshot_failed: ",
        ),
        (
            "browser_act",
            json!({"action": "fly", "uid": save}),
            "cave_unknown_action: ",
        ),
        (
            "browser_act",
            json!({"action": "click", "uid": "u0zz"}),
            "cave_unknown_uid: ",
        ),
        (
            "browser_act",
            json!({"action": "type", "uid": save, "text": "t".repeat((1 << 20) + 1)}),
            "cave_payload_too_large: ",
        ),
        (
            "browser_eval",
            json!({"expression": "throw new Error('no')"}),
            "cave_browser_eval_failed: ",
        ),
        (
            "browser_recover",
            json!({"recovery_handle": "ccr_00000000000000000000000000000000"}),
            "cave_unknown_handle: ",
        ),
        (
            "browser_recover",
            json!({"recovery_handle": "s99"}),
            "cave_unknown_handle: ",
        ),
    ] {
        let found = server.refusal(name, &arguments);
        assert!(found.starts_with(code), "{name}: {found}");
    }
    server.close_input();
    assert!(server.wait().success());
}

#[test]
fn a_store_that_cannot_be_opened_is_an_answer_and_no_chrome_starts() {
    let home = tempfile::tempdir().unwrap();
    let mut command = super::client::command(home.path());
    command.env("CAVEMAN_CCR_DB", home.path());
    let mut server = Server::spawn(&mut command, home);
    server.initialize("2025-06-18");
    let found = server.refusal("browser_snapshot", &json!({"url": PAGE}));
    assert!(found.starts_with("cave_browser_snapshot_uncompressed: "), "{found}");
}
