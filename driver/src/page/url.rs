//! Which addresses may be opened (contract, rule 7). Judged before Chrome is touched, on the address as Chrome would read it.
//!
//! Must not know Chrome.

use super::error::{PageError, shown};
use url::{ParseError, Url};

/// The longest `data:text/html` address, in bytes.
const DATA_LIMIT: usize = 1024 * 1024;
/// The longest other address, in bytes: Chrome's own limit for navigation.
const URL_LIMIT: usize = 2 * 1024 * 1024;
/// How much of an address an error quotes, in characters.
const QUOTE: usize = 120;

/// An address that may be opened, in the spelling that Chrome will be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedUrl(String);

impl CheckedUrl {
    /// Checks an address that somebody asked for.
    ///
    /// # Errors
    /// `UrlDenied` for a scheme that is not opened, in any spelling; `UrlInvalid` for an address that is relative, has no
    /// host, cannot be read or is too long.
    pub fn parse(text: &str) -> Result<Self, PageError> {
        let invalid = |problem: &str| PageError::UrlInvalid {
            shown: shown(text, QUOTE),
            problem: problem.to_owned(),
        };
        if text.len() > URL_LIMIT {
            return Err(invalid("is over 2 MiB"));
        }
        let read = as_chrome_reads(text);
        let Some(scheme) = scheme_of(&read) else {
            return Err(invalid(if read.is_empty() { "is empty" } else { "has no scheme" }));
        };
        let denied = |hint: &str| PageError::UrlDenied {
            shown: shown(text, QUOTE),
            scheme: scheme.clone(),
            hint: hint.to_owned(),
        };
        match scheme.as_str() {
            "http" | "https" => {
                let rest = &read[scheme.len() + 1..];
                let host = rest.strip_prefix("//").or_else(|| rest.strip_prefix("\\\\"));
                if host.is_none_or(|host| host.is_empty() || host.starts_with(['/', '\\', '?', '#'])) {
                    return Err(invalid("has no host"));
                }
                let url = Url::parse(&read).map_err(|e| invalid(&parse_problem(e)))?;
                Ok(Self(url.into()))
            }
            "about" if read.eq_ignore_ascii_case("about:blank") => Ok(Self("about:blank".to_owned())),
            "data" => {
                if !is_html(&read["data:".len()..]) {
                    return Err(denied("; of data: only text/html"));
                }
                if read.len() > DATA_LIMIT {
                    return Err(invalid("is a data: address over 1 MiB"));
                }
                let url = Url::parse(&read).map_err(|e| invalid(&parse_problem(e)))?;
                Ok(Self(url.into()))
            }
            other => {
                let port = read[other.len() + 1..].starts_with(|c: char| c.is_ascii_digit());
                Err(denied(if port {
                    "; did you mean it with http:// before it?"
                } else {
                    ""
                }))
            }
        }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether the content of a main frame that stands at `url` may be shown. A page can bring itself to `blob:` and others.
pub(super) fn may_be_shown(url: &str) -> bool {
    CheckedUrl::parse(url).is_ok() || matches!(url, "" | "about:blank") || url.starts_with("about:blank#")
}

/// What Chrome makes of the text before it parses it (WHATWG URL, basic parser): C0 controls and blanks at both ends go,
/// tabs and line breaks go everywhere.
fn as_chrome_reads(text: &str) -> String {
    text.trim_matches(|c: char| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect()
}

fn scheme_of(read: &str) -> Option<String> {
    let (scheme, _) = read.split_once(':')?;
    let good = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    good.then(|| scheme.to_ascii_lowercase())
}

/// Whether the part after `data:` declares `text/html` as its essence.
fn is_html(rest: &str) -> bool {
    let Some((kind, _)) = rest.split_once(',') else {
        return false;
    };
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("text/html")
}

fn parse_problem(error: ParseError) -> String {
    match error {
        ParseError::EmptyHost => "has no host".to_owned(),
        other => format!("cannot be read ({other})"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_may_be_opened_is_opened() {
        for (asked, given) in [
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000/"),
            ("  HTTPS://Example.com/a b\n", "https://example.com/a%20b"),
            ("about:blank", "about:blank"),
            ("About:Blank", "about:blank"),
            ("data:text/html,<h1>x</h1>", "data:text/html,<h1>x</h1>"),
            ("data:Text/HTML;charset=utf-8,x", "data:Text/HTML;charset=utf-8,x"),
        ] {
            assert_eq!(CheckedUrl::parse(asked).unwrap().as_str(), given, "{asked}");
        }
    }

    #[test]
    fn every_other_scheme_is_denied_in_every_spelling() {
        for asked in [
            "file:///etc/hostname",
            "FILE:///etc/hostname",
            " file:///etc/hostname",
            "fi\nle:///etc/hostname",
            "f\ti\tl\re:///etc/hostname",
            "\u{1}\u{1f}file:///etc/hostname",
            "javascript:document.title",
            "JaVaScRiPt:alert(1)",
            "view-source:http://127.0.0.1/",
            "chrome://version",
            "chrome-extension://abc/x.html",
            "devtools://devtools/bundled/inspector.html",
            "filesystem:http://127.0.0.1/x",
            "blob:http://127.0.0.1/x",
            "data:text/plain,x",
            "data:,x",
            "data:;text/html,x",
            "data:text/htmlx,x",
            "data:application/pdf,x",
            "data:text/html",
            "about:srcdoc",
            "about:version",
            "about:blank?x",
            "ftp://127.0.0.1/",
            "ws://127.0.0.1/",
            "localhost:3000",
        ] {
            assert!(
                matches!(CheckedUrl::parse(asked), Err(PageError::UrlDenied { .. })),
                "{asked:?}"
            );
        }
    }

    #[test]
    fn an_address_that_is_none_is_invalid() {
        for asked in [
            "",
            "  ",
            "index.html",
            "/x",
            "//host/x",
            "http:",
            "http://",
            "http:///x",
            "http:x",
            "https://?q",
            "http://[::1",
            "http://a b/",
        ] {
            assert!(
                matches!(CheckedUrl::parse(asked), Err(PageError::UrlInvalid { .. })),
                "{asked:?}"
            );
        }
    }

    #[test]
    fn a_data_address_ends_at_one_mebibyte() {
        let head = "data:text/html,";
        assert!(CheckedUrl::parse(&format!("{head}{}", "x".repeat(DATA_LIMIT - head.len()))).is_ok());
        assert!(CheckedUrl::parse(&format!("{head}{}", "x".repeat(DATA_LIMIT - head.len() + 1))).is_err());
    }
}
