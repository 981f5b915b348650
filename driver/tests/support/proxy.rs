//! A TCP proxy between us and Chrome that keeps what Chrome sends, and takes the websocket messages out of it by a reader
//! of its own: what the product says came off the wire is held against this.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A running proxy for one connection after another.
pub struct Proxy {
    ws_url: String,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Proxy {
    /// Puts a proxy before a browser websocket.
    pub async fn before(ws_url: &str) -> Proxy {
        let rest = ws_url.strip_prefix("ws://").unwrap();
        let (authority, path) = rest.split_once('/').unwrap();
        let chrome: SocketAddr = authority.parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let ws_url = format!("ws://{}/{path}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(chrome).await.unwrap();
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                keep.lock().unwrap().clear();
                tokio::spawn(copy(from_client, to_server, None));
                tokio::spawn(copy(from_server, to_client, Some(Arc::clone(&keep))));
            }
        });
        Proxy { ws_url, received }
    }

    /// Where to connect instead.
    pub fn ws_url(&self) -> &str {
        &self.ws_url
    }

    /// The text messages that Chrome has sent on the latest connection, each as its bytes.
    pub fn messages(&self) -> Vec<Vec<u8>> {
        unframed(&self.received.lock().unwrap())
    }

    /// The bytes of the `result` value of the reply with these bytes in it. By place alone: Chrome's replies begin with
    /// `{"id":…,"result":` and end with the session.
    pub fn result_with(&self, needle: &[u8]) -> Vec<u8> {
        let holds = |message: &&Vec<u8>| message.starts_with(b"{\"id\":") && find(message, needle).is_some();
        let messages = self.messages();
        let found: Vec<&Vec<u8>> = messages.iter().filter(holds).collect();
        assert_eq!(found.len(), 1, "one reply holds the bytes that were looked for");
        let key = b"\"result\":";
        let start = find(found[0], key).unwrap() + key.len();
        let session = b",\"sessionId\":\"";
        let end = found[0]
            .windows(session.len())
            .rposition(|window| window == session)
            .unwrap();
        found[0][start..end].to_vec()
    }
}

async fn copy(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, keep: Option<Arc<Mutex<Vec<u8>>>>) {
    let mut chunk = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut chunk).await {
        // Kept before it is passed on: whoever has the reply finds its bytes here.
        if let Some(keep) = &keep {
            keep.lock().unwrap().extend_from_slice(&chunk[..read]);
        }
        if to.write_all(&chunk[..read]).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

/// RFC 6455, section 5.2, as far as a server uses it: no masks, no extensions.
fn unframed(received: &[u8]) -> Vec<Vec<u8>> {
    let Some(head) = find(received, b"\r\n\r\n") else {
        return Vec::new();
    };
    let mut rest = &received[head + 4..];
    let mut messages = Vec::new();
    let mut message = Vec::new();
    loop {
        let &[first, second, ..] = rest else { return messages };
        assert_eq!(first & 0x70, 0, "no extension was agreed on");
        assert_eq!(second & 0x80, 0, "a server does not mask");
        let (extra, short) = match second {
            126 => (2, 0),
            127 => (8, 0),
            length => (0, usize::from(length)),
        };
        let Some(extended) = rest.get(2..2 + extra) else {
            return messages;
        };
        let long = extended
            .iter()
            .fold(0_usize, |length, &byte| length << 8 | usize::from(byte));
        let length = if extra == 0 { short } else { long };
        let Some(payload) = rest.get(2 + extra..2 + extra + length) else {
            return messages;
        };
        rest = &rest[2 + extra + length..];
        match first & 0x0f {
            0..=2 => message.extend_from_slice(payload),
            _ => continue, // ping, pong, close
        }
        if first & 0x80 != 0 {
            messages.push(std::mem::take(&mut message));
        }
    }
}
