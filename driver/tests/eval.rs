//! What `browser_eval` promises (contract, rule 26).
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "support/site.rs"]
mod site;
#[path = "support/tab.rs"]
mod tab;

use caveman_browse::tools::Code;
use caveman_browse::tools::eval::EXPRESSION_LIMIT;
use std::time::Duration;
use tab::Tab;

const PAGE: &str = "<!doctype html><title>Page</title><h1 id=h>Some page</h1><p>With a few words to read.</p>
<script>JSON.stringify = () => '{}'; Object.prototype.toJSON = Array.prototype.toJSON = () => 'mine'; var answer = 42</script>";

#[tokio::test]
async fn values_come_back_as_json_whatever_the_page_overrides() {
    let Some(mut tab) = Tab::new(&[("page", PAGE)]) else {
        return;
    };
    tab.open("page").await;
    for (expression, value) in [
        ("answer", "42"),
        ("undefined", "null"),
        ("null", "null"),
        (
            "({a: [1, 'x', null, true], b: {c: 'é\\n'}})",
            r#"{"a":[1,"x",null,true],"b":{"c":"é\n"}}"#,
        ),
        ("Promise.resolve([1])", "[1]"),
        ("0/0", "\"NaN\""),
        ("-0", "-0"),
        ("12345678901234567890n", "\"12345678901234567890n\""),
        ("(function f() { return 1 })", "\"function f() { return 1 }\""),
        ("document.getElementById('h')", "\"h1#h\""),
        ("new Date(NaN)", "\"Invalid Date\""),
        ("/a+/g", "\"/a+/g\""),
        ("'\\u{1F600}'", "\"😀\""),
        ("document.body.getBoundingClientRect()", "\"DOMRect\""),
        ("'\\ud800'", "\"\u{fffd}\""),
    ] {
        let text = tab
            .eval(expression)
            .await
            .unwrap_or_else(|refused| panic!("{expression}: {refused:?}"));
        assert_eq!(text, format!("{{\"result\":{value}}}"), "{expression}");
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }
    let cycle = tab
        .eval("(() => { const o = {}; o.o = o; return o })()")
        .await
        .unwrap_err();
    assert_eq!(cycle.code, Code::EvalFailed, "{cycle:?}");
    assert!(
        tab.eval("Symbol('s')")
            .await
            .is_ok_and(|text| text.contains("Symbol(s)"))
    );
}

#[tokio::test]
async fn an_exception_is_named_on_one_line() {
    let Some(mut tab) = Tab::new(&[("page", PAGE)]) else {
        return;
    };
    tab.open("page").await;
    for (expression, says) in [
        ("throw_()", "ReferenceError: throw_ is not defined"),
        (
            "(() => { throw new Error('first\\nsecond \\u202e') })()",
            "Error: first second",
        ),
        ("(() => { throw 5 })()", "thrown: 5"),
        ("Promise.reject(new TypeError('no'))", "TypeError: no"),
        ("1 +", "SyntaxError"),
    ] {
        let refused = tab.eval(expression).await.unwrap_err();
        assert_eq!(refused.code, Code::EvalFailed, "{expression}");
        assert!(
            refused.text.contains(says) && !refused.text.contains('\n'),
            "{expression}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn too_large_and_empty_expressions_are_refused() {
    let Some(mut tab) = Tab::new(&[("page", PAGE)]) else {
        return;
    };
    tab.open("page").await;
    assert_eq!(
        tab.eval(&" ".repeat(EXPRESSION_LIMIT + 1)).await.unwrap_err().code,
        Code::PayloadTooLarge
    );
    assert_eq!(tab.eval("").await.unwrap_err().code, Code::InvalidArguments);
    assert_eq!(
        tab.value(&format!("'{}'.length", "x".repeat(EXPRESSION_LIMIT - 9)))
            .await,
        (EXPRESSION_LIMIT - 9).to_string()
    );
    assert_eq!(
        tab.eval("'x'.repeat(17 * 1024 * 1024)").await.unwrap_err().code,
        Code::PayloadTooLarge
    );
}

#[tokio::test]
async fn what_never_ends_is_stopped_and_the_page_stays_usable() {
    let Some(mut tab) = Tab::new(&[("page", PAGE)]) else {
        return;
    };
    tab.open("page").await;
    for expression in [
        "for (;;) {}",
        "Promise.resolve().then(() => { for (;;) {} })",
        "new Promise(() => {})",
    ] {
        let refused = tab.eval(expression).await.unwrap_err();
        assert_eq!(refused.code, Code::Timeout, "{expression} {refused:?}");
        assert!(refused.took < Duration::from_secs(13), "{expression} {refused:?}");
        assert_eq!(tab.value("answer").await, "42", "after {expression}");
    }
}

#[tokio::test]
async fn a_dialog_is_told_at_once_and_leaving_ends_the_wait() {
    let Some(mut tab) = Tab::new(&[("page", PAGE)]) else {
        return;
    };
    tab.open("page").await;
    let refused = tab.eval("alert('Hello')").await.unwrap_err();
    assert!(
        refused.code == Code::DialogOpen && refused.took < Duration::from_secs(2),
        "{refused:?}"
    );
    let accept = caveman_browse::tools::act::ActRequest {
        action: "accept".to_owned(),
        ..Default::default()
    };
    tab.request(&accept).await.unwrap();
    assert_eq!(tab.value("answer").await, "42");
    let left = tab.eval("new Promise(() => location.reload())").await.unwrap_err();
    assert!(
        left.code == Code::EvalFailed && left.took < Duration::from_secs(5),
        "{left:?}"
    );
}
