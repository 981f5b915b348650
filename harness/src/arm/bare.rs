//! A second, plain CDP connection to the browser under test: the raw tree as Chrome sends it and the bare time that
//! sending it takes. It shares nothing with the driver's session but the browser.

use std::time::{Duration, Instant};

use caveman_browse::cdp::protocol::browser_protocol::accessibility::GetFullAxTreeParams;
use caveman_browse::cdp::protocol::browser_protocol::browser::GetVersionParams;
use caveman_browse::cdp::protocol::browser_protocol::target::{AttachToTargetParams, CloseTargetParams};
use caveman_browse::cdp::protocol::js_protocol::runtime::EvaluateParams;
use caveman_browse::cdp::{CdpError, Connection, Session};
use caveman_browse::tokens;
use serde::Deserialize;
use serde_json::value::RawValue;

/// For answers out of Chrome's own knowledge.
const QUICK: Duration = Duration::from_secs(10);
/// For a whole tree: 12 MB take Chrome 0.6 s.
const TREE: Duration = Duration::from_secs(30);

/// The connection, attached to one tab.
pub struct Bare {
    connection: Connection,
    tab: Session,
    target_id: String,
}

/// The raw tree of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawTree {
    /// o200k tokens of the reply's `result` bytes.
    pub tokens: usize,
    /// Those bytes.
    pub bytes: usize,
    /// Nodes in the reply, ignored ones included.
    pub nodes: usize,
}

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow)]
    nodes: Vec<&'a RawValue>,
}

impl Bare {
    /// Connects and attaches to a tab that is there.
    ///
    /// # Errors
    /// When Chrome does not answer or the tab is gone.
    pub async fn attach(ws_url: &str, target_id: &str) -> Result<Bare, CdpError> {
        let connection = Connection::connect(ws_url).await?;
        let mut attach = AttachToTargetParams::new(target_id.to_owned());
        attach.flatten = Some(true);
        let attached = connection.browser().call(attach, QUICK).await?;
        let tab = connection.session(attached.session_id.inner());
        Ok(Bare {
            connection,
            tab,
            target_id: target_id.to_owned(),
        })
    }

    /// Chrome's full version, as `156.0.8078.114`.
    ///
    /// # Errors
    /// When Chrome does not answer.
    pub async fn chrome_version(&self) -> Result<String, CdpError> {
        let version = self
            .connection
            .browser()
            .call(GetVersionParams::default(), QUICK)
            .await?;
        let product = version.product;
        Ok(product
            .split_once('/')
            .map_or(product.clone(), |(_, version)| version.to_owned()))
    }

    /// The size of the page's window, as `1280x720`.
    ///
    /// # Errors
    /// When the page does not answer.
    pub async fn viewport(&self) -> Result<String, CdpError> {
        let ask = EvaluateParams::new("innerWidth + 'x' + innerHeight");
        let answer = self.tab.call(ask, QUICK).await?;
        let value = answer.result.value.as_ref().and_then(|value| value.as_str());
        Ok(value.unwrap_or("unknown").to_owned())
    }

    /// How long `Accessibility.getFullAXTree` takes from the command to the last byte of its reply; nothing is parsed.
    ///
    /// # Errors
    /// When the page does not answer.
    pub async fn round_trip(&self) -> Result<Duration, CdpError> {
        let began = Instant::now();
        self.tab.call_raw(GetFullAxTreeParams::default(), TREE).await?;
        Ok(began.elapsed())
    }

    /// The raw tree, counted.
    ///
    /// # Errors
    /// When the page does not answer, or not with a tree.
    pub async fn raw_tree(&self) -> Result<RawTree, CdpError> {
        let reply = self.tab.call_raw(GetFullAxTreeParams::default(), TREE).await?;
        let result = reply.result();
        let nodes = serde_json::from_slice::<Reply<'_>>(result).map_or(0, |reply| reply.nodes.len());
        Ok(RawTree {
            tokens: tokens::count_bytes(result),
            bytes: result.len(),
            nodes,
        })
    }

    /// Closes the tab, for a browser that goes on to serve others.
    ///
    /// # Errors
    /// When Chrome does not answer.
    pub async fn close_tab(self) -> Result<(), CdpError> {
        let close = CloseTargetParams::new(self.target_id);
        self.connection.browser().call(close, QUICK).await.map(|_| ())
    }
}
