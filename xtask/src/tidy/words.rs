//! File heads, sizes, and words that must not be there. Every forbidden word is put together from parts, so that this
//! file does not find itself.

use crate::tidy::check::{Finding, Text};
use crate::tidy::source::{Source, line_of};

/// From this many lines on, a file needs a reason in `table::LONG_FILES`.
pub(crate) const LONG: usize = 400;

/// File names that tell nothing about what is in them.
const NAMELESS: [&str; 4] = ["utils.rs", "util.rs", "common.rs", "misc.rs"];

/// What a Rust file must and must not have.
pub(crate) fn rust(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !source.text.trim_start_matches('\u{feff}').starts_with("//! ") {
        findings.push(Finding::new(
            &source.file,
            1,
            "must begin with `//! `: what it owns, what it must not know",
        ));
    }
    let name = source.file.rsplit('/').next().unwrap_or(&source.file);
    if NAMELESS.contains(&name) {
        findings.push(Finding::new(&source.file, 0, "name the file after what it owns"));
    }
    let mut find = |needle: &str, what: &str| {
        findings.extend(squeezed(&source.shipped, needle).map(|line| Finding::new(&source.file, line, what)));
    };
    find(
        ".unwrap()",
        "no unwrap outside tests: an error with data, or `expect` with the reason why it cannot be",
    );
    find(
        "Err(format!",
        "no error from a string: a variant of the floor's own enum",
    );
    find("dbg!(", "no debugging print");
    if name == "mod.rs" {
        find("fn ", "no logic in mod.rs: declarations and re-exports only");
        find("impl ", "no logic in mod.rs: declarations and re-exports only");
    }
    if source.file.starts_with("driver/src/")
        && !["driver/src/cli", "driver/src/main.rs"]
            .iter()
            .any(|door| source.file.starts_with(door))
    {
        for print in ["println!(", "print!("] {
            find(
                print,
                "standard output belongs to the doors: the protocol, or a command's result",
            );
        }
    }
    findings.sort_by_key(|finding| finding.line);
    findings.dedup_by_key(|finding| finding.line);
    findings
}

/// The lines on which `needle` stands in `code`; blanks and line breaks inside a call do not hide it, a longer word does.
fn squeezed<'a>(code: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    let begins = needle.chars().next().is_some_and(char::is_alphanumeric);
    let wanted: Vec<char> = needle.trim_end().chars().collect();
    let spaced = needle.ends_with(' ');
    let first = wanted[0];
    code.char_indices()
        .filter(move |(_, c)| *c == first)
        .filter_map(move |(offset, _)| {
            if begins
                && code[..offset]
                    .chars()
                    .next_back()
                    .is_some_and(|c| c.is_alphanumeric() || c == '_')
            {
                return None;
            }
            let mut rest = code[offset..].chars().peekable();
            for (index, want) in wanted.iter().enumerate() {
                while index > 0 && rest.peek().is_some_and(|c| c.is_whitespace()) && !want.is_alphanumeric() {
                    rest.next();
                }
                // Between two letters no blank may stand; before a letter that follows a mark it may.
                while index > 0
                    && want.is_alphanumeric()
                    && !wanted[index - 1].is_alphanumeric()
                    && rest.peek().is_some_and(|c| c.is_whitespace())
                {
                    rest.next();
                }
                if rest.next() != Some(*want) {
                    return None;
                }
            }
            let ends = !spaced || rest.peek().is_some_and(|c| c.is_whitespace() || *c == '<');
            ends.then(|| line_of(code, offset))
        })
}

/// Files with more than [`LONG`] lines, but for those in the table; and entries of the table without such a file.
pub(crate) fn sizes(sources: &[Source], excused: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let lines = source.text.lines().count();
        if lines > LONG && !excused.iter().any(|(file, _)| *file == source.file) {
            let what = format!("{lines} lines: split it by story, or give the reason in xtask/src/tidy/table.rs");
            findings.push(Finding::new(&source.file, 0, what));
        }
    }
    for (file, reason) in excused {
        let long = sources
            .iter()
            .any(|source| source.file == *file && source.text.lines().count() > LONG);
        if !long || reason.trim().is_empty() {
            findings.push(Finding::new(
                file,
                0,
                "is excused in xtask/src/tidy/table.rs but short, gone or without a reason",
            ));
        }
    }
    findings
}

/// What no text of ours may contain.
pub(crate) fn text(text: &Text) -> Vec<Finding> {
    let mut findings = Vec::new();
    if text.file.ends_with(".snap.new") {
        findings.push(Finding::new(
            &text.file,
            0,
            "an unreviewed snapshot: accept it or delete it",
        ));
    }
    // The captured trees and reports are data: what pages said.
    let ours = !["fixtures/", "reports/"].iter().any(|data| text.file.starts_with(data));
    for (index, line) in text.text.lines().enumerate() {
        let mut add = |what: String| findings.push(Finding::new(&text.file, index + 1, what));
        if ours && !text.file.starts_with("LICENSE") {
            for mark in unfinished() {
                if has_word(line, &mark) {
                    add(format!("{mark}: finish it, or file an issue"));
                }
            }
        }
        for path in machine_paths() {
            if line.contains(&path) {
                add(format!("{path} is a path of one machine"));
            }
        }
        for host in registry_hosts() {
            if line.contains(&host) && !cargos_own(&text.file, line) {
                add(format!("{host} is a package registry's host: name packages, not hosts"));
            }
        }
    }
    findings
}

fn joined(parts: &[[&str; 2]]) -> Vec<String> {
    parts.iter().map(|pair| pair.concat()).collect()
}

