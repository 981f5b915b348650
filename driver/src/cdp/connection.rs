//! The socket and its two tasks. Knows neither sessions' lives nor what a command means: that is the router's.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use super::router::Router;
use super::{CdpError, Session};

/// The largest command that is sent, in bytes. Chrome took 90 MB and dropped the connection, with every session on it,
/// at 110 MB.
pub const MAX_COMMAND_BYTES: usize = 90_000_000;

/// How long opening the websocket may take.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// One websocket to a browser. Clones share it; dropping the last one closes it, whatever sessions are left.
#[derive(Clone)]
pub struct Connection {
    tasks: Arc<Tasks>,
}

struct Tasks {
    router: Arc<Router>,
    outgoing: mpsc::UnboundedSender<Utf8Bytes>,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.router.close("it was dropped on our side");
        self.reader.abort();
        self.writer.abort();
    }
}

impl Connection {
    /// Opens the websocket of a browser endpoint (`ws://host:port/devtools/browser/…`). Messages of any size are
    /// received. Must be called inside a tokio runtime, on which the socket's tasks then live.
    ///
    /// # Errors
    /// [`CdpError::Connect`] where there is no such socket or the handshake takes longer than 10 s.
    pub async fn connect(ws_url: &str) -> Result<Connection, CdpError> {
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let failed = |reason: String| CdpError::Connect {
            endpoint: endpoint(ws_url),
            reason,
        };
        let opening = connect_async_with_config(ws_url, Some(config), true);
        match tokio::time::timeout(CONNECT_DEADLINE, opening).await {
            Ok(Ok((socket, _response))) => Ok(Self::over(socket)),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(_) => Err(failed(format!("no handshake within {} s", CONNECT_DEADLINE.as_secs()))),
        }
    }

    fn over(socket: Socket) -> Connection {
        let router = Router::new();
        let (outgoing, mut queue) = mpsc::unbounded_channel::<Utf8Bytes>();
        let (mut sink, mut stream) = socket.split();

        let reading = Arc::clone(&router);
        let reader = tokio::spawn(async move {
            // A panic or an abort must not leave anyone waiting.
            let guard = CloseOnDrop {
                router: reading,
                reason: "reading from it stopped".to_owned(),
            };
            guard.router.close(&read_until_closed(&mut stream, &guard.router).await);
        });

        let writing = Arc::clone(&router);
        let writer = tokio::spawn(async move {
            let guard = CloseOnDrop {
                router: writing,
                reason: "writing to it stopped".to_owned(),
            };
            while let Some(command) = queue.recv().await {
                if let Err(error) = sink.send(Message::Text(command)).await {
                    guard.router.close(&error.to_string());
                    return;
                }
            }
        });

        Connection {
            tasks: Arc::new(Tasks {
                router,
                outgoing,
                reader,
                writer,
            }),
        }
    }

    /// The browser itself: commands without a `sessionId`.
    pub fn browser(&self) -> Session {
        self.session(String::new())
    }

    /// A flat session by the id which `Target.attachToTarget` or `Target.attachedToTarget` gave.
    pub fn session(&self, id: impl Into<String>) -> Session {
        Session::new(id.into(), Arc::clone(&self.tasks.router), self.tasks.outgoing.clone())
    }

    /// Whether the socket is gone. Every call then fails at once.
    pub fn is_closed(&self) -> bool {
        self.tasks.router.is_closed()
    }

    /// Waits until the socket is gone.
    pub async fn closed(&self) {
        self.tasks.router.closed().await;
    }

    #[cfg(test)]
    pub(super) fn pending(&self) -> usize {
        self.tasks.router.pending()
    }
}

async fn read_until_closed(stream: &mut futures_util::stream::SplitStream<Socket>, router: &Router) -> String {
    while let Some(message) = stream.next().await {
        match message {
            Ok(Message::Text(text)) => router.deliver(&text),
            Ok(Message::Binary(bytes)) => {
                if let Ok(text) = Utf8Bytes::try_from(bytes) {
                    router.deliver(&text);
                } else {
                    tracing::warn!("a binary message from Chrome is not UTF-8");
                }
            }
            Ok(Message::Close(_)) => return "Chrome closed it".to_owned(),
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
            Err(error) => return error.to_string(),
        }
    }
    "Chrome closed it".to_owned()
}

struct CloseOnDrop {
    router: Arc<Router>,
    reason: String,
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.router.close(&self.reason);
    }
}

/// Scheme, host and port only.
fn endpoint(ws_url: &str) -> String {
    match url::Url::parse(ws_url) {
        Ok(url) => {
            let host = url.host_str().unwrap_or_default();
            let port = url
                .port_or_known_default()
                .map(|port| format!(":{port}"))
                .unwrap_or_default();
            format!("{}://{host}{port}", url.scheme())
        }
        Err(_) => "an address that is no URL".to_owned(),
    }
}
