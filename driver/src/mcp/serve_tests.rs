//! A whole server over two pipes in memory, with tools that panic, hang or deliver too much.
#![allow(clippy::unwrap_used)]

use super::super::server::{Call, Delivered, RESULT_LIMIT, Refusal, Toolbox};
use super::*;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Does what the first text argument says.
struct Trick {
    ended: Arc<AtomicBool>,
}

impl Toolbox for Trick {
    async fn call(&mut self, call: &Call) -> Result<Delivered, Refusal> {
        let texts = ["expression", "action", "query", "recovery_handle"];
        let order = texts
            .iter()
            .find_map(|name| call.arguments.text(name))
            .unwrap_or_default();
        let text = match order.split_once(' ').unwrap_or((&order, "")) {
            ("panic", why) => panic!("{why}"),
            ("hang", _) => std::future::pending().await,
            ("deliver", length) => "x".repeat(length.parse().unwrap()),
            ("quotes", length) => "\"".repeat(length.parse().unwrap()),
            _ => order,
        };
        Ok(Delivered { text, meta: Map::new() })
    }

    async fn end(self) {
        self.ended.store(true, Ordering::SeqCst);
    }
}

struct Client {
    to: DuplexStream,
    from: Lines<BufReader<DuplexStream>>,
    stop: oneshot::Sender<u8>,
    server: JoinHandle<Ending<u8>>,
    ended: Arc<AtomicBool>,
}

/// More than any message of these tests, so that no test depends on who reads when.
const PIPE: usize = 64 * 1024 * 1024;

/// Long enough for a loaded machine where something must happen, short where a test waits for it to pass.
const PATIENCE: Patience = Patience {
    last_calls: Duration::from_millis(300),
    last_writes: Duration::from_secs(20),
    act: Duration::from_millis(300),
};

impl Client {
    async fn start() -> Client {
        let (to, input) = tokio::io::duplex(PIPE);
        let (output, from) = tokio::io::duplex(PIPE);
        let ended = Arc::new(AtomicBool::new(false));
        let toolbox = Trick {
            ended: Arc::clone(&ended),
        };
        let (stop, stopped) = oneshot::channel();
        let stopped = async {
            match stopped.await {
                Ok(signal) => signal,
                Err(_) => std::future::pending().await,
            }
        };
        let server = tokio::spawn(async move { serve(input, output, toolbox, || {}, PATIENCE, stopped).await });
        let mut client = Client {
            to,
            from: BufReader::new(from).lines(),
            stop,
            server,
            ended,
        };
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        client
            .send(&json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}))
            .await;
        assert_eq!(client.answer().await["id"], "init");
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        client
    }

    async fn send(&mut self, message: &Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: i64, tool: &str, argument: &str, order: &str) {
        let params = json!({"name": tool, "arguments": {argument: order}});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
            .await;
    }

    async fn eval(&mut self, id: i64, order: &str) {
        self.call(id, "browser_eval", "expression", order).await;
    }

    async fn ping(&mut self, id: i64) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).await;
    }

    async fn answer(&mut self) -> Value {
        let line = self
            .from
            .next_line()
            .await
            .unwrap()
            .expect("the server has closed its output");
        serde_json::from_str(&line).unwrap()
    }

    /// The id of the next answer, whether it is an error result, and its text.
    async fn result(&mut self) -> (i64, bool, String) {
        let answer = self.answer().await;
        let result = &answer["result"];
        let text = result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned();
        (answer["id"].as_i64().unwrap(), result["isError"] == true, text)
    }
}

#[tokio::test]
async fn a_panicking_tool_is_answered_and_the_next_call_works() {
    let mut client = Client::start().await;
    client.eval(1, "panic on purpose").await;
    let (id, is_error, text) = client.result().await;
    assert_eq!((id, is_error), (1, true));
    assert!(text.starts_with("cave_internal: "), "{text}");
    client.eval(2, "again").await;
    assert_eq!(client.result().await, (2, false, "again".to_owned()));
}

#[tokio::test]
async fn a_long_call_holds_up_neither_a_ping_nor_the_catalog() {
    let mut client = Client::start().await;
    client.eval(1, "hang").await;
    client.ping(2).await;
    assert_eq!(client.answer().await["id"], 2);
    client
        .send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}))
        .await;
    assert_eq!(client.answer().await["result"]["tools"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered_and_frees_the_session() {
    let mut client = Client::start().await;
    client.eval(1, "hang").await;
    client.eval(2, "next").await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    assert_eq!(client.result().await, (2, false, "next".to_owned()));
    client.eval(3, "after").await;
    assert_eq!(client.result().await, (3, false, "after".to_owned()));
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_it_waits_is_never_begun() {
    let mut client = Client::start().await;
    client.eval(1, "hang").await;
    client.eval(2, "panic").await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}))
        .await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    client.eval(3, "after").await;
    assert_eq!(client.result().await, (3, false, "after".to_owned()));
}

#[tokio::test]
async fn an_act_that_is_cancelled_may_go_on_for_a_while_but_not_for_ever() {
    let mut client = Client::start().await;
    client.call(1, "browser_act", "action", "hang").await;
    client.ping(2).await;
    assert_eq!(client.answer().await["id"], 2);
    let began = Instant::now();
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    client.eval(3, "after").await;
    assert_eq!(client.result().await, (3, false, "after".to_owned()));
    assert!(began.elapsed() >= PATIENCE.act);
}

