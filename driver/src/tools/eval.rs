//! `browser_eval`: one expression in the current page, its value as JSON (contract, rule 26).
//!
//! Must not know CDP.

use super::error::ToolError;
use crate::session::Session;

/// The longest expression, in bytes (contract, rule 26).
pub const EXPRESSION_LIMIT: usize = 1024 * 1024;
/// The largest result, in bytes (contract, rule 28).
pub const RESULT_LIMIT: usize = 16 * 1024 * 1024;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// `{"result":…}`, as JSON text; with a `note` behind it when something had to be done anew.
    pub text: String,
    /// What had to be done anew to have a page.
    pub notes: Vec<String>,
}

/// Evaluates `expression` in the page that is open, or in an empty one when none is.
///
/// # Errors
/// See [`super::Code`]: `cave_browser_eval_failed` when it throws, `cave_timeout` after 10 s, `cave_dialog_open` when it
/// opens a dialog.
pub async fn run(session: &mut Session, expression: &str) -> Result<Evaluated, ToolError> {
    if expression.len() > EXPRESSION_LIMIT {
        return Err(ToolError::TooLarge {
            what: "expression",
            bytes: expression.len(),
            limit: EXPRESSION_LIMIT,
        });
    }
    if expression.trim().is_empty() {
        return Err(ToolError::Argument {
            name: "expression",
            problem: "is empty; give a JavaScript expression".to_owned(),
        });
    }
    let (page, notes) = session.page().await?;
    let value = page.evaluate(expression).await?;
    let note = if notes.is_empty() {
        String::new()
    } else {
        format!(",\"note\":{}", serde_json::Value::from(notes.join("; ")))
    };
    let text = format!("{{\"result\":{value}{note}}}");
    if text.len() > RESULT_LIMIT {
        return Err(ToolError::TooLarge {
            what: "result",
            bytes: text.len(),
            limit: RESULT_LIMIT,
        });
    }
    Ok(Evaluated { text, notes })
}
