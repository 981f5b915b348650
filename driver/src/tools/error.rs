//! The errors that leave the house: one stable code each (contract, rule 5), and text that names the thing and the next step.
//!
//! Must not know how they are delivered.

use super::act::Verb;
use crate::ax::AxError;
use crate::cdp::CdpError;
use crate::page::{ActError, EvalError, PageError, RoleName};
use crate::render::PayloadError;
use crate::session::SessionError;
use crate::store::{StoreError, StoreErrorKind};
use crate::uid::Uid;
use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A stable error code. Its text never changes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// Its text.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// An argument is missing, of the wrong type or out of its range.
    InvalidArguments = "cave_invalid_arguments",
    /// The address is not one that is opened or shown.
    UrlDenied = "cave_browser_url_denied",
    /// There is no Chrome to work with.
    BrowserUnavailable = "cave_browser_unavailable",
    /// The page could not be reached or read.
    SnapshotFailed = "cave_browser_snapshot_failed",
    /// There is nothing to recover from, or the view is not smaller than the tree.
    SnapshotUncompressed = "cave_browser_snapshot_uncompressed",
    /// The uid was never given out.
    UnknownUid = "cave_unknown_uid",
    /// The uid is of an earlier document, or its element is gone or changed.
    StaleUid = "cave_stale_uid",
    /// The action is not one of the verbs.
    UnknownAction = "cave_unknown_action",
    /// The action could not be done.
    ActionFailed = "cave_browser_action_failed",
    /// The expression threw or could not be run.
    EvalFailed = "cave_browser_eval_failed",
    /// The handle names nothing here.
    UnknownHandle = "cave_unknown_handle",
    /// The tool does not exist.
    UnknownTool = "cave_unknown_tool",
    /// An input or a result is over its limit.
    PayloadTooLarge = "cave_payload_too_large",
    /// The store has no room left.
    StoreFull = "cave_store_full",
    /// A dialog blocks the page.
    DialogOpen = "cave_dialog_open",
    /// Something did not answer in time.
    Timeout = "cave_timeout",
    /// A fault of ours.
    Internal = "cave_internal",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a tool has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// An argument is missing, of the wrong type or out of its range.
    #[error("{name} {problem}")]
    Argument {
        /// The argument.
        name: &'static str,
        /// What is wrong, and what it may be.
        problem: String,
    },
    /// There is no store, so nothing could be recovered (contract, rule 9).
    #[error(
        "there is no store to keep the original in; name a writable file in CAVEMAN_CCR_DB or set CAVEMAN_BROWSE_EPHEMERAL=1"
    )]
    NoStore,
    /// There is no browser to work with.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The page could not be reached or read.
    #[error(transparent)]
    Snapshot(PageError),
    /// What Chrome sent is no tree.
    #[error(transparent)]
    Tree(#[from] AxError),
    /// The result could not be made, or is not smaller than the tree.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The original could not be kept.
    #[error(transparent)]
    Store(StoreError),
    /// The store was asked for something else than to keep an original, and could not do it.
    #[error(transparent)]
    Recover(StoreError),
    /// The action is not one of the verbs.
    #[error("{given:?} is no action; the actions are {}", verbs())]
    UnknownAction {
        /// What was asked for, shortened.
        given: String,
    },
    /// The uid was never given out in this session.
    #[error("{uid:?} is not a uid of this session; copy one from the brackets of the latest snapshot")]
    UnknownUid {
        /// What was given, shortened.
        uid: String,
    },
    /// An input or a result is over its limit.
    #[error("{what} has {bytes} bytes; at most {limit} are taken")]
    TooLarge {
        /// The argument, or `result`.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// An action was not done, or its effect is not the one asked for.
    #[error("{verb} {uid} {what}: {source}")]
    Act {
        /// The action.
        verb: Verb,
        /// The element.
        uid: Uid,
        /// The element as it was shown.
        what: RoleName,
        /// Why.
        source: Box<ActError>,
    },
    /// A dialog could not be answered.
    #[error("{verb}: {source}")]
    Dialog {
        /// The answer.
        verb: Verb,
        /// Why.
        source: Box<ActError>,
    },
    /// An expression has no value.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A fault of ours.
    #[error("{0}; please report it")]
    Internal(String),
}

fn verbs() -> String {
    Verb::ALL.map(Verb::as_str).join(", ")
}

impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl ToolError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Argument { .. } => Code::InvalidArguments,
            Self::Session(_) => Code::BrowserUnavailable,
            Self::Snapshot(error) => page_code(error, Code::SnapshotFailed),
            Self::Tree(_) => Code::SnapshotFailed,
            Self::UnknownAction { .. } => Code::UnknownAction,
            Self::UnknownUid { .. } => Code::UnknownUid,
            Self::TooLarge { .. } => Code::PayloadTooLarge,
            Self::Act { source, .. } | Self::Dialog { source, .. } => act_code(source),
            Self::Eval(EvalError::Page(error)) => page_code(error, Code::EvalFailed),
            Self::Eval(EvalError::Threw { .. } | EvalError::Unreturnable { .. } | EvalError::Left) => Code::EvalFailed,
            Self::Eval(EvalError::TooLong { .. }) => Code::Timeout,
            Self::NoStore | Self::Payload(PayloadError::NotSmaller { .. }) => Code::SnapshotUncompressed,
            Self::Payload(PayloadError::Unsettled { .. }) | Self::Internal(_) => Code::Internal,
            Self::Recover(error) if error.kind() == StoreErrorKind::Unavailable => Code::Internal,
            Self::Store(error) | Self::Recover(error) => match error.kind() {
                StoreErrorKind::Full => Code::StoreFull,
                StoreErrorKind::InvalidReference => Code::InvalidArguments,
                StoreErrorKind::UnknownHandle | StoreErrorKind::Corrupt => Code::UnknownHandle,
                StoreErrorKind::TooLarge => Code::PayloadTooLarge,
                StoreErrorKind::Busy => Code::Timeout,
                // Without the exact original there is no view (contract, rules 4 and 9).
                StoreErrorKind::Unavailable => Code::SnapshotUncompressed,
                StoreErrorKind::Internal => Code::Internal,
            },
        }
    }
}

