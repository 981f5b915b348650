//! The thread that spawns a Chrome of ours and lives exactly as long as it.
//!
//! On Linux the child's death signal is bound to the thread that spawned it, so this can be no worker of a runtime's pool.
//! When Chrome's main process ends, whoever ended it, the thread kills what is left of its group, removes the temporary
//! profile, sends the watchdog away and only then reaps: until then the pid cannot belong to anyone else.

use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use super::ChromeError;
use super::endpoint::{self, Tail};
use super::process::{self, How};
use super::profile;
use super::watchdog::Watchdog;

/// How long the rest of stderr may take to be read once everybody who writes there was killed.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long a group that was killed may take to vanish from the process table.
const VANISHING: Duration = Duration::from_secs(2);

/// What to start.
pub(super) struct Spec {
    pub(super) binary: PathBuf,
    pub(super) command: Command,
    /// A chosen path: to be made now and removed at the end.
    pub(super) temporary: Option<PathBuf>,
}

/// A running Chrome. Dropped, it is killed and waited for.
pub(super) struct Keeper {
    shared: Arc<Shared>,
    pub(super) tail: Tail,
    ended: watch::Receiver<Option<ExitStatus>>,
}

struct Shared {
    pid: u32,
    life: Mutex<Life>,
    over: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Running,
    /// Its pid may belong to another process.
    Reaped,
    /// The thread has done all that it does.
    Over,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self, how: How) {
        let life = self.lock();
        if *life == Life::Running {
            process::end_group(self.pid, how);
        }
    }

    fn set(&self, life: Life) {
        *self.lock() = life;
        self.over.notify_all();
    }
}

struct Started {
    keeper: Keeper,
    endpoint: oneshot::Receiver<String>,
}

/// Starts Chrome on a thread of its own. The receiver gives the endpoint, once stderr names it.
pub(super) async fn start(spec: Spec) -> Result<(Keeper, oneshot::Receiver<String>), ChromeError> {
    let binary = spec.binary.clone();
    let (report, started) = oneshot::channel();
    std::thread::Builder::new()
        .name("chrome-keeper".to_owned())
        .spawn(move || keep(spec, report))
        .map_err(|source| ChromeError::Spawn {
            binary: binary.clone(),
            source,
        })?;
    let Ok(started) = started.await else {
        let source = std::io::Error::other("the thread that starts it ended");
        return Err(ChromeError::Spawn { binary, source });
    };
    started.map(|started| (started.keeper, started.endpoint))
}

fn keep(spec: Spec, report: oneshot::Sender<Result<Started, ChromeError>>) {
    let Spec {
        binary,
        mut command,
        temporary,
    } = spec;
    // The watchdog first: at no moment may a kill leave a profile that nobody removes.
    let mut watchdog = Watchdog::start(temporary.as_deref());
    if let Some(profile) = &temporary {
        if let Err(error) = profile::make(profile) {
            dismiss(watchdog);
            let _ = report.send(Err(error));
            return;
        }
        if let Some(scratch) = profile::scratch(profile) {
            command.env("TMPDIR", scratch);
        }
    }
    process::tie_to_this_thread(&mut command);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(source) => {
            if let Some(profile) = temporary {
                let _ = profile::remove(&profile);
            }
            dismiss(watchdog);
            let _ = report.send(Err(ChromeError::Spawn { binary, source }));
            return;
        }
    };
    if let Some(watchdog) = &mut watchdog {
        watchdog.guard(child.id());
    }
    let shared = Arc::new(Shared {
        pid: child.id(),
        life: Mutex::new(Life::Running),
        over: Condvar::new(),
    });
    let (ending, ended) = watch::channel(None);
    let (tail, endpoint, reader) = listen(&mut child);
    let keeper = Keeper {
        shared: Arc::clone(&shared),
        tail,
        ended,
    };
    if let Err(Ok(unwanted)) = report.send(Ok(Started { keeper, endpoint })) {
        // Whoever asked has left. Not by dropping the keeper: that would wait for this very thread.
        unwanted.keeper.shared.kill(How::AtOnce);
        std::mem::forget(unwanted.keeper);
    }
    profile::sweep();

    process::wait_without_reaping(&mut child);
    process::end_group(shared.pid, How::AtOnce);
    if let Some(profile) = &temporary
        && let Err(error) = profile::remove(profile)
    {
        tracing::warn!(profile = %profile.display(), %error, "the temporary profile cannot be removed");
    }
    dismiss(watchdog);
    let status = {
        let mut life = shared.lock();
        let status = child.wait();
        *life = Life::Reaped;
        status.unwrap_or_default()
    };
    let begun = Instant::now();
    while !process::group_is_gone(shared.pid) && begun.elapsed() < VANISHING {
        std::thread::sleep(Duration::from_millis(5));
    }
    let begun = Instant::now();
    while reader.as_ref().is_some_and(|reader| !reader.is_finished()) && begun.elapsed() < LAST_WORDS {
        std::thread::sleep(Duration::from_millis(1));
    }
    shared.set(Life::Over);
    ending.send_replace(Some(status));
}

fn dismiss(watchdog: Option<Watchdog>) {
    if let Some(watchdog) = watchdog {
        watchdog.dismiss();
    }
}

fn listen(child: &mut Child) -> (Tail, oneshot::Receiver<String>, Option<JoinHandle<()>>) {
    let tail = Tail::default();
    let (found, endpoint) = oneshot::channel();
    let Some(stderr) = child.stderr.take() else {
        return (tail, endpoint, None);
    };
    let reading = tail.clone();
    let thread = std::thread::Builder::new().name("chrome-stderr".to_owned());
    match thread.spawn(move || endpoint::drain(stderr, &reading, found)) {
        Ok(reader) => (tail, endpoint, Some(reader)),
        Err(error) => {
            tracing::warn!(%error, "Chrome's stderr cannot be read");
            (tail, endpoint, None)
        }
    }
}

impl Keeper {
    pub(super) fn pid(&self) -> u32 {
        self.shared.pid
    }

    /// Waits until Chrome has ended and everything of it is gone.
    pub(super) async fn ended(&mut self) -> ExitStatus {
        match self.ended.wait_for(Option::is_some).await {
            Ok(status) => status.unwrap_or_default(),
            Err(_) => ExitStatus::default(), // the thread panicked; its child died with it
        }
    }

    /// Ends Chrome and waits until everything of it is gone.
    pub(super) async fn end(&mut self, polite: Option<Duration>, within: Duration) -> Result<(), ChromeError> {
        if let Some(patience) = polite {
            self.shared.kill(How::Politely);
            if tokio::time::timeout(patience, self.ended()).await.is_ok() {
                return Ok(());
            }
        }
        self.shared.kill(How::AtOnce);
        match tokio::time::timeout(within, self.ended()).await {
            Ok(_) => Ok(()),
            Err(_) => Err(ChromeError::StillRunning {
                pid: self.shared.pid,
                after: within,
            }),
        }
    }

    /// The same for where nothing can be awaited. Blocks.
    pub(super) fn end_now(&self, polite: Option<Duration>, within: Duration) {
        if let Some(patience) = polite {
            self.shared.kill(How::Politely);
            self.wait(patience);
        }
        self.shared.kill(How::AtOnce);
        self.wait(within);
    }

    fn wait(&self, within: Duration) {
        let life = self.shared.lock();
        let waited = self
            .shared
            .over
            .wait_timeout_while(life, within, |life| *life != Life::Over);
        drop(waited);
    }
}
