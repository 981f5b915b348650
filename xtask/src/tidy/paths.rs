//! The paths that a piece of code names: `a::b::c`, with `use` groups spread out. A reader of tokens; it must not know
//! which paths are allowed.

/// A path, as written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// `["crate", "cdp", "Session"]`; a glob ends in `*`.
    pub(crate) segments: Vec<String>,
    /// Byte offset of its first segment.
    pub(crate) offset: usize,
    /// How many inline modules it stands in.
    pub(crate) depth: usize,
    /// It is followed by `as`: the name it goes by afterwards is another.
    pub(crate) renamed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Join,
    Other(char),
}

/// Every path in `code`, which has no comments and no strings.
pub(crate) fn named(code: &str) -> Vec<Named> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    // For each open brace: whether it opened a module.
    let mut braces: Vec<bool> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].0 {
            Token::Other('{') => {
                let module =
                    at >= 2 && tokens[at - 2].0 == Token::Word("mod") && matches!(tokens[at - 1].0, Token::Word(_));
                braces.push(module);
                at += 1;
            }
            Token::Other('}') => {
                braces.pop();
                at += 1;
            }
            // `.field` and `x::<T>::y` do not begin a path.
            Token::Word(_) if at == 0 || !matches!(tokens[at - 1].0, Token::Join | Token::Other('.')) => {
                let depth = braces.iter().filter(|module| **module).count();
                at = path(&tokens, at, &[], depth, &mut found);
            }
            // `::std::fs` is `std::fs`.
            Token::Join if at + 1 < tokens.len() && begins(&tokens, at) => {
                let depth = braces.iter().filter(|module| **module).count();
                at = path(&tokens, at + 1, &[], depth, &mut found);
            }
            _ => at += 1,
        }
    }
    found
}

fn begins(tokens: &[(Token<'_>, usize)], at: usize) -> bool {
    let before = at.checked_sub(1).map(|index| tokens[index].0);
    matches!(tokens[at + 1].0, Token::Word(_))
        && matches!(
            before,
            None | Some(
                Token::Word("use" | "in" | "return" | "as")
                    | Token::Other('(' | '{' | ',' | '=' | ';' | '&' | '<' | '!')
            )
        )
}

/// Reads one path from `at`, with groups, and gives the index after it.
fn path(
    tokens: &[(Token<'_>, usize)],
    mut at: usize,
    prefix: &[String],
    depth: usize,
    found: &mut Vec<Named>,
) -> usize {
    let mut segments = prefix.to_vec();
    let offset = tokens.get(at).map_or(0, |token| token.1);
    loop {
        match tokens.get(at).map(|token| token.0) {
            Some(Token::Word(word)) => {
                segments.push(word.to_owned());
                at += 1;
            }
            Some(Token::Other('*')) if segments.len() > prefix.len() || !prefix.is_empty() => {
                segments.push("*".to_owned());
                at += 1;
                break;
            }
            Some(Token::Other('{')) if !segments.is_empty() => return group(tokens, at + 1, &segments, depth, found),
            _ => break,
        }
        if tokens.get(at).map(|token| token.0) != Some(Token::Join) {
            break;
        }
        // A turbofish ends the path for us.
        if tokens.get(at + 1).map(|token| token.0) == Some(Token::Other('<')) {
            break;
        }
        at += 1;
    }
    let renamed = tokens.get(at).map(|token| token.0) == Some(Token::Word("as"));
    if segments.len() > prefix.len() {
        found.push(Named {
            segments,
            offset,
            depth,
            renamed,
        });
    }
    at
}

fn group(
    tokens: &[(Token<'_>, usize)],
    mut at: usize,
    prefix: &[String],
    depth: usize,
    found: &mut Vec<Named>,
) -> usize {
    while at < tokens.len() {
        match tokens[at].0 {
            Token::Other('}') => return at + 1,
            Token::Word("as") => at += 2,
            Token::Word(_) | Token::Other('*') => at = path(tokens, at, prefix, depth, found).max(at + 1),
            _ => at += 1,
        }
    }
    at
}

fn tokens(code: &str) -> Vec<(Token<'_>, usize)> {
    let mut out = Vec::new();
    let mut chars = code.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c.is_alphanumeric() || c == '_' {
            let mut end = start + c.len_utf8();
            while let Some(&(at, c)) = chars.peek()
                && (c.is_alphanumeric() || c == '_')
            {
                end = at + c.len_utf8();
                chars.next();
            }
            out.push((Token::Word(&code[start..end]), start));
        } else if c == ':' && chars.peek().is_some_and(|next| next.1 == ':') {
            chars.next();
            out.push((Token::Join, start));
        } else if !c.is_whitespace() {
            out.push((Token::Other(c), start));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(code: &str) -> Vec<String> {
        named(code).iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn groups_are_spread_out() {
        let paths = all("use crate::{ax::{self, parse as p}, view::*, cdp};");
        for path in ["crate::ax::self", "crate::ax::parse", "crate::view::*", "crate::cdp"] {
            assert!(paths.iter().any(|one| one == path), "{path} in {paths:?}");
        }
    }

    #[test]
    fn a_path_in_an_expression_and_after_a_join_is_seen() {
        let paths = all("fn f() -> crate::page::Page { ::std::fs::read(x.crate_name); Vec::<u8>::new() }");
        assert!(
            paths.contains(&"crate::page::Page".to_owned()) && paths.contains(&"std::fs::read".to_owned()),
            "{paths:?}"
        );
    }

    #[test]
    fn inline_modules_deepen_and_other_braces_do_not() {
        let found = named("mod a { fn f() { super::super::x::y(); } } fn g() { super::z::w(); }");
        let depth = |name: &str| {
            found
                .iter()
                .find(|path| path.segments.iter().any(|one| one == name))
                .map(|path| path.depth)
        };
        assert_eq!((depth("x"), depth("z")), (Some(1), Some(0)));
    }

    #[test]
    fn a_rename_is_marked() {
        assert!(
            named("use crate as root;")
                .iter()
                .any(|path| path.segments == ["crate"] && path.renamed)
        );
        assert!(
            named("use std::{self as s};")
                .iter()
                .any(|path| path.segments == ["std", "self"])
        );
    }
}
