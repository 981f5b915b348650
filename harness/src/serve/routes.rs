//! The odd answers under `/x/`: what a browser meets on the road and a file cannot be.

use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Query;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream;
use serde::Deserialize;

/// The longest that `/x/slow` may take; a test that needs more wants `/x/never`.
const SLOWEST: Duration = Duration::from_secs(60);

const HTML: (header::HeaderName, &str) = (header::CONTENT_TYPE, "text/html; charset=utf-8");

/// The routes, and no state.
pub(super) fn odd() -> Router {
    Router::new()
        .route("/x/slow", get(slow))
        .route("/x/redirect", get(redirect))
        .route("/x/204", get(|| async { StatusCode::NO_CONTENT }))
        .route("/x/download", get(download))
        .route("/x/endless", get(endless))
        .route("/x/never", get(never))
        .route("/x/echo", get(echo))
}

#[derive(Deserialize)]
struct Slow {
    #[serde(default)]
    ms: u64,
    #[serde(default)]
    body: String,
}

async fn slow(Query(slow): Query<Slow>) -> impl IntoResponse {
    tokio::time::sleep(Duration::from_millis(slow.ms).min(SLOWEST)).await;
    ([HTML], slow.body)
}

#[derive(Deserialize)]
struct To {
    to: String,
}

async fn redirect(Query(To { to }): Query<To>) -> Response {
    match header::HeaderValue::from_str(&to) {
        Ok(to) => (StatusCode::FOUND, [(header::LOCATION, to)]).into_response(),
        Err(_) => StatusCode::BAD_REQUEST.into_response(),
    }
}

async fn download() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"orders.bin\""),
    ];
    (headers, "not a page")
}

/// A page whose first part comes at once and whose end never does: the connection stays open and silent.
async fn endless() -> impl IntoResponse {
    let first = Bytes::from_static(b"<!doctype html><title>Endless</title><main><h1>The first part</h1></main>\n");
    let body = stream::unfold(Some(first), |first| async move {
        match first {
            Some(first) => Some((Ok::<_, Infallible>(first), None)),
            None => std::future::pending().await,
        }
    });
    ([HTML], Body::from_stream(body))
}

async fn never() -> StatusCode {
    std::future::pending().await
}

#[derive(Deserialize)]
struct Echo {
    #[serde(default)]
    body: String,
}

/// The body as it is asked for: a page of one scenario's own.
async fn echo(Query(echo): Query<Echo>) -> impl IntoResponse {
    ([HTML], echo.body)
}
