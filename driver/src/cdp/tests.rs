//! The transport against a fake browser: every ending that a command can have.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::protocol::browser_protocol::page::{EventLoadEventFired, NavigateParams};
use super::protocol::js_protocol::runtime::EvaluateParams;
use super::*;

const LONG: Duration = Duration::from_secs(30);

/// Parameters `{}`.
#[derive(serde::Serialize)]
struct Nothing {}

struct Fake(WebSocketStream<TcpStream>);

impl Fake {
    async fn command(&mut self) -> Value {
        loop {
            match self.0.next().await.unwrap().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Close(_) => panic!("closed"),
                _ => {}
            }
        }
    }

    async fn id(&mut self) -> u64 {
        self.command().await["id"].as_u64().unwrap()
    }

    async fn say(&mut self, text: impl Into<String>) {
        self.0.send(Message::text(text.into())).await.unwrap();
    }
}

async fn pair() -> (Connection, Fake) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/devtools/browser/x", listener.local_addr().unwrap());
    let (connection, accepted) = tokio::join!(Connection::connect(&url), async {
        tokio_tungstenite::accept_async(listener.accept().await.unwrap().0)
            .await
            .unwrap()
    });
    (connection.unwrap(), Fake(accepted))
}

/// Starts a command and waits until the fake browser has it.
async fn started(session: &Session, fake: &mut Fake) -> (tokio::task::JoinHandle<Result<RawReply, CdpError>>, u64) {
    let session = session.clone();
    let call = tokio::spawn(async move { session.call_method("X.y", &Nothing {}, LONG).await });
    (call, fake.id().await)
}

fn attached(session: &str, target: &str) -> String {
    json!({"method": "Target.attachedToTarget", "params": {"sessionId": session, "targetInfo": {"targetId": target}}})
        .to_string()
}

