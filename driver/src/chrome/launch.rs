//! Starting a browser, and the handle that ends it. Knows how Chrome says that it is ready; the process itself is the
//! keeper's, the flags are `flags`', a browser that outlives us is `detached`'s.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use super::endpoint;
use super::keeper::{self, Keeper, Spec};
use super::{ChromeError, detached, flags, profile};

/// How long Chrome may take until it listens (contract rule 32).
const START_DEADLINE: Duration = Duration::from_secs(10);

/// How long Chrome may write its profile after SIGTERM before it is killed.
const WRITING: Duration = Duration::from_secs(3);

/// How long a killed Chrome may take to be gone.
const DYING: Duration = Duration::from_secs(10);

/// Chrome's exit code where another instance has the profile.
const EXIT_PROFILE_IN_USE: i32 = 21;

/// Where Chrome keeps its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Profile {
    /// A fresh folder, removed with Chrome.
    Temporary,
    /// A folder that stays. Made, for us alone, if it does not exist.
    Named(PathBuf),
}

/// How long Chrome lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// It ends with its [`Chrome`], and with this process however that ends.
    WithUs,
    /// It outlives this process; needs a named profile.
    Detached {
        /// The debugging port, on 127.0.0.1.
        port: u16,
    },
}

/// What to start.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// An executable file, as [`find`](super::find) gives it.
    pub binary: PathBuf,
    /// Where Chrome keeps its data.
    pub profile: Profile,
    /// Whether to show a window.
    pub headful: bool,
    /// How long it lives.
    pub lifetime: Lifetime,
}

impl LaunchOptions {
    /// A headless browser with a temporary profile that ends with us.
    pub fn new(binary: impl Into<PathBuf>) -> LaunchOptions {
        LaunchOptions {
            binary: binary.into(),
            profile: Profile::Temporary,
            headful: false,
            lifetime: Lifetime::WithUs,
        }
    }
}

/// A browser that we started. Dropping it ends it, and blocks until its processes and its temporary profile are gone; a
/// detached one lives on.
#[derive(Debug)]
pub struct Chrome {
    ws_url: String,
    pid: u32,
    profile: PathBuf,
    hold: Hold,
}

enum Hold {
    Kept { keeper: Keeper, named: bool },
    Detached(Child),
    Ended,
}

impl std::fmt::Debug for Hold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Hold::Kept { .. } => "Kept",
            Hold::Detached(_) => "Detached",
            Hold::Ended => "Ended",
        })
    }
}

/// Starts a browser and waits, 10 s at most, until it listens. A dropped future ends what it started.
///
/// # Errors
/// [`ChromeError::DiedAtStart`] and [`ChromeError::StartDeadline`] with the end of its stderr,
/// [`ChromeError::ProfileLocked`], [`ChromeError::Spawn`], [`ChromeError::HeadlessOnly`], [`ChromeError::ProfileFolder`];
/// for a detached one also [`ChromeError::PortTaken`], [`ChromeError::PortStolen`] and [`ChromeError::NoNamedProfile`].
pub async fn launch(options: LaunchOptions) -> Result<Chrome, ChromeError> {
    launch_within(options, START_DEADLINE).await
}

/// [`launch`] with another deadline.
///
/// # Errors
/// Those of [`launch`].
pub async fn launch_within(options: LaunchOptions, deadline: Duration) -> Result<Chrome, ChromeError> {
    if options.headful && is_headless_shell(&options.binary) {
        return Err(ChromeError::HeadlessOnly { binary: options.binary });
    }
    match (options.lifetime, &options.profile) {
        (Lifetime::WithUs, _) => with_us(options, deadline).await,
        (Lifetime::Detached { port }, Profile::Named(folder)) => {
            let profile = named(folder)?;
            let (child, ws_url) = detached::launch(&options, deadline, &profile, port).await?;
            Ok(Chrome {
                ws_url,
                pid: child.id(),
                profile,
                hold: Hold::Detached(child),
            })
        }
        (Lifetime::Detached { .. }, Profile::Temporary) => Err(ChromeError::NoNamedProfile),
    }
}

