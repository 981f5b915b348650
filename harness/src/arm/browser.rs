//! Our own arm: a Chrome, a session of the driver on it, and the bare connection beside. Uses the driver's public API
//! only, as anybody would.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use caveman_browse::ax;
use caveman_browse::cdp::CdpError;
use caveman_browse::chrome::{self, Chrome, ChromeError, Env, LaunchOptions};
use caveman_browse::session::{ChromeSource, Session, SessionError, SessionOptions};
use caveman_browse::store::{Options, ScopeId, Store, StoreError};
use caveman_browse::tools::ToolError;
use caveman_browse::tools::snapshot::{self, Snapshot, SnapshotRequest};

use crate::arm::bare::Bare;
use crate::scenario::Node;

/// How long a page may take until the node that makes it ready is there.
const READY: Duration = Duration::from_secs(20);
/// Between two looks; a look costs a tree.
const LOOK_MS: u64 = 50;

/// Why our arm could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// Chrome was not found, did not start or did not end.
    #[error(transparent)]
    Chrome(#[from] ChromeError),
    /// The bare connection.
    #[error("the bare connection: {0}")]
    Bare(#[from] CdpError),
    /// The store in memory.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The session.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The tool refused.
    #[error("{code}: {source}", code = source.code())]
    Tool {
        /// Its error.
        #[from]
        source: ToolError,
    },
    /// The page could not be read while waiting for it.
    #[error("the page could not be read: {0}")]
    Page(#[from] caveman_browse::page::PageError),
    /// The page did not become what the scenario waits for.
    #[error("no {role} \"{name}\" after {} s at {url}", READY.as_secs())]
    NeverReady {
        /// Its role.
        role: String,
        /// Its name.
        name: String,
        /// Where the page was.
        url: String,
    },
}

/// A tab of a Chrome and the driver's session on it. Its originals are kept in memory.
pub struct Browser {
    /// The driver's session.
    pub session: Session,
    /// The plain connection to the same tab.
    pub bare: Bare,
    chrome: Option<Chrome>,
}

impl Browser {
    /// With a Chrome of its own.
    ///
    /// # Errors
    /// When Chrome does not start or does not answer.
    pub async fn launch(binary: &Path) -> Result<Browser, BrowserError> {
        let chrome = chrome::launch(LaunchOptions::new(binary)).await?;
        let mut browser = Browser::in_chrome(chrome.ws_url()).await?;
        browser.chrome = Some(chrome);
        Ok(browser)
    }

    /// A new tab in a Chrome that runs.
    ///
    /// # Errors
    /// When Chrome does not answer.
    pub async fn in_chrome(ws_url: &str) -> Result<Browser, BrowserError> {
        let mut session = Session::new(SessionOptions {
            chrome: ChromeSource::Attach {
                ws_url: ws_url.to_owned(),
                target_id: None,
                own_chrome: true,
            },
            env: Env::system(),
            store: Some(Arc::new(Store::in_memory(Options::default())?)),
            scope: ScopeId::random(),
        });
        let target = session.page().await?.0.target_id().to_owned();
        let bare = Bare::attach(ws_url, &target).await?;
        Ok(Browser {
            session,
            bare,
            chrome: None,
        })
    }

    /// Takes a snapshot, as an agent would.
    ///
    /// # Errors
    /// What the tool refuses.
    pub async fn snapshot(&mut self, request: &SnapshotRequest) -> Result<Snapshot, BrowserError> {
        Ok(snapshot::run(&mut self.session, request).await?)
    }

    /// Goes to `url` and waits until the page is what the scenario needs. No figure is taken here.
    ///
    /// # Errors
    /// When the page cannot be reached, or never becomes ready.
    pub async fn open(&mut self, url: &str, ready: Option<&Node>) -> Result<(), BrowserError> {
        let request = SnapshotRequest {
            url: Some(url.to_owned()),
            ..SnapshotRequest::default()
        };
        self.snapshot(&request).await?;
        match ready {
            Some(node) => self.wait_for(node).await,
            None => Ok(()),
        }
    }

    async fn wait_for(&mut self, node: &Node) -> Result<(), BrowserError> {
        let limit = Instant::now() + READY;
        loop {
            let page = self.session.page().await?.0;
            let taken = page.capture().await?;
            let there = ax::curate(&taken.capture).is_ok_and(|tree| {
                tree.nodes
                    .iter()
                    .any(|seen| seen.role == node.role && seen.name == node.name)
            });
            if there {
                return Ok(());
            }
            if Instant::now() >= limit {
                return Err(BrowserError::NeverReady {
                    role: node.role.clone(),
                    name: node.name.clone(),
                    url: page.url(),
                });
            }
            tokio::time::sleep(Duration::from_millis(LOOK_MS)).await;
        }
    }

    /// Ends its own Chrome for certain; in a shared one closes its tab.
    ///
    /// # Errors
    /// When something of it is left over.
    pub async fn end(self) -> Result<(), BrowserError> {
        match self.chrome {
            Some(chrome) => {
                drop(self.bare);
                self.session.end().await?;
                chrome.end().await?;
            }
            None => {
                // A page may have closed its own tab.
                let _ = self.bare.close_tab().await;
                self.session.end().await?;
            }
        }
        Ok(())
    }
}
