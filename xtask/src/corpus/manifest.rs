//! `scenarios/corpus.toml`, read and checked. Knows names and digests; fetches nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path};

use serde::Deserialize;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    #[serde(rename = "tree")]
    pub(crate) trees: Vec<Tree>,
    #[serde(rename = "page")]
    pub(crate) pages: Vec<Page>,
}

/// One directory of the cache.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tree {
    pub(crate) name: String,
    pub(crate) from: Origin,
    pub(crate) packages: Vec<Package>,
    /// Files of ours in it: name in the tree -> file of the checkout.
    #[serde(default)]
    pub(crate) own: BTreeMap<String, String>,
}

/// Who keeps the packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Origin {
    Npm,
    Debian,
}

/// A pinned package.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Of the archive as it is delivered: 64 lower-case hex digits.
    pub(crate) sha256: String,
    /// The directory in the tree; the tree itself where left out.
    #[serde(default)]
    pub(crate) into: String,
}

/// A page of a tree.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    pub(crate) id: String,
    pub(crate) tree: String,
    pub(crate) file: String,
}

impl Page {
    /// Where a server whose root is the cache has it.
    pub(crate) fn served(&self) -> String {
        format!("/{}/{}", self.tree, self.file)
    }
}

impl Tree {
    /// What a complete tree says about itself: its packages, and what of ours lies in it.
    pub(crate) fn stamp(&self, own: &[(String, Vec<u8>)]) -> String {
        // Writing to a String cannot fail.
        let mut text = String::new();
        for package in &self.packages {
            let Package {
                name,
                version,
                sha256,
                into,
            } = package;
            let _ = writeln!(text, "{name} {version} {sha256} {into}");
        }
        for (name, bytes) in own {
            let _ = writeln!(text, "{name} {}", crate::corpus::fetch::sha256(bytes));
        }
        text
    }
}

/// Reads the file; the error says what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Manifest, String> {
    let manifest: Manifest = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut wrong = Vec::new();
    for (index, tree) in manifest.trees.iter().enumerate() {
        if !is_inside(&tree.name) || tree.name.contains('/') || tree.name.starts_with('.') {
            wrong.push(format!("tree {:?} is no plain name", tree.name));
        }
        if manifest.trees[..index].iter().any(|other| other.name == tree.name) {
            wrong.push(format!("tree {:?} is there twice", tree.name));
        }
        for package in &tree.packages {
            if package.name.starts_with('-') || package.name.contains(char::is_whitespace) {
                wrong.push(format!("package {:?} is no name", package.name));
            }
            if package.sha256.len() != 64 || !package.sha256.bytes().all(|byte| b"0123456789abcdef".contains(&byte)) {
                wrong.push(format!(
                    "package {}: its sha256 is not 64 lower-case hex digits",
                    package.name
                ));
            }
            if !package.into.is_empty() && !is_inside(&package.into) {
                wrong.push(format!(
                    "package {}: {:?} leads out of the tree",
                    package.name, package.into
                ));
            }
        }
        for name in tree.own.keys().chain(tree.own.values()).filter(|name| !is_inside(name)) {
            wrong.push(format!("tree {}: {name:?} leads out", tree.name));
        }
    }
    for (index, page) in manifest.pages.iter().enumerate() {
        if !manifest.trees.iter().any(|tree| tree.name == page.tree) {
            wrong.push(format!("page {}: there is no tree {:?}", page.id, page.tree));
        }
        if !is_inside(&page.file) {
            wrong.push(format!("page {}: {:?} leads out of its tree", page.id, page.file));
        }
        if manifest.pages[..index].iter().any(|other| other.id == page.id) {
            wrong.push(format!("page {} is there twice", page.id));
        }
    }
    if wrong.is_empty() {
        Ok(manifest)
    } else {
        Err(wrong.join("; "))
    }
}

/// A relative path which stays where it is.
fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const GOOD: &str = r#"
        [[tree]]
        name = "a"
        from = "npm"
        packages = [{ name = "a", version = "1.0.0", sha256 = "0000000000000000000000000000000000000000000000000000000000000000" }]
        [[page]]
        id = "p"
        tree = "a"
        file = "x/index.html"
    "#;

    #[test]
    fn the_committed_manifest_is_right() {
        let manifest = parse(include_str!("../../../scenarios/corpus.toml")).unwrap();
        assert!(!manifest.pages.is_empty());
    }

    #[test]
    fn a_manifest_that_is_wrong_says_where() {
        assert_eq!(parse(GOOD).unwrap().pages[0].served(), "/a/x/index.html");
        for (from, to, says) in [
            ("0000\" }", "\" }", "sha256"),
            ("name = \"a\"\n", "name = \"../a\"\n", "plain name"),
            ("x/index.html", "../index.html", "leads out"),
            ("x/index.html", "/index.html", "leads out"),
            ("tree = \"a\"", "tree = \"b\"", "no tree"),
            ("from = \"npm\"", "from = \"web\"", "unknown variant"),
            ("id = \"p\"", "id = \"p\"\nid2 = 1", "unknown field"),
        ] {
            let text = GOOD.replace(from, to);
            assert_ne!(text, GOOD, "{from}");
            let error = parse(&text).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        let twice = format!("{GOOD}\n[[page]]\nid = \"p\"\ntree = \"a\"\nfile = \"y\"");
        assert!(parse(&twice).unwrap_err().contains("twice"));
    }

    #[test]
    fn a_changed_package_or_file_of_ours_changes_the_stamp() {
        let tree = &parse(GOOD).unwrap().trees[0];
        let newer = &parse(&GOOD.replace("1.0.0", "1.0.1")).unwrap().trees[0];
        let own = |bytes: &[u8]| vec![("p.html".to_owned(), bytes.to_vec())];
        assert_ne!(tree.stamp(&[]), newer.stamp(&[]));
        assert_ne!(tree.stamp(&own(b"x")), tree.stamp(&own(b"y")));
    }
}
