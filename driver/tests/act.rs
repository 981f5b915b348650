//! What acting promises (contract, rules 21 to 24), each claim on the smallest page that shows it.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "support/site.rs"]
mod site;
#[path = "support/tab.rs"]
mod tab;

use caveman_browse::tools::Code;
use caveman_browse::tools::act::{ActRequest, TEXT_LIMIT};
use std::time::{Duration, Instant};
use tab::Tab;

const OUT: &str =
    "<p id=out role=status>none</p><script>function say(t){document.getElementById('out').textContent=t}</script>";

macro_rules! page {
    ($tab:ident, $html:expr) => {
        let html = format!(
            "<!doctype html><title>Page</title><h1>Some page</h1><p>With a few words to read.</p>{OUT}{}",
            $html
        );
        let Some(mut $tab) = Tab::new(&[
            ("page", html.as_str()),
            (
                "other",
                "<!doctype html><title>Other</title><h1>Another page</h1><p>Words.</p><button>Elsewhere</button>",
            ),
        ]) else {
            return;
        };
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
async fn the_click_point_is_right_under_zoom_transforms_sticky_headers_and_without_a_box() {
    page!(
        tab,
        r##"
<style>header{position:sticky;top:0;height:70vh;background:#eee;z-index:2}</style>
<header><button onclick="say('header')">In header</button></header>
<div style="zoom:1.7"><button style="zoom:.8" onclick="say('zoomed')">Zoomed</button></div>
<button style="transform:rotate(80deg) scale(1.6);margin:80px" onclick="say('turned')">Turned</button>
<div style="height:1500px"></div>
<button onclick="say('below')">Under the header</button>
<div style="height:1500px"></div>
<button style="display:contents" onclick="say('contents')"><span>No box</span></button>
<div style="height:300px;overflow:hidden;position:relative"><button style="position:absolute;top:1200px" onclick="say('cut')">Cut off</button></div>
<svg width=200 height=60><a href="#x" onclick="say('svg')"><circle cx=30 cy=30 r=20 /><title>Circle link</title></a></svg>
<img usemap="#m" width=100 height=100 alt=map src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="><map name=m><area href="#y" alt="Corner" coords="60,60,90,90" onclick="say('area')"></map>
<div style="height:1500px"></div>"##
    );
    for (line, out) in [
        ("button \"Zoomed\"", "zoomed"),
        ("button \"Turned\"", "turned"),
        ("button \"Under the header\"", "below"),
        ("button \"No box\"", "contents"),
        ("button \"Cut off\"", "cut"),
        ("link \"Circle link\"", "svg"),
        ("link \"Corner\"", "area"),
        ("button \"In header\"", "header"),
    ] {
        tab.click(line).await;
        tab.out(out).await;
    }
    tab.value("void (document.documentElement.style.zoom = 1.3)").await;
    tab.click("button \"Turned\"").await;
    tab.out("turned").await;
}

#[tokio::test]
async fn hidden_disabled_and_covered_elements_are_refused_with_the_failed_check() {
    page!(
        tab,
        r#"
<button id=a onclick="say('a')">Alpha</button> <button id=b onclick="say('b')">Beta</button> <button id=c onclick="say('c')">Gamma</button>
<div id=e><button onclick="say('e')">Epsilon</button></div> <button id=f onclick="say('f')">Zeta</button>
<select id=s aria-label=Plan><option>One<option>Two</select>
<div onclick="say('outer')"><button id=g style="pointer-events:auto" onclick="say('g')">Eta</button></div>
<dialog id=d aria-label=Cookies><p>We keep things.</p><button onclick="d.close()">Fine</button></dialog>"#
    );
    tab.value("a.style.opacity = 0, b.style.visibility = 'hidden', c.disabled = true, e.inert = true, f.setAttribute('aria-disabled', 'true'), g.style.pointerEvents = 'none'").await;
    for (line, check) in [
        ("button \"Alpha\"", "not visible (opacity: 0)"),
        ("button \"Beta\"", "not visible (visibility: hidden)"),
        ("button \"Gamma\"", "not enabled (disabled)"),
        ("button \"Epsilon\"", "not enabled (inside an inert element)"),
        ("button \"Zeta\"", "not enabled (aria-disabled)"),
        ("button \"Eta\"", "not visible (pointer-events: none)"),
    ] {
        let refused = tab.fails("click", line, None).await;
        assert_eq!(refused.code, Code::ActionFailed, "{refused:?}");
        assert!(
            refused.text.contains(check) && refused.took < Duration::from_secs(8),
            "{refused:?}"
        );
    }
    tab.out("none").await;
}

#[tokio::test]
async fn what_lies_under_a_modal_dialog_is_refused_and_the_dialog_named() {
    page!(
        tab,
        r#"<button id=a onclick="say('a')">Alpha</button><select id=s aria-label=Plan><option>One<option>Two</select>
<div id=d role=dialog tabindex=-1 aria-label=Cookies style="position:fixed;inset:0;background:#eee">We keep things.</div>"#
    );
    let uid = tab.uid("dialog \"Cookies\"");
    for (verb, line, text) in [
        ("click", "button \"Alpha\"", None),
        ("select", "combobox \"Plan\"", Some("Two")),
    ] {
        let refused = tab.fails(verb, line, text).await;
        assert_eq!(refused.code, Code::ActionFailed, "{refused:?}");
        assert!(
            refused.text.contains(&format!("covered by [{uid}] dialog \"Cookies\"")),
            "{refused:?}"
        );
    }
    tab.expect("s.value", "\"One\"").await;
    tab.out("none").await;
}

#[tokio::test]
async fn a_hidden_input_is_operated_through_its_label_and_never_through_a_link_in_it() {
    page!(
        tab,
        r##"
<style>.away{position:absolute;width:1px;height:1px;clip-path:inset(50%);opacity:0}</style>
<input type=checkbox id=t class=away><label for=t style="display:inline-block;padding:20px">I agree to the <a href="#terms" onclick="say('terms')" style="padding:12px">terms</a></label>"##
    );
    let line = tab
        .view
        .lines()
        .find(|line| line.contains("checkbox"))
        .unwrap()
        .trim()
        .to_owned();
    let uid = line.trim_start_matches('[').split(']').next().unwrap().to_owned();
    tab.act_on("click", &uid, None).await.unwrap();
    tab.expect("t.checked", "true").await;
    tab.out("none").await;
}

#[tokio::test]
async fn names_that_shadow_members_and_closed_shadow_roots_change_nothing() {
    page!(
        tab,
        r#"
<form id=form onsubmit="say('sent');return false"><input name=closest><input name=parentNode><input name=isConnected><input name=getClientRects><input name=ownerDocument>
<button name=matches>Send</button></form><img name=elementFromPoint alt=""><form name=activeElement></form><form name=createElement></form><form name=documentElement></form>
<div id=act></div><x-box></x-box>
<script>customElements.define('x-box', class extends HTMLElement { constructor() { super(); const r = this.attachShadow({mode: 'closed'});
r.innerHTML = '<button>Inside</button><input aria-label=Deep>'; r.querySelector('button').onclick = () => say('inside'); r.querySelector('input').oninput = e => say('deep ' + e.target.value) } })</script>"#
    );
    tab.click("button \"Send\"").await;
    tab.out("sent").await;
    tab.click("button \"Inside\"").await;
    tab.out("inside").await;
    tab.type_in("textbox \"Deep\"", "words").await;
    tab.out("deep words").await;
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
async fn a_press_that_would_land_elsewhere_is_stopped_before_the_page_sees_it() {
    page!(
        tab,
        r#"<button id=b onclick="say('hit')" style="width:200px;height:60px">Trap</button>
<div id=l style="position:fixed;inset:0;display:none" onclick="say('layer')" onmousedown="say('layer')" onpointerdown="say('layer')"></div>
<script>b.addEventListener('mousemove', () => l.style.display = 'block')</script>"#
    );
    let refused = tab.fails("click", "button \"Trap\"", None).await;
    assert_eq!(refused.code, Code::ActionFailed, "{refused:?}");
    tab.out("none").await;
    tab.value("l.remove()").await;
    tab.click("button \"Trap\"").await;
    tab.out("hit").await;
}

#[tokio::test]
async fn a_click_through_the_popup_of_a_list_is_never_claimed_when_it_did_not_arrive() {
    page!(
        tab,
        r#"<select aria-label=Plan style="width:200px"><option>One<option>Two<option>Three</select><br><br><br><br><br><br><br><br><button onclick="say('hit')">After</button>"#
    );
    tab.act("click", "combobox \"Plan\"", None).await.ok();
    let first = tab.act("click", "button \"After\"", None).await;
    let out = tab.value("document.getElementById('out').textContent").await;
    assert_eq!(first.is_ok(), out == "\"hit\"", "{first:?} {out}");
    if first.is_err() {
        tab.click("button \"After\"").await;
    }
    tab.out("hit").await;
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
async fn popups_and_tabs_that_a_click_opens_do_not_take_the_next_one() {
    page!(
        tab,
        r##"<input type=color aria-label=Colour><input type=date aria-label=Day><input list=l aria-label=List><datalist id=l><option>aa<option>ab</datalist>
<select aria-label=Plan><option>One<option>Two</select><a href=other target=_blank>New tab</a><br><br><br><br><br><br><br><br>
<button onclick="say(n += 1)">Count</button><script>let n = 0</script>"##
    );
    tab.type_in("combobox \"List\"", "a").await;
    let mut count = 0;
    for line in [
        "ColorWell \"Colour\"",
        "Date \"Day\"",
        "combobox \"List\"",
        "combobox \"Plan\"",
        "link \"New tab\"",
    ] {
        tab.click(line).await;
        let began = Instant::now();
        tab.click("button \"Count\"").await;
        count += 1;
        tab.out(&count.to_string()).await;
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "after {line}: {:?}",
            began.elapsed()
        );
    }
    let refused = tab.fails("click", "option \"Two\"", None).await;
    assert!(
        refused.text.contains("use select on the list") && refused.took < Duration::from_secs(2),
        "{refused:?}"
    );
}
