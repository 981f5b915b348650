//! `docs/rules.md`: each rule of the contract and the tests that hold it. A row is `| 7 | what | test, test |`; each test is
//! the name of a function marked as a test, or `scenario:<file without .toml>`. It must not know what the rules say.

use crate::tidy::check::{Finding, Text};
use crate::tidy::source::Source;

/// Where the table is.
const TABLE: &str = "docs/rules.md";
/// The contract's rules are numbered from 1 to this.
const LAST: u32 = 41;

/// Checks the table, if there is one: every rule has a row, every row a test, every test exists.
pub(crate) fn check(texts: &[Text], sources: &[Source]) -> Vec<Finding> {
    let Some(table) = texts.iter().find(|text| text.file == TABLE) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut seen = Vec::new();
    for (index, line) in table.text.lines().enumerate() {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let (Some(rule), Some(last)) = (cells.first().and_then(|cell| cell.parse::<u32>().ok()), cells.last()) else {
            continue;
        };
        seen.push(rule);
        let claims: Vec<&str> = last
            .split(',')
            .map(|name| name.trim().trim_matches('`'))
            .filter(|name| !name.is_empty())
            .collect();
        if claims.is_empty() || cells.len() < 3 {
            findings.push(Finding::new(TABLE, index + 1, format!("rule {rule} names no test")));
            continue;
        }
        for name in claims {
            if !exists(name, texts, sources) {
                findings.push(Finding::new(TABLE, index + 1, format!("there is no test `{name}`")));
            }
        }
    }
    for rule in (1..=LAST).filter(|rule| !seen.contains(rule)) {
        findings.push(Finding::new(TABLE, 0, format!("rule {rule} has no row")));
    }
    findings
}

fn exists(name: &str, texts: &[Text], sources: &[Source]) -> bool {
    if let Some(scenario) = name.strip_prefix("scenario:") {
        let end = format!("/{scenario}.toml");
        return texts
            .iter()
            .any(|text| text.file.starts_with("scenarios/") && text.file.ends_with(&end));
    }
    let head = format!("fn {name}(");
    // `code` still has the tests, `shipped` has not: what stands in both is no test.
    sources
        .iter()
        .any(|source| source.code.contains(&head) && !source.shipped.contains(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rows: &str) -> usize {
        let all: String = (2..=LAST).fold(rows.to_owned(), |table, rule| {
            format!("{table}\n| {rule} | x | `a_claim` |")
        });
        let texts = [
            Text {
                file: TABLE.into(),
                text: all,
            },
            Text {
                file: "scenarios/gate/select.toml".into(),
                text: String::new(),
            },
        ];
        let code = "fn shipped() {}\n#[cfg(test)]\nmod tests { #[test] fn a_claim() {} }";
        check(&texts, &[Source::new("driver/src/uid.rs", code, &[])]).len()
    }

    #[test]
    fn a_rule_without_a_row_or_a_test_and_a_test_that_is_none_are_found() {
        assert_eq!(found("| 1 | x | `a_claim`, `scenario:select` |"), 0);
        assert_eq!(found(""), 1);
        assert_eq!(found("| 1 | x | |"), 1);
        assert_eq!(found("| 1 | x | `shipped` |"), 1);
        assert_eq!(found("| 1 | x | `gone`, `scenario:gone` |"), 2);
    }
}
