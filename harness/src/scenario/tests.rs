//! What a person reads who made a mistake in a scenario file: the text itself, for each kind of mistake.
#![allow(clippy::unwrap_used)]

use super::{Act, Door, Kind, ScenarioError, StepKind, load_text};

const GOOD: &str = r#"summary = "s"
page = "there.html"

[[variant]]
name = "full"
budget = 10
"#;

fn load(kind: Kind, text: &str) -> Result<super::Scenario, ScenarioError> {
    load_text("scenarios/bench/x.toml", "x", kind, text, &|page| page == "there.html")
}

/// The report of a text that is wrong.
fn report(text: &str) -> String {
    load(Kind::Bench, text).unwrap_err().to_string()
}

/// The report of the good text with something of it replaced.
fn with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    report(&GOOD.replace(from, to))
}

/// The report of the good text with steps behind it.
fn steps(steps: &str) -> String {
    report(&format!("{GOOD}\n{steps}"))
}

#[test]
fn a_good_file_has_no_problem() {
    let scenario = load(Kind::Bench, GOOD).unwrap();
    assert_eq!(scenario.variants[0].budget.tokens, Some(10));
    assert_eq!(scenario.doors, [Door::Library, Door::Mcp, Door::Cli]);
}

#[test]
fn an_unknown_key_is_shown_with_the_keys_that_there_are() {
    insta::assert_snapshot!(with("budget = 10", "budgte = 10"));
}

#[test]
fn an_unknown_key_of_the_file_itself_is_shown() {
    insta::assert_snapshot!(with("summary", "title = \"t\"\nsummary"));
}

#[test]
fn a_missing_key_is_named() {
    insta::assert_snapshot!(with("name = \"full\"\n", ""));
}

#[test]
fn a_value_of_the_wrong_kind_is_shown() {
    insta::assert_snapshot!(with("budget = 10", "budget = \"ten\""));
}

#[test]
fn broken_toml_is_shown_where_it_breaks() {
    insta::assert_snapshot!(with("budget = 10", "budget = ["));
}

#[test]
fn a_page_that_is_not_there_is_shown() {
    insta::assert_snapshot!(with("there.html", "gone.html"));
}

#[test]
fn a_page_outside_the_directory_is_shown() {
    insta::assert_snapshot!(with("there.html", "../there.html"));
}

#[test]
fn two_addresses_and_none_are_shown() {
    insta::assert_snapshot!("two_addresses", with("page =", "route = \"/x/204\"\npage ="));
    insta::assert_snapshot!("no_address", with("page = \"there.html\"\n", ""));
}

#[test]
fn a_budget_that_nothing_keeps_to_is_shown() {
    insta::assert_snapshot!("budget_of_0", with("budget = 10", "budget = 0"));
    insta::assert_snapshot!("budget_below_0", with("budget = 10", "budget = -5"));
    insta::assert_snapshot!("no_budget", with("budget = 10\n", ""));
}

#[test]
fn a_second_variant_of_the_same_name_is_shown() {
    insta::assert_snapshot!(steps("[[variant]]\nname = \"full\"\nbudget = 20\n"));
}

#[test]
fn a_keep_that_keeps_nothing_is_shown() {
    insta::assert_snapshot!("empty_keep", with("budget = 10", "budget = 10\nkeep = []"));
    insta::assert_snapshot!("blank_keep", with("budget = 10", "budget = 10\nkeep = [\"a\", \" \"]"));
}

#[test]
fn bounds_without_sense_are_shown_all_at_once() {
    insta::assert_snapshot!(with(
        "budget = 10",
        "budget = 10\nmin_ratio = 1.5\nmax_of = { variant = \"other\", share = 0.0 }\nview = \"dence\"\npayload = \"xml\""
    ));
}

#[test]
fn a_bench_file_that_asks_nothing_is_shown() {
    insta::assert_snapshot!(report("summary = \"s\"\npage = \"there.html\"\n"));
}

#[test]
fn steps_that_do_nothing_or_two_things_are_shown() {
    insta::assert_snapshot!(steps(
        "[[step]]\n[[step]]\neval = \"1\"\nsnapshot = {}\n[[step]]\nact = { click = { uid = \"u1\" }, wait = true }\n"
    ));
}

#[test]
fn a_code_that_there_is_not_is_shown_with_those_that_there_are() {
    insta::assert_snapshot!(steps("[[step]]\neval = \"1\"\nfails = \"cave_no\"\n"));
}

#[test]
fn elements_without_a_clear_name_are_shown() {
    insta::assert_snapshot!(steps(
        "[[step]]\nact = { click = { role = \"button\" } }\n[[step]]\nact = { type = { uid = \"u1\", option = \"x\" } }\n[[step]]\nact = { click = { uid = \"u1\", text = \"x\" } }\n"
    ));
}

#[test]
fn a_snapshot_that_nobody_remembers_is_shown() {
    insta::assert_snapshot!(steps(
        "[[step]]\nsnapshot = { remember = \"one\" }\n[[step]]\nrecover = { of = \"two\" }\n[[step]]\nsnapshot = { remember = \"one\" }\n"
    ));
}

#[test]
fn expectations_about_nothing_are_shown() {
    insta::assert_snapshot!(steps(
        "[[step]]\nexpect = { result = [\"x\"] }\n[[step]]\nexpect = {}\n[[step]]\nexpect = { view = [\"x\"] }\nfails = \"cave_internal\"\n"
    ));
}

#[test]
fn doors_that_there_are_not_are_shown() {
    insta::assert_snapshot!(with("page =", "doors = [\"library\", \"window\", \"library\"]\npage ="));
    insta::assert_snapshot!("no_doors", with("page =", "doors = []\npage ="));
}

#[test]
fn steps_are_read_as_they_stand() {
    let text = format!(
        "{GOOD}\n[[step]]\nact = {{ type = {{ role = \"textbox\", name = \"Email\", text = \"\" }} }}\n[[step]]\nact = {{ wait = true }}\n"
    );
    let scenario = load(Kind::Gate, &text).unwrap();
    assert!(matches!(&scenario.steps[0].kind, StepKind::Act(Act::Type(_, text)) if text.is_empty()));
    assert_eq!(scenario.steps[1].kind, StepKind::Act(Act::Wait));
    assert_eq!(scenario.steps[1].line, 10);
}

#[test]
fn the_scenarios_of_the_repository_are_right() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for kind in [Kind::Bench, Kind::Gate] {
        match super::load_all(&root, kind) {
            Ok(scenarios) => assert!(!scenarios.is_empty(), "{kind:?}"),
            Err(error) => panic!("{error}"),
        }
    }
}
