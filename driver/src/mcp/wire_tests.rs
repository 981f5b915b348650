//! What becomes of lines: claims about the judge.
#![allow(clippy::unwrap_used)]

use super::*;

const LIMIT: usize = 1000;

fn judge_with(judge: &mut Judge, line: &str) -> Verdict {
    judge.judge(&Line::Whole(line.as_bytes().to_vec()), LIMIT, &|id| {
        *id == RequestId::Number(77)
    })
}

/// The verdict on a line of a session that has begun.
fn verdict(line: &str) -> Verdict {
    judge_with(&mut Judge { begun: true }, line)
}

/// The id and the code of the one refusal of a line, in a session that has begun.
fn refusal(line: &str) -> (Value, i64, String) {
    let Verdict::Answer(answers) = verdict(line) else {
        panic!("{line} is not refused: {:?}", verdict(line))
    };
    let [answer] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!(answer["jsonrpc"], "2.0");
    let error = &answer["error"];
    (
        answer["id"].clone(),
        error["code"].as_i64().unwrap(),
        error["message"].as_str().unwrap().to_owned(),
    )
}

#[test]
fn what_is_not_json_is_a_parse_error_without_an_id() {
    for line in [
        "{",
        "x",
        "{\"id\":1",
        "\u{0}",
        "{\"id\":1}}",
        "nul",
        "{'id':1}",
        "\u{feff}{}",
        "[1,",
    ] {
        let (id, code, text) = refusal(line);
        assert_eq!((id, code), (Value::Null, -32700), "{line}");
        assert!(text.starts_with("not JSON: "), "{text}");
    }
    let deep = "[".repeat(5000);
    assert_eq!(refusal(&deep).1, -32700);
    let not_text = Judge::default().judge(&Line::Whole(vec![0xff, 0xfe]), LIMIT, &|_| false);
    assert!(matches!(not_text, Verdict::Answer(answers) if answers[0]["error"]["code"] == -32700));
}

