//! Typing into a field and choosing from a list, each checked afterwards: what did not take is an error (contract, rule 22).
//!
//! Must not know which tool asked.

use super::act_error::{ActError, Choice, Cover, Stale};
use super::actionability::is_gone;
use super::element::Element;
use super::error::{PageError, quoted};
use super::input::interrupted;
use super::tab::QUICK;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// A page that takes a value back does so when its own rendering has run: look again after so long.
const SECOND_THOUGHT: Duration = Duration::from_millis(64);
/// How much of a value a message quotes, in characters.
const QUOTE: usize = 80;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Field {
    problem: Option<String>,
    kind: String,
    secret: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Caret {
    gone: bool,
    focus: Option<Cover>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Typed {
    gone: bool,
    took: bool,
    length: usize,
    expected: usize,
    now: Option<String>,
    wanted: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Chose {
    problem: Option<String>,
    options: Vec<Choice>,
    more: usize,
    chosen: Option<Choice>,
    dropped: Vec<Choice>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Selected {
    gone: bool,
    took: bool,
    now: Vec<Choice>,
}

/// A choice that was made and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The option.
    pub option: Choice,
    /// What was selected in a list of several and is no longer.
    pub dropped: Vec<Choice>,
}

impl Element<'_> {
    /// Clicks the field, puts the caret at its end, inserts the text and reads it back. A date, a time, a colour and a
    /// slider are set in one go, as their pickers do.
    ///
    /// # Errors
    /// When it is no field for this text, is not operable, or does not hold the text afterwards.
    pub async fn type_text(&self, text: &str) -> Result<(), ActError> {
        let field: Field = self.ask("field", json!({ "text": text })).await?;
        if let Some(problem) = field.problem {
            return Err(ActError::Unfit { problem });
        }
        let element = self
            .world
            .call_for_handle(&self.handle, "fieldElement", json!({}))
            .await?;
        let element = element.ok_or(ActError::Stale(Stale::Gone))?;
        if field.kind == "picked" {
            self.ready(&element, false).await?;
            self.confirm().await?;
            self.after::<Value>("pick", json!({}), "the value was set").await?;
        } else {
            let clicked = self.click_on(&element).await?;
            if let Some(dialog) = clicked.dialog {
                let message = quoted(&dialog.message, 2 * QUOTE);
                return Err(ActError::Interrupted {
                    done: "the field was clicked but nothing was typed",
                    kind: dialog.kind,
                    message,
                });
            }
            let caret: Caret = self
                .after("caret", json!({}), "the field was clicked but nothing was typed")
                .await?;
            if caret.gone {
                return Err(Stale::Gone.into());
            }
            if let Some(focus) = caret.focus {
                return Err(ActError::NoFocus(focus));
            }
            self.insert(text).await?;
        }
        for pause in [Duration::ZERO, SECOND_THOUGHT] {
            tokio::time::sleep(pause).await;
            let typed: Typed = self
                .after("typed", json!({ "text": text }), "the text was sent")
                .await?;
            if typed.gone {
                return Err(ActError::WentAway {
                    before: "the text could be checked",
                });
            }
            if !typed.took {
                return Err(not_taken(typed, field.secret));
            }
        }
        Ok(())
    }

    /// Chooses the option whose value, label or trimmed text is `wanted`; in a list of several, that one alone.
    ///
    /// # Errors
    /// When there is no such option or several, when it is disabled, or when the page did not keep it.
    pub async fn choose(&self, wanted: &str) -> Result<Chosen, ActError> {
        self.ready(&self.handle, true).await?;
        self.confirm().await?;
        let chose: Chose = self
            .after("choose", json!({ "wanted": wanted }), "the option was chosen")
            .await?;
        let (option, dropped) = match chose {
            Chose {
                problem: Some(problem),
                options,
                ..
            } if options.is_empty() => return Err(ActError::Unfit { problem }),
            Chose {
                problem: Some(problem),
                options,
                more,
                ..
            } => {
                return Err(ActError::Option {
                    problem,
                    options,
                    left: more,
                });
            }
            Chose {
                chosen: Some(option),
                dropped,
                ..
            } => (option, dropped),
            Chose { .. } => {
                return Err(ActError::Script {
                    verb: "choose",
                    problem: "no choice".to_owned(),
                });
            }
        };
        for pause in [Duration::ZERO, SECOND_THOUGHT] {
            tokio::time::sleep(pause).await;
            let now: Selected = self.after("chosen", json!({}), "the option was chosen").await?;
            if now.gone {
                return Err(ActError::WentAway {
                    before: "the choice could be checked",
                });
            }
            if !now.took {
                return Err(ActError::NotChosen { now: now.now });
            }
        }
        Ok(Chosen { option, dropped })
    }

    async fn ask<T: DeserializeOwned>(&self, verb: &'static str, argument: Value) -> Result<T, ActError> {
        self.world.call(&self.handle, verb, argument, QUICK).await
    }

    /// A call in the middle of an act: a dialog or the end of the document is told with what was done before.
    async fn after<T: DeserializeOwned>(
        &self,
        verb: &'static str,
        argument: Value,
        done: &'static str,
    ) -> Result<T, ActError> {
        match self.ask(verb, argument).await {
            Err(ActError::Page(error @ PageError::DialogOpen { .. })) => Err(interrupted(error, done)),
            Err(error) if is_gone(&error) => Err(ActError::WentAway {
                before: "the effect could be checked",
            }),
            other => other,
        }
    }
}

fn not_taken(typed: Typed, secret: bool) -> ActError {
    match (typed.now, typed.wanted) {
        (Some(now), Some(wanted)) if !secret => ActError::NotTaken {
            now: quoted(&now, QUOTE),
            wanted: quoted(&wanted, QUOTE),
        },
        _ => ActError::NotTakenSecret {
            now: typed.length,
            wanted: typed.expected,
        },
    }
}
