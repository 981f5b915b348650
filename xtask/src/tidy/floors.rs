//! The floors of the driver: which room names which, and what pure rooms may not name. Decided in `table`.

use crate::tidy::check::Finding;
use crate::tidy::paths::{Named, named};
use crate::tidy::source::{Source, line_of};
use crate::tidy::table::{CRATES, FLOORS, IMPURE_CRATES, IMPURE_STD, JOINTS, Room};

/// Checks one file; files outside the driver have no floor.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let Some(inside) = source
        .file
        .strip_prefix("driver/src/")
        .and_then(|file| file.strip_suffix(".rs"))
    else {
        return Vec::new();
    };
    let module = module_of(inside);
    let top = module.first().copied().unwrap_or(inside);
    if JOINTS.contains(&top) {
        return Vec::new();
    }
    let Some(room) = FLOORS.iter().find(|room| room.name == top) else {
        let what = format!("room `{top}` has no floor: give it one in xtask/src/tidy/table.rs and in ARCHITECTURE.md");
        return vec![Finding::new(&source.file, 0, what)];
    };
    let mut findings: Vec<Finding> = named(&source.shipped)
        .iter()
        .filter_map(|path| {
            let what = wrong(room, &module, path)?;
            Some(Finding::new(&source.file, line_of(&source.shipped, path.offset), what))
        })
        .collect();
    findings.dedup();
    findings
}

/// `ax/parse` is `[ax, parse]`, `ax/mod` is `[ax]`.
fn module_of(inside: &str) -> Vec<&str> {
    let mut module: Vec<&str> = inside.split('/').collect();
    if module.last() == Some(&"mod") {
        module.pop();
    }
    module
}

fn wrong(room: &Room, module: &[&str], path: &Named) -> Option<String> {
    let mut segments: Vec<&str> = path.segments.iter().map(String::as_str).collect();
    let first = *segments.first()?;
    if first == "super" {
        let ups = segments.iter().take_while(|&&segment| segment == "super").count();
        let here = module.len() + path.depth;
        if ups < here {
            return None;
        }
        segments.drain(..ups);
        segments.insert(0, "crate");
    }
    match segments[0] {
        "crate" => match segments.get(1) {
            None if !path.renamed => None,
            None | Some(&("*" | "self")) => Some("names the whole crate: name the room".into()),
            Some(&other) if other == room.name => None,
            Some(&other) if FLOORS.iter().any(|room| room.name == other) => (!room.may.contains(&other))
                .then(|| format!("`{}` may not import `{other}`: see ARCHITECTURE.md, floors", room.name)),
            Some(_) => None,
        },
        name => outside(room, name, &segments[1..], path.renamed),
    }
}

/// A path that begins with another crate's name.
fn outside(room: &Room, name: &str, rest: &[&str], renamed: bool) -> Option<String> {
    if let Some((_, rooms)) = CRATES.iter().find(|(known, _)| names(known, name))
        && !rooms.contains(&room.name)
    {
        return Some(format!(
            "`{}` may not name `{name}`: only {} may",
            room.name,
            rooms.join(", ")
        ));
    }
    if !room.pure {
        return None;
    }
    if IMPURE_CRATES.contains(&name) {
        return Some(format!("`{}` is pure and may not name `{name}`", room.name));
    }
    if name != "std" {
        return None;
    }
    let whole = (rest.is_empty() && renamed) || matches!(rest, ["self" | "*"]);
    let half = matches!(rest, ["time"] | ["time", "self" | "*"]);
    let reaches = IMPURE_STD.iter().any(|part| rest.starts_with(part));
    (whole || half || reaches).then(|| format!("`{}` is pure and may not name `std::{}`", room.name, rest.join("::")))
}

