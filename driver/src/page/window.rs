//! The window of our own Chrome, so large that the page in it has the size which our peers give theirs.
//!
//! Must not know what is on the page.

use super::tab::Page;
use crate::cdp::protocol::browser_protocol::browser::{Bounds, GetWindowForTargetParams, SetWindowBoundsParams};
use crate::cdp::protocol::browser_protocol::page::GetLayoutMetricsParams;
use crate::cdp::protocol::js_protocol::runtime::EvaluateParams;
use crate::cdp::{CdpError, Session};
use std::time::Duration;

/// The page's width and height in CSS pixels: Playwright's default viewport, which its MCP server uses too.
pub const VIEWPORT: (i64, i64) = (1280, 720);
/// How long a window may take to have its new size; it is a frame or two.
const RESIZED: Duration = Duration::from_secs(2);

impl Page {
    /// Makes the window larger by what it spends on its own frame: `--window-size` is the outer size, and how much the page
    /// gets of it differs between versions. Only for a blank page of our own Chrome.
    ///
    /// # Errors
    /// When the page or Chrome does not answer, or a Chrome has no windows.
    pub(super) async fn fit_window(&self, browser: &Session) -> Result<(), CdpError> {
        let page = self.session();
        let shown = page
            .call(GetLayoutMetricsParams::default(), RESIZED)
            .await?
            .css_layout_viewport;
        let missing = (VIEWPORT.0 - shown.client_width, VIEWPORT.1 - shown.client_height);
        if missing == (0, 0) {
            return Ok(());
        }
        let ask = GetWindowForTargetParams::builder()
            .target_id(self.target_id().to_owned())
            .build();
        let window = browser.call(ask, RESIZED).await?;
        let (Some(width), Some(height)) = (window.bounds.width, window.bounds.height) else {
            return Ok(());
        };
        let bounds = Bounds::builder()
            .width(width + missing.0)
            .height(height + missing.1)
            .build();
        browser
            .call(SetWindowBoundsParams::new(window.window_id, bounds), RESIZED)
            .await?;
        let (width, height) = VIEWPORT;
        let mut fits = EvaluateParams::new(format!(
            "new Promise(done => {{ const look = () => innerWidth === {width} && innerHeight === {height} && done(); \
             addEventListener('resize', look); look(); }})"
        ));
        fits.await_promise = Some(true);
        page.call(fits, RESIZED).await.map(|_| ())
    }
}
