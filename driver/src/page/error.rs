//! What can go wrong on a page. Must not know codes of tools above the ones it causes.

use crate::cdp::CdpError;

/// Why a page could not be reached or read.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The scheme is not one that may be opened (contract, rule 7).
    #[error(
        "{shown}: scheme `{scheme}` is not opened; allowed are http:, https:, about:blank and data:text/html{hint}"
    )]
    UrlDenied {
        /// The address as asked, shortened and without control characters.
        shown: String,
        /// The scheme found.
        scheme: String,
        /// What may have been meant; empty when nothing is known.
        hint: String,
    },
    /// The address cannot be read, is relative, lacks a host or is too long.
    #[error("url {shown}: {problem}; give an absolute address such as http://localhost:3000/")]
    UrlInvalid {
        /// The address as asked, shortened and without control characters.
        shown: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The page itself went to an address that may not be shown.
    #[error("the page is now at {shown}, which is not shown; navigate to another address with url")]
    WentToDenied {
        /// Where it is, shortened and without control characters.
        shown: String,
    },
    /// Chrome could not load the address.
    #[error("{shown} did not load: {reason}{hint}")]
    Navigation {
        /// The address.
        shown: String,
        /// Chrome's `net::ERR_…` text.
        reason: String,
        /// The next step.
        hint: &'static str,
    },
    /// The server answered without a document (204 or 205), so the page before stays.
    #[error("{shown} answered without content; the page before is still open")]
    NoContent {
        /// The address.
        shown: String,
    },
    /// The answer was a file, not a page.
    #[error("{shown} is a download (`{file}`), not a page; it was not saved and the page before is still open")]
    Download {
        /// The address.
        shown: String,
        /// The file name that the server proposed, without control characters.
        file: String,
    },
    /// A JavaScript dialog blocks the page.
    #[error(
        "a {kind} dialog is open: \"{message}\"; answer it with action accept or dismiss, or navigate away with url"
    )]
    DialogOpen {
        /// alert, confirm, prompt or beforeunload.
        kind: String,
        /// Its text, shortened and without control characters.
        message: String,
    },
    /// The server sent no answer in time.
    #[error("{shown} sent no answer within {seconds} s; the page before is still open: try again or raise wait")]
    NoAnswer {
        /// The address.
        shown: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The renderer process died.
    #[error("the page's renderer crashed; take a snapshot with url to open it again")]
    Crashed,
    /// The tab was closed by the page or by somebody else.
    #[error("the tab was closed; take a snapshot with url to open a new one")]
    Closed,
    /// The document kept changing while it was being read.
    #[error("the page navigated {times} times while it was being read; try again when it has settled, or raise wait")]
    Unsettled {
        /// How many captures were thrown away.
        times: u32,
    },
    /// A command to Chrome failed.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

/// Page text made safe to stand in one of our own lines: controls and bidi marks out, at most `limit` characters.
pub(crate) fn shown(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (n, c) in text.chars().enumerate() {
        if n == limit {
            out.push('…');
            break;
        }
        let bidi = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
        out.push(if c.is_control() || bidi { ' ' } else { c });
    }
    out
}

/// Page text in quotes for one of our own lines: nothing in it ends the quotes or the line, or looks like a uid.
pub(crate) fn quoted(text: &str, limit: usize) -> String {
    let mut safe = String::new();
    crate::render::push_quoted(&mut safe, &shorten(text, limit));
    let mut out = String::with_capacity(safe.len());
    let mut chars = safe.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '[' && chars.peek().is_some_and(|next| next.is_ascii_digit() || *next == 'u') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn shorten(text: &str, limit: usize) -> String {
    let mut short: String = text.chars().take(limit).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_text_in_an_error_stays_on_one_line() {
        assert_eq!(shown("a\nb\u{202e}c\x1b[31m", 80), "a b c [31m");
        assert_eq!(shown("abcdef", 3), "abc…");
        assert_eq!(quoted("a \"[12] b\"\n\u{202e}", 80), r#""a \"\[12] b\"\n\u{202e}""#);
        assert_eq!(quoted("abcdef", 3), "\"abc…\"");
    }
}
