//! Asking a running Chrome where its websocket is, and whose program listens on a port.

use std::net::IpAddr;
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::ChromeError;

/// How long one `/json/version` may take. It is answered by a local Chrome in a few milliseconds.
const DEADLINE: Duration = Duration::from_secs(3);

/// The answer is about 500 bytes; more than this is not Chrome's.
const ANSWER_BYTES: u64 = 64 * 1024;

/// What `/json/version` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// As `Chrome/156.0.8078.114`.
    pub browser: String,
    /// As `1.3`.
    pub protocol: String,
    /// The browser's websocket, at the host and port that were asked.
    pub ws_url: String,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "Browser")]
    browser: String,
    #[serde(rename = "Protocol-Version", default)]
    protocol: String,
    #[serde(rename = "webSocketDebuggerUrl")]
    ws_url: String,
}

/// Asks `http://host:port/json/version`.
///
/// # Errors
/// [`ChromeError::Unreachable`] where nothing answers within 3 s, or not as Chrome does.
pub async fn version(host: &str, port: u16) -> Result<Version, ChromeError> {
    let failed = |reason: String| ChromeError::Unreachable {
        host: host.to_owned(),
        port,
        reason,
    };
    match tokio::time::timeout(DEADLINE, ask(host, port)).await {
        Ok(Ok(version)) => Ok(version),
        Ok(Err(reason)) => Err(failed(reason.to_string())),
        Err(_) => Err(failed(format!("no answer within {} s", DEADLINE.as_secs()))),
    }
}

/// The product behind a browser websocket, as `Chrome/156.0.8078.114`.
///
/// # Errors
/// [`ChromeError::Endpoint`], [`ChromeError::Unreachable`].
pub async fn product(ws_url: &str) -> Result<String, ChromeError> {
    let url = url::Url::parse(ws_url).ok();
    match url
        .as_ref()
        .and_then(|url| Some((url.host_str()?, url.port_or_known_default()?)))
    {
        Some((host, port)) => Ok(version(host, port).await?.browser),
        None => Err(ChromeError::Endpoint {
            text: without_secrets(ws_url),
        }),
    }
}

/// Why an endpoint is not that of a Chrome.
#[derive(Debug, thiserror::Error)]
enum Unanswered {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("the answer is not HTTP")]
    NotHttp,
    #[error("it answers with status {status:?}")]
    Status { status: String },
    #[error("the answer is not that of Chrome ({0})")]
    NotChrome(#[from] serde_json::Error),
    #[error("the answer names no browser websocket")]
    NoWebsocket,
}

async fn ask(host: &str, port: u16) -> Result<Version, Unanswered> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let mut stream = TcpStream::connect((bare, port)).await?;
    // Chrome answers to addresses and to localhost only, so any other name is replaced by the address it stands for.
    let named = if bare == "localhost" || bare.parse::<IpAddr>().is_ok() {
        bare.to_owned()
    } else {
        stream.peer_addr()?.ip().to_string()
    };
    let authority = if named.contains(':') {
        format!("[{named}]:{port}")
    } else {
        format!("{named}:{port}")
    };
    let request = format!("GET /json/version HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let body = read_body(stream).await?;
    let answer: Answer = serde_json::from_slice(&body)?;
    let path = answer
        .ws_url
        .split_once("://")
        .and_then(|(_, rest)| rest.find('/').map(|slash| &rest[slash..]))
        .filter(|path| path.starts_with("/devtools/browser/"))
        .ok_or(Unanswered::NoWebsocket)?;
    // Only the path is taken from the answer: it must not send us to another host.
    let ws_url = format!("ws://{authority}{path}");
    Ok(Version {
        browser: answer.browser,
        protocol: answer.protocol,
        ws_url,
    })
}

