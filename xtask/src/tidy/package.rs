//! Manifests, licences and the two commands: what each package must say, and what the README promises.

use crate::tidy::check::{Finding, Text};

/// The packages, each with what its manifest must not depend on.
const MEMBERS: &[(&str, &[&str])] = &[
    ("driver", &["harness", "xtask"]),
    ("harness", &["xtask", "rmcp", "rusqlite"]),
    (
        "xtask",
        &["caveman-browse", "harness", "chromiumoxide", "tokio", "rmcp"],
    ),
];

/// The two commands of the README, the second of which `.ci/run` calls.
const BENCH: &str = "cargo xtask bench --install";
const TEST: &str = "cargo xtask test --install";

/// Licence files and how their text begins.
const LICENCES: &[(&str, &str)] = &[("LICENSE-MIT", "MIT License"), ("LICENSE-APACHE", "Apache License")];

/// Checks what concerns whole packages.
pub(crate) fn check(texts: &[Text]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (member, forbidden) in MEMBERS {
        let file = format!("{member}/Cargo.toml");
        match text(texts, &file) {
            Some(manifest) => findings.extend(manifest_of(&file, manifest, forbidden)),
            None => findings.push(Finding::new(&file, 0, "is missing")),
        }
    }
    for (file, title) in LICENCES {
        if !text(texts, file).is_some_and(|text| text.lines().take(3).any(|line| line.contains(title))) {
            findings.push(Finding::new(file, 0, format!("must hold the {title}")));
        }
    }
    if !text(texts, "Cargo.toml").is_some_and(|text| text.contains("license = \"MIT OR Apache-2.0\"")) {
        findings.push(Finding::new(
            "Cargo.toml",
            0,
            "must say `license = \"MIT OR Apache-2.0\"`",
        ));
    }
    findings.extend(commands(texts));
    findings.extend(reached_into(texts));
    findings
}

fn text<'a>(texts: &'a [Text], file: &str) -> Option<&'a str> {
    texts
        .iter()
        .find(|text| text.file == file)
        .map(|text| text.text.as_str())
}

fn manifest_of(file: &str, manifest: &str, forbidden: &[&str]) -> Vec<Finding> {
    let table: toml::Table = match manifest.parse() {
        Ok(table) => table,
        Err(error) => return vec![Finding::new(file, 0, format!("is no TOML: {error}"))],
    };
    let mut findings = Vec::new();
    let inherits = |value: Option<&toml::Value>| {
        value
            .and_then(|value| value.get("workspace"))
            .and_then(toml::Value::as_bool)
            == Some(true)
    };
    if !inherits(table.get("lints")) {
        findings.push(Finding::new(file, 0, "must inherit the workspace's lints"));
    }
    if !inherits(table.get("package").and_then(|package| package.get("license"))) {
        findings.push(Finding::new(file, 0, "must inherit the workspace's licence"));
    }
    for (name, value) in dependencies(&table) {
        if !inherits(Some(value)) {
            let what = format!("`{name}`: its version belongs in the workspace's Cargo.toml");
            findings.push(Finding::new(file, 0, what));
        }
        if forbidden.contains(&name) {
            findings.push(Finding::new(
                file,
                0,
                format!("must not depend on `{name}`: see ARCHITECTURE.md"),
            ));
        }
    }
    findings
}

/// Every dependency of a manifest, those of a platform included.
fn dependencies(table: &toml::Table) -> Vec<(&str, &toml::Value)> {
    let mut found = Vec::new();
    for (key, value) in table {
        let Some(inner) = value.as_table() else { continue };
        match key.as_str() {
            "dependencies" | "dev-dependencies" | "build-dependencies" => {
                found.extend(inner.iter().map(|(name, value)| (name.as_str(), value)));
            }
            "target" => {
                for platform in inner.values().filter_map(toml::Value::as_table) {
                    found.extend(dependencies(platform));
                }
            }
            _ => {}
        }
    }
    found
}

