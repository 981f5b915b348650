//! The Chrome that separate commands share (contract, rules 32–34): found again, started detached, or somebody else's.
//!
//! Must not know what a command does with the page.

use super::run::Failure;
use super::state::{Home, State};
use crate::cdp::Connection;
use crate::chrome::attach::{self, PortOwner};
use crate::chrome::{self, Chrome, LaunchOptions, Lifetime, Profile};
use crate::session::{ChromeSource, Session, SessionError, SessionOptions, close_tab};
use crate::settings::Settings;
use crate::store::{Options, ScopeId, Store};
use crate::tools::ToolError;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a Chrome that another command started may take until it answers (contract, rule 32).
const STARTING: Duration = Duration::from_secs(10);
/// How often it is asked.
const LOOK: Duration = Duration::from_millis(50);

/// A session on the shared Chrome, and what has to be written down when a command has succeeded.
pub(super) struct Shared {
    home: Home,
    pub session: Session,
    state: State,
    /// Started by this very command; ended again when its first snapshot fails.
    started: Option<Chrome>,
    /// What the reader should know: a state set aside, a Chrome started anew.
    pub notes: Vec<String>,
}

/// The endpoint in use.
struct Endpoint {
    browser: String,
    owned: bool,
    pid: Option<u32>,
    started: Option<Chrome>,
}

impl Shared {
    /// Opens the home, finds or (with `start`) starts the Chrome, and attaches to the page of the command before.
    ///
    /// # Errors
    /// When there is no Chrome to be had, or the home or the store cannot be used.
    pub(super) async fn open(settings: &Settings, start: bool) -> Result<Self, Failure> {
        let home = Home::open(&settings.home).await?;
        let (state, note) = home.load()?;
        let mut notes: Vec<String> = note.into_iter().collect();
        let store = Arc::new(open_store(settings)?);
        let (found, state) = endpoint(settings, state, start, &mut notes).await?;
        let scope = state.as_ref().map_or_else(ScopeId::random, |state| state.scope.clone());
        let target_id = state
            .as_ref()
            .map(|state| state.target_id.clone())
            .filter(|id| !id.is_empty());
        let mut session = Session::new(SessionOptions {
            chrome: ChromeSource::Attach {
                ws_url: found.browser.clone(),
                target_id,
                own_chrome: found.owned,
            },
            env: settings.env.clone(),
            store: Some(store),
            scope: scope.clone(),
        });
        let mut next = State::new(found.browser, scope);
        (next.owned, next.pid) = (found.owned, found.pid);
        if let Some(state) = state {
            session.set_uids(state.targets);
        }
        Ok(Self {
            home,
            session,
            state: next,
            started: found.started,
            notes,
        })
    }

    /// Writes down what the next command needs.
    ///
    /// # Errors
    /// When the state cannot be written.
    pub(super) fn keep(mut self) -> Result<(), Failure> {
        if let Some(page) = self.session.open_page() {
            page.target_id().clone_into(&mut self.state.target_id);
        }
        self.state.targets = self.session.uids().clone();
        self.home.save(&self.state)?;
        // A detached Chrome outlives its handle.
        self.started = None;
        Ok(())
    }

    /// Ends what this command started, when it failed before anything could be kept; a Chrome of before stays.
    pub(super) async fn abandon(self) {
        if let Some(chrome) = self.started {
            // The failure that is being reported matters more than one while clearing up.
            let _ = chrome.end().await;
        }
    }
}

/// The store that the settings name.
///
/// # Errors
/// When it cannot be used.
pub(super) fn open_store(settings: &Settings) -> Result<Store, Failure> {
    let store = if settings.ephemeral {
        Store::in_memory(Options::default())
    } else {
        Store::open(&settings.database, Options::default())
    };
    Ok(store.map_err(ToolError::from)?)
}

/// In which short handles resolve on this home; one of its own where nothing is open.
///
/// # Errors
/// When the home cannot be used.
pub(super) async fn scope(settings: &Settings) -> Result<ScopeId, Failure> {
    let (state, _) = Home::open(&settings.home).await?.load()?;
    Ok(state.map_or_else(ScopeId::random, |state| state.scope))
}

