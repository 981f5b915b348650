//! Where a click goes, and what is refused (contract, rule 22), each claim on the smallest page that shows it.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "support/site.rs"]
mod site;
#[path = "support/tab.rs"]
mod tab;

use caveman_browse::tools::Code;
use std::time::{Duration, Instant};
use tab::Tab;

macro_rules! page {
    ($tab:ident, $html:expr) => {
        let Some(mut $tab) = Tab::with($html) else { return };
        $tab.open("page").await;
    };
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
async fn popups_and_tabs_that_a_click_opens_do_not_take_the_next_one() {
    page!(
        tab,
        r#"<input type=color aria-label=Colour><input type=date aria-label=Day><input list=l aria-label=List><datalist id=l><option>aa<option>ab</datalist>
<select aria-label=Plan><option>One<option>Two</select><a href=other target=_blank>New tab</a><br><br><br><br><br><br><br><br>
<button onclick="say(n += 1)">Count</button><script>let n = 0</script>"#
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
