//! Rust text with what is not code taken out: comments, strings, tests. It keeps every line where it was.
//! It is a lexer and no parser: it must not know what the code means.

/// A Rust file, read three ways. All three have the same lines.
pub(crate) struct Source {
    pub(crate) file: String,
    /// As it is.
    pub(crate) text: String,
    /// Comments and the insides of strings and characters are blanks.
    pub(crate) code: String,
    /// As `code`, with items under `#[cfg(test)]` blanked too; empty of code for a file that holds only tests.
    pub(crate) shipped: String,
}

impl Source {
    pub(crate) fn new(file: &str, text: &str, only_tests: &[String]) -> Source {
        let code = strip(text);
        let shipped = if is_test_file(file, only_tests) {
            blank(&code)
        } else {
            without_tests(&code)
        };
        Source {
            file: file.to_owned(),
            text: text.to_owned(),
            code,
            shipped,
        }
    }
}

/// Directories of a package that hold only tests and measurements.
const TEST_DIRECTORIES: [&str; 3] = ["tests", "benches", "examples"];

/// Whether nothing of this file is shipped. `only_tests` are the modules declared under `#[cfg(test)]`, see [`test_modules`].
fn is_test_file(file: &str, only_tests: &[String]) -> bool {
    let mut parts = file.split('/');
    let outside = parts
        .nth(1)
        .is_some_and(|directory| TEST_DIRECTORIES.contains(&directory));
    outside
        || only_tests
            .iter()
            .any(|module| file == format!("{module}.rs") || file.starts_with(&format!("{module}/")))
}

/// The modules, as paths without `.rs`, that this file declares under `#[cfg(test)]`, on lines as rustfmt leaves them.
pub(crate) fn test_modules(file: &str, text: &str) -> Vec<String> {
    let (directory, name) = file.rsplit_once('/').unwrap_or(("", file));
    let stem = name.trim_end_matches(".rs");
    let below = match stem {
        "mod" | "lib" | "main" => directory.to_owned(),
        _ => format!("{directory}/{stem}"),
    };
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test,") {
            continue;
        }
        let mut path = None;
        for line in lines.by_ref() {
            if let Some(given) = line
                .strip_prefix("#[path = \"")
                .and_then(|rest| rest.strip_suffix("\"]"))
            {
                path = Some(format!("{directory}/{}", given.trim_end_matches(".rs")));
            } else if !line.starts_with("#[") {
                let item = line
                    .strip_prefix("pub(crate) ")
                    .or_else(|| line.strip_prefix("pub(super) "))
                    .unwrap_or(line);
                if let Some(name) = item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
                    found.push(path.unwrap_or_else(|| format!("{below}/{name}")));
                }
                break;
            }
        }
    }
    found
}

fn blank(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect()
}

/// The line, from 1, of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// Takes out comments and the insides of string, byte, raw and character literals.
fn strip(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let next = chars.get(at + 1).copied();
        let end = match chars[at] {
            '/' if next == Some('/') => line_end(&chars, at),
            '/' if next == Some('*') => block_end(&chars, at),
            '"' => string_end(&chars, at),
            'r' if !continues_a_word(&chars, at) => raw_end(&chars, at).unwrap_or(at),
            '\'' => char_end(&chars, at).unwrap_or(at),
            _ => at,
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        // Quotes stay, so that a call with a literal still has an argument.
        let literal = chars[at] != '/';
        for (index, &c) in chars[at..end].iter().enumerate() {
            let edge = literal && (index == 0 || index + 1 == end - at);
            out.push(if c == '\n' || (edge && !c.is_alphanumeric()) {
                c
            } else {
                ' '
            });
        }
        at = end;
    }
    out
}

/// `br"…"` and `cr"…"` begin a raw string as `r"…"` does; `for"` does not.
fn continues_a_word(chars: &[char], at: usize) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    match at.checked_sub(1).map(|before| chars[before]) {
        Some('b' | 'c') => at.checked_sub(2).is_some_and(|before| word(chars[before])),
        Some(c) => word(c),
        None => false,
    }
}

fn line_end(chars: &[char], at: usize) -> usize {
    chars[at..]
        .iter()
        .position(|&c| c == '\n')
        .map_or(chars.len(), |length| at + length)
}

fn block_end(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    chars.len()
}