/// `chromiumoxide` also stands for `chromiumoxide_cdp` and its other parts.
fn names(known: &str, name: &str) -> bool {
    name == known || (known == "chromiumoxide" && name.starts_with("chromiumoxide_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, text: &str) -> Vec<String> {
        check(&Source::new(file, text, &[]))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn an_import_of_a_higher_floor_is_found_however_it_is_written() {
        for text in [
            "use crate::session::Session;",
            "use crate::{ax::Tree, session::{self}};",
            "fn f(s: &crate::session::Session) {}",
            "use super::super::session::Session;",
            "mod inner { use super::super::super::session; }",
            "use ::core::fmt; fn f() { $crate::session::x() }",
        ] {
            assert!(
                found("driver/src/store/db.rs", text)
                    .iter()
                    .any(|one| one.contains("`session`")),
                "{text}"
            );
        }
    }

    #[test]
    fn an_import_of_a_lower_floor_of_the_own_room_or_in_a_test_is_fine() {
        let text = "use crate::ax::Tree; use super::blob; use super::super::ax; use crate::store::Handle;\n\
                    // use crate::session\n#[cfg(test)] mod tests { use crate::session::Session; }\nconst A: &str = \"crate::session\";";
        assert_eq!(found("driver/src/store/db.rs", text), Vec::<String>::new());
    }

    #[test]
    fn a_super_that_stays_inside_the_room_is_no_escape() {
        assert_eq!(
            found("driver/src/store/db.rs", "use super::session::Row;"),
            Vec::<String>::new()
        );
        assert_eq!(found("driver/src/store/mod.rs", "use super::session::Row;").len(), 1);
    }

    #[test]
    fn the_whole_crate_under_another_name_is_found() {
        for text in ["use crate as root;", "use crate::*;", "use crate::{self as root};"] {
            assert_eq!(found("driver/src/ax/parse.rs", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_pure_room_that_reaches_out_is_found() {
        for text in [
            "use std::fs;",
            "use std::{collections::HashMap, fs::File};",
            "fn f() { std::net::TcpStream::connect(a); }",
            "use std::time::Instant;",
            "use std::time;",
            "use std::{self as s};",
            "use std as s;",
            "use tokio::sync::mpsc;",
            "fn f() { tracing::debug!(); }",
        ] {
            assert_eq!(found("driver/src/view/full.rs", text).len(), 1, "{text}");
        }
        assert_eq!(
            found("driver/src/view/full.rs", "use std::time::Duration; use std::fmt;"),
            Vec::<String>::new()
        );
        assert_eq!(found("driver/src/store/db.rs", "use std::fs;"), Vec::<String>::new());
    }

    #[test]
    fn a_crate_outside_its_rooms_is_found() {
        assert_eq!(
            found("driver/src/page/navigate.rs", "use chromiumoxide::cdp::X;").len(),
            1
        );
        assert_eq!(
            found("driver/src/page/navigate.rs", "use chromiumoxide_cdp::X;").len(),
            1
        );
        assert_eq!(found("driver/src/tools/act.rs", "use rmcp::model::Tool;").len(), 1);
        assert_eq!(
            found("driver/src/chrome/find.rs", "use chromiumoxide::detection::X;"),
            Vec::<String>::new()
        );
        assert_eq!(
            found("driver/src/page/navigate.rs", "use crate::cdp::protocol::X;"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_room_without_a_floor_is_found() {
        assert_eq!(found("driver/src/helpers.rs", "").len(), 1);
        assert_eq!(
            found("harness/src/helpers.rs", "use crate::anything;"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_table_has_no_way_up() {
        for (index, room) in FLOORS.iter().enumerate() {
            for other in room.may {
                let below = FLOORS.iter().position(|one| one.name == *other);
                assert!(
                    below.is_some_and(|below| below < index),
                    "{} imports {other}",
                    room.name
                );
                assert!(
                    !room.pure || FLOORS.iter().any(|one| one.name == *other && one.pure),
                    "{} is pure",
                    room.name
                );
            }
        }
    }
}
