//! Why an act was not done, or cannot be said to have been done. Must not know uids' tables nor codes.

use super::error::{PageError, quoted, shown};
use std::fmt;

/// Why an element that was shown earlier is not acted on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stale {
    /// The frame shows another document now, or is gone.
    #[error("it is of an earlier document; take a new snapshot")]
    Document,
    /// The node was removed or replaced.
    #[error("its element is no longer on the page; take a new snapshot")]
    Gone,
    /// The node is there and is hidden from assistive technology now, so that role and name cannot be compared.
    #[error("its element is no longer in the accessibility tree; take a new snapshot")]
    Hidden,
    /// The node is there, but it is not what was shown.
    #[error("it was shown as {was} and is now {now}; take a new snapshot")]
    Changed {
        /// Role and name as shown.
        was: RoleName,
        /// Role and name now.
        now: RoleName,
    },
}

/// A role and a name, printed as a view does, the name shortened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleName {
    /// Chrome's role.
    pub role: String,
    /// Accessible name.
    pub name: String,
}

impl fmt::Display for RoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", shown(&self.role, 40), quoted(&self.name, NAME))
    }
}

/// How much of a name, a value or a label a message quotes, in characters.
const NAME: usize = 80;

/// An element that stands where a click would go.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct Cover {
    /// Its tag.
    pub tag: String,
    /// Its role attribute; empty for none.
    pub role: String,
    /// What names it best; empty for nothing.
    pub name: String,
    /// Backend node ids of it and of what it lies in, innermost first, in the target's session.
    #[serde(skip)]
    pub nodes: Vec<i64>,
    /// The uid of the first of them that has one, with its role and name; filled in by whoever knows uids.
    #[serde(skip)]
    pub known: Option<Box<(String, RoleName)>>,
}

impl fmt::Display for Cover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((uid, what)) = self.known.as_deref() {
            return write!(f, "[{uid}] {what}");
        }
        write!(f, "<{}>", shown(&self.tag, 40))?;
        if !self.role.is_empty() {
            write!(f, " {}", shown(&self.role, 40))?;
        }
        if self.name.is_empty() {
            Ok(())
        } else {
            write!(f, " {}", quoted(&self.name, NAME))
        }
    }
}

/// The check that failed (contract, rule 22).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Check {
    /// A user could not see it.
    #[error("not visible ({0})")]
    Visible(String),
    /// A user could not operate it.
    #[error("not enabled ({0})")]
    Enabled(String),
    /// Its box did not come to rest.
    #[error("not stable (it kept moving)")]
    Stable,
    /// No point of it can be brought into view.
    #[error("not in view ({0})")]
    InView(String),
    /// The page would hand the click to something else.
    #[error("covered by {0}; close or move that first")]
    Hit(Cover),
}

/// An option of a list.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct Choice {
    /// Its value.
    pub value: String,
    /// Its text.
    pub label: String,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.label, NAME))?;
        if self.value == self.label {
            Ok(())
        } else {
            write!(f, " (value {})", quoted(&self.value, NAME))
        }
    }
}

/// Why an act was not done, or cannot be said to have been done.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// The page itself does not answer, or a dialog blocks it.
    #[error(transparent)]
    Page(#[from] PageError),
    /// A dialog opened between the steps of an act; the rest was not done.
    #[error("{done}, then a {kind} dialog opened: {message}; answer it with action accept or dismiss")]
    Interrupted {
        /// What was done before.
        done: &'static str,
        /// alert, confirm, prompt or beforeunload.
        kind: String,
        /// Its text, quoted.
        message: String,
    },
    /// The uid is not acted on.
    #[error("{0}")]
    Stale(#[from] Stale),
    /// Not operable within the time given. Nothing was done.
    #[error("{check}")]
    NotActionable {
        /// The check that failed last.
        check: Check,
    },
    /// The press would have gone elsewhere and was swallowed. Nothing was done.
    #[error("the press went to {0} instead and was stopped; take a new snapshot")]
    Missed(Cover),
    /// The press reached no element that we can see: a popup of the browser may have taken it.
    #[error(
        "the press did not arrive at the element; a browser popup may have taken it: take a new snapshot and try again"
    )]
    Unseen,
    /// The page went elsewhere between the press and the release, or before an effect could be checked.
    #[error("the page went elsewhere before {before}; take a new snapshot")]
    WentAway {
        /// What was not done or checked.
        before: &'static str,
    },
    /// The element is not of a kind that takes this action or this text. Nothing was done.
    #[error("{problem}")]
    Unfit {
        /// What is wrong, and what it takes.
        problem: String,
    },
    /// The click focused something else, so nothing was typed.
    #[error("the click put the focus on {0}, so nothing was typed")]
    NoFocus(Cover),
    /// The field holds something else than what was there with the text behind it.
    #[error("the text did not take: the field holds {now} instead of {wanted}")]
    NotTaken {
        /// What it holds, quoted.
        now: String,
        /// What it should hold, quoted.
        wanted: String,
    },
    /// The same for a field whose text is not shown.
    #[error("the text did not take: the field holds {now} characters instead of {wanted}")]
    NotTakenSecret {
        /// How many it holds.
        now: usize,
        /// How many it should hold.
        wanted: usize,
    },
    /// The list has no such option, or several. Nothing was done.
    #[error("{problem}: {}{}", list(options), more(*left))]
    Option {
        /// No such option, or several fit.
        problem: String,
        /// What there is to choose from.
        options: Vec<Choice>,
        /// How many more there are.
        left: usize,
    },
    /// The page did not keep the choice.
    #[error("the choice did not take: selected is {}", list(now))]
    NotChosen {
        /// What is selected now.
        now: Vec<Choice>,
    },
    /// No dialog waits for an answer.
    #[error("no dialog is open")]
    NoDialog,
    /// One of our scripts failed.
    #[error("script {verb} failed: {problem}")]
    Script {
        /// Its verb.
        verb: &'static str,
        /// What it said.
        problem: String,
    },
}

fn list(options: &[Choice]) -> String {
    if options.is_empty() {
        return "nothing".to_owned();
    }
    options.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn more(left: usize) -> String {
    if left == 0 {
        String::new()
    } else {
        format!(" and {left} more")
    }
}