fn string_end(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

fn raw_end(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
    let mut open = at + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    open += 1;
    while open < chars.len() {
        if chars[open] == '"' && chars[open + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes {
            return Some(open + 1 + hashes);
        }
        open += 1;
    }
    Some(chars.len())
}

/// A character literal, and not a lifetime.
fn char_end(chars: &[char], at: usize) -> Option<usize> {
    match (chars.get(at + 1)?, chars.get(at + 2)) {
        ('\\', _) => chars[at + 3..]
            .iter()
            .position(|&c| c == '\'')
            .map(|length| at + 3 + length + 1),
        (_, Some('\'')) => Some(at + 3),
        _ => None,
    }
}

/// Blanks each item under `#[cfg(test)]` or `#[cfg(all(test, …))]`: up to the end of its braces, or to the `;` that comes first.
fn without_tests(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((found, mark)) = ["#[cfg(test)]", "#[cfg(all(test,"]
        .iter()
        .filter_map(|mark| Some((rest.find(mark)?, mark)))
        .min()
    {
        out.push_str(&rest[..found]);
        let item = &rest[found..];
        let attribute = item.find(']').map_or(mark.len(), |end| end + 1);
        let end = attribute + item_end(&item[attribute..]);
        out.push_str(&blank(&item[..end]));
        rest = &item[end..];
    }
    out.push_str(rest);
    out
}

fn item_end(code: &str) -> usize {
    let mut depth = 0_usize;
    for (offset, c) in code.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && c == '}' {
                    return offset + 1;
                }
            }
            ';' if depth == 0 => return offset + 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_go_and_lines_stay() {
        let text = "let a = \"use crate::x; // no\"; // crate::y\n/* crate::z /* in */ still */ let b = 'c';\nlet c = r#\"a\"b\"#;";
        let code = strip(text);
        assert_eq!(code.lines().count(), 3);
        assert!(!code.contains("crate") && !code.contains("still"), "{code}");
        assert!(code.contains("let b = ' '") && code.contains("let c ="), "{code}");
    }

    #[test]
    fn a_quote_in_a_character_opens_no_string_and_a_lifetime_is_no_character() {
        let code = strip("let q = '\"'; let e = '\\''; fn f<'a>(x: &'a str) -> &'a str { crate::view::g(x) }");
        assert!(code.contains("crate::view::g"), "{code}");
    }

    #[test]
    fn a_raw_string_with_a_prefix_is_a_string_and_a_word_that_ends_in_r_is_not() {
        assert!(!strip("let a = br#\"crate::x\"#;").contains("crate"));
        assert!(strip("let var = crate::x; for x in \"s\".chars() { crate::y }").contains("crate::y"));
    }

    #[test]
    fn tests_are_not_shipped_and_what_follows_them_is() {
        let text = "use crate::ax;\n#[cfg(test)]\nmod tests { fn f() { x.unwrap(); } }\nfn g() { crate::view::h() }\n#[cfg(test)]\nuse std::fs;\nfn k() {}\n#[cfg(all(test, unix))]\nmod u { fn f() { x.unwrap() } }";
        let source = Source::new("driver/src/uid.rs", text, &[]);
        assert!(
            !source.shipped.contains("unwrap") && !source.shipped.contains("std::fs"),
            "{}",
            source.shipped
        );
        assert!(source.shipped.contains("crate::view::h") && source.shipped.contains("fn k"));
        assert_eq!(source.shipped.lines().count(), text.lines().count());
    }

    #[test]
    fn a_file_of_tests_ships_nothing_and_its_name_alone_makes_it_none() {
        let only_tests = [
            test_modules("driver/src/ax/mod.rs", "mod parse;\n#[cfg(test)]\nmod fixture;\n"),
            test_modules(
                "driver/src/chrome/find.rs",
                "#[cfg(test)]\n#[path = \"find_tests.rs\"]\nmod tests;\n",
            ),
            test_modules(
                "driver/src/uid.rs",
                "#[cfg(test)]\npub(crate) mod tests;\n#[cfg(test)]\nmod inline {\n}\n#[cfg(all(test, unix))]\nmod unix;",
            ),
        ]
        .concat();
        let ships = |file: &str| {
            !Source::new(file, "fn f() { x.unwrap(); }", &only_tests)
                .shipped
                .trim()
                .is_empty()
        };
        for file in [
            "driver/tests/live.rs",
            "driver/src/ax/fixture.rs",
            "driver/src/ax/fixture/more.rs",
            "driver/src/chrome/find_tests.rs",
            "driver/src/uid/tests.rs",
            "driver/src/uid/unix.rs",
        ] {
            assert!(!ships(file), "{file}");
        }
        for file in [
            "driver/src/ax/parse.rs",
            "driver/src/ax/tests.rs",
            "driver/src/tests/x.rs",
            "driver/src/uid/inline.rs",
        ] {
            assert!(ships(file), "{file}");
        }
    }
}
