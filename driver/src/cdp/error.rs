//! The errors of the transport. Knows no code of the contract: `tools` maps these to codes.

use std::time::Duration;

/// What can go wrong between us and Chrome's debugging socket.
#[derive(Debug, thiserror::Error)]
pub enum CdpError {
    /// The websocket could not be opened.
    #[error(
        "cannot connect to Chrome at {endpoint}: {reason}; check that it runs and that its debugging port is reachable"
    )]
    Connect {
        /// Scheme, host and port; a path or a query may hold a secret and is left out.
        endpoint: String,
        /// What the socket or the handshake said.
        reason: String,
    },
    /// The socket is closed: Chrome ended, or the connection was dropped.
    #[error("the connection to Chrome is closed ({reason}); it must be started or attached anew")]
    Closed {
        /// Why it closed.
        reason: String,
    },
    /// No reply within the command's deadline. The command may still take effect.
    #[error("{method} got no reply from Chrome within {} ms", after.as_millis())]
    Deadline {
        /// The CDP method.
        method: String,
        /// The deadline that passed.
        after: Duration,
    },
    /// The renderer of this session crashed (`Inspector.targetCrashed`, `Target.targetCrashed`).
    #[error("the page crashed while or before {method} ran; navigate again")]
    Crashed {
        /// The session whose target crashed.
        session: String,
        /// The CDP method.
        method: String,
    },
    /// The session is gone: its tab or frame was closed or replaced (`Target.detachedFromTarget`, error -32001).
    #[error("{method} was for a tab or frame that is gone; take a new snapshot")]
    Detached {
        /// The session that was detached.
        session: String,
        /// The CDP method.
        method: String,
    },
    /// Chrome answered with an error.
    #[error("Chrome refused {method}: {message} ({code}{}{})", if data.is_some() { ", " } else { "" }, data.as_deref().unwrap_or(""))]
    Protocol {
        /// The CDP method.
        method: String,
        /// JSON-RPC error code.
        code: i64,
        /// Chrome's message.
        message: String,
        /// Chrome's `data`: the text of a string, else the JSON.
        data: Option<String>,
    },
    /// The reply does not have the expected form.
    #[error("the reply to {method} has an unexpected form: {source}")]
    Decode {
        /// The CDP method.
        method: String,
        /// What the decoder said.
        source: serde_json::Error,
    },
    /// The reply has neither `result` nor `error`.
    #[error("the reply to {method} has neither a result nor an error")]
    Empty {
        /// The CDP method.
        method: String,
    },
    /// The parameters could not be written as JSON.
    #[error("the parameters of {method} cannot be written as JSON: {source}")]
    Encode {
        /// The CDP method.
        method: String,
        /// What the encoder said.
        source: serde_json::Error,
    },
    /// The command is larger than what Chrome's socket takes; it was not sent.
    #[error("{method} with {bytes} bytes is over the limit of {limit} bytes for one command; send less")]
    TooLarge {
        /// The CDP method.
        method: String,
        /// Size of the whole command.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
}