/// Ends an owned Chrome and forgets it; an external one is left running, only its tab that was ours is closed.
///
/// # Errors
/// When the home cannot be used or an owned Chrome does not end.
pub(super) async fn close(settings: &Settings) -> Result<String, Failure> {
    let home = Home::open(&settings.home).await?;
    let (state, note) = home.load()?;
    let Some(state) = state else {
        home.clear()?;
        return Ok(note.map_or_else(
            || "nothing was open".to_owned(),
            |note| format!("{note}; nothing was open"),
        ));
    };
    let connection = Connection::connect(&state.browser).await.ok();
    let said = match (state.owned, connection) {
        (true, Some(connection)) => {
            chrome::end_attached(&connection, state.pid)
                .await
                .map_err(unavailable)?;
            "closed"
        }
        (true, None) => "Chrome had ended already; its state was removed",
        (false, Some(connection)) => {
            close_tab(&connection, &state.target_id).await;
            "the external Chrome was left running; the tab of these commands was closed"
        }
        (false, None) => "the external Chrome is gone; its state was removed",
    };
    home.clear()?;
    Ok(said.to_owned())
}

async fn endpoint(
    settings: &Settings,
    state: Option<State>,
    start: bool,
    notes: &mut Vec<String>,
) -> Result<(Endpoint, Option<State>), Failure> {
    if let Some(cdp) = &settings.cdp {
        let browser = attach::resolve(cdp).await.map_err(unavailable)?;
        let state = state.filter(|state| state.browser == browser);
        let owned = state.as_ref().is_some_and(|state| state.owned);
        let pid = state.as_ref().and_then(|state| state.pid);
        return Ok((
            Endpoint {
                browser,
                owned,
                pid,
                started: None,
            },
            state,
        ));
    }
    if let Some(state) = state {
        if runs(&state.browser).await {
            let endpoint = Endpoint {
                browser: state.browser.clone(),
                owned: state.owned,
                pid: state.pid,
                started: None,
            };
            return Ok((endpoint, Some(state)));
        }
        notes.push("the Chrome of the command before has ended".to_owned());
    }
    let profile = settings
        .user_data_dir
        .clone()
        .unwrap_or_else(|| settings.home.join("browse-profile"));
    if let Some((browser, pid)) = left_behind(&profile).await {
        notes.push("the Chrome that an earlier command had left was found again".to_owned());
        let endpoint = Endpoint {
            browser,
            owned: true,
            pid: Some(pid),
            started: None,
        };
        return Ok((endpoint, None));
    }
    if let Ok(found) = attach::version("127.0.0.1", settings.port).await {
        // A port says nothing about who listens there (contract, rule 32).
        if attach::port_owner_is_us(settings.port) != PortOwner::Us {
            return Err(Failure::Tool(ToolError::Session(SessionError::ForeignPort {
                port: settings.port,
            })));
        }
        notes.push(format!(
            "a Chrome that was running at port {} is used; close leaves it running",
            settings.port
        ));
        return Ok((
            Endpoint {
                browser: found.ws_url,
                owned: false,
                pid: None,
                started: None,
            },
            None,
        ));
    }
    if !start {
        return Err(Failure::Tool(ToolError::Session(SessionError::NoPage)));
    }
    let mut options = LaunchOptions::new(chrome::find(&settings.env).map_err(unavailable)?.path);
    options.profile = Profile::Named(profile.clone());
    options.headful = settings.headful;
    options.lifetime = Lifetime::Detached { port: settings.port };
    let chrome = chrome::launch(options).await.map_err(unavailable)?;
    let browser = chrome.ws_url().to_owned();
    // Two launches on one profile become one Chrome, and it may be the other's: the profile's lock knows which.
    let pid = Some(chrome::holder(&profile).map_or(chrome.pid(), |holder| holder.pid));
    Ok((
        Endpoint {
            browser,
            owned: true,
            pid,
            started: Some(chrome),
        },
        None,
    ))
}

/// The Chrome that a command left which was killed before it could write its state: it holds our profile. It may still be
/// starting.
async fn left_behind(profile: &Path) -> Option<(String, u32)> {
    let began = Instant::now();
    while let Some(holder) = chrome::holder(profile) {
        if let Ok(found) = attach::version("127.0.0.1", holder.port).await
            && attach::port_owner_is_us(holder.port) == PortOwner::Us
        {
            return Some((found.ws_url, holder.pid));
        }
        if began.elapsed() > STARTING {
            return None;
        }
        tokio::time::sleep(LOOK).await;
    }
    None
}

/// Whether the very instance that this address names still runs.
async fn runs(browser: &str) -> bool {
    Connection::connect(browser).await.is_ok()
}

fn unavailable(error: chrome::ChromeError) -> Failure {
    Failure::Tool(ToolError::Session(SessionError::Chrome(error)))
}