fn commands(texts: &[Text]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let readme = text(texts, "README.md").unwrap_or_default();
    for command in [BENCH, TEST] {
        if !readme.lines().any(|line| line.trim() == command) {
            findings.push(Finding::new(
                "README.md",
                0,
                format!("must name `{command}` on a line of its own"),
            ));
        }
    }
    if !text(texts, ".ci/run").is_some_and(|run| run.lines().any(|line| line.trim() == TEST)) {
        findings.push(Finding::new(
            ".ci/run",
            0,
            format!("must call the README's test command, `{TEST}`"),
        ));
    }
    findings
}

/// Source that is taken in by path knows more than the public API.
fn reached_into(texts: &[Text]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for text in texts
        .iter()
        .filter(|text| text.file.starts_with("harness/") || text.file.starts_with("xtask/src/main"))
    {
        for (index, line) in text.text.lines().enumerate() {
            let reaches = line.contains("driver/src") && (line.contains("#[path") || line.contains("include!"));
            if reaches {
                findings.push(Finding::new(
                    &text.file,
                    index + 1,
                    "uses the driver as its users do: no source by path",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname='x'\nlicense.workspace = true\n[lints]\nworkspace = true\n[dependencies]\nclap.workspace = true\n";

    fn manifest(text: &str) -> usize {
        manifest_of("xtask/Cargo.toml", text, &["tokio"]).len()
    }

    #[test]
    fn a_manifest_that_goes_its_own_way_is_found() {
        assert_eq!(manifest(GOOD), 0);
        assert_eq!(manifest(&GOOD.replace("[lints]\nworkspace = true\n", "")), 1);
        assert_eq!(
            manifest(&GOOD.replace("license.workspace = true", "license = 'MIT'")),
            1
        );
        assert_eq!(manifest(&format!("{GOOD}serde = \"1\"\n")), 1);
        assert_eq!(manifest(&format!("{GOOD}tokio.workspace = true\n")), 1);
        assert_eq!(
            manifest(&format!(
                "{GOOD}[target.'cfg(unix)'.dependencies]\ntokio.workspace = true\n"
            )),
            1
        );
        assert_eq!(manifest("not toml"), 1);
    }

    fn whole(change: impl Fn(&str, String) -> Option<String>) -> usize {
        let files = [
            ("Cargo.toml", "license = \"MIT OR Apache-2.0\"".to_owned()),
            ("driver/Cargo.toml", GOOD.to_owned()),
            ("harness/Cargo.toml", GOOD.to_owned()),
            ("xtask/Cargo.toml", GOOD.to_owned()),
            ("LICENSE-MIT", "MIT License".to_owned()),
            ("LICENSE-APACHE", "Apache License".to_owned()),
            ("README.md", format!("{BENCH}\n{TEST}\n")),
            (".ci/run", format!("set -e\n{TEST}\n")),
            ("harness/src/main.rs", "use caveman_browse::tokens;".to_owned()),
        ];
        let texts: Vec<Text> = files
            .into_iter()
            .filter_map(|(file, text)| {
                Some(Text {
                    file: file.into(),
                    text: change(file, text)?,
                })
            })
            .collect();
        check(&texts).len()
    }

    #[test]
    fn a_missing_manifest_licence_or_command_is_found() {
        assert_eq!(whole(|_, text| Some(text)), 0);
        for file in [
            "driver/Cargo.toml",
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "Cargo.toml",
            ".ci/run",
        ] {
            assert_eq!(whole(|name, text| (name != file).then_some(text)), 1, "{file}");
        }
        assert_eq!(whole(|name, text| (name != "README.md").then_some(text)), 2);
        assert_eq!(
            whole(|name, text| Some(if name == ".ci/run" {
                "# ".to_owned() + TEST
            } else {
                text
            })),
            1
        );
    }

    #[test]
    fn a_harness_that_takes_in_the_drivers_source_is_found() {
        let path = "#[path = \"../../driver/src/uid.rs\"] mod uid;";
        assert_eq!(
            whole(|name, text| Some(if name.starts_with("harness/src") {
                path.to_owned()
            } else {
                text
            })),
            1
        );
    }
}
