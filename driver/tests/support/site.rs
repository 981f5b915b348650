//! A small loopback site for tests: fixed pages, and the answers that make browsers wait.
#![allow(dead_code, missing_docs, unreachable_pub)]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A running site. It ends with the test process.
pub struct Site {
    port: u16,
}

impl Site {
    /// Serves `pages` (path without its slash → HTML) and, besides, `/x/204`, `/x/download`, `/x/endless`, `/x/never`,
    /// `/x/slow.js?ms`, `/x/redirect?to`.
    pub fn start(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let pages: HashMap<String, String> = pages
            .iter()
            .map(|(path, html)| (format!("/{path}"), (*html).to_owned()))
            .collect();
        let pages = Arc::new(pages);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let pages = Arc::clone(&pages);
                thread::spawn(move || {
                    let _ = answer(stream, &pages);
                });
            }
        });
        Self { port }
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }
}

fn answer(mut stream: TcpStream, pages: &HashMap<String, String>) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0u8; 1];
    while !head.ends_with(b"\r\n\r\n") && head.len() < 64 * 1024 {
        if stream.read(&mut byte)? == 0 {
            return Ok(());
        }
        // No method begins like this: a TLS greeting, which an HTTP server hangs up on.
        if head.is_empty() && !byte[0].is_ascii_alphabetic() {
            return Ok(());
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let target = head.split_whitespace().nth(1).unwrap_or("/").to_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    match path {
        "/x/204" => stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
        "/x/download" => stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"report.csv\"\r\nContent-Length: 3\r\nConnection: close\r\n\r\na,b",
        ),
        "/x/endless" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>Endless</title><h1>Arrived so far</h1>")?;
            loop {
                thread::sleep(Duration::from_millis(200));
                stream.write_all(b"<p>more</p>")?;
            }
        }
        "/x/never" => {
            thread::sleep(Duration::from_secs(120));
            Ok(())
        }
        "/x/redirect" => {
            let to = query.strip_prefix("to=").unwrap_or("/");
            write!(stream, "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        path => match pages.get(path) {
            Some(html) => write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{html}",
                html.len()
            ),
            None => stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        },
    }
}
