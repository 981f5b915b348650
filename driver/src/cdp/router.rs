//! Who waits for what: pending commands, subscribers, and which sessions are still alive. No socket, no task, no clock
//! beyond the moment a reply came.
//!
//! One lock guards all of it, so that a command is either refused or fails with its session; it cannot fall between.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Deserialize;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::frame::{self, Outcome, Parsed};
use super::{CdpError, Event, RawReply, lossy};

/// Chrome's code for a command to a session which it does not know.
const SESSION_NOT_FOUND: i64 = -32001;

/// How many ended sessions are remembered. Beyond it Chrome's own [`SESSION_NOT_FOUND`] says the same.
const ENDED_REMEMBERED: usize = 4096;

/// Commands that the browser process answers although the renderer is gone, and which bring the page back or away.
const ANSWERED_AFTER_A_CRASH: [&str; 3] = ["Page.navigate", "Page.reload", "Page.close"];

pub(super) type Answer = Result<RawReply, CdpError>;

struct Pending {
    session: String,
    method: String,
    sent: Instant,
    answer: oneshot::Sender<Answer>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Alive,
    Crashed,
    Ended,
}

struct Known {
    parent: String,
    target: String,
    life: Life,
}

#[derive(Default)]
struct State {
    next_id: u64,
    pending: HashMap<u64, Pending>,
    subscribers: HashMap<String, Vec<mpsc::UnboundedSender<Event>>>,
    sessions: HashMap<String, Known>,
    ended: VecDeque<String>,
    closed: Option<String>,
}

pub(super) struct Router {
    state: Mutex<State>,
    closed: watch::Sender<bool>,
}