fn unfinished() -> Vec<String> {
    joined(&[
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X"],
        ["todo", "!("],
        ["unimplemented", "!("],
        ["(being ", "built)"],
    ])
}

fn machine_paths() -> Vec<String> {
    joined(&[["/wo", "rk/"], ["/tmp", "/w/"], ["/ro", "ot/"]])
}

fn registry_hosts() -> Vec<String> {
    joined(&[
        ["registry.npm", "js.org"],
        ["npm", "js.com"],
        ["crates", ".io"],
        ["py", "pi.org"],
        ["files.python", "hosted.org"],
        ["deb.deb", "ian.org"],
        ["\"resolved\": \"ht", "tp"],
    ])
}

/// Cargo writes its index's name into the lock file.
fn cargos_own(file: &str, line: &str) -> bool {
    file == "Cargo.lock" && line.starts_with("source = \"registry+")
}

/// The word, not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(part);
        let after = word.ends_with(char::is_alphanumeric) && line[at + word.len()..].chars().next().is_some_and(part);
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lines(file: &str, code: &str) -> Vec<usize> {
        rust(&Source::new(file, &format!("//! Head.\n{code}"), &[]))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    fn of(file: &str, line: &str) -> usize {
        text(&Text {
            file: file.into(),
            text: line.into(),
        })
        .len()
    }

    #[test]
    fn a_file_without_a_head_is_found() {
        assert_eq!(rust(&Source::new("driver/src/uid.rs", "use std::fmt;", &[])).len(), 1);
        assert_eq!(
            rust(&Source::new("driver/src/uid.rs", "//! Uids.\nuse std::fmt;", &[])).len(),
            0
        );
    }

    #[test]
    fn an_unwrap_is_found_across_lines_and_not_in_tests_comments_or_other_names() {
        assert_eq!(
            lines("driver/src/uid.rs", "fn f() {\n  x\n    .unwrap();\n y . unwrap ( ) }"),
            [4, 5]
        );
        let fine =
            "// .unwrap()\nfn f() { x.unwrap_or(1); \".unwrap()\" }\n#[cfg(test)]\nmod tests { fn g() { x.unwrap() } }";
        assert_eq!(lines("driver/src/uid.rs", fine), Vec::<usize>::new());
        assert_eq!(
            lines("driver/tests/live.rs", "fn f() { x.unwrap() }"),
            Vec::<usize>::new()
        );
    }

    #[test]
    fn stringly_errors_prints_and_nameless_files_are_found() {
        assert_eq!(
            lines("driver/src/page/url.rs", "fn f() { return Err(format!(\"no\")) }"),
            [2]
        );
        assert_eq!(lines("driver/src/page/url.rs", "fn f() { println!(\"no\") }"), [2]);
        assert_eq!(
            lines("driver/src/page/url.rs", "fn f() { eprintln!(\"to a log\") }"),
            Vec::<usize>::new()
        );
        assert_eq!(
            lines("driver/src/cli/out.rs", "fn f() { println!(\"result\") }"),
            Vec::<usize>::new()
        );
        assert_eq!(lines("driver/src/page/url.rs", "fn f() { dbg!(x) }"), [2]);
        assert_eq!(lines("harness/src/utils.rs", "").len(), 1);
    }

    #[test]
    fn logic_in_a_mod_file_is_found() {
        assert_eq!(lines("driver/src/ax/mod.rs", "pub fn f() {}"), [2]);
        assert_eq!(lines("driver/src/ax/mod.rs", "impl X {}"), [2]);
        assert_eq!(
            lines("driver/src/ax/mod.rs", "mod parse;\npub use parse::parse;"),
            Vec::<usize>::new()
        );
    }

    #[test]
    fn a_long_file_needs_a_reason_and_a_reason_needs_a_long_file() {
        let long = Source::new("driver/src/ax/parse.rs", &"//! x\n".repeat(LONG + 1), &[]);
        let fine = Source::new("driver/src/uid.rs", &"//! x\n".repeat(LONG), &[]);
        let both = [long, fine];
        assert_eq!(sizes(&both, &[]).len(), 1);
        assert_eq!(sizes(&both, &[("driver/src/ax/parse.rs", "one grammar")]).len(), 0);
        assert_eq!(sizes(&both, &[("driver/src/ax/parse.rs", " ")]).len(), 1);
        assert_eq!(
            sizes(&both, &[("driver/src/ax/parse.rs", "x"), ("driver/src/uid.rs", "x")]).len(),
            1
        );
        assert_eq!(
            sizes(&both, &[("driver/src/ax/parse.rs", "x"), ("gone.rs", "x")]).len(),
            1
        );
    }

    #[test]
    fn unfinished_marks_are_found_as_words() {
        for mark in unfinished() {
            assert_eq!(of("README.md", &format!("so {mark} later")), 1, "{mark}");
        }
        assert_eq!(of("README.md", &format!("A{}B", unfinished()[2])), 0);
    }

    #[test]
    fn paths_of_a_machine_and_registry_hosts_are_found() {
        for word in machine_paths().into_iter().chain(registry_hosts()) {
            assert_eq!(
                of("harness/node/package-lock.json", &format!("at {word}x")),
                1,
                "{word}"
            );
        }
        let index = format!(
            "source = \"registry+https://github.com/rust-lang/{}-index\"",
            registry_hosts()[2]
        );
        assert_eq!((of("Cargo.lock", &index), of("Cargo.toml", &index)), (0, 1));
        assert_eq!(of("a.snap.new", "x"), 1);
    }
}
