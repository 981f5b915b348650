//! Calling commands and hearing events on one flat session.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::router::Router;
use super::{CdpError, Command, Event, MAX_COMMAND_BYTES, RawReply};

/// One flat session, or the browser itself. Cheap to clone; does not keep the connection open.
#[derive(Clone)]
pub struct Session {
    id: Arc<str>,
    router: Arc<Router>,
    outgoing: mpsc::UnboundedSender<Utf8Bytes>,
}

#[derive(Serialize)]
struct Outgoing<'a, P> {
    id: u64,
    method: &'a str,
    #[serde(rename = "sessionId", skip_serializing_if = "str::is_empty")]
    session: &'a str,
    params: &'a P,
}

impl Session {
    pub(super) fn new(id: String, router: Arc<Router>, outgoing: mpsc::UnboundedSender<Utf8Bytes>) -> Session {
        Session {
            id: id.into(),
            router,
            outgoing,
        }
    }

    /// The CDP session id; "" for the browser.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Runs a command and decodes its reply. For small replies: an unknown enum value fails the whole decode, so trees are
    /// read with [`Session::call_raw`].
    ///
    /// # Errors
    /// Those of [`Session::call_method`], and [`CdpError::Decode`].
    pub async fn call<C: Command>(&self, command: C, deadline: Duration) -> Result<C::Response, CdpError> {
        self.call_raw(command, deadline).await?.parse()
    }

    /// Runs a command and gives its reply as received.
    ///
    /// # Errors
    /// Those of [`Session::call_method`].
    pub async fn call_raw<C: Command>(&self, command: C, deadline: Duration) -> Result<RawReply, CdpError> {
        self.call_method(&command.identifier(), &command, deadline).await
    }

    /// Runs a command by its name. Dropping the future forgets the command; Chrome may still carry it out.
    ///
    /// # Errors
    /// Every variant of [`CdpError`] but `Connect` and `Decode`. After `Deadline` the session stays usable.
    pub async fn call_method(
        &self,
        method: &str,
        params: &(impl Serialize + ?Sized),
        deadline: Duration,
    ) -> Result<RawReply, CdpError> {
        let (ticket, answer) = self.router.register(&self.id, method)?;
        let outgoing = Outgoing {
            id: ticket.id(),
            method,
            session: &self.id,
            params: &params,
        };
        let command = serde_json::to_string(&outgoing).map_err(|source| CdpError::Encode {
            method: method.to_owned(),
            source,
        })?;
        if command.len() > MAX_COMMAND_BYTES {
            let (bytes, limit) = (command.len(), MAX_COMMAND_BYTES);
            return Err(CdpError::TooLarge {
                method: method.to_owned(),
                bytes,
                limit,
            });
        }
        let gone = || CdpError::Closed {
            reason: "nothing can be sent".to_owned(),
        };
        self.outgoing.send(command.into()).map_err(|_| gone())?;
        match tokio::time::timeout(deadline, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(gone()),
            Err(_) => Err(CdpError::Deadline {
                method: method.to_owned(),
                after: deadline,
            }),
        }
    }

    /// Subscribes now: every event of this session that is read later is delivered, in order. An event that came before a
    /// reply is in the queue when the call returns.
    pub fn events(&self) -> Events {
        Events {
            receiver: self.router.subscribe(&self.id),
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The events of one session since [`Session::events`]. The queue has no bound: read it or drop it.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::UnboundedReceiver<Event>,
}

impl Events {
    /// The next event, waiting for it; `None` once the session or the connection has ended and the queue is empty.
    pub async fn next(&mut self) -> Option<Event> {
        self.receiver.recv().await
    }

    /// The next event if one is queued.
    pub fn try_next(&mut self) -> Option<Event> {
        self.receiver.try_recv().ok()
    }
}