impl Router {
    pub(super) fn new() -> Arc<Router> {
        Arc::new(Router {
            state: Mutex::default(),
            closed: watch::Sender::new(false),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Books a command. Refused at once where the connection or its session is gone.
    pub(super) fn register(
        self: &Arc<Self>,
        session: &str,
        method: &str,
    ) -> Result<(Ticket, oneshot::Receiver<Answer>), CdpError> {
        let mut state = self.lock();
        if let Some(reason) = &state.closed {
            return Err(CdpError::Closed { reason: reason.clone() });
        }
        match state.sessions.get(session).map_or(Life::Alive, |known| known.life) {
            Life::Alive => {}
            Life::Crashed if ANSWERED_AFTER_A_CRASH.contains(&method) => {}
            life => return Err(lost(life, session, method)),
        }
        state.next_id += 1;
        let id = state.next_id;
        let (answer, receiver) = oneshot::channel();
        let pending = Pending {
            session: session.to_owned(),
            method: method.to_owned(),
            sent: Instant::now(),
            answer,
        };
        state.pending.insert(id, pending);
        Ok((
            Ticket {
                router: Arc::clone(self),
                id,
            },
            receiver,
        ))
    }

    /// Subscribes to every later event of a session; ended at once where the connection or the session is gone.
    pub(super) fn subscribe(&self, session: &str) -> mpsc::UnboundedReceiver<Event> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut state = self.lock();
        let ended = state
            .sessions
            .get(session)
            .is_some_and(|known| known.life == Life::Ended);
        if state.closed.is_none() && !ended {
            let subscribers = state.subscribers.entry(session.to_owned()).or_default();
            subscribers.retain(|subscriber| !subscriber.is_closed());
            subscribers.push(sender);
        }
        receiver
    }

    /// Takes one message off the wire.
    pub(super) fn deliver(&self, message: &Utf8Bytes) {
        match frame::parse(message.as_str()) {
            Ok(Some(Parsed::Reply { id, outcome })) => self.answer(id, outcome, message),
            Ok(Some(Parsed::Event {
                method,
                session,
                params,
            })) => {
                let event = Event {
                    method: method.into(),
                    message: message.clone(),
                    params,
                };
                self.publish(&session, &event);
            }
            Ok(None) => tracing::debug!("a message from Chrome is neither a reply nor an event"),
            Err(error) => tracing::warn!(%error, "a message from Chrome is not JSON"),
        }
    }

    fn answer(&self, id: u64, outcome: Outcome, message: &Utf8Bytes) {
        let Some(pending) = self.lock().pending.remove(&id) else {
            return; // its caller has left
        };
        let Pending {
            session,
            method,
            sent,
            answer,
        } = pending;
        let reply = match outcome {
            Outcome::Result(result) => Ok(RawReply {
                method,
                message: message.clone(),
                result,
                round_trip: sent.elapsed(),
            }),
            Outcome::Error {
                code: SESSION_NOT_FOUND,
                ..
            } if !session.is_empty() => Err(CdpError::Detached { session, method }),
            Outcome::Error { code, message, data } => Err(CdpError::Protocol {
                method,
                code,
                message,
                data,
            }),
            Outcome::Neither => Err(CdpError::Empty { method }),
        };
        let _ = answer.send(reply);
    }

    fn publish(&self, session: &str, event: &Event) {
        let mut state = self.lock();
        let ended = state.observe(session, event);
        if let Some(subscribers) = state.subscribers.get_mut(session) {
            subscribers.retain(|subscriber| subscriber.send(event.clone()).is_ok());
            if subscribers.is_empty() {
                state.subscribers.remove(session);
            }
        }
        for session in ended {
            state.subscribers.remove(&session);
        }
    }

    /// The socket is gone: everything that waits is told, everything later is refused. The first reason stays.
    pub(super) fn close(&self, reason: &str) {
        let mut state = self.lock();
        if state.closed.is_some() {
            return;
        }
        state.closed = Some(reason.to_owned());
        state.subscribers.clear();
        for (_, pending) in state.pending.drain() {
            let _ = pending.answer.send(Err(CdpError::Closed {
                reason: reason.to_owned(),
            }));
        }
        drop(state);
        self.closed.send_replace(true);
    }

    pub(super) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    pub(super) async fn closed(&self) {
        // The sender lives in self, so the wait ends only by the value.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    #[cfg(test)]
    pub(super) fn pending(&self) -> usize {
        self.lock().pending.len()
    }
}

impl State {
    /// Follows the life of sessions. Returns those which ended by this event.
    fn observe(&mut self, session: &str, event: &Event) -> Vec<String> {
        match event.method() {
            "Target.attachedToTarget" => {
                if let Some(attached) = read::<Attached>(event) {
                    let target = attached.target_info.target_id;
                    let known = Known {
                        parent: session.to_owned(),
                        target,
                        life: Life::Alive,
                    };
                    self.sessions.insert(attached.session_id, known);
                }
            }
            "Target.detachedFromTarget" => {
                if let Some(detached) = read::<Detached>(event) {
                    return self.end(detached.session_id);
                }
            }
            "Inspector.targetCrashed" if !session.is_empty() => self.crash(session),
            "Target.targetCrashed" => {
                if let Some(crashed) = read::<Crashed>(event) {
                    let of_target: Vec<String> = self
                        .sessions
                        .iter()
                        .filter(|(_, known)| known.target == crashed.target_id)
                        .map(|(id, _)| id.clone())
                        .collect();
                    for session in of_target {
                        self.crash(&session);
                    }
                }
            }
            "Inspector.targetReloadedAfterCrash" => self.revive(session),
            _ => {}
        }
        Vec::new()
    }

    fn known(&mut self, session: &str) -> &mut Known {
        self.sessions.entry(session.to_owned()).or_insert_with(|| Known {
            parent: String::new(),
            target: String::new(),
            life: Life::Alive,
        })
    }

    fn crash(&mut self, session: &str) {
        let known = self.known(session);
        if known.life == Life::Alive {
            known.life = Life::Crashed;
            self.fail_pending(session, Life::Crashed);
        }
    }

    fn revive(&mut self, session: &str) {
        if let Some(known) = self.sessions.get_mut(session)
            && known.life == Life::Crashed
        {
            known.life = Life::Alive;
        }
    }

    /// Ends a session and those that were attached through it.
    fn end(&mut self, session: String) -> Vec<String> {
        let mut ended = vec![session];
        let mut at = 0;
        while at < ended.len() {
            let parent = &ended[at];
            let children: Vec<String> = self
                .sessions
                .iter()
                .filter(|(id, known)| known.parent == *parent && known.life != Life::Ended && !ended.contains(id))
                .map(|(id, _)| id.clone())
                .collect();
            ended.extend(children);
            at += 1;
        }
        for session in &ended {
            self.known(session).life = Life::Ended;
            self.fail_pending(session, Life::Ended);
            self.ended.push_back(session.clone());
        }
        while self.ended.len() > ENDED_REMEMBERED {
            if let Some(oldest) = self.ended.pop_front() {
                self.sessions.remove(&oldest);
            }
        }
        ended
    }

    fn fail_pending(&mut self, session: &str, life: Life) {
        let failed = self.pending.extract_if(|_, pending| {
            pending.session == session
                && !(life == Life::Crashed && ANSWERED_AFTER_A_CRASH.contains(&pending.method.as_str()))
        });
        for (_, pending) in failed {
            let error = lost(life, session, &pending.method);
            let _ = pending.answer.send(Err(error));
        }
    }
}

fn lost(life: Life, session: &str, method: &str) -> CdpError {
    let (session, method) = (session.to_owned(), method.to_owned());
    if life == Life::Crashed {
        CdpError::Crashed { session, method }
    } else {
        CdpError::Detached { session, method }
    }
}

/// A booked command. Dropped with its caller, it takes the booking along.
pub(super) struct Ticket {
    router: Arc<Router>,
    id: u64,
}

impl Ticket {
    pub(super) fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.router.lock().pending.remove(&self.id);
    }
}

fn read<T: serde::de::DeserializeOwned>(event: &Event) -> Option<T> {
    match lossy::decode(std::str::from_utf8(event.params()).ok()?) {
        Ok(value) => Some(value),
        Err(error) => {
            tracing::warn!(method = event.method(), %error, "an event about sessions has an unexpected form");
            None
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Crashed {
    target_id: String,
}
