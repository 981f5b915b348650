//! `browser_act`: one action on one element of the latest snapshot (contract, rules 21 to 24).
//!
//! Must not know CDP, nor whether a client or a command line asked.

use super::error::ToolError;
use crate::page::{ActError, Check, Cover, Page, RoleName};
use crate::session::Session;
use crate::uid::{Target, Uid, UidTable};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The longest text or option, in bytes (contract, rule 21).
pub const TEXT_LIMIT: usize = 1024 * 1024;
/// How long `wait` sleeps (contract, rule 21).
pub const WAIT: Duration = Duration::from_millis(250);

/// What is asked for (contract, rule 21).
#[derive(Debug, Clone, Default)]
pub struct ActRequest {
    /// click, type, select, scroll, wait, accept or dismiss.
    pub action: String,
    /// The element, from the latest snapshot; wait, accept and dismiss take none.
    pub uid: Option<String>,
    /// What to type, which option to choose, or what to answer a prompt with; at most 1 MiB.
    pub text: Option<String>,
    /// Which option to choose: its value, label or trimmed text; at most 1 MiB. Goes before `text`.
    pub option: Option<String>,
}

/// An action that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acted {
    /// `{"ok":true,"uid":…,"settled":…,"note":…}`, as JSON text (contract, rule 23).
    pub text: String,
    /// The element.
    pub uid: Option<Uid>,
    /// Only `wait` has nothing left to settle.
    pub settled: bool,
    /// What was done, and what is known to have come of it.
    pub note: String,
}

/// The verbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Press and release the left button on the element.
    Click,
    /// Insert text at the end of a field.
    Type,
    /// Choose an option of a list.
    Select,
    /// Bring the element into view.
    Scroll,
    /// Sleep for 250 ms.
    Wait,
    /// Answer the dialog that is open with OK.
    Accept,
    /// Answer it with Cancel.
    Dismiss,
}

