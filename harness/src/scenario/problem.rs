//! A mistake in a scenario file: what is wrong, where, and what is allowed; and how a person reads it.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// One mistake, shown with the line it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in a few words.
    pub title: String,
    /// Bytes of the file.
    pub span: Range<usize>,
    /// What is said under the caret.
    pub label: String,
    /// What is allowed.
    pub help: String,
}

impl Problem {
    pub(super) fn new(
        span: Range<usize>,
        title: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Problem {
        Problem {
            title: title.into(),
            span,
            label: label.into(),
            help: help.into(),
        }
    }
}

/// Writes the mistakes of one file, in the order of the text.
pub(super) fn show(out: &mut fmt::Formatter<'_>, path: &str, text: &str, problems: &[Problem]) -> fmt::Result {
    for (index, problem) in problems.iter().enumerate() {
        if index > 0 {
            out.write_str("\n\n")?;
        }
        let snippet = Snippet::source(text).path(path).annotation(
            AnnotationKind::Primary
                .span(clamp(text, &problem.span))
                .label(problem.label.as_str()),
        );
        let mut group = Level::ERROR.primary_title(problem.title.as_str()).element(snippet);
        if !problem.help.is_empty() {
            group = group.element(Level::HELP.message(problem.help.as_str()));
        }
        write!(out, "{}", Renderer::plain().render(&[group]))?;
    }
    Ok(())
}

/// Only the first line of what is marked: a whole table under carets helps nobody.
fn clamp(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = span.start.min(text.len());
    let end = span.end.clamp(start, text.len());
    let line = text[start..end].find('\n').map_or(end, |at| start + at);
    start..line
}
