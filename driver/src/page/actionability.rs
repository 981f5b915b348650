//! Whether a user could operate an element now, and where: visible, enabled, at rest, and hit at the point (contract, rule
//! 22). Bounded: an element that is not ready in time is refused, and the check that failed is named.
//!
//! Must not know what is done at the point.

use super::act_error::{ActError, Check, Cover, Stale};
use super::element::Element;
use super::error::PageError;
use super::world::Handle;
use crate::cdp::CdpError;
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};

/// How long an element may take to become operable (contract, rule 22).
pub(super) const LIMIT: Duration = Duration::from_secs(5);
/// Between the two looks that must find it at the same place (contract, rule 22).
const LOOK: Duration = Duration::from_millis(32);
/// How far its box may move between them, in CSS pixels (contract, rule 22).
const STILL: f64 = 0.5;
/// Between looks at an element that is not ready.
const PATIENCE: Duration = Duration::from_millis(100);
/// A page that is busy for so long does not answer a look.
const ANSWER: Duration = Duration::from_secs(5);
/// Centre first; the others get out from under sticky headers and footers; then back.
const ALIGNMENTS: [&str; 5] = ["center", "start", "end", "nearest", "center"];

/// A point at which the element takes a click.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Aim {
    /// CSS pixels from the left of the frame's viewport.
    pub x: f64,
    /// CSS pixels from its top.
    pub y: f64,
    /// It was not ready at once.
    pub waited: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Look {
    gone: bool,
    unfit: Option<String>,
    disabled: Option<String>,
    hidden: Option<String>,
    r#box: Option<[f64; 4]>,
    point: Option<[f64; 2]>,
    off: Option<String>,
    cover: Option<Cover>,
}

impl Element<'_> {
    /// Waits until the element can be operated. `alone`: a label may not stand in for it.
    pub(super) async fn ready(&self, on: &Handle, alone: bool) -> Result<Aim, ActError> {
        let until = Instant::now() + LIMIT;
        let mut alignments = ALIGNMENTS.iter();
        let (mut scroll, mut before, mut waited) = (None, None, false);
        loop {
            let look = self.look(on, scroll.take(), alone).await?;
            let mut pause = PATIENCE;
            let check = match look {
                Look { gone: true, .. } => return Err(Stale::Gone.into()),
                Look {
                    unfit: Some(problem), ..
                } => return Err(ActError::Unfit { problem }),
                Look {
                    disabled: Some(why), ..
                } => {
                    before = None;
                    Check::Enabled(why)
                }
                Look { hidden: Some(why), .. } => {
                    before = None;
                    Check::Visible(why)
                }
                Look {
                    point,
                    r#box: Some(place),
                    off,
                    cover,
                    ..
                } => {
                    let still = before.is_some_and(|before| is_still(before, place));
                    before = Some(place);
                    match point {
                        Some([x, y]) if still => return Ok(Aim { x, y, waited }),
                        Some(_) => {
                            pause = LOOK;
                            Check::Stable
                        }
                        None => {
                            scroll = alignments.next().copied();
                            if scroll.is_some() {
                                pause = LOOK;
                            }
                            match cover {
                                Some(cover) => Check::Hit(cover),
                                None => Check::InView(off.unwrap_or_default()),
                            }
                        }
                    }
                }
                Look { off, .. } => {
                    before = None;
                    Check::InView(off.unwrap_or_default())
                }
            };
            if Instant::now() + pause > until {
                return Err(self.refusal(check).await);
            }
            waited |= pause == PATIENCE;
            tokio::time::sleep(pause).await;
        }
    }

    async fn look(&self, on: &Handle, scroll: Option<&str>, alone: bool) -> Result<Look, ActError> {
        self.world
            .call(on, "look", json!({ "scroll": scroll, "self": alone }), ANSWER)
            .await
    }

    async fn refusal(&self, check: Check) -> ActError {
        let check = match check {
            Check::Hit(cover) => match self.identify(cover.clone()).await {
                Ok(found) => Check::Hit(found),
                Err(_) => Check::Hit(cover),
            },
            other => other,
        };
        ActError::NotActionable { check }
    }

    /// Scrolls the element into view and checks that it is there.
    ///
    /// # Errors
    /// When it cannot be seen even then.
    pub async fn scroll(&self) -> Result<(), ActError> {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Seen {
            gone: bool,
            hidden: Option<String>,
            off: Option<String>,
        }
        self.confirm().await?;
        let until = Instant::now() + LIMIT;
        loop {
            let brought: Seen = self
                .world
                .call(&self.handle, "bring", json!({ "block": "center" }), ANSWER)
                .await?;
            let seen: Seen = self.world.call(&self.handle, "inView", json!({}), ANSWER).await?;
            let check = match (brought, seen) {
                (Seen { gone: true, .. }, _) | (_, Seen { gone: true, .. }) => return Err(Stale::Gone.into()),
                (Seen { hidden: Some(why), .. }, _) => Check::Visible(why),
                (_, Seen { off: Some(why), .. }) => Check::InView(why),
                _ => return Ok(()),
            };
            if Instant::now() + PATIENCE > until {
                return Err(ActError::NotActionable { check });
            }
            tokio::time::sleep(PATIENCE).await;
        }
    }
}

fn is_still(before: [f64; 4], now: [f64; 4]) -> bool {
    before.iter().zip(now).all(|(before, now)| (before - now).abs() < STILL)
}

/// A call that failed because the document went, and not the element.
pub(super) fn is_gone(error: &ActError) -> bool {
    matches!(
        error,
        ActError::Stale(Stale::Gone) | ActError::Page(PageError::Cdp(CdpError::Protocol { .. }))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pixel_is_movement_and_less_is_not() {
        assert!(is_still([1.0, 2.0, 3.0, 4.0], [1.49, 2.0, 3.0, 3.6]));
        assert!(!is_still([1.0, 2.0, 3.0, 4.0], [1.5, 2.0, 3.0, 4.0]));
        assert!(!is_still([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.5]));
    }
}
