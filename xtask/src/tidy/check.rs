//! Runs every check over the files of the checkout and prints the findings.

use std::fmt;

use crate::error::XtaskError;
use crate::repo::Repo;
use crate::tidy::source::{Source, test_modules};
use crate::tidy::{floors, package, rules, table, words};

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Relative to the top level.
    pub(crate) file: String,
    /// From 1; 0 where the whole file is meant.
    pub(crate) line: usize,
    /// What is wrong, and what to do instead.
    pub(crate) what: String,
}

impl Finding {
    pub(crate) fn new(file: &str, line: usize, what: impl Into<String>) -> Finding {
        Finding {
            file: file.to_owned(),
            line,
            what: what.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}: {}", self.file, self.what),
            line => write!(out, "{}:{line}: {}", self.file, self.what),
        }
    }
}

/// A file of the checkout with its text.
pub(crate) struct Text {
    pub(crate) file: String,
    pub(crate) text: String,
}

/// Checks the checkout; prints the findings.
pub(crate) fn run(repo: &Repo) -> Result<(), XtaskError> {
    let findings = findings(repo)?;
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        count => Err(XtaskError::Untidy { count }),
    }
}

/// All findings, in the order of the files.
pub(crate) fn findings(repo: &Repo) -> Result<Vec<Finding>, XtaskError> {
    let mut texts = Vec::new();
    for file in repo.files()? {
        let path = repo.root().join(&file);
        let bytes = std::fs::read(&path).map_err(XtaskError::io(&path))?;
        // What is not UTF-8 is no text of ours (an image, a captured reply).
        if let Ok(text) = String::from_utf8(bytes) {
            texts.push(Text { file, text });
        }
    }
    Ok(all(&texts))
}

/// Every check over these texts.
pub(crate) fn all(texts: &[Text]) -> Vec<Finding> {
    let rust = || texts.iter().filter(|text| is_rust(&text.file));
    let only_tests: Vec<String> = rust().flat_map(|text| test_modules(&text.file, &text.text)).collect();
    let sources: Vec<Source> = rust()
        .map(|text| Source::new(&text.file, &text.text, &only_tests))
        .collect();
    let mut findings = Vec::new();
    for source in &sources {
        findings.extend(floors::check(source));
        findings.extend(words::rust(source));
    }
    findings.extend(words::sizes(&sources, table::LONG_FILES));
    for text in texts {
        findings.extend(words::text(text));
    }
    findings.extend(package::check(texts));
    findings.extend(rules::check(texts, &sources));
    findings.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    findings
}

fn is_rust(file: &str) -> bool {
    std::path::Path::new(file).extension().is_some_and(|end| end == "rs")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn this_checkout_is_tidy() {
        let findings = findings(&Repo::locate().unwrap()).unwrap();
        let list: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert!(list.is_empty(), "\n{}", list.join("\n"));
    }
}
