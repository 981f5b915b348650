//! A Chrome that outlives us, for command-line calls which share it: a session of its own, a fixed port, a named profile,
//! and no ties to this process. It must answer in time and be the one that answers, or it is ended.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::net::TcpStream;

use super::endpoint::{self, plain};
use super::launch::{LaunchOptions, died_at_start};
use super::process::{self, How};
use super::{ChromeError, attach, flags};

/// Chrome's stderr, in its profile.
const LOG_FILE: &str = "caveman-browse-chrome.log";

/// How often it is looked at while it starts or ends.
const LOOK: Duration = Duration::from_millis(30);

/// Starts it and gives its browser endpoint.
pub(super) async fn launch(
    options: &LaunchOptions,
    deadline: Duration,
    profile: &Path,
    port: u16,
) -> Result<(Child, String), ChromeError> {
    // Chrome itself says nothing of an occupied port: it then listens on ::1 only.
    if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
        return Err(ChromeError::PortTaken { port });
    }
    let log_path = profile.join(LOG_FILE);
    let log = log_file(&log_path).map_err(|source| ChromeError::ProfileFolder {
        path: log_path.clone(),
        source,
    })?;
    let mut command = Command::new(&options.binary);
    command
        .args(flags::arguments(profile, port, options.headful))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    process::own_session(&mut command);
    let child = command.spawn().map_err(|source| ChromeError::Spawn {
        binary: options.binary.clone(),
        source,
    })?;
    let mut starting = Starting(Some(child));
    let ws_url = ready(&mut starting, options, deadline, profile, port, &log_path).await?;
    match starting.0.take() {
        Some(child) => Ok((child, ws_url)),
        None => Err(ChromeError::PortStolen { port }),
    }
}

/// Ends what it holds when the launch fails or is dropped.
struct Starting(Option<Child>);

impl Drop for Starting {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            process::end_group(child.id(), How::AtOnce);
            let _ = child.wait();
        }
    }
}

async fn ready(
    starting: &mut Starting,
    options: &LaunchOptions,
    deadline: Duration,
    profile: &Path,
    port: u16,
    log: &Path,
) -> Result<String, ChromeError> {
    let begun = Instant::now();
    loop {
        let said = std::fs::read(log).unwrap_or_default();
        if let Some(Ok(Some(status))) = starting.0.as_mut().map(Child::try_wait) {
            return Err(died_at_start(options.binary.clone(), status, plain(&said), profile));
        }
        if let Some(announced) = announced(&said)
            && let Ok(version) = attach::version("127.0.0.1", port).await
        {
            // The id in the path is random: only the Chrome that we started can know it.
            return if path_of(&version.ws_url) == path_of(&announced) {
                Ok(version.ws_url)
            } else {
                Err(ChromeError::PortStolen { port })
            };
        }
        if begun.elapsed() >= deadline {
            let (binary, after) = (options.binary.clone(), deadline);
            return Err(ChromeError::StartDeadline {
                binary,
                after,
                stderr: plain(&said),
            });
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The endpoint in a whole line of the log.
fn announced(log: &[u8]) -> Option<String> {
    let whole = log.iter().rposition(|&byte| byte == b'\n')?;
    String::from_utf8_lossy(&log[..whole])
        .lines()
        .find_map(endpoint::in_line)
}

fn path_of(ws_url: &str) -> Option<String> {
    Some(url::Url::parse(ws_url).ok()?.path().to_owned())
}

fn log_file(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Ends it: politely, then at once.
pub(super) async fn end(child: &mut Child, patience: Duration, within: Duration) -> Result<(), ChromeError> {
    let pid = child.id();
    for (how, time) in [(How::Politely, patience), (How::AtOnce, within)] {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return Ok(());
        }
        process::end_group(pid, how);
        let begun = Instant::now();
        while begun.elapsed() < time {
            if matches!(child.try_wait(), Ok(Some(_))) {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
    }
    Err(ChromeError::StillRunning { pid, after: within })
}
