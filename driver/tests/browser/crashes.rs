//! Calls end when what they wait for is gone.

use std::time::{Duration, Instant};

use caveman_browse::cdp::protocol::browser_protocol::inspector::EnableParams as WatchCrashes;
use caveman_browse::cdp::protocol::browser_protocol::page::{CrashParams, NavigateParams};
use caveman_browse::cdp::protocol::browser_protocol::target::{CloseTargetParams, TargetId};
use caveman_browse::cdp::protocol::js_protocol::runtime::EvaluateParams;
use caveman_browse::cdp::{CdpError, Connection, Session};

use crate::support::{LONG, launched, tab};

const AT_ONCE: Duration = Duration::from_secs(10);

/// A command that gets no answer while its page lives.
fn stuck(page: &Session) -> tokio::task::JoinHandle<Result<(), CdpError>> {
    let page = page.clone();
    let mut forever = EvaluateParams::new("new Promise(() => {})");
    forever.await_promise = Some(true);
    tokio::spawn(async move { page.call(forever, Duration::from_secs(60)).await.map(|_| ()) })
}

async fn evaluate(page: &Session) -> Result<serde_json::Value, CdpError> {
    page.call(EvaluateParams::new("6 * 7"), LONG)
        .await
        .map(|reply| reply.result.value.unwrap())
}

#[tokio::test]
async fn a_crashed_page_fails_its_calls_at_once_and_can_be_navigated_back() {
    let Some(chrome) = launched().await else { return };
    let connection = Connection::connect(chrome.ws_url()).await.unwrap();
    let page = tab(&connection, "about:blank").await;
    page.call(WatchCrashes::default(), LONG).await.unwrap();
    let mut events = page.events();
    let pending = stuck(&page);
    evaluate(&page).await.unwrap();

    let begun = Instant::now();
    let crash = page.call(CrashParams::default(), Duration::from_secs(60)).await;
    assert!(matches!(crash, Err(CdpError::Crashed { .. })), "{crash:?}");
    assert!(matches!(pending.await.unwrap(), Err(CdpError::Crashed { .. })));
    assert!(matches!(evaluate(&page).await, Err(CdpError::Crashed { .. })));
    assert!(begun.elapsed() < AT_ONCE);

    page.call(NavigateParams::new("data:text/html,back"), LONG)
        .await
        .unwrap();
    while events.next().await.unwrap().method() != "Inspector.targetReloadedAfterCrash" {}
    assert_eq!(evaluate(&page).await.unwrap(), 42);
    chrome.end().await.unwrap();
}

#[tokio::test]
async fn a_closed_tab_fails_its_calls_and_ends_its_events() {
    let Some(chrome) = launched().await else { return };
    let connection = Connection::connect(chrome.ws_url()).await.unwrap();
    let page = tab(&connection, "about:blank").await;
    let other = tab(&connection, "about:blank").await;
    let mut events = page.events();
    let pending = stuck(&page);
    evaluate(&page).await.unwrap();
    let id = page
        .call_method("Target.getTargetInfo", &serde_json::json!({}), LONG)
        .await
        .unwrap();
    let id: serde_json::Value = id.parse().unwrap();
    let id = TargetId::new(id["targetInfo"]["targetId"].as_str().unwrap());
    connection
        .browser()
        .call(CloseTargetParams::new(id), LONG)
        .await
        .unwrap();
    assert!(matches!(pending.await.unwrap(), Err(CdpError::Detached { .. })));
    while events.next().await.is_some() {}
    assert!(matches!(evaluate(&page).await, Err(CdpError::Detached { .. })));
    assert_eq!(evaluate(&other).await.unwrap(), 42);
    chrome.end().await.unwrap();
}

#[tokio::test]
async fn a_killed_browser_fails_every_call_at_once() {
    let Some(chrome) = launched().await else { return };
    let connection = Connection::connect(chrome.ws_url()).await.unwrap();
    let page = tab(&connection, "about:blank").await;
    let pending = stuck(&page);
    evaluate(&page).await.unwrap();
    let begun = Instant::now();
    chrome.end().await.unwrap();
    assert!(matches!(pending.await.unwrap(), Err(CdpError::Closed { .. })));
    connection.closed().await;
    assert!(matches!(evaluate(&page).await, Err(CdpError::Closed { .. })));
    assert!(begun.elapsed() < AT_ONCE);
}
