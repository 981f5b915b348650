//! Acting on the collected pages, each with one kind of trouble. The expectations are those of the collection.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "support/site.rs"]
mod site;
#[path = "support/tab.rs"]
mod tab;

use caveman_browse::tools::Code;
use std::time::Duration;
use tab::Tab;

macro_rules! case {
    ($tab:ident, $slug:literal) => {
        let Some(mut $tab) = Tab::new(&[(
            "page",
            include_str!(concat!("../../fixtures/pages/cases/", $slug, "/page.html")),
        )]) else {
            return;
        };
        $tab.open("page").await;
    };
}

const BOUND: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_value_is_typed_beside_values_that_look_empty() {
    case!(tab, "10-name-equals-value");
    tab.type_in("textbox \"Empty\"", "Lyon").await;
    tab.expect("em.value", "\"Lyon\"").await;
    tab.again().await;
    assert!(tab.view.contains("textbox \"Empty\" = \"Lyon\""), "{}", tab.view);
}

#[tokio::test]
async fn date_slider_number_and_colour_take_the_text_or_refuse_it() {
    case!(tab, "11-date-color-range");
    tab.type_in("Date \"When\"", "2026-03-14").await;
    tab.expect("dday.value", "\"2026-03-14\"").await;
    tab.out("dday=2026-03-14").await;
    let bad = tab.fails("type", "Date \"When\"", Some("tomorrow")).await;
    assert_eq!(bad.code, Code::ActionFailed, "{bad:?}");
    tab.expect("dday.value", "\"2026-03-14\"").await;
    tab.type_in("slider \"Volume\"", "70").await;
    tab.expect("vol.value", "\"70\"").await;
    let bad = tab.fails("type", "slider \"Volume\"", Some("700")).await;
    assert_eq!(bad.code, Code::ActionFailed, "{bad:?}");
    tab.expect("vol.value", "\"70\"").await;
    tab.type_in("spinbutton \"Guests\"", "12").await;
    tab.expect("guests.value", "\"12\"").await;
    tab.type_in("ColorWell \"Shade\"", "#00ff00").await;
    tab.expect("shade.value", "\"#00ff00\"").await;
    let bad = tab.fails("type", "spinbutton \"Guests\"", Some("many")).await;
    assert_eq!(bad.code, Code::ActionFailed, "{bad:?}");
    tab.again().await;
    assert!(tab.view.contains("spinbutton \"Guests\" = \"12\""), "{}", tab.view);
}

#[tokio::test]
async fn an_editor_with_its_own_model_gets_the_text_through_it() {
    case!(tab, "12-contenteditable-model");
    tab.type_in("textbox \"Post\"", "hello there").await;
    tab.out("model: hello there").await;
    let bare = tab
        .view
        .lines()
        .find(|line| line.contains("editable") && !line.contains("Post"))
        .unwrap()
        .to_owned();
    let uid = bare
        .trim_start()
        .trim_start_matches('[')
        .split(']')
        .next()
        .unwrap()
        .to_owned();
    tab.act_on("type", &uid, Some("plain words")).await.unwrap();
    tab.expect("bare.textContent", "\"Start hereplain words\"").await;
    tab.again().await;
    assert!(tab.view.contains("hello there"), "{}", tab.view);
}

#[tokio::test]
async fn a_control_disabled_by_its_fieldset_is_refused_and_the_legend_s_is_not() {
    case!(tab, "13-disabled-fieldset");
    let refused = tab.fails("click", "button \"Send form\"", None).await;
    assert_eq!(refused.code, Code::ActionFailed);
    assert!(
        refused.text.contains("not enabled (disabled by its fieldset") && refused.took < BOUND,
        "{refused:?}"
    );
    tab.out("none").await;
    tab.fails("type", "textbox \"Street\"", Some("x")).await;
    tab.expect("street.value", "\"\"").await;
    tab.click("button \"Unlock\"").await;
    tab.out("unlocked").await;
    tab.again().await;
    tab.click("button \"Send form\"").await;
    tab.out("form sent").await;
}

#[tokio::test]
async fn a_covered_button_is_refused_with_what_covers_it() {
    case!(tab, "14-overlay-cookie");
    let refused = tab.fails("click", "button \"Pay bill\"", None).await;
    assert_eq!(refused.code, Code::ActionFailed);
    assert!(
        refused.text.contains("covered by <div> \"We keep one setting") && refused.took < BOUND,
        "{refused:?}"
    );
    tab.out("none").await;
    tab.click("button \"Accept notice\"").await;
    tab.out("notice closed").await;
    tab.click("button \"Pay bill\"").await;
    tab.out("bill paid").await;
    tab.click("button \"Badge row\"").await;
    tab.out("row opened").await;
}

#[tokio::test]
async fn a_moving_button_is_clicked_once_it_rests() {
    case!(tab, "15-moving-then-stops");
    tab.click("button \"Start slide\"").await;
    tab.click("button \"Catch me\"").await;
    tab.out("caught").await;
}

