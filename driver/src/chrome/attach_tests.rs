//! Answers that are and are not Chrome's, and the kernel's table of listeners.

#![allow(clippy::unwrap_used)]

use tokio::net::TcpListener;

use super::*;

/// One answer on a port of its own; keeps the connection open, as Chrome does.
async fn answering(answer: String) -> (u16, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 1024];
        let read = stream.read(&mut request).await.unwrap();
        stream.write_all(answer.as_bytes()).await.unwrap();
        let _ = stream.read(&mut [0; 1]).await;
        String::from_utf8_lossy(&request[..read]).into_owned()
    });
    (port, served)
}

fn http(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nContent-Type: application/json\r\n\r\n{body}",
        body.len()
    )
}

const GOOD: &str = r#"{"Browser":"Chrome/1.2","Protocol-Version":"1.3",
    "webSocketDebuggerUrl":"ws://elsewhere.example:1/devtools/browser/abc"}"#;

#[tokio::test]
async fn only_the_path_is_taken_from_an_answer() {
    let (port, served) = answering(http("200 OK", GOOD)).await;
    let version = version("127.0.0.1", port).await.unwrap();
    assert_eq!(version.ws_url, format!("ws://127.0.0.1:{port}/devtools/browser/abc"));
    assert_eq!(
        (version.browser.as_str(), version.protocol.as_str()),
        ("Chrome/1.2", "1.3")
    );
    assert!(served.await.unwrap().starts_with("GET /json/version HTTP/1.1\r\n"));
}

#[tokio::test]
async fn an_answer_that_is_not_chromes_is_refused_with_its_reason() {
    let cases = [
        (http("404 Not Found", "{}"), "404"),
        (http("200 OK", "<html>"), "not that of Chrome"),
        (
            http("200 OK", &GOOD.replace("/devtools/browser/", "/other/")),
            "no browser websocket",
        ),
        ("SSH-2.0-x\r\n\r\n".to_owned(), "status"),
        (format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(100_000)), "not HTTP"),
    ];
    for (answer, reason) in cases {
        let (port, _served) = answering(answer).await;
        let error = version("127.0.0.1", port).await.unwrap_err().to_string();
        assert!(
            error.contains(reason) && error.contains(&port.to_string()),
            "{reason}: {error}"
        );
    }
}

#[tokio::test]
async fn every_form_of_an_endpoint_is_resolved() {
    assert_eq!(
        resolve("ws://h:1/devtools/browser/x").await.unwrap(),
        "ws://h:1/devtools/browser/x"
    );
    for form in [
        "{}",
        "127.0.0.1:{}",
        "http://127.0.0.1:{}",
        "http://127.0.0.1:{}/",
        "ws://127.0.0.1:{}",
    ] {
        let (port, _served) = answering(http("200 OK", GOOD)).await;
        let resolved = resolve(&form.replace("{}", &port.to_string())).await.unwrap();
        assert_eq!(
            resolved,
            format!("ws://127.0.0.1:{port}/devtools/browser/abc"),
            "{form}"
        );
    }
}

#[tokio::test]
async fn an_endpoint_of_no_known_form_is_refused_without_its_secrets() {
    for text in ["wss://user:secret@h:1/x?token=secret", "file:///x", "", "https://h"] {
        let error = resolve(text).await.unwrap_err();
        assert!(matches!(error, ChromeError::Endpoint { .. }), "{text}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

fn table(rows: &[(&str, &str, u32)]) -> Vec<String> {
    let mut text =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n".to_owned();
    for (local, state, uid) in rows {
        use std::fmt::Write;
        writeln!(
            text,
            "   0: {local} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  {uid} 0 12345 1"
        )
        .unwrap();
    }
    vec![text]
}

#[test]
fn a_port_is_ours_only_if_every_listener_on_it_is() {
    let port = 9333; // 0x2475
    assert_eq!(
        owner_in(&table(&[("0100007F:2475", "0A", 1000)]), port, 1000),
        PortOwner::Us
    );
    assert_eq!(
        owner_in(&table(&[("0100007F:2475", "0A", 0)]), port, 1000),
        PortOwner::Other { uid: 0 }
    );
    let both = table(&[("0100007F:2475", "0A", 1000), ("00000000:2475", "0A", 1001)]);
    assert_eq!(owner_in(&both, port, 1000), PortOwner::Other { uid: 1001 });
    assert_eq!(
        owner_in(&table(&[("0100007F:2475", "01", 1000)]), port, 1000),
        PortOwner::Nobody
    );
    assert_eq!(
        owner_in(&table(&[("0100007F:2476", "0A", 1000)]), port, 1000),
        PortOwner::Nobody
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn our_own_listener_is_ours() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    assert_eq!(port_owner_is_us(listener.local_addr().unwrap().port()), PortOwner::Us);
}
