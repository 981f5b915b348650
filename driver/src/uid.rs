//! uid to element, for one snapshot. A uid stands for a (session, loader, backendNodeId), never for a look-alike
//! (rules 12, 17, 18 and 24). Must not know how a view is printed.

use crate::ax::{NodeIx, Page};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// A handle for an element: `u` and base-36 digits (classic), or a decimal number (dense).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Uid(String);

/// What was given is not spelled like a uid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a uid; copy one from the brackets of the latest snapshot")]
pub struct NotAUid {
    /// The text that was given, at most 64 characters of it.
    pub given: String,
}

impl Uid {
    /// As it stands in the brackets.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl FromStr for Uid {
    type Err = NotAUid;

    /// Takes `u2f`, `[u2f]`, `12` and `[12]`.
    fn from_str(text: &str) -> Result<Self, NotAUid> {
        let bare = text.trim();
        let bare = bare
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'))
            .unwrap_or(bare);
        let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let base36 = |text: &str| {
            !text.is_empty()
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
        };
        let spelled = match bare
            .strip_prefix('u')
            .map(|classic| classic.split_once('_').ok_or(classic))
        {
            Some(Ok((id, times))) => base36(id) && number(times),
            Some(Err(id)) => base36(id),
            None => number(bare),
        };
        let fits = bare.len() <= 32 && spelled;
        if fits {
            Ok(Uid(bare.to_owned()))
        } else {
            Err(NotAUid {
                given: text.chars().take(64).collect(),
            })
        }
    }
}

/// What a uid stands for, and what it looked like when it was shown (rule 24 compares role and name before acting).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// CDP frame id.
    pub frame_id: String,
    /// CDP loader id: the document.
    pub loader_id: String,
    /// CDP session that owns the frame; empty for the page's own.
    pub session: String,
    /// `backendDOMNodeId` in that session.
    pub backend_node_id: i64,
    /// AX `nodeId`.
    pub node_id: String,
    /// Role as Chrome spelled it.
    pub role: String,
    /// Accessible name, not shortened.
    pub name: String,
}

/// How many earlier uids are remembered; over that, those of the replaced table alone: memory and the state file stay small.
const EARLIER: usize = 5_000;

/// The uids of a whole curated page: neither a query nor `interactive` narrows it (rule 18).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UidTable {
    targets: HashMap<Uid, Target>,
    /// Of earlier snapshots: an old uid is stale, not unknown (rule 24).
    #[serde(default)]
    earlier: HashMap<Uid, Target>,
    /// By arena index; not in the state file, where there is no page.
    #[serde(skip)]
    of_node: Vec<Option<Uid>>,
}

impl UidTable {
    /// What the uid stands for.
    pub fn target(&self, uid: &Uid) -> Option<&Target> {
        self.targets.get(uid)
    }

    /// The uid of a node of the page that the table was made from.
    pub fn uid(&self, ix: NodeIx) -> Option<&Uid> {
        self.of_node.get(ix.index())?.as_ref()
    }

    /// What the uid stands for, or stood for in an earlier snapshot when the latest has none of that name. What it stood for
    /// may be gone: whoever acts on it finds out.
    pub fn known(&self, uid: &Uid) -> Option<&Target> {
        self.targets.get(uid).or_else(|| self.earlier.get(uid))
    }

    /// Remembers the uids of the table that this one replaces. Of very many, those of the snapshots before are let go.
    pub fn remember(&mut self, replaced: UidTable) {
        self.earlier.extend(replaced.targets);
        if self.earlier.len() + replaced.earlier.len() <= EARLIER {
            for (uid, target) in replaced.earlier {
                self.earlier.entry(uid).or_insert(target);
            }
        }
    }

    /// How many uids there are.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// No uid at all.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// All uids with what they stand for, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&Uid, &Target)> {
        self.targets.iter()
    }

    /// Gives a node its uid.
    fn insert(&mut self, page: &Page, ix: NodeIx, backend_node_id: i64, uid: Uid) {
        let node = page.node(ix);
        let frame = &page.frames[node.frame.0 as usize];
        self.of_node[ix.index()] = Some(uid.clone());
        self.targets.insert(
            uid,
            Target {
                frame_id: frame.frame_id.clone(),
                loader_id: frame.loader_id.clone(),
                session: frame.session.clone(),
                backend_node_id,
                node_id: node.node_id.clone(),
                role: node.role.clone(),
                name: node.name.clone(),
            },
        );
    }
}

/// How a snapshot names its elements: one implementation a view.
pub trait Assigner {
    /// The uid of a node that wants one. Must never return a uid twice for one page.
    fn assign(&mut self, page: &Page, ix: NodeIx, backend_node_id: i64) -> Uid;
}

