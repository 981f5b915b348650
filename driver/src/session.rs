//! One agent's browser: the Chrome, its page, the uids that were given out, the store that keeps the originals.
//!
//! Must not know what a tool answers; the use cases live in `tools`.

use crate::cdp::Connection;
use crate::chrome::{self, Chrome, ChromeError, Env, LaunchOptions, Profile};
use crate::page::{Page, PageError, PageOptions};
use crate::store::{ScopeId, Store};
use crate::uid::UidTable;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a session's Chrome comes from.
#[derive(Debug, Clone)]
pub enum ChromeSource {
    /// A Chrome of its own, started on first use and ended with the session.
    Launch {
        /// The binary; `None` finds one (contract, rule 36).
        binary: Option<PathBuf>,
        /// The profile directory; `None` makes a temporary one that goes with the Chrome.
        profile: Option<PathBuf>,
        /// With a window.
        headful: bool,
    },
    /// A Chrome that runs already and is left running.
    Attach {
        /// The websocket address of its browser endpoint.
        ws_url: String,
        /// The tab to use; `None` opens a new one.
        target_id: Option<String>,
        /// The Chrome is the command line's own, started by an earlier process.
        own_chrome: bool,
    },
}

/// What a session is made of.
#[derive(Clone)]
pub struct SessionOptions {
    /// Where Chrome comes from.
    pub chrome: ChromeSource,
    /// What finding a Chrome may look at.
    pub env: Env,
    /// Keeps the originals. Without one every snapshot is refused (contract, rule 9).
    pub store: Option<Arc<Store>>,
    /// In which short handles and prefixes resolve (contract, rule 27).
    pub scope: ScopeId,
}

/// Why there is no browser to work with.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Chrome was not found, did not start or ended.
    #[error(transparent)]
    Chrome(#[from] ChromeError),
    /// Chrome is there, but its socket cannot be used.
    #[error("Chrome at {ws_url} cannot be used: {source}")]
    Connect {
        /// The websocket address.
        ws_url: String,
        /// What happened.
        source: crate::cdp::CdpError,
    },
    /// Something listens where our Chrome would, and it is not ours.
    #[error("port {port} is used by another user's program; set CAVEMAN_BROWSE_PORT to a free port")]
    ForeignPort {
        /// The port.
        port: u16,
    },
    /// Nothing is open, so there is nothing to act on.
    #[error("Chrome is not running or has ended; take a snapshot with url")]
    NoPage,
    /// Chrome is there, but no tab could be opened in it.
    #[error("no tab could be opened: {0}")]
    Tab(PageError),
}

/// A running Chrome and the tab in use.
struct Live {
    page: Page,
    connection: Connection,
    /// Ours to end; `None` when attached.
    chrome: Option<Chrome>,
}

/// One agent's browser. Nothing is started before it is needed.
pub struct Session {
    options: SessionOptions,
    live: Option<Live>,
    uids: UidTable,
    had_one: bool,
}

impl Session {
    /// A session that has started nothing yet.
    pub fn new(options: SessionOptions) -> Self {
        Self {
            options,
            live: None,
            uids: UidTable::default(),
            had_one: false,
        }
    }

    /// The store that keeps the originals.
    pub fn store(&self) -> Option<&Arc<Store>> {
        self.options.store.as_ref()
    }

    /// In which short handles and prefixes resolve.
    pub fn scope(&self) -> &ScopeId {
        &self.options.scope
    }

    /// The uids of the latest snapshot's full tree.
    pub fn uids(&self) -> &UidTable {
        &self.uids
    }

    /// Replaces the uids; only a snapshot that succeeded may (contract, rule 11).
    pub fn set_uids(&mut self, mut uids: UidTable) {
        uids.remember(std::mem::take(&mut self.uids));
        self.uids = uids;
    }

    /// The tab in use, if a Chrome runs.
    pub fn open_page(&self) -> Option<&Page> {
        self.live
            .as_ref()
            .filter(|live| !live.connection.is_closed())
            .map(|live| &live.page)
    }

    /// The tab that the uids are of. Starts no Chrome: in a new one they would mean nothing.
    ///
    /// # Errors
    /// When there is none, or Chrome has ended.
    pub async fn page_in_use(&mut self) -> Result<&Page, SessionError> {
        let attaches = matches!(self.options.chrome, ChromeSource::Attach { .. });
        if self.live.is_none() && attaches && !self.had_one {
            self.page().await?;
        }
        self.open_page().ok_or(SessionError::NoPage)
    }

