//! Captured trees for tests: `fixtures/ax`, verbatim replies of a real Chromium. Only in tests.
#![allow(clippy::unwrap_used)]

use super::{Capture, FrameCapture, FrameOwner};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};

/// All captured trees: name and capture, by name.
pub(crate) fn all() -> Vec<(String, Capture)> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.retain(|path| path.extension().is_some_and(|end| end == "json"));
    names.sort();
    assert!(names.len() >= 10, "the captured trees are in fixtures/ax");
    names
        .iter()
        .map(|path| path.file_stem().unwrap().to_str().unwrap())
        .map(|name| (name.to_owned(), read(name)))
        .collect()
}

/// One captured tree.
pub(crate) fn read(name: &str) -> Capture {
    let raw = std::fs::read(folder().join(name).with_extension("json")).unwrap();
    let layout = std::fs::read(folder().join(name).with_extension("layout"))
        .ok()
        .map(Into::into);
    let mut frames = match serde_json::from_slice::<Several<'_>>(&raw) {
        Ok(several) => several.frames.iter().map(Part::capture).collect(),
        Err(_) => vec![frame("MAIN", &raw)],
    };
    if layout.is_some() && frames.len() == 1 {
        // The snapshot names the frame; a single tree is stored without its name.
        frames[0].frame_id = main_frame(layout.as_deref().unwrap());
    }
    frames[0].layout = layout;
    Capture { frames }
}

/// A capture of one frame.
pub(crate) fn single(raw: &[u8]) -> Capture {
    Capture {
        frames: vec![frame("MAIN", raw)],
    }
}

/// A frame without layout.
pub(crate) fn frame(id: &str, raw: &[u8]) -> FrameCapture {
    FrameCapture {
        frame_id: id.to_owned(),
        loader_id: format!("L{id}"),
        url: format!("http://{}.test/", id.to_lowercase()),
        owner: None,
        session: String::new(),
        raw: raw.into(),
        layout: None,
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/ax")
}

fn main_frame(layout: &[u8]) -> String {
    let layout: serde_json::Value = serde_json::from_slice(layout).unwrap();
    let at = usize::try_from(layout["documents"][0]["frameId"].as_u64().unwrap()).unwrap();
    layout["strings"][at].as_str().unwrap().to_owned()
}

#[derive(Deserialize)]
struct Several<'a> {
    #[serde(borrow)]
    frames: Vec<Part<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    frame_id: String,
    loader_id: String,
    session: String,
    url: String,
    owner: Option<Owner>,
    #[serde(borrow)]
    result: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    parent_frame_id: String,
    backend_node_id: i64,
}

impl Part<'_> {
    fn capture(&self) -> FrameCapture {
        FrameCapture {
            frame_id: self.frame_id.clone(),
            loader_id: self.loader_id.clone(),
            url: self.url.clone(),
            owner: self.owner.as_ref().map(|owner| FrameOwner {
                parent_frame_id: owner.parent_frame_id.clone(),
                backend_node_id: owner.backend_node_id,
            }),
            session: self.session.clone(),
            raw: self.result.get().as_bytes().into(),
            layout: None,
        }
    }
}
