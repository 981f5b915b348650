//! The errors that leave the house: one stable code each (contract, rule 5), and text that names the thing and the next step.
//!
//! Must not know how they are delivered.

use crate::ax::AxError;
use crate::chrome::ChromeError;
use crate::page::PageError;
use crate::render::PayloadError;
use crate::session::SessionError;
use crate::store::StoreError;
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