impl Verb {
    /// Every verb.
    pub const ALL: [Verb; 7] = [
        Verb::Click,
        Verb::Type,
        Verb::Select,
        Verb::Scroll,
        Verb::Wait,
        Verb::Accept,
        Verb::Dismiss,
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Verb::Click => "click",
            Verb::Type => "type",
            Verb::Select => "select",
            Verb::Scroll => "scroll",
            Verb::Wait => "wait",
            Verb::Accept => "accept",
            Verb::Dismiss => "dismiss",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A request whose arguments have been checked.
enum Step<'r> {
    Click,
    Type(&'r str),
    Select(&'r str),
    Scroll,
}

/// Does one action.
///
/// # Errors
/// See [`super::Code`]. An error means that the action was not done, or that its effect is not the one asked for.
pub async fn run(session: &mut Session, request: &ActRequest) -> Result<Acted, ToolError> {
    let verb = Verb::ALL.into_iter().find(|verb| verb.as_str() == request.action);
    let verb = verb.ok_or_else(|| ToolError::UnknownAction {
        given: crate::page::shown(&request.action, 40),
    })?;
    for (what, value) in [("text", &request.text), ("option", &request.option)] {
        if let Some(bytes) = value.as_ref().map(String::len).filter(|bytes| *bytes > TEXT_LIMIT) {
            return Err(ToolError::TooLarge {
                what,
                bytes,
                limit: TEXT_LIMIT,
            });
        }
    }
    let step = match verb {
        Verb::Wait => {
            tokio::time::sleep(WAIT).await;
            return Ok(acted(None, true, format!("waited {} ms", WAIT.as_millis())));
        }
        Verb::Accept | Verb::Dismiss => return answer(session, verb, request.text.as_deref()).await,
        Verb::Click => Step::Click,
        Verb::Scroll => Step::Scroll,
        Verb::Type => Step::Type(wanted(
            request.text.as_deref(),
            "text",
            "is what to type; give at least one character",
        )?),
        Verb::Select => {
            let option = request.option.as_deref().or(request.text.as_deref());
            Step::Select(option.ok_or_else(|| ToolError::Argument {
                name: "option",
                problem: "names the option to choose: its value, label or text".to_owned(),
            })?)
        }
    };
    let given = wanted(
        request.uid.as_deref(),
        "uid",
        "names the element; copy one from the latest snapshot",
    )?;
    let unknown = || ToolError::UnknownUid {
        uid: crate::page::shown(given, 40),
    };
    let uid = Uid::from_str(given).map_err(|_| unknown())?;
    let target = session.uids().known(&uid).ok_or_else(unknown)?.clone();
    let page = session.page_in_use().await?;
    let done = act(page, &target, &step).await;
    match done {
        Ok(note) => Ok(acted(Some(uid), false, note)),
        Err(source) => {
            let source = Box::new(name_cover(source, session.uids(), &target));
            let what = RoleName {
                role: target.role,
                name: target.name,
            };
            Err(ToolError::Act {
                verb,
                uid,
                what,
                source,
            })
        }
    }
}

async fn act(page: &Page, target: &Target, step: &Step<'_>) -> Result<String, ActError> {
    let element = page.element(target).await?;
    let dispatched = "dispatched, not awaited: take a snapshot to see what it did";
    Ok(match step {
        Step::Click => match element.click().await?.dialog {
            None => format!("click {dispatched}"),
            Some(dialog) => format!(
                "click dispatched; it opened a {} dialog: {}. Answer it with action accept or dismiss",
                dialog.kind,
                crate::page::quoted(&dialog.message, 160)
            ),
        },
        Step::Type(text) => {
            element.type_text(text).await?;
            "typed, and the field holds it; take a snapshot to see what else changed".to_owned()
        }
        Step::Select(wanted) => {
            let chosen = element.choose(wanted).await?;
            let mut note = format!("selected {}", chosen.option);
            if !chosen.dropped.is_empty() {
                let dropped: Vec<String> = chosen.dropped.iter().map(ToString::to_string).collect();
                note = format!("{note}; no longer selected: {}", dropped.join(", "));
            }
            note + "; take a snapshot to see what else changed"
        }
        Step::Scroll => {
            element.scroll().await?;
            "scrolled into view; take a snapshot to see what it loaded".to_owned()
        }
    })
}

async fn answer(session: &mut Session, verb: Verb, text: Option<&str>) -> Result<Acted, ToolError> {
    let page = session.page_in_use().await?;
    let dialog = page.dialog();
    let accept = verb == Verb::Accept;
    page.close_dialog(accept, text)
        .await
        .map_err(|source| ToolError::Dialog {
            verb,
            source: Box::new(source),
        })?;
    let what = dialog.map_or_else(
        || "the dialog".to_owned(),
        |dialog| {
            format!(
                "the {} dialog {}",
                dialog.kind,
                crate::page::quoted(&dialog.message, 160)
            )
        },
    );
    let done = if accept { "accepted" } else { "dismissed" };
    Ok(acted(
        None,
        false,
        format!("{done} {what}; take a snapshot to see what it did"),
    ))
}

fn wanted<'r>(value: Option<&'r str>, name: &'static str, problem: &str) -> Result<&'r str, ToolError> {
    value
        .filter(|value| !value.is_empty())
        .ok_or_else(|| ToolError::Argument {
            name,
            problem: problem.to_owned(),
        })
}

fn acted(uid: Option<Uid>, settled: bool, note: String) -> Acted {
    #[derive(Serialize)]
    struct Reply<'a> {
        ok: bool,
        uid: Option<&'a Uid>,
        settled: bool,
        note: &'a str,
    }
    let reply = Reply {
        ok: true,
        uid: uid.as_ref(),
        settled,
        note: &note,
    };
    let text = serde_json::to_string(&reply).unwrap_or_default();
    Acted {
        text,
        uid,
        settled,
        note,
    }
}

/// Gives what covers an element its uid, where one is known.
fn name_cover(error: ActError, uids: &UidTable, target: &Target) -> ActError {
    let name = |mut cover: Cover| {
        cover.known = cover.nodes.iter().find_map(|node| {
            let same = |at: &Target| {
                at.backend_node_id == *node && at.loader_id == target.loader_id && at.session == target.session
            };
            let (uid, at) = uids.iter().find(|(_, at)| same(at))?;
            Some(Box::new((
                uid.to_string(),
                RoleName {
                    role: at.role.clone(),
                    name: at.name.clone(),
                },
            )))
        });
        cover
    };
    match error {
        ActError::NotActionable {
            check: Check::Hit(cover),
        } => ActError::NotActionable {
            check: Check::Hit(name(cover)),
        },
        ActError::Missed(cover) => ActError::Missed(name(cover)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_has_the_four_keys_of_the_contract() {
        let uid: Uid = "u2f".parse().unwrap_or_else(|_| unreachable!());
        assert_eq!(
            acted(Some(uid), false, "done \"so\"".to_owned()).text,
            r#"{"ok":true,"uid":"u2f","settled":false,"note":"done \"so\""}"#
        );
        assert_eq!(
            acted(None, true, "waited".to_owned()).text,
            r#"{"ok":true,"uid":null,"settled":true,"note":"waited"}"#
        );
    }
}
