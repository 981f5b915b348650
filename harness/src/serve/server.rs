//! The server itself: an own port on 127.0.0.1, ended with its value.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::serve::{files, routes};

/// What is served.
#[derive(Clone, Debug)]
pub struct Roots {
    /// Served at `/`.
    pub pages: PathBuf,
    /// Served at `/@name/`; for pages that are not ours, from a cache outside the tree.
    pub others: Vec<(String, PathBuf)>,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The loopback port.
    #[error("no port on 127.0.0.1 for the page server: {0}")]
    Bind(std::io::Error),
}

/// A running page server; dropping it ends it, its open connections included.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Serves the roots and the odd routes, on a port of its own.
    ///
    /// # Errors
    /// When there is no port to be had.
    pub async fn start(roots: Roots) -> Result<Server, ServeError> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(ServeError::Bind)?;
        let address = listener.local_addr().map_err(ServeError::Bind)?;
        let router: Router = routes::odd()
            .fallback(file)
            .layer(from_fn(no_store))
            .layer(axum::Extension(Arc::new(roots)));
        let task = tokio::spawn(async move {
            // It ends with the task; an error of accepting is retried inside.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Server { address, task })
    }

    /// The URL of a path, which comes without its leading `/`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn no_store(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn file(axum::Extension(roots): axum::Extension<Arc<Roots>>, request: Request) -> Response {
    let Some(path) = files::decode(request.uri().path().trim_start_matches('/')) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let found = match path.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
        Some((name, rest)) => roots
            .others
            .iter()
            .find(|(root, _)| root == name)
            .and_then(|(_, root)| files::resolve(root, rest)),
        None => files::resolve(&roots.pages, &path),
    };
    let Some(found) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    match tokio::task::spawn_blocking(move || std::fs::read(&found).map(|bytes| (files::media_type(&found), bytes)))
        .await
    {
        Ok(Ok((kind, bytes))) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
        _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    async fn server() -> (tempfile::TempDir, Server) {
        let outer = tempfile::tempdir().unwrap();
        let pages = outer.path().join("pages");
        let corpus = outer.path().join("corpus");
        std::fs::create_dir_all(&pages).unwrap();
        std::fs::create_dir_all(corpus.join("t")).unwrap();
        std::fs::write(pages.join("a.html"), "ours").unwrap();
        std::fs::write(corpus.join("t/b.html"), "theirs").unwrap();
        std::fs::write(outer.path().join("secret.txt"), "secret").unwrap();
        let others = vec![("corpus".to_owned(), corpus)];
        let server = Server::start(Roots { pages, others }).await.unwrap();
        (outer, server)
    }

    /// The raw request line goes as it is: no client tidies the path first.
    async fn ask(server: &Server, path: &str) -> TcpStream {
        let mut socket = TcpStream::connect(server.address()).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        socket
    }

    async fn whole(server: &Server, path: &str) -> String {
        let mut text = String::new();
        ask(server, path).await.read_to_string(&mut text).await.unwrap();
        text.to_ascii_lowercase()
    }

    #[tokio::test]
    async fn pages_are_served_from_their_roots_and_never_kept_by_the_browser() {
        let (_dir, server) = server().await;
        let ours = whole(&server, "/a.html?x=1").await;
        assert!(ours.starts_with("http/1.1 200") && ours.ends_with("ours"), "{ours}");
        assert!(
            ours.contains("cache-control: no-store") && ours.contains("text/html"),
            "{ours}"
        );
        assert!(whole(&server, "/@corpus/t/b.html").await.ends_with("theirs"));
        assert!(whole(&server, "/@other/t/b.html").await.starts_with("http/1.1 404"));
    }

    #[tokio::test]
    async fn what_is_outside_the_roots_is_not_found() {
        let (_dir, server) = server().await;
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/@corpus/../secret.txt",
            "/@corpus/%2e%2e/secret.txt",
            "/a.html/../../secret.txt",
            "//a.html/../secret.txt",
        ] {
            let answer = whole(&server, path).await;
            assert!(answer.starts_with("http/1.1 404"), "{path}: {answer}");
            assert!(!answer.contains("secret"), "{path}");
        }
        assert!(whole(&server, "/%").await.starts_with("http/1.1 400"));
    }

    #[tokio::test]
    async fn the_odd_routes_answer_as_they_say() {
        let (_dir, server) = server().await;
        let no_content = whole(&server, "/x/204").await;
        assert!(no_content.starts_with("http/1.1 204"), "{no_content}");
        let moved = whole(&server, "/x/redirect?to=/a.html").await;
        assert!(
            moved.starts_with("http/1.1 302") && moved.contains("location: /a.html"),
            "{moved}"
        );
        assert!(whole(&server, "/x/redirect?to=%0a").await.starts_with("http/1.1 400"));
        assert!(whole(&server, "/x/download").await.contains("attachment"));
        assert!(
            whole(&server, "/x/slow?ms=1&body=%3Cp%3Elate")
                .await
                .ends_with("<p>late")
        );
        assert!(whole(&server, "/x/echo?body=%3Cp%3Ehere").await.ends_with("<p>here"));
    }

    #[tokio::test]
    async fn the_endless_answer_begins_and_does_not_end_and_the_other_never_begins() {
        let (_dir, server) = server().await;
        let mut endless = ask(&server, "/x/endless").await;
        let mut seen = String::new();
        let mut buffer = [0; 1024];
        while !seen.contains("The first part") {
            let read = endless.read(&mut buffer).await.unwrap();
            assert_ne!(read, 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        let short = Duration::from_millis(50);
        // The rest of the chunk may be on its way; then there is silence, and no end.
        while let Ok(read) = tokio::time::timeout(short, endless.read(&mut buffer)).await {
            assert_ne!(read.unwrap(), 0, "it ended");
        }
        let mut never = ask(&server, "/x/never").await;
        assert!(tokio::time::timeout(short, never.read(&mut buffer)).await.is_err());
    }
}