#[tokio::test]
async fn a_result_over_the_limit_is_refused_unless_it_is_a_recovered_original() {
    let mut client = Client::start().await;
    client.eval(1, &format!("deliver {RESULT_LIMIT}")).await;
    assert_eq!(client.result().await.2.len(), RESULT_LIMIT);
    client.eval(2, &format!("deliver {}", RESULT_LIMIT + 1)).await;
    let (_, is_error, text) = client.result().await;
    assert!(is_error && text.starts_with("cave_payload_too_large: "), "{text}");
    // The limit is on what goes over the wire.
    client.eval(3, &format!("quotes {}", RESULT_LIMIT / 2 + 1)).await;
    assert!(client.result().await.1);
    client
        .call(
            4,
            "browser_recover",
            "recovery_handle",
            &format!("deliver {}", RESULT_LIMIT + 1),
        )
        .await;
    assert_eq!(client.result().await.2.len(), RESULT_LIMIT + 1);
}

#[tokio::test]
async fn unknown_tools_and_refused_arguments_are_results_that_a_model_can_read() {
    let mut client = Client::start().await;
    client.call(1, "browser_fly", "x", "y").await;
    assert_eq!(
        client.result().await.2,
        "cave_unknown_tool: no tool \"browser_fly\"; there are browser_snapshot, browser_act, browser_eval, browser_recover"
    );
    client.call(2, "browser_eval", "code", "1").await;
    let (_, is_error, text) = client.result().await;
    assert!(is_error);
    assert_eq!(
        text,
        "cave_invalid_arguments: unknown argument \"code\"; browser_eval takes expression"
    );
}

#[tokio::test]
async fn an_id_in_use_is_refused_and_the_first_call_goes_on() {
    let mut client = Client::start().await;
    client.eval(1, "hang").await;
    client.ping(1).await;
    let refusal = client.answer().await;
    assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&json!(1), &json!(-32600)));
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    client.ping(2).await;
    assert_eq!(client.answer().await["id"], 2);
}

#[tokio::test]
async fn the_end_of_the_input_ends_the_server_and_its_toolbox() {
    let Client {
        to,
        server,
        ended,
        mut from,
        stop,
        ..
    } = Client::start().await;
    drop(to);
    assert_eq!(server.await.unwrap(), Ending::InputEnded);
    assert!(ended.load(Ordering::SeqCst));
    assert_eq!(from.next_line().await.unwrap(), None);
    drop(stop);
}

#[tokio::test]
async fn a_call_that_came_before_the_end_of_the_input_is_answered() {
    let mut client = Client::start().await;
    client.eval(1, "last words").await;
    let Client {
        to,
        server,
        mut from,
        stop,
        ..
    } = client;
    drop(to);
    let line = from.next_line().await.unwrap().unwrap();
    assert!(line.contains("last words"), "{line}");
    assert_eq!(server.await.unwrap(), Ending::InputEnded);
    drop(stop);
}

#[tokio::test]
async fn the_end_of_the_input_in_the_middle_of_a_call_ends_it_with_an_answer() {
    let mut client = Client::start().await;
    client.eval(1, "hang").await;
    let Client {
        to,
        server,
        mut from,
        ended,
        stop,
        ..
    } = client;
    let began = Instant::now();
    drop(to);
    let line = from.next_line().await.unwrap().unwrap();
    assert!(
        line.contains("cave_browser_unavailable: the server is ending"),
        "{line}"
    );
    assert_eq!(server.await.unwrap(), Ending::InputEnded);
    assert!(ended.load(Ordering::SeqCst));
    assert!(began.elapsed() >= PATIENCE.last_calls);
    drop(stop);
}

#[tokio::test]
async fn a_signal_ends_the_server_also_in_the_middle_of_a_call() {
    for order in ["hang", "rest"] {
        let mut client = Client::start().await;
        client.eval(1, order).await;
        client.call(2, "browser_act", "action", order).await;
        client.stop.send(15).unwrap();
        assert_eq!(client.server.await.unwrap(), Ending::Stopped(15));
        assert!(client.ended.load(Ordering::SeqCst));
    }
}

#[tokio::test]
async fn a_broken_output_ends_the_server() {
    let mut client = Client::start().await;
    client.eval(1, "hang").await;
    let Client {
        mut to,
        from,
        server,
        ended,
        stop,
        ..
    } = client;
    drop(from);
    to.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n")
        .await
        .unwrap();
    assert_eq!(server.await.unwrap(), Ending::OutputBroken);
    assert!(ended.load(Ordering::SeqCst));
    drop(stop);
}

#[tokio::test]
async fn a_client_that_says_nothing_and_goes_ends_the_server() {
    let (to, input) = tokio::io::duplex(64);
    let (output, _from) = tokio::io::duplex(64);
    let ended = Arc::new(AtomicBool::new(false));
    let toolbox = Trick {
        ended: Arc::clone(&ended),
    };
    drop(to);
    let ending = serve(input, output, toolbox, || {}, PATIENCE, std::future::pending::<()>()).await;
    assert_eq!(ending, Ending::InputEnded);
    assert!(ended.load(Ordering::SeqCst));
}
