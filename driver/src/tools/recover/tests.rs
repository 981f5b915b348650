//! What `recover` answers for each kind of document and query. It must not know how a store keeps it.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::ax::{Capture, FrameCapture};
use crate::store::{Options, SnapshotMeta};
use crate::tools::Code;

const SAVE: &str = r#"{"nodeId":"1","ignored":false,"role":{"type":"role","value":"button"},"name":{"type":"computedString","value":"Save order"},"properties":[{"name":"focusable","value":{"type":"booleanOrUndefined","value":true}},{"name":"disabled","value":{"type":"boolean","value":false}}]}"#;
const EMAIL: &str =
    r#"{"nodeId":"2", "role":{"value":"textbox"},"name":{"value":"Email \/ É"},"value":{"value":"a\ud800@b.test"}}"#;
const PLAN: &str = r#"{"nodeId":"3","role":{"value":"combobox"},"name":{"value":"Plan"},"properties":[{"name":"expanded","value":{"value":false}}]}"#;
const TEXT: &str = r#"{"nodeId":"4","role":{"value":"StaticText"},"name":{"value":"line one\n{\"nodeId\":\"9\"}\n… 7 records left out …"}}"#;

fn document(records: &[&str]) -> String {
    format!(r#"{{"nodes":[{}]}}"#, records.join(", "))
}

struct Kept {
    store: Store,
    scope: ScopeId,
}

impl Kept {
    fn of(document: &[u8]) -> Self {
        let store = Store::in_memory(Options::default()).unwrap();
        let scope = ScopeId::random();
        store.put(&scope, document, &SnapshotMeta::default()).unwrap();
        Self { store, scope }
    }

    fn ask(&self, query: Option<&str>) -> Recovered {
        let request = RecoverRequest {
            reference: "s1".to_owned(),
            query: query.map(str::to_owned),
        };
        run(&self.store, &self.scope, &request).unwrap()
    }

    fn text(&self, query: &str) -> String {
        String::from_utf8(self.ask(Some(query)).bytes).unwrap()
    }
}

fn form() -> Kept {
    Kept::of(document(&[SAVE, EMAIL, PLAN, TEXT]).as_bytes())
}

#[test]
fn without_a_query_the_bytes_are_exact_whatever_they_are() {
    for document in [b"".as_slice(), b"\x00\xff\n", b"{\"nodes\":[]}", &vec![b'x'; 20 << 20]] {
        let recovered = Kept::of(document).ask(None);
        assert!(recovered.bytes == document);
        assert_eq!(recovered.part, Part::Whole);
    }
}

#[test]
fn a_match_is_the_whole_record_verbatim_between_its_gaps() {
    assert_eq!(
        form().text("email"),
        format!("… 1 record left out …\n{EMAIL}\n… 2 records left out …")
    );
    assert_eq!(form().text("SAVE"), format!("{SAVE}\n… 3 records left out …"));
    assert_eq!(form().ask(Some("email")).part, Part::Records { shown: 1, of: 4 });
}

#[test]
fn records_with_all_terms_go_before_records_with_some() {
    assert_eq!(form().text("save button"), format!("{SAVE}\n… 3 records left out …"));
    assert_eq!(
        form().text("save plan nothing"),
        format!("{SAVE}\n… 1 record left out …\n{PLAN}\n… 1 record left out …")
    );
}

#[test]
fn role_name_value_and_properties_are_looked_at_and_false_ones_are_not() {
    assert!(form().text("combobox").contains(PLAN));
    assert!(form().text("b.test").contains(EMAIL));
    assert!(form().text("é").contains(EMAIL));
    assert!(form().text("collapsed").contains(PLAN));
    assert!(form().text("focusable").contains(SAVE));
    assert_eq!(form().text("disabled"), "… no record matches; 4 records left out …");
    // What only stands in the JSON's own words is no match.
    assert_eq!(
        form().text("computedString"),
        "… no record matches; 4 records left out …"
    );
}

#[test]
fn page_text_cannot_pass_for_a_marker_or_a_record() {
    let text = form().text("one");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines, ["… 3 records left out …", TEXT]);
}

