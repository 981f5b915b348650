//! The server as a process: standard streams, signals, exit status.
//!
//! Must not know the protocol.

use super::serve::{Ending, Patience, serve};
use super::toolbox::SessionToolbox;
use crate::chrome::{ShutdownSignal, shutdown_signal};
use crate::render::PayloadKind;
use crate::settings::Settings;
use crate::tokens;
use crate::tools::Code;
use std::io::Write;
use std::process::ExitCode;

/// Serves MCP on standard input and output until the client goes or a signal comes. Chrome starts on first use and ends
/// with the server.
pub fn run(settings: Settings) -> ExitCode {
    // Standard error is for logs, and those only on demand.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    let payload = match settings.payload.as_deref() {
        None | Some("text") => PayloadKind::Text,
        Some("json") => PayloadKind::Json,
        Some(other) => {
            return failed(
                Code::InvalidArguments,
                &format!("CAVEMAN_BROWSE_PAYLOAD={other}: give text or json"),
            );
        }
    };
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
        serve(
            input,
            output,
            SessionToolbox::new(settings, payload),
            warm_up,
            Patience::default(),
            stopped(),
        )
        .await
    });
    // A read of standard input may be under way on another thread and cannot be taken back.
    runtime.shutdown_background();
    match ending {
        Ending::InputEnded => ExitCode::SUCCESS,
        Ending::OutputBroken => ExitCode::FAILURE,
        Ending::Stopped(signal) => ExitCode::from(signal.exit_code()),
    }
}

/// Says why there is no server.
fn failed(code: Code, text: &str) -> ExitCode {
    // Where nobody reads standard error, the exit status must do.
    let _ = writeln!(std::io::stderr(), "{code}: {text}");
    ExitCode::FAILURE
}

/// Waits for a signal that ends the server.
async fn stopped() -> ShutdownSignal {
    match shutdown_signal().await {
        Ok(signal) => signal,
        Err(error) => {
            tracing::error!("signals cannot be waited for: {error}");
            std::future::pending().await
        }
    }
}

/// Loads the tokenizer while the client and its model are still talking.
fn warm_up() {
    std::thread::spawn(|| tokens::count("warm up"));
}
