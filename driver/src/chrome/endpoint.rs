//! Where Chrome says that it listens: the line on stderr, or the file `DevToolsActivePort`. Keeps reading stderr, so that
//! Chrome never blocks on it, and keeps its end for error texts.

use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

const LISTENING: &str = "DevTools listening on ";

/// How much of stderr's end is kept, in bytes.
const TAIL: usize = 4096;

/// A line is looked at up to this many bytes.
const LINE: usize = 16 * 1024;

/// Written by Chrome into its profile when it was given port 0; never removed by it.
const ACTIVE_PORT_FILE: &str = "DevToolsActivePort";

/// The end of stderr so far.
#[derive(Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let over = kept.len().saturating_sub(TAIL);
        kept.drain(..over);
    }

    /// As text, without control characters: it may end in an agent's context or on a terminal.
    pub(super) fn text(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plain(kept.make_contiguous())
    }
}

/// The last part of some output as plain text.
pub(super) fn plain(bytes: &[u8]) -> String {
    let from = bytes.len().saturating_sub(TAIL);
    let text = String::from_utf8_lossy(&bytes[from..]);
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Reads stderr to its end and reports the first endpoint. Blocks: for a thread of its own.
pub(super) fn drain(mut stderr: impl Read, tail: &Tail, found: oneshot::Sender<String>) {
    let mut found = Some(found);
    let mut line = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let read = match stderr.read(&mut chunk) {
            Ok(0) => return,
            Ok(read) => &chunk[..read],
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        tail.push(read);
        if found.is_none() {
            continue;
        }
        for &byte in read {
            if byte == b'\n' {
                if let Some(endpoint) = in_line(&String::from_utf8_lossy(&line))
                    && let Some(found) = found.take()
                {
                    let _ = found.send(endpoint);
                }
                line.clear();
            } else if line.len() < LINE {
                line.push(byte);
            }
        }
    }
}

/// The endpoint in a line of stderr. Launcher scripts write lines of their own before it.
pub(super) fn in_line(line: &str) -> Option<String> {
    let (_, after) = line.split_once(LISTENING)?;
    let endpoint = after.split_whitespace().next()?;
    is_local_browser(endpoint).then(|| endpoint.to_owned())
}

/// The endpoint in `DevToolsActivePort`. `None` until both of its lines are written.
pub(super) fn in_profile(profile: &Path) -> Option<String> {
    in_active_port(&std::fs::read_to_string(profile.join(ACTIVE_PORT_FILE)).ok()?)
}

fn in_active_port(text: &str) -> Option<String> {
    let mut lines = text.lines();
    let port: u16 = lines.next()?.trim().parse().ok()?;
    let endpoint = format!("ws://127.0.0.1:{port}{}", lines.next()?.trim());
    is_local_browser(&endpoint).then_some(endpoint)
}

fn is_local_browser(endpoint: &str) -> bool {
    let Ok(url) = url::Url::parse(endpoint) else {
        return false;
    };
    let local = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    let id = url.path().strip_prefix("/devtools/browser/").unwrap_or_default();
    local && url.scheme() == "ws" && url.port_or_known_default().is_some() && !id.is_empty()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ENDPOINT: &str = "ws://127.0.0.1:41234/devtools/browser/0b7a-11";

    fn drained(stderr: &[u8]) -> (Option<String>, String) {
        let (sender, mut receiver) = oneshot::channel();
        let tail = Tail::default();
        drain(stderr, &tail, sender);
        (receiver.try_recv().ok(), tail.text())
    }

    #[test]
    fn the_listening_line_is_found_among_others() {
        let mut stderr = b"[: 1: unexpected operator\n\xff\xfe garbage\n".to_vec();
        stderr.extend(vec![b'x'; 100_000]);
        stderr.extend(format!("\nDevTools listening on {ENDPOINT}\nafterwards\n").into_bytes());
        let (endpoint, tail) = drained(&stderr);
        assert_eq!(endpoint.unwrap(), ENDPOINT);
        assert!(tail.ends_with("afterwards") && tail.len() <= TAIL);
    }

    #[test]
    fn half_a_line_is_not_an_endpoint() {
        assert_eq!(drained(format!("DevTools listening on {ENDPOINT}").as_bytes()).0, None);
    }

    #[test]
    fn only_a_local_browser_endpoint_is_taken() {
        for endpoint in [
            "ws://example.org:1/devtools/browser/x",
            "ws://127.0.0.1:1/devtools/page/x",
            "ws://127.0.0.1:1/devtools/browser/",
            "http://127.0.0.1:1/devtools/browser/x",
            "",
        ] {
            assert_eq!(
                in_line(&format!("DevTools listening on {endpoint}")),
                None,
                "{endpoint}"
            );
        }
        assert!(in_line("DevTools listening on ws://[::1]:9/devtools/browser/x").is_some());
    }

    #[test]
    fn the_port_file_counts_once_both_lines_are_there() {
        assert_eq!(in_active_port(""), None);
        assert_eq!(in_active_port("41234\n"), None);
        assert_eq!(in_active_port("41234\n/devtools/browser/0b7a-11").unwrap(), ENDPOINT);
    }

    #[test]
    fn control_characters_do_not_reach_an_error_text() {
        assert_eq!(plain(b"\x1b[31mred\x1b[0m\r\n\x07next "), "[31mred[0m\nnext");
    }
}