#[tokio::test]
async fn nested_scroll_boxes_are_scrolled_to_the_element() {
    case!(tab, "16-nested-scrollers");
    tab.click("button \"Confirm seat 80\"").await;
    tab.out("seat 80").await;
    tab.act("scroll", "button \"Confirm seat 2\"", None).await.unwrap();
    tab.expect("inner.scrollTop<120", "true").await;
    tab.click("button \"Confirm seat 2\"").await;
    tab.out("seat 2").await;
}

#[tokio::test]
async fn an_element_without_a_role_takes_a_click() {
    case!(tab, "17-clickable-divs");
    tab.click("generic").await;
    tab.out("tab").await;
}

#[tokio::test]
async fn an_option_is_chosen_once_and_unknown_or_ambiguous_ones_are_refused() {
    case!(tab, "18-native-select");
    tab.act("select", "combobox \"Plan\"", Some("Beta")).await.unwrap();
    tab.expect("plan.value", "\"b\"").await;
    tab.out("change plan b; input seen").await;
    let refused = tab.fails("select", "combobox \"Plan\"", Some("Nope")).await;
    assert!(
        refused.code == Code::ActionFailed && refused.text.contains("\"Start\" (value \"s\")"),
        "{refused:?}"
    );
    let refused = tab.fails("select", "combobox \"Plan\"", Some("Alpha")).await;
    assert!(
        refused.text.contains("several options fit") && refused.text.contains("\"Other one\""),
        "{refused:?}"
    );
    tab.expect("plan.value", "\"b\"").await;
    let refused = tab.fails("select", "listbox \"Shades\"", Some("Blue")).await;
    assert!(refused.text.contains("disabled"), "{refused:?}");
    let chosen = tab.act("select", "listbox \"Shades\"", Some("Green")).await.unwrap();
    assert!(chosen.note.contains("no longer selected: \"Red\""), "{chosen:?}");
    tab.expect("shades.options[2].selected", "true").await;
}

#[tokio::test]
async fn a_summary_opens_its_details() {
    case!(tab, "19-details-summary");
    let shipping = tab
        .view
        .lines()
        .find(|line| line.contains("\"Shipping\"") && line.contains('['))
        .unwrap()
        .to_owned();
    let uid = shipping
        .trim_start()
        .trim_start_matches('[')
        .split(']')
        .next()
        .unwrap()
        .to_owned();
    tab.act_on("click", &uid, None).await.unwrap();
    tab.again().await;
    assert!(
        tab.view.contains("Sent on Mondays") && tab.view.contains("button \"Print label\""),
        "{}",
        tab.view
    );
}

#[tokio::test]
async fn a_replaced_node_is_stale_and_a_moved_one_is_not() {
    case!(tab, "22-rerender-stale");
    let noted = tab.uid("button \"Open Beta\"");
    tab.click("button \"Rebuild list\"").await;
    tab.out("rebuilt").await;
    let refused = tab.act_on("click", &noted, None).await.unwrap_err();
    assert_eq!(refused.code, Code::StaleUid, "{refused:?}");
    tab.out("rebuilt").await;
    tab.again().await;
    // A uid of an earlier snapshot stays stale after the next one.
    assert_eq!(
        tab.act_on("click", &noted, None).await.unwrap_err().code,
        Code::StaleUid
    );
    let noted = tab.uid("button \"Open Beta\"");
    tab.click("button \"Move rows\"").await;
    tab.out("moved").await;
    tab.act_on("click", &noted, None).await.unwrap();
    tab.out("opened Beta").await;
}

#[tokio::test]
async fn a_page_that_overrides_everything_is_acted_on_all_the_same() {
    case!(tab, "24-hostile-globals");
    tab.click("button \"Below\"").await;
    tab.out("real click").await;
    tab.act("select", "combobox \"Pick\"", Some("Two")).await.unwrap();
    tab.expect("pick.value", "\"2\"").await;
    tab.type_in("textbox \"Word\"", "abc").await;
    tab.expect("word.value", "\"abc\"").await;
    let refused = tab.fails("click", "button \"Locked\"", None).await;
    assert_eq!(refused.code, Code::ActionFailed);
    tab.out("real click").await;
}

#[tokio::test]
async fn what_is_in_the_tree_without_a_box_is_refused() {
    case!(tab, "26-svg-canvas-mathml-alt");
    tab.click("button \"Battery\"").await;
    tab.out("battery").await;
    let refused = tab.fails("click", "button \"Chart point 3\"", None).await;
    assert!(
        refused.code == Code::ActionFailed && refused.took < BOUND,
        "{refused:?}"
    );
    tab.out("battery").await;
}

#[tokio::test]
async fn a_wrapped_link_is_clicked_in_one_of_its_lines() {
    case!(tab, "28-inline-wrapped-link");
    tab.click("link \"long way round by the old mill\"").await;
    tab.out("long link").await;
    tab.click("link \"short\"").await;
    tab.out("short link").await;
}
