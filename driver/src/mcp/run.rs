//! The server as a process: standard streams, signals, exit status.
//!
//! Must not know the protocol.

use super::serve::{Ending, Patience, serve};
use super::toolbox::SessionToolbox;
use crate::chrome::{ShutdownSignal, shutdown_signal};
use crate::settings::Settings;
use crate::tools::{Code, snapshot};
use std::io::Write;
use std::process::ExitCode;

/// Serves MCP on standard input and output until the client goes or a signal comes. Chrome starts on first use and ends
/// with the server.
pub fn run(settings: Settings) -> ExitCode {
    // Standard error is for logs, and those only on demand.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            return failed(
                Code::Internal,
                &format!("the server could not start its runtime: {error}"),
            );
        }
    };
    let ending = runtime.block_on(async {
        let (input, output) = rmcp::transport::stdio_pipes();
        let toolbox = SessionToolbox::new(settings);
        serve(input, output, toolbox, warm_up, Patience::default(), stopped()).await
    });
    // A read of standard input may be under way on another thread and cannot be taken back.
    runtime.shutdown_background();
    match ending {
        Ending::InputEnded => ExitCode::SUCCESS,
        Ending::OutputBroken | Ending::Stopped(Stop::OutputGone) => ExitCode::FAILURE,
        Ending::Stopped(Stop::Signal(signal)) => ExitCode::from(signal.exit_code()),
    }
}

/// What stops a server from outside.
enum Stop {
    /// A signal.
    Signal(ShutdownSignal),
    /// Nobody can read standard output any more, though nothing was written to find it out.
    OutputGone,
}

async fn stopped() -> Stop {
    tokio::select! {
        signal = signalled() => Stop::Signal(signal),
        () = output_gone() => Stop::OutputGone,
    }
}

/// Waits until the other end of standard output is closed. A file or a terminal has none: then for ever.
#[cfg(unix)]
#[allow(
    deprecated,
    reason = "its replacement is unsafe, for sources that change their descriptor; an OwnedFd cannot"
)]
async fn output_gone() {
    use std::os::fd::AsFd;
    use tokio::io::{Interest, unix::AsyncFd};
    // A pipe that is only written to is never readable, so that this is woken by its end alone. Of a socket the other end
    // may shut down one direction; that it no longer sends there says nothing.
    let watched = std::io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .and_then(|output| AsyncFd::with_interest(output, Interest::READABLE | Interest::ERROR));
    let Ok(watched) = watched else {
        return std::future::pending().await;
    };
    loop {
        match watched.ready(Interest::READABLE | Interest::ERROR).await {
            Ok(mut guard) => {
                let ready = guard.ready();
                if ready.is_error() || ready.is_write_closed() {
                    return;
                }
                guard.clear_ready();
            }
            Err(_) => return std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
async fn output_gone() {
    std::future::pending().await
}

/// Says why there is no server.
fn failed(code: Code, text: &str) -> ExitCode {
    // Where nobody reads standard error, the exit status must do.
    let _ = writeln!(std::io::stderr(), "{code}: {text}");
    ExitCode::FAILURE
}

/// Waits for a signal that ends the server.
async fn signalled() -> ShutdownSignal {
    match shutdown_signal().await {
        Ok(signal) => signal,
        Err(error) => {
            tracing::error!("signals cannot be waited for: {error}");
            std::future::pending().await
        }
    }
}

/// Loads what a first snapshot needs while the client and its model are still talking.
fn warm_up() {
    std::thread::spawn(snapshot::warm_up);
}