/// Reads an HTTP/1.1 answer of a known length, or up to the end of the connection.
async fn read_body(stream: TcpStream) -> Result<Vec<u8>, Unanswered> {
    let mut stream = stream.take(ANSWER_BYTES);
    let mut received = Vec::new();
    loop {
        let read = stream.read_buf(&mut received).await?;
        let Some(head_end) = received.windows(4).position(|window| window == b"\r\n\r\n") else {
            if read == 0 {
                return Err(Unanswered::NotHttp);
            }
            continue;
        };
        let head = String::from_utf8_lossy(&received[..head_end]).into_owned();
        let status = head.split_ascii_whitespace().nth(1).unwrap_or_default();
        if !head.starts_with("HTTP/1.") || status != "200" {
            return Err(Unanswered::Status {
                status: status.chars().take(8).collect(),
            });
        }
        let body = head_end + 4;
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().ok())?
        });
        let whole = length.is_some_and(|length| received.len() - body >= length);
        if whole || read == 0 {
            let end = length.map_or(received.len(), |length| received.len().min(body + length));
            return Ok(received[body..end].to_vec());
        }
    }
}

/// Turns what a user gives as endpoint (`CAVEMAN_BROWSE_CDP`) into a browser websocket: a `ws://` URL with a path as it is;
/// `http://host:port`, `ws://host:port`, `host:port` or a port alone by asking Chrome.
///
/// # Errors
/// [`ChromeError::Endpoint`] for any other form, encrypted ones included; [`ChromeError::Unreachable`].
pub async fn resolve(text: &str) -> Result<String, ChromeError> {
    let text = text.trim();
    if let Ok(port) = text.parse::<u16>() {
        return Ok(version("127.0.0.1", port).await?.ws_url);
    }
    let full = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let parsed = url::Url::parse(&full)
        .ok()
        .filter(|url| matches!(url.scheme(), "ws" | "http"));
    let Some(url) = parsed else {
        return Err(ChromeError::Endpoint {
            text: without_secrets(text),
        });
    };
    if url.scheme() == "ws" && url.path().len() > 1 {
        return Ok(full);
    }
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(port)) => Ok(version(host, port).await?.ws_url),
        _ => Err(ChromeError::Endpoint {
            text: without_secrets(text),
        }),
    }
}

fn without_secrets(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        _ => text.to_owned(),
    }
}

/// Whose program listens on a port of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortOwner {
    /// Our own OS user's, on every address.
    Us,
    /// Another user's, on some address at least.
    Other {
        /// That user's id.
        uid: u32,
    },
    /// Nobody listens.
    Nobody,
    /// This system does not say.
    Unknown,
}

/// Whose program listens on a port (contract rule 32). Linux only, from `/proc/net/tcp` and `tcp6`.
#[cfg(target_os = "linux")]
pub fn port_owner_is_us(port: u16) -> PortOwner {
    let tables: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect();
    if tables.is_empty() {
        return PortOwner::Unknown;
    }
    owner_in(&tables, port, rustix::process::geteuid().as_raw())
}

/// Whose program listens on a port (contract rule 32): this system does not say.
#[cfg(not(target_os = "linux"))]
pub fn port_owner_is_us(_port: u16) -> PortOwner {
    PortOwner::Unknown
}

#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn owner_in(tables: &[String], port: u16, us: u32) -> PortOwner {
    /// State of a listening socket in the kernel's tables.
    const LISTEN: &str = "0A";
    let mut owner = PortOwner::Nobody;
    for line in tables.iter().flat_map(|table| table.lines().skip(1)) {
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, local, _, LISTEN, _, _, _, uid, ..] = columns[..] else {
            continue;
        };
        let listens = local
            .rsplit_once(':')
            .and_then(|(_, hex)| u16::from_str_radix(hex, 16).ok());
        if listens != Some(port) {
            continue;
        }
        match uid.parse() {
            Ok(uid) if uid == us => owner = PortOwner::Us,
            Ok(uid) => return PortOwner::Other { uid },
            Err(_) => return PortOwner::Unknown,
        }
    }
    owner
}

#[cfg(test)]
#[path = "attach_tests.rs"]
mod tests;