async fn with_us(options: LaunchOptions, start_deadline: Duration) -> Result<Chrome, ChromeError> {
    let LaunchOptions {
        binary,
        profile,
        headful,
        ..
    } = options;
    let is_named = matches!(profile, Profile::Named(_));
    let profile = match profile {
        Profile::Temporary => profile::choose(),
        Profile::Named(folder) => named(&folder)?,
    };
    // Chrome never removes the file, and another Chrome may have this profile: only what this one writes counts.
    let earlier = endpoint::in_profile(&profile);
    let mut command = Command::new(&binary);
    command.args(flags::arguments(&profile, 0, headful));
    let temporary = (!is_named).then(|| profile.clone());
    let (keeper, mut on_stderr) = keeper::start(Spec {
        binary: binary.clone(),
        command,
        temporary,
    })
    .await?;
    // From here on a dropped future drops this, and with it Chrome.
    let mut chrome = Chrome {
        ws_url: String::new(),
        pid: keeper.pid(),
        profile,
        hold: Hold::Kept {
            keeper,
            named: is_named,
        },
    };
    let Hold::Kept { keeper, .. } = &mut chrome.hold else {
        unreachable!("made a line above")
    };
    let deadline = tokio::time::sleep(start_deadline);
    tokio::pin!(deadline);
    let mut poll = tokio::time::interval(Duration::from_millis(50));
    let mut stderr_open = true;
    let ws_url = loop {
        tokio::select! {
            endpoint = &mut on_stderr, if stderr_open => match endpoint {
                Ok(endpoint) => break endpoint,
                Err(_) => stderr_open = false,
            },
            // Where nothing comes on stderr (a launcher that redirects it).
            _ = poll.tick() => match endpoint::in_profile(&chrome.profile) {
                Some(endpoint) if Some(&endpoint) != earlier.as_ref()
                    && (!is_named || profile::is_held_by(&chrome.profile, chrome.pid)) => break endpoint,
                _ => {}
            },
            status = keeper.ended() => {
                return Err(died_at_start(binary, status, keeper.tail.text(), &chrome.profile));
            }
            () = &mut deadline => {
                let stderr = keeper.tail.text();
                keeper.end(None, DYING).await?;
                return Err(ChromeError::StartDeadline { binary, after: start_deadline, stderr });
            }
        }
    };
    chrome.ws_url = ws_url;
    Ok(chrome)
}

/// Which error an early end is.
pub(super) fn died_at_start(binary: PathBuf, status: ExitStatus, stderr: String, profile: &Path) -> ChromeError {
    if status.code() == Some(EXIT_PROFILE_IN_USE) {
        return ChromeError::ProfileLocked {
            profile: profile.to_owned(),
        };
    }
    ChromeError::DiedAtStart { binary, status, stderr }
}

/// Makes a named profile's folder, readable by us alone, and gives its absolute path.
fn named(folder: &Path) -> Result<PathBuf, ChromeError> {
    let failed = |source| ChromeError::ProfileFolder {
        path: folder.to_owned(),
        source,
    };
    let absolute = std::path::absolute(folder).map_err(failed)?;
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&absolute).map_err(failed)?;
    Ok(absolute)
}

fn is_headless_shell(binary: &Path) -> bool {
    let name = binary.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    matches!(name, "chrome-headless-shell" | "headless_shell")
}

impl Chrome {
    /// The browser's websocket, for [`Connection::connect`](crate::cdp::Connection::connect).
    pub fn ws_url(&self) -> &str {
        &self.ws_url
    }

    /// The main process; also the number of its process group.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The profile's folder.
    pub fn profile(&self) -> &Path {
        &self.profile
    }

    /// Ends it, detached or not, and waits until its processes and its temporary profile are gone. A named profile is
    /// written first.
    ///
    /// # Errors
    /// [`ChromeError::StillRunning`] where even SIGKILL does not end it in time.
    pub async fn end(mut self) -> Result<(), ChromeError> {
        match &mut self.hold {
            Hold::Kept { keeper, named } => keeper.end(named.then_some(WRITING), DYING).await?,
            Hold::Detached(child) => detached::end(child, WRITING, DYING).await?,
            Hold::Ended => {}
        }
        profile::tidy(&self.profile, self.pid);
        self.hold = Hold::Ended;
        Ok(())
    }
}

impl Drop for Chrome {
    fn drop(&mut self) {
        if let Hold::Kept { keeper, named } = &self.hold {
            keeper.end_now(named.then_some(WRITING), DYING);
            profile::tidy(&self.profile, self.pid);
        }
    }
}
