//! What an act answers with: arguments, uids, dialogs, values that did not take, a Chrome that is gone (contract, rules 21 to 24).
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "support/site.rs"]
mod site;
#[path = "support/tab.rs"]
mod tab;

use caveman_browse::tools::Code;
use caveman_browse::tools::act::{ActRequest, TEXT_LIMIT};
use std::time::Duration;
use tab::Tab;

macro_rules! page {
    ($tab:ident, $html:expr) => {
        let Some(mut $tab) = Tab::with($html) else { return };
        $tab.open("page").await;
    };
}

fn ask(action: &str, uid: Option<&str>, text: Option<String>) -> ActRequest {
    ActRequest {
        action: action.to_owned(),
        uid: uid.map(str::to_owned),
        text,
        option: None,
    }
}

#[tokio::test]
async fn what_is_asked_wrongly_is_refused_before_the_page_is_touched() {
    page!(
        tab,
        "<button onclick=\"say('hit')\">Save</button><input aria-label=Name>"
    );
    let uid = tab.uid("button \"Save\"");
    for (request, code) in [
        (ask("hover", Some("u9999"), None), Code::UnknownAction),
        (ask("Click", Some(&uid), None), Code::UnknownAction),
        (ask("click", None, None), Code::InvalidArguments),
        (ask("click", Some("u9999zz"), None), Code::UnknownUid),
        (ask("click", Some("button"), None), Code::UnknownUid),
        (ask("type", Some(&uid), None), Code::InvalidArguments),
        (ask("select", Some(&uid), None), Code::InvalidArguments),
        (
            ask("type", Some(&uid), Some("x".repeat(TEXT_LIMIT + 1))),
            Code::PayloadTooLarge,
        ),
        (ask("accept", None, None), Code::ActionFailed),
    ] {
        let refused = tab.request(&request).await.unwrap_err();
        assert_eq!(refused.code, code, "{} {refused:?}", request.action);
        assert!(refused.took < Duration::from_secs(2), "{refused:?}");
    }
    let refused = tab.request(&ask("hover", None, None)).await.unwrap_err();
    assert!(
        refused.text.contains("click, type, select, scroll, wait"),
        "{refused:?}"
    );
    let waited = tab.request(&ask("wait", None, None)).await.unwrap();
    assert!(waited.settled && waited.text.contains("\"settled\":true"), "{waited:?}");
    tab.out("none").await;
    let done = tab.act("click", "button \"Save\"", None).await.unwrap();
    assert!(
        done.text.starts_with(&format!(
            "{{\"ok\":true,\"uid\":\"{uid}\",\"settled\":false,\"note\":\""
        )),
        "{done:?}"
    );
    tab.type_in("textbox \"Name\"", &"é".repeat(TEXT_LIMIT / 2)).await;
    tab.expect(
        "document.querySelector('input').value.length",
        &(TEXT_LIMIT / 2).to_string(),
    )
    .await;
}