/// The code of an act that was not done.
fn act_code(error: &ActError) -> Code {
    match error {
        ActError::Page(error) => page_code(error, Code::ActionFailed),
        ActError::Interrupted { .. } => Code::DialogOpen,
        ActError::Stale(_) => Code::StaleUid,
        ActError::Script { .. } => Code::Internal,
        ActError::NotActionable { .. }
        | ActError::Missed(_)
        | ActError::Unseen
        | ActError::WentAway { .. }
        | ActError::Unfit { .. }
        | ActError::NoFocus(_)
        | ActError::NotTaken { .. }
        | ActError::NotTakenSecret { .. }
        | ActError::Option { .. }
        | ActError::NotChosen { .. }
        | ActError::NoDialog => Code::ActionFailed,
    }
}

/// The code of what happened on a page; `otherwise` is the tool's own.
fn page_code(error: &PageError, otherwise: Code) -> Code {
    match error {
        PageError::UrlDenied { .. } | PageError::WentToDenied { .. } => Code::UrlDenied,
        PageError::UrlInvalid { .. } => Code::InvalidArguments,
        PageError::DialogOpen { .. } => Code::DialogOpen,
        PageError::NoAnswer { .. } | PageError::Cdp(CdpError::Deadline { .. }) => Code::Timeout,
        PageError::Navigation { .. }
        | PageError::NoContent { .. }
        | PageError::Download { .. }
        | PageError::Crashed
        | PageError::Closed
        | PageError::Unsettled { .. }
        | PageError::Cdp(_) => otherwise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_these_and_no_others() {
        let all: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        insta::assert_snapshot!("codes", all.join("\n"));
    }
}