#[test]
fn what_is_no_request_is_refused_with_its_id_where_it_has_one() {
    for (line, id, code) in [
        ("1", "null", -32600),
        ("\"x\"", "null", -32600),
        ("null", "null", -32600),
        ("{}", "null", -32600),
        (r#"{"id":4}"#, "4", -32600),
        (r#"{"id":4,"method":5,"jsonrpc":"2.0"}"#, "4", -32600),
        (r#"{"id":4,"method":"ping"}"#, "4", -32600),
        (r#"{"id":"a","method":"ping","jsonrpc":"1.0"}"#, "\"a\"", -32600),
        (r#"{"id":null,"method":"ping","jsonrpc":"2.0"}"#, "null", -32600),
        (r#"{"id":1.5,"method":"ping","jsonrpc":"2.0"}"#, "1.5", -32600),
        (
            r#"{"id":18446744073709551615,"method":"ping","jsonrpc":"2.0"}"#,
            "18446744073709551615",
            -32600,
        ),
        (r#"{"id":{},"method":"ping","jsonrpc":"2.0"}"#, "null", -32600),
        (r#"{"id":[1],"method":"ping","jsonrpc":"2.0"}"#, "null", -32600),
        (r#"{"id":true,"method":"ping","jsonrpc":"2.0"}"#, "null", -32600),
        (r#"{"id":4,"method":"ping","jsonrpc":"2.0","params":[1]}"#, "4", -32602),
        (
            r#"{"id":4,"method":"tools/call","jsonrpc":"2.0","params":"x"}"#,
            "4",
            -32602,
        ),
        (r#"{"id":4,"method":"tools/call","jsonrpc":"2.0"}"#, "4", -32602),
        (
            r#"{"id":4,"method":"tools/call","jsonrpc":"2.0","params":{"name":5}}"#,
            "4",
            -32602,
        ),
        (
            r#"{"id":4,"method":"tools/call","jsonrpc":"2.0","params":{"name":"a","arguments":[]}}"#,
            "4",
            -32602,
        ),
        (
            r#"{"id":4,"method":"initialize","jsonrpc":"2.0","params":{}}"#,
            "4",
            -32602,
        ),
        (r#"{"id":4,"method":"Ping","jsonrpc":"2.0"}"#, "4", -32601),
        (r#"{"id":4,"method":"","jsonrpc":"2.0"}"#, "4", -32601),
        (
            r#"{"id":4,"method":"notifications/initialized","jsonrpc":"2.0"}"#,
            "4",
            -32601,
        ),
    ] {
        let (found, found_code, _) = refusal(line);
        assert_eq!((found.to_string().as_str(), found_code), (id, code), "{line}");
    }
}

#[test]
fn an_unknown_method_is_named_with_the_known_ones() {
    let (_, _, text) = refusal(r#"{"id":4,"method":"resources/list","jsonrpc":"2.0"}"#);
    assert_eq!(
        text,
        "no method \"resources/list\"; this server has initialize, ping, tools/list, tools/call, server/discover"
    );
}

#[test]
fn each_request_of_a_batch_is_refused() {
    let batch = r#"[{"id":1,"method":"ping"},{"method":"x"},{"id":"b","method":"y"},7]"#;
    let Verdict::Answer(answers) = verdict(batch) else {
        panic!()
    };
    let ids: Vec<String> = answers.iter().map(|answer| answer["id"].to_string()).collect();
    assert_eq!(ids, ["1", "\"b\""]);
    assert_eq!(
        refusal("[]"),
        (
            Value::Null,
            -32600,
            "batches are not taken; send one message a line".to_owned()
        )
    );
}

#[test]
fn notifications_and_answers_to_nothing_are_met_with_silence() {
    for line in [
        "",
        "  \r",
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
    ] {
        assert!(matches!(verdict(line), Verdict::Nothing), "{line}");
    }
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert!(matches!(
        judge_with(&mut Judge::default(), initialized),
        Verdict::Nothing
    ));
    assert!(matches!(
        verdict(initialized),
        Verdict::Notification { cancels: None, .. }
    ));
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#;
    assert!(matches!(
        verdict(cancelled),
        Verdict::Notification {
            cancels: Some(RequestId::String(_)),
            ..
        }
    ));
}

#[test]
fn a_session_begins_with_initialize() {
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let mut judge = Judge::default();
    let Verdict::Answer(answers) = judge_with(&mut judge, list) else {
        panic!()
    };
    assert!(
        answers[0]["error"]["message"]
            .as_str()
            .unwrap()
            .ends_with("send initialize first")
    );
    assert!(matches!(
        judge_with(&mut judge, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
        Verdict::Request(..)
    ));
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    assert!(matches!(judge_with(&mut judge, initialize), Verdict::Request(..)));
    assert!(matches!(judge_with(&mut judge, list), Verdict::Request(..)));
    let inline = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    assert!(matches!(
        judge_with(&mut Judge::default(), inline),
        Verdict::Request(..)
    ));
}

#[test]
fn an_id_in_use_is_refused() {
    let (id, code, text) = refusal(r#"{"jsonrpc":"2.0","id":77,"method":"ping"}"#);
    assert_eq!((id, code), (json!(77), -32600));
    assert!(text.starts_with("id 77 is in use"), "{text}");
}

fn too_long(head: &str, tail: &str) -> (Value, String) {
    let line = Line::TooLong {
        head: head.as_bytes().to_vec(),
        tail: tail.as_bytes().to_vec(),
    };
    let Verdict::Answer(answers) = Judge::default().judge(&line, LIMIT, &|_| false) else {
        panic!()
    };
    (
        answers[0]["id"].clone(),
        answers[0]["error"]["message"].as_str().unwrap().to_owned(),
    )
}

#[test]
fn an_over_long_request_is_refused_with_its_id_where_its_ends_show_it() {
    assert_eq!(
        too_long("xxx", "xxx").1,
        "cave_payload_too_large: the line was over 1000 bytes and was discarded"
    );
    for (head, tail, id) in [
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"xxx"#,
            "xxx\"}}",
            json!(9),
        ),
        (r#"{ "id" : "a" , "params":{"#, "xx\"}}", json!("a")),
        (
            r#"{"method":"tools/call","params":{"x":"xx"#,
            r#"xx"}},"jsonrpc":"2.0","id":12}"#,
            json!(12),
        ),
        (r#"{"params":{"x":"xx"#, "xx\"}} , \"id\" : \"b\" } \r", json!("b")),
        (r#"{"params":{"id":5,"x":"xx"#, "xx\"}}", Value::Null),
        (r#"{"params":{"x":"xx"#, r#"xx","id":5}}"#, Value::Null),
        (r#"{"params":{"x":"xx"#, r#"xx \"id\":5}"}"#, Value::Null),
        (r#"["id",3"#, "", Value::Null),
        ("", "", Value::Null),
    ] {
        assert_eq!(too_long(head, tail).0, id, "{head} … {tail}");
    }
    let mut tail = "ü".as_bytes()[1..].to_vec();
    tail.extend_from_slice(br#"","id":3}"#);
    assert_eq!(id_in_tail(&tail), Some(json!(3)));
}