/// Gives out the uids of a page, in document order over the full curated tree.
pub fn assign(page: &Page, assigner: &mut dyn Assigner) -> UidTable {
    let mut table = UidTable {
        targets: HashMap::new(),
        earlier: HashMap::new(),
        of_node: vec![None; page.nodes.len()],
    };
    for ix in page.indices() {
        let node = page.node(ix);
        if let Some(backend_node_id) = node.backend_node_id.filter(|_| node.wants_uid) {
            let uid = assigner.assign(page, ix, backend_node_id);
            table.insert(page, ix, backend_node_id, uid);
        }
    }
    table
}

/// Classic uids: `u` and the base-36 `backendDOMNodeId`, `_2`, `_3` on a clash (rule 12).
pub fn classic(page: &Page) -> UidTable {
    assign(page, &mut Classic::default())
}

#[derive(Default)]
struct Classic {
    used: HashMap<i64, u32>,
}

impl Assigner for Classic {
    fn assign(&mut self, _page: &Page, _ix: NodeIx, backend_node_id: i64) -> Uid {
        let times = self.used.entry(backend_node_id).or_insert(0);
        *times += 1;
        let base = base36(backend_node_id.unsigned_abs());
        // Chrome's ids are positive; a negative one in a made-up tree must not clash with its positive twin.
        let sign = if backend_node_id < 0 { "0" } else { "" };
        if *times == 1 {
            Uid(format!("u{sign}{base}"))
        } else {
            Uid(format!("u{sign}{base}_{times}"))
        }
    }
}

fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(u32::try_from(number % 36).unwrap_or(0), 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::ax::{Capture, curate, fixture};
    use std::collections::HashSet;

    #[test]
    fn a_classic_uid_is_the_base_36_backend_id_and_a_clash_is_numbered() {
        let raw = br#"[{"nodeId":"1","role":{"value":"button"},"name":{"value":"a"},"backendDOMNodeId":411},
            {"nodeId":"2","role":{"value":"button"},"name":{"value":"b"},"backendDOMNodeId":411},
            {"nodeId":"3","role":{"value":"button"},"name":{"value":"c"},"backendDOMNodeId":0},
            {"nodeId":"4","role":{"value":"button"},"name":{"value":"no element"}}]"#;
        let page = curate(&fixture::single(raw)).unwrap();
        let table = classic(&page);
        let uids: Vec<Option<&str>> = page.indices().map(|ix| table.uid(ix).map(Uid::as_str)).collect();
        assert_eq!(uids, [Some("ubf"), Some("ubf_2"), Some("u0"), None]);
    }

    #[test]
    fn uids_are_unique_over_frames_and_know_their_frame() {
        let one = fixture::read("checkout").frames.remove(0);
        let mut two = one.clone();
        two.frame_id = "OTHER".to_owned();
        two.owner = Some(crate::ax::FrameOwner {
            parent_frame_id: one.frame_id.clone(),
            backend_node_id: 5,
        });
        let page = curate(&Capture { frames: vec![one, two] }).unwrap();
        let table = classic(&page);
        let wanted = page
            .nodes
            .iter()
            .filter(|node| node.wants_uid && node.backend_node_id.is_some())
            .count();
        assert_eq!(table.len(), wanted);
        let second = table.target(&"uuu_2".parse().or_else(|_| "uu_2".parse()).unwrap());
        assert!(
            table
                .iter()
                .any(|(uid, target)| uid.as_str().ends_with("_2") && target.frame_id == "OTHER"),
            "{second:?}"
        );
        let distinct: HashSet<&Uid> = table.iter().map(|(uid, _)| uid).collect();
        assert_eq!(distinct.len(), table.len());
    }

    #[test]
    fn a_uid_is_read_with_and_without_brackets_and_nothing_else_is_one() {
        for good in ["u2f", "[u2f]", "u2f_2", "12", "[12]", " u1 "] {
            assert!(good.parse::<Uid>().is_ok(), "{good}");
        }
        assert_eq!("[u2f]".parse::<Uid>().unwrap().to_string(), "u2f");
        for bad in [
            "",
            "u",
            "U2F",
            "u2f_",
            "u2f_x",
            "u-1",
            "[u2f",
            "-1",
            "1.0",
            "12]",
            "button",
            "u2f\u{202e}",
        ] {
            assert!(bad.parse::<Uid>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_table_survives_the_state_file() {
        let page = curate(&fixture::read("widgets")).unwrap();
        let table = classic(&page);
        let text = serde_json::to_string(&table).unwrap();
        let back: UidTable = serde_json::from_str(&text).unwrap();
        assert_eq!(back.len(), table.len());
        for (uid, target) in table.iter() {
            assert_eq!(back.target(uid), Some(target));
        }
        assert!(!text.contains('\u{2022}'));
    }
}