    /// The process id of the Chrome that this session started, if it runs.
    pub fn chrome_pid(&self) -> Option<u32> {
        self.live
            .as_ref()
            .and_then(|live| live.chrome.as_ref())
            .map(Chrome::pid)
    }

    /// The tab in use; starts Chrome, or opens a new tab, when there is none. The notes say what had to be done anew.
    ///
    /// # Errors
    /// When no Chrome can be had.
    pub async fn page(&mut self) -> Result<(&Page, Vec<String>), SessionError> {
        let mut notes = Vec::new();
        if let Some(live) = &self.live
            && !answers(&live.connection).await
        {
            self.live = None;
        }
        if let Some(live) = &mut self.live
            && !live.page.is_alive()
        {
            notes.push("the tab had crashed or been closed; a new one was opened".to_owned());
            let options = PageOptions {
                own_chrome: live.chrome.is_some(),
            };
            let dead = live.page.target_id().to_owned();
            live.page = Page::create(&live.connection, options)
                .await
                .map_err(SessionError::Tab)?;
            close_tab(&live.connection, &dead).await;
        }
        if self.live.is_none() {
            if self.had_one {
                notes.push("Chrome had ended; a new one was started".to_owned());
            }
            self.live = Some(self.start().await?);
            self.had_one = true;
        }
        match &self.live {
            Some(live) => Ok((&live.page, notes)),
            None => unreachable!("it was made above"),
        }
    }

    async fn start(&self) -> Result<Live, SessionError> {
        let connect = async |ws_url: &str| {
            let connected = Connection::connect(ws_url).await;
            connected.map_err(|source| SessionError::Connect {
                ws_url: ws_url.to_owned(),
                source,
            })
        };
        match &self.options.chrome {
            ChromeSource::Launch {
                binary,
                profile,
                headful,
            } => {
                let binary = match binary {
                    Some(binary) => binary.clone(),
                    None => chrome::find(&self.options.env)?.path,
                };
                let profile = profile.clone().map_or(Profile::Temporary, Profile::Named);
                let mut options = LaunchOptions::new(binary);
                (options.profile, options.headful) = (profile, *headful);
                let chrome = chrome::launch(options).await?;
                let connection = connect(chrome.ws_url()).await?;
                let page = Page::create(&connection, PageOptions { own_chrome: true })
                    .await
                    .map_err(SessionError::Tab)?;
                Ok(Live {
                    page,
                    connection,
                    chrome: Some(chrome),
                })
            }
            ChromeSource::Attach {
                ws_url,
                target_id,
                own_chrome,
            } => {
                let connection = connect(ws_url).await?;
                let options = PageOptions {
                    own_chrome: *own_chrome,
                };
                let page = match target_id {
                    Some(target) => Page::attach(&connection, target, options).await,
                    None => Page::create(&connection, options).await,
                };
                Ok(Live {
                    page: page.map_err(SessionError::Tab)?,
                    connection,
                    chrome: None,
                })
            }
        }
    }

    /// Ends the Chrome that this session started; one that it attached to is left running, without the tab that it opened
    /// there.
    ///
    /// # Errors
    /// When Chrome's processes or its profile could not be removed.
    pub async fn end(mut self) -> Result<(), SessionError> {
        let Some(live) = self.live.take() else { return Ok(()) };
        if let Some(chrome) = live.chrome {
            drop(live.page);
            chrome.end().await?;
        } else if matches!(&self.options.chrome, ChromeSource::Attach { target_id: None, .. }) {
            close_tab(&live.connection, live.page.target_id()).await;
        }
        Ok(())
    }

    /// Where the next Chrome comes from, should this one be gone: one that is attached to has a new address when it was
    /// started again.
    pub fn set_chrome(&mut self, chrome: ChromeSource) {
        self.options.chrome = chrome;
    }
}

/// Whether Chrome is there. One that was just killed is noticed by asking, before its socket says so.
async fn answers(connection: &Connection) -> bool {
    let ask = crate::cdp::protocol::browser_protocol::browser::GetVersionParams::default();
    let asked = connection.browser().call(ask, std::time::Duration::from_secs(2)).await;
    // A busy Chrome that is late is there; what is wrong with it, the caller's own commands will say.
    !connection.is_closed() && !matches!(asked, Err(crate::cdp::CdpError::Closed { .. }))
}

/// Closes a tab, if it is still there.
pub(crate) async fn close_tab(connection: &Connection, target_id: &str) {
    let close = crate::cdp::protocol::browser_protocol::target::CloseTargetParams::new(target_id.to_owned());
    // It may be gone already; then there is nothing to close.
    let _ = connection
        .browser()
        .call(close, std::time::Duration::from_secs(2))
        .await;
}
