//! Which files a page loads from beside itself, and which of them are not there. A reader of attributes, no HTML parser: it must
//! not be used for more than a count.

use std::path::{Component, Path, PathBuf};

/// The local files that `html`, lying at `page`, loads by `src` or by a `link`'s `href` and which do not exist.
pub(crate) fn missing(page: &Path, html: &str) -> Vec<String> {
    let directory = page.parent().unwrap_or(Path::new(""));
    let mut missing: Vec<String> = loaded(html)
        .into_iter()
        .filter(|reference| !beside(directory, reference).is_file())
        .map(str::to_owned)
        .collect();
    missing.sort();
    missing.dedup();
    missing
}

fn loaded(html: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in html.match_indices('<') {
        let tag = &html[at + 1..];
        let end = tag.find('>').unwrap_or(tag.len());
        let tag = &tag[..end];
        let name = tag
            .split(|c: char| c.is_whitespace())
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let attribute = match name.as_str() {
            "script" | "img" | "iframe" => "src",
            "link" if tag.contains("stylesheet") => "href",
            _ => continue,
        };
        if let Some(value) = value_of(tag, attribute)
            && is_local(value)
        {
            found.push(value.split(['?', '#']).next().unwrap_or(value));
        }
    }
    found
}

fn value_of<'a>(tag: &'a str, attribute: &str) -> Option<&'a str> {
    let (_, rest) = tag
        .split_once(&format!(" {attribute}="))
        .or_else(|| tag.split_once(&format!("\n{attribute}=")))?;
    let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    rest[1..].split(quote).next()
}

fn is_local(reference: &str) -> bool {
    !reference.is_empty()
        && !reference.starts_with("//")
        && !reference.split(['/', '?']).next().unwrap_or("").contains(':')
}

fn beside(directory: &Path, reference: &str) -> PathBuf {
    let mut path = directory.to_owned();
    for part in Path::new(reference).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_beside_the_page_is_found_and_a_missing_one_is_named() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("css")).unwrap();
        std::fs::write(root.path().join("css/a.css"), "").unwrap();
        let page = root.path().join("pages/x.html");
        let html = r#"<link rel="stylesheet" href="../css/a.css?v=1"><script src="../js/gone.js"></script>
            <img src="data:image/png;base64,x"><script src="https://example.com/x.js"></script><a href="no.html">"#;
        assert_eq!(missing(&page, html), ["../js/gone.js"]);
    }
}
