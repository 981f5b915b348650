//! What came off the wire, kept as it came: replies and events share the received message, nothing is copied.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::{CdpError, MethodType, lossy};

/// A reply whose bytes are those that Chrome sent.
#[derive(Debug, Clone)]
pub struct RawReply {
    pub(super) method: String,
    pub(super) message: Utf8Bytes,
    pub(super) result: Range<usize>,
    pub(super) round_trip: Duration,
}

impl RawReply {
    /// The `result` value, byte for byte as received (contract rule 8).
    pub fn result(&self) -> &[u8] {
        self.text().as_bytes()
    }

    /// The same as text: a websocket text message is UTF-8.
    pub fn text(&self) -> &str {
        &self.message.as_str()[self.result.clone()]
    }

    /// The same, owned.
    pub fn to_shared(&self) -> Arc<[u8]> {
        self.result().into()
    }

    /// From handing the command to the socket to having read the whole reply.
    pub fn round_trip(&self) -> Duration {
        self.round_trip
    }

    /// Decodes the result. An unpaired surrogate becomes U+FFFD in the decoded value only.
    ///
    /// # Errors
    /// [`CdpError::Decode`] where the result does not have the form of `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, CdpError> {
        lossy::decode(self.text()).map_err(|source| CdpError::Decode {
            method: self.method.clone(),
            source,
        })
    }
}

/// One event of a session. Its parameters are decoded only when asked for.
#[derive(Debug, Clone)]
pub struct Event {
    pub(super) method: Arc<str>,
    pub(super) message: Utf8Bytes,
    pub(super) params: Range<usize>,
}

impl Event {
    /// The CDP event name, as `Page.loadEventFired`.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The `params` value as received; `{}` where the event had none.
    pub fn params(&self) -> &[u8] {
        self.text().as_bytes()
    }

    fn text(&self) -> &str {
        if self.params.is_empty() {
            "{}"
        } else {
            &self.message.as_str()[self.params.clone()]
        }
    }

    /// Decodes the event as a generated type. `None` when it is another event, or when this Chrome's event does not fit
    /// the type (the generated enums are closed: read `params` yourself where that matters).
    pub fn parse<E: MethodType + DeserializeOwned>(&self) -> Option<E> {
        if self.method() != E::method_id() {
            return None;
        }
        match lossy::decode(self.text()) {
            Ok(event) => Some(event),
            Err(error) => {
                tracing::warn!(method = self.method(), %error, "an event does not fit its generated type");
                None
            }
        }
    }

    /// Decodes the parameters as a type of the caller's own, whatever the event.
    ///
    /// # Errors
    /// [`CdpError::Decode`] where they do not have its form.
    pub fn parse_params<T: DeserializeOwned>(&self) -> Result<T, CdpError> {
        lossy::decode(self.text()).map_err(|source| CdpError::Decode {
            method: self.method().to_owned(),
            source,
        })
    }
}