#[tokio::test]
async fn a_uid_is_refused_after_a_navigation_and_after_its_name_changed() {
    page!(
        tab,
        "<button id=a onclick=\"say('a')\">Play</button><button id=b>Next</button>"
    );
    let play = tab.uid("button \"Play\"");
    tab.value("void (a.textContent = 'Delete [9] all')").await;
    let refused = tab.act_on("click", &play, None).await.unwrap_err();
    assert_eq!(refused.code, Code::StaleUid);
    assert!(
        refused
            .text
            .contains(r#"shown as button "Play" and is now button "Delete \[9] all""#),
        "{refused:?}"
    );
    tab.out("none").await;
    tab.value("void (a.textContent = 'Play')").await;
    tab.act_on("click", &play, None).await.unwrap();
    tab.value("void b.setAttribute('aria-hidden', 'true')").await;
    let hidden = tab.fails("click", "button \"Next\"", None).await;
    assert_eq!(hidden.code, Code::StaleUid, "{hidden:?}");
    tab.open("other").await;
    let refused = tab.act_on("click", &play, None).await.unwrap_err();
    assert_eq!(refused.code, Code::StaleUid, "{refused:?}");
    let here = tab.uid("button \"Elsewhere\"");
    tab.value("void location.reload()").await;
    // The document of the same address is another document.
    tab.expect("document.readyState", "\"complete\"").await;
    tab.request(&ask("wait", None, None)).await.unwrap();
    assert_eq!(tab.act_on("click", &here, None).await.unwrap_err().code, Code::StaleUid);
}

#[tokio::test]
async fn text_that_a_field_does_not_keep_is_an_error_that_shows_both() {
    page!(
        tab,
        r#"
<input aria-label=Plain value=abc id=plain><textarea aria-label=Area id=area>one</textarea><input type=email aria-label=Mail id=mail>
<input aria-label=Controlled id=ctl oninput="this.value='fixed'"><input aria-label=Later id=later oninput="setTimeout(()=>this.value='',20)">
<input aria-label=Mask id=mask oninput="this.value=this.value.replace(/(\d\d)(\d)/,'$1/$2')"><input aria-label=Frozen readonly value=x>
<input aria-label=Short maxlength=4 id=short value=ab><input type=password aria-label=Secret oninput="this.value='other'"><button onclick="say('pressed')">Press</button>
<input type=checkbox aria-label=Box><div contenteditable id=rich role=textbox aria-label=Rich><p>first</p></div><input id=moved aria-label=Focus onfocus="plain.focus()">"#
    );
    tab.type_in("textbox \"Plain\"", "def").await;
    tab.expect("plain.value", "\"abcdef\"").await;
    tab.type_in("textbox \"Area\"", "\ntwo").await;
    tab.expect("area.value", "\"one\\ntwo\"").await;
    tab.type_in("textbox \"Mail\"", "a@b.example").await;
    tab.type_in("textbox \"Mail\"", ".org").await;
    tab.expect("mail.value", "\"a@b.example.org\"").await;
    tab.type_in("textbox \"Rich\"", " and last").await;
    tab.expect("rich.textContent", "\"first and last\"").await;
    for (line, text, says) in [
        ("textbox \"Controlled\"", "free", r#"holds "fixed" instead of "free""#),
        ("textbox \"Later\"", "soon gone", r#"holds "" instead of "soon gone""#),
        ("textbox \"Mask\"", "123", r#"holds "12/3" instead of "123""#),
        ("textbox \"Frozen\"", "y", "read-only"),
        ("textbox \"Short\"", "cde", "at most 4 characters"),
        ("textbox \"Plain\"", "a\nb", "single line"),
        ("textbox \"Secret\"", "hunter2", "holds 5 characters instead of 7"),
        ("textbox \"Focus\"", "y", "focus on"),
        ("button \"Press\"", "y", "no text field"),
        ("checkbox \"Box\"", "y", "takes no text"),
    ] {
        let refused = tab.fails("type", line, Some(text)).await;
        assert_eq!(refused.code, Code::ActionFailed, "{line} {refused:?}");
        assert!(
            refused.text.contains(says) && refused.took < Duration::from_secs(3),
            "{line} {refused:?}"
        );
        assert!(
            !refused.text.contains("hunter2") && !refused.text.contains("\"other\""),
            "{refused:?}"
        );
    }
    tab.expect("short.value", "\"ab\"").await;
    tab.out("none").await;
}

#[tokio::test]
async fn a_click_that_opens_a_dialog_is_done_and_names_it() {
    page!(
        tab,
        r#"<button onclick="say(confirm('Delete [3] rows?') ? 'yes' : 'no')">Delete</button><button onclick="say('name ' + prompt('Who?', 'x'))">Ask</button>
<button onmousedown="alert('down')" onclick="say('clicked')">Down</button><select aria-label=Plan onchange="alert('changed')"><option>One<option>Two</select>"#
    );
    let done = tab.act("click", "button \"Delete\"", None).await.unwrap();
    assert!(done.note.contains(r#"confirm dialog: "Delete \[3] rows?""#), "{done:?}");
    let blocked = tab.fails("click", "button \"Ask\"", None).await;
    assert!(
        blocked.code == Code::DialogOpen && blocked.took < Duration::from_secs(2),
        "{blocked:?}"
    );
    assert_eq!(tab.eval("1").await.unwrap_err().code, Code::DialogOpen);
    let done = tab.request(&ask("dismiss", None, None)).await.unwrap();
    assert!(done.note.contains("dismissed the confirm dialog"), "{done:?}");
    tab.out("no").await;
    tab.act("click", "button \"Ask\"", None).await.unwrap();
    tab.request(&ask("accept", None, Some("Ada".to_owned()))).await.unwrap();
    tab.out("name Ada").await;
    let done = tab.act("click", "button \"Down\"", None).await.unwrap();
    assert!(done.note.contains("alert dialog"), "{done:?}");
    tab.request(&ask("accept", None, None)).await.unwrap();
    tab.again().await;
    // The button is up again: another element takes a click of its own.
    tab.act("click", "button \"Delete\"", None).await.unwrap();
    tab.request(&ask("accept", None, None)).await.unwrap();
    tab.out("yes").await;
    let stopped = tab.fails("select", "combobox \"Plan\"", Some("Two")).await;
    assert!(
        stopped.code == Code::DialogOpen && stopped.text.contains("\"changed\""),
        "{stopped:?}"
    );
    tab.request(&ask("accept", None, None)).await.unwrap();
    assert_eq!(
        tab.request(&ask("accept", None, None)).await.unwrap_err().code,
        Code::ActionFailed
    );
}

#[tokio::test]
async fn a_link_that_leaves_the_page_is_a_click_that_was_done() {
    page!(tab, "<a href=other>Leave</a>");
    let leave = tab.uid("link \"Leave\"");
    tab.act_on("click", &leave, None).await.unwrap();
    tab.expect("document.title", "\"Other\"").await;
    assert_eq!(
        tab.act_on("click", &leave, None).await.unwrap_err().code,
        Code::StaleUid
    );
}

#[tokio::test]
async fn a_page_that_never_answers_is_a_timeout_and_not_a_hang() {
    page!(tab, "<button onclick=\"for (;;) ;\">Spin</button><button>Next</button>");
    let spun = tab.fails("click", "button \"Spin\"", None).await;
    assert!(
        spun.code == Code::Timeout && spun.took < Duration::from_secs(25),
        "{spun:?}"
    );
    let next = tab.fails("click", "button \"Next\"", None).await;
    assert!(
        next.code == Code::Timeout && next.took < Duration::from_secs(15),
        "{next:?}"
    );
}

#[tokio::test]
async fn without_its_chrome_a_uid_is_no_use_and_nothing_is_started() {
    let Some(mut tab) = Tab::alone("<button>Save</button>") else {
        return;
    };
    tab.open("page").await;
    let uid = tab.uid("button \"Save\"");
    let pid = tab.session.chrome_pid().unwrap();
    std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .unwrap();
    let refused = tab.act_on("click", &uid, None).await.unwrap_err();
    assert!(
        matches!(refused.code, Code::BrowserUnavailable | Code::ActionFailed),
        "{refused:?}"
    );
    let refused = tab.act_on("click", &uid, None).await.unwrap_err();
    assert_eq!(refused.code, Code::BrowserUnavailable, "{refused:?}");
    assert!(refused.text.contains("take a snapshot with url"), "{refused:?}");
    assert_eq!(tab.session.chrome_pid(), Some(pid));
}
