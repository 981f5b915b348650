//! The mouse and the keyboard: what Chrome is told to do as a user would, and the proof that it arrived where it was aimed.
//!
//! Must not know which tool asked.

use super::Dialog;
use super::act_error::{ActError, Cover};
use super::actionability::{Aim, is_gone};
use super::element::Element;
use super::error::{PageError, quoted};
use super::tab::{Page, QUICK};
use super::world::Handle;
use crate::cdp::protocol::browser_protocol::emulation::SetFocusEmulationEnabledParams;
use crate::cdp::protocol::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventType, InsertTextParams, MouseButton,
};
use crate::cdp::protocol::browser_protocol::page::BringToFrontParams;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// The deadline of an input event: Chrome answers when the page's handlers have run.
const INPUT: Duration = Duration::from_secs(10);
/// A release here clicks nothing.
const AWAY: Aim = Aim {
    x: -1.0,
    y: -1.0,
    waited: false,
};
/// How often a press that was stopped on its way is tried again, on a page that changed under the pointer.
const TRIES: u32 = 2;

/// A click that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clicked {
    /// The dialog that it opened, which waits for an answer.
    pub dialog: Option<Dialog>,
}

#[derive(Deserialize)]
struct Guarded {
    /// Whether the press was seen on the target; `None` when it was not seen at all.
    hit: Option<bool>,
    /// The target is a document of its own, whose presses are not seen from here.
    framed: bool,
    /// Where it was seen instead.
    cover: Option<Cover>,
}

impl Element<'_> {
    /// Clicks the element, or the label that activates it.
    ///
    /// # Errors
    /// When it is not operable, when the press did not arrive, or when the page went elsewhere meanwhile.
    pub async fn click(&self) -> Result<Clicked, ActError> {
        self.click_on(&self.handle).await
    }

    pub(super) async fn click_on(&self, on: &Handle) -> Result<Clicked, ActError> {
        self.page.act_as_focused().await?;
        let mut tries = 0;
        loop {
            let aim = self.ready(on, false).await?;
            self.confirm().await?;
            tries += 1;
            match self.press_at(on, aim).await {
                Err(ActError::Missed(_)) if tries < TRIES => {}
                Err(ActError::Missed(cover)) => return Err(ActError::Missed(self.identify(cover).await?)),
                other => return other,
            }
        }
    }

    async fn press_at(&self, on: &Handle, aim: Aim) -> Result<Clicked, ActError> {
        let page = self.page;
        let _: Value = self.world.call(on, "guard", json!({}), QUICK).await?;
        page.mouse(DispatchMouseEventType::MouseMoved, aim).await?;
        let pressed = page.mouse(DispatchMouseEventType::MousePressed, aim).await;
        if let Err(PageError::DialogOpen { .. }) = pressed {
            page.let_go(aim);
            return Ok(Clicked { dialog: page.dialog() });
        }
        pressed?;
        // The document may be gone already; then whether the press arrived cannot be known, and a release in the document
        // that followed could click there.
        let guarded = match self.world.call::<Guarded>(on, "guarded", json!({}), QUICK).await {
            Ok(guarded) => guarded,
            Err(ActError::Page(PageError::DialogOpen { .. })) => {
                page.let_go(aim);
                return Ok(Clicked { dialog: page.dialog() });
            }
            Err(error) => {
                page.let_go(AWAY);
                let gone = ActError::WentAway {
                    before: "the button was released",
                };
                return Err(if is_gone(&error) { gone } else { error });
            }
        };
        let arrived = guarded.hit.unwrap_or(guarded.framed);
        let at = if guarded.hit.is_none() && !arrived { AWAY } else { aim };
        let released = page.mouse(DispatchMouseEventType::MouseReleased, at).await;
        match (arrived, released) {
            (true, Err(PageError::DialogOpen { .. })) => return Ok(Clicked { dialog: page.dialog() }),
            (_, released) => released?,
        }
        if !arrived {
            let _: Value = self.world.call(on, "unguard", json!({}), QUICK).await?;
            return Err(guarded.cover.map_or(ActError::Unseen, ActError::Missed));
        }
        // The click may have closed the document, and its guard with it, or opened a dialog a moment later.
        match self.world.call::<Value>(on, "unguard", json!({}), QUICK).await {
            Ok(_) | Err(ActError::Page(PageError::Closed)) => {}
            Err(ActError::Page(PageError::DialogOpen { .. })) => return Ok(Clicked { dialog: page.dialog() }),
            Err(error) if is_gone(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(Clicked { dialog: None })
    }

    /// Inserts text at the caret, as an input method does.
    pub(super) async fn insert(&self, text: &str) -> Result<(), ActError> {
        let insert = InsertTextParams::new(text);
        let sent = self.page.guarded(self.world.session().call(insert, INPUT)).await;
        sent.map_err(|error| interrupted(error, "the text was sent"))?;
        Ok(())
    }
}

/// A dialog in the middle of an act, told with what was done before it.
pub(super) fn interrupted(error: PageError, done: &'static str) -> ActError {
    match error {
        PageError::DialogOpen { kind, message } => ActError::Interrupted {
            done,
            kind,
            message: quoted(&message, 160),
        },
        other => ActError::Page(other),
    }
}

impl Page {
    /// The page believes itself to be in front, so that focus and its events work in a tab that is not. In a Chrome of our
    /// own it is brought there: Chrome hands input to a tab behind another one only once a second, or later.
    async fn act_as_focused(&self) -> Result<(), ActError> {
        if self.is_own_chrome() {
            self.guarded(self.session().call(BringToFrontParams::default(), QUICK))
                .await?;
        }
        self.guarded(self.session().call(SetFocusEmulationEnabledParams::new(true), QUICK))
            .await?;
        Ok(())
    }

    async fn mouse(&self, kind: DispatchMouseEventType, aim: Aim) -> Result<(), PageError> {
        self.guarded(self.session().call(mouse_event(kind, aim), INPUT)).await?;
        Ok(())
    }

    /// Releases the button without waiting: behind a dialog the answer comes only when that is closed.
    fn let_go(&self, aim: Aim) {
        let session = self.session().clone();
        tokio::spawn(async move {
            let _ = session
                .call(mouse_event(DispatchMouseEventType::MouseReleased, aim), INPUT)
                .await;
        });
    }
}

fn mouse_event(kind: DispatchMouseEventType, aim: Aim) -> DispatchMouseEventParams {
    let moved = matches!(kind, DispatchMouseEventType::MouseMoved);
    let held = i64::from(matches!(kind, DispatchMouseEventType::MousePressed));
    let mut event = DispatchMouseEventParams::new(kind, aim.x, aim.y);
    event.button = Some(if moved { MouseButton::None } else { MouseButton::Left });
    event.buttons = Some(held);
    event.click_count = Some(i64::from(!moved));
    event
}
