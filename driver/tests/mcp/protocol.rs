//! What any client may send, over the standard streams of the real binary: no Chrome is needed or started here.

use super::client::{Server, initialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn every_protocol_version_of_the_sdk_is_spoken_and_another_gets_the_newest() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (mut server, result) = Server::initialized(version);
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(
            result["serverInfo"],
            json!({"name": "caveman-browse", "version": env!("CARGO_PKG_VERSION")})
        );
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        let list = server.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
        let names: Vec<&str> = list["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["browser_snapshot", "browser_act", "browser_eval", "browser_recover"]
        );
        server.close();
    }
    for version in ["1999-01-01", "2030-01-01", "", "x"] {
        assert_eq!(Server::initialized(version).1["protocolVersion"], "2025-11-25");
    }
}

#[test]
fn the_version_without_a_handshake_is_spoken() {
    let mut server = Server::without_chrome();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discovered =
        server.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}));
    assert!(
        discovered["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28")),
        "{discovered}"
    );
    let list = server.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": meta}}));
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 4);
    server.close();
}

#[test]
fn the_listed_catalog_is_the_counted_one() {
    let (mut server, _) = Server::initialized("2025-06-18");
    let list = server.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    let counted: Value = serde_json::from_str(&caveman_browse::tools::catalog::to_json()).unwrap();
    assert_eq!(list["result"], json!({"tools": counted}));
    server.close();
}

#[test]
fn what_comes_before_initialize_is_answered_and_changes_nothing() {
    let mut server = Server::without_chrome();
    server.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\nnonsense\n");
    assert_eq!(server.read()["error"]["code"], -32700);
    let early = server.ask(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}));
    assert_eq!((&early["id"], &early["error"]["code"]), (&json!(3), &json!(-32600)));
    assert_eq!(
        server.ask(&json!({"jsonrpc": "2.0", "id": 4, "method": "ping"}))["result"],
        json!({})
    );
    let bad = server.ask(&json!({"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": {"protocolVersion": 5}}));
    assert_eq!((&bad["id"], &bad["error"]["code"]), (&json!(5), &json!(-32602)));
    let answer = server.ask(&initialize("late", "2024-11-05"));
    assert_eq!(answer["result"]["protocolVersion"], "2024-11-05");
    server.close();
}

#[test]
fn a_refused_call_says_what_is_wrong_and_starts_nothing() {
    let (mut server, _) = Server::initialized("2025-06-18");
    for (name, arguments, text) in [
        ("browser_fly", json!({}), "cave_unknown_tool: no tool \"browser_fly\""),
        (
            "browser_snapshot",
            json!({"URL": "http://a/"}),
            "cave_invalid_arguments: unknown argument \"URL\"",
        ),
        (
            "browser_snapshot",
            json!({"wait": 30_001}),
            "cave_invalid_arguments: wait is 30001",
        ),
        (
            "browser_snapshot",
            json!({"wait": true}),
            "cave_invalid_arguments: wait must be an integer",
        ),
        (
            "browser_act",
            json!({"uid": "u1"}),
            "cave_invalid_arguments: action is missing",
        ),
        (
            "browser_act",
            json!({"action": ["click"]}),
            "cave_invalid_arguments: action must be a string",
        ),
        (
            "browser_eval",
            json!({"expression": {}}),
            "cave_invalid_arguments: expression must be a string",
        ),
        (
            "browser_recover",
            json!({"recovery_handle": "h".repeat(513)}),
            "cave_invalid_arguments: recovery_handle has 513",
        ),
    ] {
        let found = server.refusal(name, &arguments);
        assert!(found.starts_with(text), "{found}");
    }
    server.close();
}

#[test]
fn an_over_long_line_is_refused_with_its_id_and_the_next_call_works() {
    let (mut server, _) = Server::initialized("2025-06-18");
    let long = "x".repeat(16 * 1024 * 1024);
    let line = format!(
        "{{\"method\":\"tools/call\",\"params\":{{\"name\":\"browser_eval\",\"arguments\":{{\"expression\":\"{long}\"}}}},\"jsonrpc\":\"2.0\",\"id\":41}}\n"
    );
    server.write(line.as_bytes());
    let answer = server.read();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(41), &json!(-32600)));
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("cave_payload_too_large: "),
        "{answer}"
    );
    // Just under the limit a line is read; then its argument is over its own.
    let long = "x".repeat(16 * 1024 * 1024 - 200);
    let found = server.refusal("browser_eval", &json!({"expression": long}));
    assert!(found.starts_with("cave_payload_too_large: expression has "), "{found}");
    server.close();
}

/// A small generator with a fixed seed, so that a failure can be repeated (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next()).unwrap() % limit
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }
}

/// How many lines go to the server before a ping asks whether it is still there.
const BATCH: usize = 50;

#[test]
fn a_thousand_random_lines_do_no_harm() {
    let (mut server, _) = Server::initialized("2025-06-18");
    let mut random = Random(1);
    for round in 0..1000 / BATCH {
        let mut sent = 0;
        for _ in 0..BATCH {
            let mut line: Vec<u8> = (0..random.below(200)).map(|_| random.byte()).collect();
            line.retain(|byte| *byte != b'\n');
            sent += usize::from(!line.trim_ascii().is_empty());
            line.push(b'\n');
            server.write(&line);
        }
        // No such line is a message; each is answered all the same.
        let answers = server.read_until_ping(&format!("ping {round}"));
        assert_eq!(answers.len(), sent);
        assert!(
            answers
                .iter()
                .all(|answer| answer["error"]["code"].is_i64() && answer["id"].is_null()),
            "{answers:?}"
        );
    }
    server.close();
}

