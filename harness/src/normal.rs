//! The normal handle. A real handle is 32 hex digits of a digest, and how many tokens such digits cost differs from handle to
//! handle: with it would differ what a result costs. For comparison a result is settled again with a handle of the
//! middle cost.

use std::sync::OnceLock;

use caveman_browse::render::{self, PayloadError, PayloadKind};
use caveman_browse::tokens;
use sha2::{Digest, Sha256};

/// How many handles are looked at; more do not move the middle.
pub const HANDLES: usize = 1001;

/// The handle of the middle cost, and how far the others spread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalHandle {
    /// The handle.
    pub handle: String,
    /// Its tokens.
    pub tokens: usize,
    /// Tokens of the cheapest handle that was looked at.
    pub min: usize,
    /// Tokens of the dearest.
    pub max: usize,
    /// How far the median cost of five unknown handles lies from the normal one, in 95 of 100 cases: tokens below.
    pub five_below: usize,
    /// The same, tokens above.
    pub five_above: usize,
}

/// The same handle in every run of this program, anywhere.
pub fn normal_handle() -> &'static NormalHandle {
    static HANDLE: OnceLock<NormalHandle> = OnceLock::new();
    HANDLE.get_or_init(|| {
        let mut handles: Vec<_> = (0..HANDLES)
            .map(|index| {
                let digest = Sha256::digest(format!("normal handle {index}"));
                let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
                let handle = format!("ccr_{hex}");
                (tokens::count(&handle), handle)
            })
            .collect();
        // A published figure is a median over five runs, so over five handles that nobody knows.
        let mut medians: Vec<usize> = handles.chunks_exact(5).map(median_of_five).collect();
        medians.sort_unstable();
        handles.sort();
        let (tokens, handle) = handles[HANDLES / 2].clone();
        NormalHandle {
            handle,
            tokens,
            min: handles[0].0,
            max: handles[HANDLES - 1].0,
            five_below: tokens.saturating_sub(medians[medians.len() * 25 / 1000]),
            five_above: medians[medians.len() * 975 / 1000].saturating_sub(tokens),
        }
    })
}

fn median_of_five(handles: &[(usize, String)]) -> usize {
    let mut costs: Vec<usize> = handles.iter().map(|(tokens, _)| *tokens).collect();
    costs.sort_unstable();
    costs[costs.len() / 2]
}

/// What the result would cost with the normal handle: settled by the product's own function.
///
/// # Errors
/// When it does not settle, as for the product itself.
pub fn normal_after(view: &str, notes: &[String], before: usize, payload: PayloadKind) -> Result<usize, PayloadError> {
    let (_, accounting) = render::settle(view, notes, before, &normal_handle().handle, payload, &tokens::count)?;
    Ok(accounting.after)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_normal_handle_looks_like_a_handle_and_lies_in_the_middle() {
        let normal = normal_handle();
        assert_eq!(normal.handle.len(), 36);
        assert!(normal.min < normal.tokens && normal.tokens < normal.max, "{normal:?}");
        assert_eq!(tokens::count(&normal.handle), normal.tokens);
        assert!(normal.five_below <= normal.tokens - normal.min && normal.five_above <= normal.max - normal.tokens);
    }

    #[test]
    fn two_results_that_differ_by_their_handle_only_are_equal_when_normal() {
        let view = "[u1] button \"Save\"\n".repeat(40);
        let one = normal_after(&view, &[], 9000, PayloadKind::Text).unwrap();
        let two = normal_after(&view, &[], 9000, PayloadKind::Text).unwrap();
        assert_eq!(one, two);
        assert!(one > tokens::count(&view));
    }
}
