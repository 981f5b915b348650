//! Replacing what stands between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`; everything else is left as it is.

/// Why a text could not be put in.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SpliceError {
    /// There is no place for it.
    #[error("{file} has no line `<!-- bench:{name} -->`; put the two markers where the table belongs")]
    NoBegin {
        /// The file.
        file: String,
        /// The name.
        name: String,
    },
    /// The place has no end.
    #[error("{file}: `<!-- bench:{name} -->` has no line `<!-- /bench:{name} -->` after it")]
    NoEnd {
        /// The file.
        file: String,
        /// The name.
        name: String,
    },
    /// There are two places.
    #[error("{file} has the line `<!-- bench:{name} -->` twice")]
    Twice {
        /// The file.
        file: String,
        /// The name.
        name: String,
    },
    /// A place that nothing is written for.
    #[error("{file} has a marker `{name}` that no table is for; there are: {known}")]
    Unknown {
        /// The file.
        file: String,
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
}

/// The text with every part in its place. Markers stand on lines of their own.
///
/// # Errors
/// When a part has no place or two, or a place no part.
pub(super) fn splice(file: &str, text: &str, parts: &[(&str, String)], known: &[&str]) -> Result<String, SpliceError> {
    for line in text.lines() {
        if let Some(name) = name_of(line)
            && !known.contains(&name)
        {
            return Err(SpliceError::Unknown {
                file: file.to_owned(),
                name: name.to_owned(),
                known: known.join(", "),
            });
        }
    }
    let mut text = text.to_owned();
    for (name, part) in parts {
        text = put(file, &text, name, part)?;
    }
    Ok(text)
}

fn name_of(line: &str) -> Option<&str> {
    line.strip_prefix("<!-- bench:")?.strip_suffix(" -->")
}

fn put(file: &str, text: &str, name: &str, part: &str) -> Result<String, SpliceError> {
    let (begin, end) = (format!("<!-- bench:{name} -->"), format!("<!-- /bench:{name} -->"));
    let (file, name) = (file.to_owned(), name.to_owned());
    let mut out = String::with_capacity(text.len() + part.len());
    let mut lines = text.split_inclusive('\n');
    let mut found = false;
    while let Some(line) = lines.next() {
        out.push_str(line);
        if line.trim_end() != begin {
            continue;
        }
        if found {
            return Err(SpliceError::Twice { file, name });
        }
        found = true;
        let closing = lines.by_ref().find(|line| line.trim_end() == end);
        let Some(closing) = closing else {
            return Err(SpliceError::NoEnd { file, name });
        };
        out.push_str(part.trim_end());
        out.push('\n');
        out.push_str(closing);
    }
    if found {
        Ok(out)
    } else {
        Err(SpliceError::NoBegin { file, name })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXT: &str = "before\n<!-- bench:a -->\nold\n\nolder\n<!-- /bench:a -->\nafter\n";

    fn with(text: &str, parts: &[(&str, String)]) -> Result<String, SpliceError> {
        splice("F.md", text, parts, &["a", "b"])
    }

    #[test]
    fn only_what_is_between_the_markers_changes_and_twice_is_the_same_as_once() {
        let parts = [("a", "new\n".to_owned())];
        let once = with(TEXT, &parts).unwrap();
        assert_eq!(once, "before\n<!-- bench:a -->\nnew\n<!-- /bench:a -->\nafter\n");
        assert_eq!(with(&once, &parts).unwrap(), once);
    }

    #[test]
    fn a_part_without_a_place_and_a_place_without_an_end_are_errors() {
        let part = |name| [(name, String::new())];
        let error = with(TEXT, &part("b")).unwrap_err().to_string();
        assert!(error.contains("no line `<!-- bench:b -->`"), "{error}");
        let open = TEXT.replace("<!-- /bench:a -->", "");
        assert!(matches!(with(&open, &part("a")), Err(SpliceError::NoEnd { .. })));
        let twice = format!("{TEXT}{TEXT}");
        assert!(matches!(with(&twice, &part("a")), Err(SpliceError::Twice { .. })));
    }

    #[test]
    fn a_marker_that_nothing_is_for_is_an_error() {
        let odd = TEXT.replace("bench:a", "bench:z");
        let error = with(&odd, &[]).unwrap_err().to_string();
        assert_eq!(error, "F.md has a marker `z` that no table is for; there are: a, b");
    }
}
