//! The life of a server: from the first line to the last, and what ends with it (contract, rule 29).
//!
//! Must not know tools, processes or standard streams: two byte streams, a toolbox and what may stop it.

use super::server::{Server, Toolbox};
use super::transport;
use rmcp::ServiceExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

/// How long the server waits for what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// How long calls may go on once the input has ended while the output is still read: `printf … | caveman-browse` gets
    /// its answers.
    pub(super) last_calls: Duration,
    /// How long the last answers may take to be written, and a call to let go of the toolbox.
    pub(super) last_writes: Duration,
    /// How long an act that was cancelled may go on, so that it is not cut off between a press and its release.
    pub(super) act: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            // The SDKs' clients wait 2 s after closing the input before they send SIGTERM.
            last_calls: Duration::from_millis(1_500),
            last_writes: Duration::from_secs(1),
            // An act's own checks take 5 s at most (contract, rule 22).
            act: Duration::from_secs(6),
        }
    }
}

/// What ended a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending<S> {
    /// The client closed the input.
    InputEnded,
    /// The client no longer reads the output.
    OutputBroken,
    /// It was told to stop.
    Stopped(S),
}

/// Serves until the input ends, the output breaks or `stop` says so; then ends the toolbox.
pub(super) async fn serve<R, W, T, S>(
    input: R,
    output: W,
    toolbox: T,
    warm_up: fn(),
    patience: Patience,
    stop: impl Future<Output = S>,
) -> Ending<S>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
    T: Toolbox,
{
    let (line_transport, wire) = transport::open(input, output);
    let (over, ending) = watch::channel(false);
    let toolbox = Arc::new(Mutex::new(Some(toolbox)));
    let server = Server::new(Arc::clone(&toolbox), ending, warm_up, patience.act);
    let service = tokio::spawn(async move {
        match server.serve(line_transport).await {
            Ok(running) => drop(running.waiting().await),
            Err(error) => tracing::info!("ended before the session began: {error}"),
        }
    });

    let input_ended = async {
        wire.input_ended().await;
        let _ = timeout(patience.last_calls, wire.idle()).await;
    };
    let why = tokio::select! {
        biased;
        signal = stop => Ending::Stopped(signal),
        () = wire.output_broken() => Ending::OutputBroken,
        () = input_ended => Ending::InputEnded,
    };

    // Calls let go of the toolbox and say so to their clients; Chrome ends while the last answers are written.
    over.send_replace(true);
    wire.stop_reading();
    let last_writes = async {
        let answered = timeout(patience.last_writes, service).await;
        if answered.is_ok() && !matches!(why, Ending::OutputBroken) {
            let _ = timeout(patience.last_writes, wire.written()).await;
        }
    };
    let last_acts = async {
        let Ok(mut toolbox) = timeout(patience.last_writes, toolbox.lock()).await else {
            tracing::error!("a call does not end; its Chrome ends with this process");
            return;
        };
        if let Some(toolbox) = toolbox.take() {
            toolbox.end().await;
        }
    };
    tokio::join!(last_writes, last_acts);
    why
}

#[cfg(test)]
#[path = "serve_tests.rs"]
mod tests;