/// Messages that a client could send; none of them needs a Chrome.
fn seeds() -> Vec<Value> {
    let call = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments, "_meta": {"progressToken": 1}});
        json!({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": params})
    };
    vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": {"cursor": "a"}}),
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {"roots": {"listChanged": true}}, "clientInfo": {"name": "t", "version": "1"}}}),
        call(
            "browser_snapshot",
            json!({"url": "file:///etc/passwd", "wait": 60_000, "query": "a b", "interactive": "yes"}),
        ),
        call(
            "browser_act",
            json!({"action": 5, "uid": "u1", "text": "t", "option": "o"}),
        ),
        call("browser_eval", json!({"expression": false})),
        call("browser_recover", json!({"recovery_handle": ["ccr_0"], "query": "q"})),
        json!({"jsonrpc": "2.0", "id": 0, "method": "resources/read", "params": {"uri": "x"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 0.5}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "none", "reason": "r"}}),
    ]
}

/// The value at a place, counted from the outside in, in order.
fn place<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| place(item, left)),
        Value::Object(members) => members.values_mut().find_map(|item| place(item, left)),
        _ => None,
    }
}

fn places(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(places).sum(),
        Value::Object(members) => members.values().map(places).sum(),
        _ => 0,
    }
}

/// What no one should send.
fn odd(random: &mut Random) -> Value {
    let odd = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("browser_eval"),
        json!("\u{0}\u{fffe}\u{202e}"),
        json!("x".repeat(5000)),
        json!([]),
        json!([[[[1]]]]),
        json!({}),
        json!({"id": 1, "method": "ping", "": null}),
    ];
    odd[random.below(odd.len())].clone()
}

fn mutate_value(message: &mut Value, random: &mut Random) {
    let mut left = random.below(places(message));
    let Some(target) = place(message, &mut left) else {
        return;
    };
    match (random.below(4), &mut *target) {
        (0, Value::Object(members)) if !members.is_empty() => {
            let name = members.keys().nth(random.below(members.len())).unwrap().clone();
            members.remove(&name);
        }
        (1, Value::Object(members)) => {
            members.insert(
                ["id", "method", "jsonrpc", "params", "result", "extra"][random.below(6)].to_owned(),
                odd(random),
            );
        }
        (2, Value::String(text)) => text.push('\u{1f600}'),
        _ => *target = odd(random),
    }
}

fn mutate_bytes(line: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(line.len());
        match random.below(4) {
            0 => line[at] = random.byte(),
            1 => line.truncate(at.max(1)),
            2 => line.insert(at, random.byte()),
            _ => drop(line.remove(at)),
        }
        if line.is_empty() {
            line.push(b'x');
        }
    }
    line.iter_mut()
        .filter(|byte| **byte == b'\n')
        .for_each(|byte| *byte = b' ');
}

/// The id of the answer that a line must get; `None` where silence is right.
fn must_answer(line: &[u8]) -> Option<Value> {
    match serde_json::from_slice::<Value>(line) {
        Err(_) => (!line.trim_ascii().is_empty()).then_some(Value::Null),
        Ok(Value::Object(message)) => {
            let id = message.get("id").filter(|id| id.is_string() || id.is_number())?;
            let answer =
                !message.contains_key("method") && (message.contains_key("result") || message.contains_key("error"));
            (!answer).then(|| id.clone())
        }
        Ok(_) => Some(Value::Null),
    }
}

#[test]
fn a_thousand_mutated_messages_are_each_answered() {
    let (mut server, _) = Server::initialized("2025-06-18");
    let mut random = Random(2);
    let seeds = seeds();
    for round in 0..1000 / BATCH {
        let mut due: BTreeMap<String, usize> = BTreeMap::new();
        for number in 0..BATCH {
            let mut message = seeds[random.below(seeds.len())].clone();
            if message.get("id").is_some() {
                message["id"] = json!(format!("{round} {number}"));
            }
            for _ in 0..random.below(3) {
                mutate_value(&mut message, &mut random);
            }
            let mut line = message.to_string().into_bytes();
            if random.below(2) == 0 {
                mutate_bytes(&mut line, &mut random);
            }
            if let Some(id) = must_answer(&line) {
                *due.entry(id.to_string()).or_default() += 1;
            }
            line.push(b'\n');
            server.write(&line);
        }
        for answer in server.read_until_ping(&format!("ping {round}")) {
            settle(&mut due, &answer);
        }
        while !due.is_empty() {
            let answer = server.read();
            settle(&mut due, &answer);
        }
    }
    assert!(server.runs());
}

fn settle(due: &mut BTreeMap<String, usize>, answer: &Value) {
    assert!(
        answer.get("result").is_some() || answer["error"]["code"].is_i64(),
        "{answer}"
    );
    if let Some(count) = due.get_mut(&answer["id"].to_string()) {
        *count -= 1;
        if *count == 0 {
            due.remove(&answer["id"].to_string());
        }
    }
}
