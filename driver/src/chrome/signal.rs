//! Waiting for the signals on which a binary ends itself and its browser.

/// Why to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutdownSignal {
    /// SIGINT, or Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP.
    Hangup,
}

impl ShutdownSignal {
    /// What a shell expects as exit code: 128 plus the signal's number.
    pub fn exit_code(self) -> u8 {
        match self {
            ShutdownSignal::Hangup => 129,
            ShutdownSignal::Interrupt => 130,
            ShutdownSignal::Terminate => 143,
        }
    }
}

/// Waits for SIGINT, SIGTERM or SIGHUP (elsewhere than on unix: Ctrl-C). From the first poll on these no longer end the
/// process by themselves, so the caller must end it: drop or `end` the browser, then exit.
///
/// # Errors
/// Where the system lets no handler be installed.
#[cfg(unix)]
pub async fn shutdown_signal() -> std::io::Result<ShutdownSignal> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(tokio::select! {
        _ = interrupt.recv() => ShutdownSignal::Interrupt,
        _ = terminate.recv() => ShutdownSignal::Terminate,
        _ = hangup.recv() => ShutdownSignal::Hangup,
    })
}

/// Waits for Ctrl-C.
///
/// # Errors
/// Where the system lets no handler be installed.
#[cfg(not(unix))]
pub async fn shutdown_signal() -> std::io::Result<ShutdownSignal> {
    tokio::signal::ctrl_c().await?;
    Ok(ShutdownSignal::Interrupt)
}