#[tokio::test]
async fn replies_out_of_order_find_their_callers() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let (first, first_id) = started(&session, &mut fake).await;
    let (second, second_id) = started(&session, &mut fake).await;
    fake.say(format!(r#"{{"id":{second_id},"result":{{"n":2}},"sessionId":"S"}}"#))
        .await;
    fake.say(format!(r#"{{"id":{first_id},"result":{{"n":1}},"sessionId":"S"}}"#))
        .await;
    assert_eq!(first.await.unwrap().unwrap().result(), br#"{"n":1}"#);
    assert_eq!(second.await.unwrap().unwrap().result(), br#"{"n":2}"#);
    assert_eq!(connection.pending(), 0);
}

#[tokio::test]
async fn a_command_is_sent_with_its_session_and_parameters() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let (reply, sent) = tokio::join!(session.call(NavigateParams::new("about:blank"), LONG), async {
        let sent = fake.command().await;
        fake.say(json!({"id": sent["id"], "result": {"frameId": "F", "fresh": "ignored"}}).to_string())
            .await;
        sent
    });
    assert_eq!(sent["method"], "Page.navigate");
    assert_eq!(sent["sessionId"], "S");
    assert_eq!(sent["params"], json!({"url": "about:blank"}));
    assert_eq!(reply.unwrap().frame_id.inner(), "F");

    let browser = connection.browser();
    let (_, sent) = tokio::join!(
        browser.call_method("Browser.close", &Nothing {}, Duration::from_millis(50)),
        async { fake.command().await }
    );
    assert_eq!(sent.get("sessionId"), None);
}

#[tokio::test]
async fn a_reply_keeps_its_bytes_at_any_depth_and_with_unpaired_surrogates() {
    let (connection, mut fake) = pair().await;
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let odd = format!(r#"{{"z":"L\ud800R \/ \u00e9", "a":1.50,"n":123456789.12345679,"deep": {deep} }}"#);
    let (call, id) = started(&connection.session("S"), &mut fake).await;
    fake.say(format!(r#"{{"id":{id}, "result" : {odd} }}"#)).await;
    let reply = call.await.unwrap().unwrap();
    assert_eq!(reply.text(), odd);
    assert_eq!(&*reply.to_shared(), odd.as_bytes());
}

#[tokio::test]
async fn a_typed_reply_with_an_unpaired_surrogate_is_decoded() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let (reply, ()) = tokio::join!(session.call(EvaluateParams::new("x"), LONG), async {
        let id = fake.id().await;
        fake.say(format!(
            r#"{{"id":{id},"result":{{"result":{{"type":"string","value":"v\ud83d"}}}}}}"#
        ))
        .await;
    });
    assert_eq!(reply.unwrap().result.value.unwrap(), json!("v\u{fffd}"));
}

#[tokio::test]
async fn a_reply_of_another_form_is_a_decode_error_and_no_hang() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let (reply, ()) = tokio::join!(session.call(EvaluateParams::new("x"), LONG), async {
        let id = fake.id().await;
        fake.say(format!(
            r#"{{"id":{id},"result":{{"result":{{"type":"a new type"}}}}}}"#
        ))
        .await;
    });
    assert!(matches!(reply, Err(CdpError::Decode { method, .. }) if method == "Runtime.evaluate"));
    let (call, id) = started(&session, &mut fake).await;
    fake.say(format!(r#"{{"id":{id}}}"#)).await;
    assert!(matches!(call.await.unwrap(), Err(CdpError::Empty { .. })));
}

#[tokio::test]
async fn an_error_reply_carries_code_message_and_data() {
    let (connection, mut fake) = pair().await;
    let (call, id) = started(&connection.session("S"), &mut fake).await;
    fake.say(format!(
        r#"{{"id":{id},"error":{{"code":-32602,"message":"Invalid","data":"url: missing"}}}}"#
    ))
    .await;
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "Chrome refused X.y: Invalid (-32602, url: missing)");
}

#[tokio::test]
async fn a_session_unknown_to_chrome_counts_as_detached() {
    let (connection, mut fake) = pair().await;
    let (call, id) = started(&connection.session("S"), &mut fake).await;
    fake.say(format!(
        r#"{{"id":{id},"error":{{"code":-32001,"message":"Session with given id not found."}}}}"#
    ))
    .await;
    assert!(matches!(call.await.unwrap(), Err(CdpError::Detached { session, .. }) if session == "S"));
}

#[tokio::test]
async fn a_close_in_mid_call_fails_every_call_and_ends_every_stream() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let mut events = session.events();
    let (first, _) = started(&session, &mut fake).await;
    let (second, _) = started(&connection.browser(), &mut fake).await;
    drop(fake);
    assert!(matches!(first.await.unwrap(), Err(CdpError::Closed { .. })));
    assert!(matches!(second.await.unwrap(), Err(CdpError::Closed { .. })));
    connection.closed().await;
    assert!(connection.is_closed());
    assert!(events.next().await.is_none());
    assert!(session.events().next().await.is_none());
    let begun = Instant::now();
    assert!(matches!(
        session.call_method("X.y", &Nothing {}, LONG).await,
        Err(CdpError::Closed { .. })
    ));
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_crash_fails_the_calls_of_its_session_only() {
    let (connection, mut fake) = pair().await;
    let (crashed, other) = (connection.session("S"), connection.session("T"));
    let mut events = crashed.events();
    let (call, _) = started(&crashed, &mut fake).await;
    let (survivor, id) = started(&other, &mut fake).await;
    fake.say(r#"{"method":"Inspector.targetCrashed","params":{},"sessionId":"S"}"#)
        .await;
    assert!(matches!(call.await.unwrap(), Err(CdpError::Crashed { .. })));
    assert_eq!(events.next().await.unwrap().method(), "Inspector.targetCrashed");
    assert!(matches!(
        crashed.call_method("X.y", &Nothing {}, LONG).await,
        Err(CdpError::Crashed { .. })
    ));
    fake.say(format!(r#"{{"id":{id},"result":{{}}}}"#)).await;
    assert!(survivor.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_crashed_session_can_be_navigated_back_to_life() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let mut events = session.events();
    fake.say(attached("S", "P")).await;
    fake.say(r#"{"method":"Target.targetCrashed","params":{"targetId":"P","status":"crashed","errorCode":5}}"#)
        .await;
    fake.say(r#"{"method":"X.seen","sessionId":"S"}"#).await;
    assert_eq!(events.next().await.unwrap().params(), b"{}");
    assert!(matches!(
        session.call_method("X.y", &Nothing {}, LONG).await,
        Err(CdpError::Crashed { .. })
    ));
    let (reply, ()) = tokio::join!(session.call(NavigateParams::new("about:blank"), LONG), async {
        let id = fake.id().await;
        fake.say(format!(r#"{{"id":{id},"result":{{"frameId":"F"}}}}"#)).await;
        fake.say(r#"{"method":"Inspector.targetReloadedAfterCrash","params":{},"sessionId":"S"}"#)
            .await;
    });
    reply.unwrap();
    events.next().await.unwrap();
    let (call, id) = started(&session, &mut fake).await;
    fake.say(format!(r#"{{"id":{id},"result":{{}}}}"#)).await;
    assert!(call.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_detach_ends_the_session_and_those_below_it() {
    let (connection, mut fake) = pair().await;
    let (tab, frame, other) = (
        connection.session("tab"),
        connection.session("frame"),
        connection.session("other"),
    );
    let mut events = tab.events();
    let mut of_frame = frame.events();
    fake.say(attached("tab", "1")).await;
    fake.say(attached("frame", "2").replace(r#"{"method""#, r#"{"sessionId":"tab","method""#))
        .await;
    assert_eq!(events.next().await.unwrap().method(), "Target.attachedToTarget");
    let (call, _) = started(&frame, &mut fake).await;
    let (survivor, id) = started(&other, &mut fake).await;
    fake.say(r#"{"method":"Target.detachedFromTarget","params":{"sessionId":"tab","targetId":"1"}}"#)
        .await;
    assert!(matches!(call.await.unwrap(), Err(CdpError::Detached { session, .. }) if session == "frame"));
    assert!(events.next().await.is_none());
    assert!(of_frame.next().await.is_none());
    assert!(tab.events().next().await.is_none());
    assert!(matches!(
        tab.call_method("X.y", &Nothing {}, LONG).await,
        Err(CdpError::Detached { .. })
    ));
    fake.say(format!(r#"{{"id":{id},"result":{{}}}}"#)).await;
    assert!(survivor.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_deadline_ends_the_call_and_its_late_reply_harms_nobody() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let (reply, late) = tokio::join!(
        session.call_method("X.y", &Nothing {}, Duration::from_millis(20)),
        fake.id()
    );
    assert!(matches!(reply, Err(CdpError::Deadline { method, .. }) if method == "X.y"));
    assert_eq!(connection.pending(), 0);
    fake.say(format!(r#"{{"id":{late},"result":{{"late":true}}}}"#)).await;
    let (call, id) = started(&session, &mut fake).await;
    fake.say(format!(r#"{{"id":{id},"result":{{"late":false}}}}"#)).await;
    assert_eq!(call.await.unwrap().unwrap().text(), r#"{"late":false}"#);
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing_behind() {
    let (connection, mut fake) = pair().await;
    let (call, _) = started(&connection.session("S"), &mut fake).await;
    assert_eq!(connection.pending(), 1);
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert_eq!(connection.pending(), 0);
}

#[tokio::test]
async fn unknown_events_and_broken_messages_are_passed_over() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let mut events = session.events();
    let (call, id) = started(&session, &mut fake).await;
    for odd in [
        "",
        "{",
        "[]",
        "null",
        r#"{"id":"text"}"#,
        r#"{"id":999,"result":{}}"#,
        r#"{"other":1}"#,
    ] {
        fake.say(odd).await;
    }
    fake.0.send(Message::binary(vec![0xff, 0xfe])).await.unwrap();
    fake.say(r#"{"method":"New.event","params":{"kind":"never seen","text":"\ud800"},"sessionId":"S"}"#)
        .await;
    fake.say(r#"{"method":"Page.loadEventFired","params":{"timestamp":"not a number"},"sessionId":"S"}"#)
        .await;
    fake.say(r#"{"method":"Page.loadEventFired","params":{"timestamp":1.5},"sessionId":"S"}"#)
        .await;
    fake.say(r#"{"method":"Page.loadEventFired","params":{"timestamp":2.5},"sessionId":"T"}"#)
        .await;
    fake.say(format!(r#"{{"id":{id},"result":{{}}}}"#)).await;
    assert!(call.await.unwrap().is_ok());
    // All came before the reply, so all are queued.
    let fresh = events.try_next().unwrap();
    assert_eq!(
        (fresh.method(), fresh.params()),
        ("New.event", br#"{"kind":"never seen","text":"\ud800"}"#.as_slice())
    );
    assert_eq!(fresh.parse_params::<Value>().unwrap()["text"], "\u{fffd}");
    assert!(events.try_next().unwrap().parse::<EventLoadEventFired>().is_none());
    let load = events.try_next().unwrap().parse::<EventLoadEventFired>().unwrap();
    assert!((*load.timestamp.inner() - 1.5).abs() < f64::EPSILON);
    assert!(events.try_next().is_none(), "events of other sessions are not heard");
}

#[tokio::test]
async fn every_subscriber_hears_every_event() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let (mut one, gone, mut two) = (session.events(), session.events(), session.events());
    drop(gone);
    fake.say(r#"{"method":"A.a","params":{},"sessionId":"S"}"#).await;
    assert_eq!(one.next().await.unwrap().method(), "A.a");
    assert_eq!(two.next().await.unwrap().method(), "A.a");
}

#[tokio::test]
async fn an_oversized_command_is_refused_before_it_is_sent() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let error = session
        .call_method("X.big", &"x".repeat(MAX_COMMAND_BYTES), LONG)
        .await
        .unwrap_err();
    assert!(matches!(error, CdpError::TooLarge { bytes, .. } if bytes > MAX_COMMAND_BYTES));
    assert_eq!(connection.pending(), 0);
    let (call, _) = started(&session, &mut fake).await;
    call.abort();
}

#[tokio::test]
async fn dropping_the_last_connection_closes_the_socket_and_its_calls() {
    let (connection, mut fake) = pair().await;
    let session = connection.session("S");
    let (call, _) = started(&session, &mut fake).await;
    let clone = connection.clone();
    drop(connection);
    assert!(!clone.is_closed());
    drop(clone);
    assert!(matches!(call.await.unwrap(), Err(CdpError::Closed { .. })));
    assert!(!matches!(fake.0.next().await, Some(Ok(_))), "the socket is closed");
    assert!(matches!(
        session.call_method("X.y", &Nothing {}, LONG).await,
        Err(CdpError::Closed { .. })
    ));
}

#[tokio::test]
async fn a_refused_connection_names_the_port_and_not_the_path() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = Connection::connect(&format!("ws://{address}/secret?token=1"))
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains(&address.to_string()) && !error.contains("secret") && !error.contains("token"),
        "{error}"
    );
}