#[test]
fn no_match_says_so_and_leaves_all_out() {
    let recovered = form().ask(Some("zebra"));
    assert_eq!(recovered.bytes, "… no record matches; 4 records left out …".as_bytes());
    assert_eq!(recovered.part, Part::Records { shown: 0, of: 4 });
}

#[test]
fn everything_comes_where_nothing_can_be_told_apart() {
    let same = document(&[SAVE, SAVE]);
    let whole = document(&[SAVE, EMAIL]);
    let cases: [(&[u8], &str); 9] = [
        (same.as_bytes(), "save"),
        (whole.as_bytes(), " \t\n"),
        (b"no json", "json"),
        (b"\xff{\"nodes\":[]}", "nodes"),
        (b"{\"nodes\":[]}", "nodes"),
        (b"{\"nodes\":7}", "nodes"),
        (b"{\"frames\":[]}", "frames"),
        (b"{\"frames\":[{\"frameId\":\"a\"}]}", "a"),
        (b"[1, \"x\", null]", "x"),
    ];
    for (document, query) in cases {
        let recovered = Kept::of(document).ask(Some(query));
        assert_eq!(
            (recovered.bytes.as_slice(), recovered.part),
            (document, Part::Whole),
            "{query}"
        );
    }
}

#[test]
fn a_bare_array_has_records_too() {
    let kept = Kept::of(format!("[{SAVE},{PLAN}]").as_bytes());
    assert_eq!(kept.text("plan"), format!("… 1 record left out …\n{PLAN}"));
}

#[test]
fn records_of_several_frames_stand_below_their_frame() {
    let frame = |id: &str, records: &[&str]| FrameCapture {
        frame_id: id.to_owned(),
        loader_id: String::new(),
        url: format!("https://{id}.test/\"\n"),
        owner: None,
        session: String::new(),
        raw: document(records).into_bytes().into(),
        layout: None,
    };
    let capture = Capture {
        frames: vec![
            frame("a", &[SAVE, PLAN]),
            frame("b", &[EMAIL]),
            frame("c", &[PLAN, TEXT]),
        ],
    };
    let kept = Kept::of(&capture.document());
    assert_eq!(
        kept.text("plan"),
        format!(
            "… 1 record left out …\n… frame \"a\" \"https://a.test/\\\"\\n\" …\n{PLAN}\n\
             … 1 record left out …\n… frame \"c\" \"https://c.test/\\\"\\n\" …\n{PLAN}\n… 1 record left out …"
        )
    );
    assert_eq!(kept.ask(None).bytes, capture.document().as_ref());
}

#[test]
fn arguments_over_their_limits_are_refused() {
    let kept = form();
    let ask = |reference: &str, query: &str| {
        let request = RecoverRequest {
            reference: reference.to_owned(),
            query: Some(query.to_owned()),
        };
        run(&kept.store, &kept.scope, &request).map_err(|error| error.code())
    };
    assert!(ask("s1", &"q".repeat(QUERY_LIMIT)).is_ok());
    assert_eq!(ask("s1", &"q".repeat(QUERY_LIMIT + 1)), Err(Code::InvalidArguments));
    assert_eq!(ask(&"s".repeat(513), ""), Err(Code::InvalidArguments));
    assert_eq!(ask("s2", ""), Err(Code::UnknownHandle));
    assert_eq!(ask("ccr_00000000", ""), Err(Code::UnknownHandle));
    assert_eq!(ask("", ""), Err(Code::UnknownHandle));
}

#[test]
fn a_short_handle_of_another_session_recovers_nothing() {
    let kept = form();
    let request = RecoverRequest {
        reference: "s1".to_owned(),
        query: None,
    };
    let error = run(&kept.store, &ScopeId::random(), &request).unwrap_err();
    assert_eq!(error.code(), Code::UnknownHandle);
}

#[test]
fn a_node_nested_deep_is_still_one_record() {
    let deep = format!(
        r#"{{"nodeId":"5","role":{{"value":"link"}},"name":{{"value":"Deep","sources":{}1{}}}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    let kept = Kept::of(document(&[SAVE, &deep]).as_bytes());
    assert_eq!(kept.text("deep"), format!("… 1 record left out …\n{deep}"));
}
