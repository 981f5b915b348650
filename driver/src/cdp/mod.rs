//! The transport: one websocket to Chrome, flat sessions, deadlines, replies kept as they came off the wire.
//!
//! Must not know what a page, a view or a tool is. The generated protocol types come from chromiumoxide; its
//! browser, page and handler are not used.

mod connection;
mod error;
mod frame;
mod lossy;
mod reply;
mod router;
mod session;

#[cfg(test)]
mod tests;

pub use chromiumoxide::cdp as protocol;
pub use chromiumoxide::{Command, Method, MethodType};

pub use connection::{Connection, MAX_COMMAND_BYTES};
pub use error::CdpError;
pub use reply::{Event, RawReply};
pub use session::{Events, Session};
