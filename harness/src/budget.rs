//! Whether what was measured keeps to its budget. Pure; must not know where the figures come from.

use crate::scenario::Budget;

/// The worst figures of a variant over its runs, whole delivered texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// The variant.
    pub variant: String,
    /// The most tokens of any run.
    pub after: usize,
    /// The smallest `1 - after / before` of any run.
    pub ratio: f64,
}

/// A bound that was not kept.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Broken {
    /// The scenario.
    pub scenario: String,
    /// The variant.
    pub variant: String,
    /// Which bound.
    pub bound: String,
    /// What it allows.
    pub allowed: String,
    /// What was measured.
    pub measured: String,
    /// By how much it was broken.
    pub over: String,
}

/// The bounds of one variant that were broken.
pub fn judge(scenario: &str, budget: &Budget, worst: &Worst, all: &[Worst]) -> Vec<Broken> {
    let mut broken = Vec::new();
    let mut add = |bound: String, allowed: String, measured: String, over: String| {
        broken.push(Broken {
            scenario: scenario.to_owned(),
            variant: worst.variant.clone(),
            bound,
            allowed,
            measured,
            over,
        });
    };
    if let Some(tokens) = budget.tokens
        && worst.after > tokens
    {
        add(
            "budget".to_owned(),
            format!("{tokens} tokens"),
            format!("{} tokens", worst.after),
            format!("{} tokens", worst.after - tokens),
        );
    }
    if let Some(ratio) = budget.min_ratio
        && worst.ratio < ratio
    {
        add(
            "min_ratio".to_owned(),
            format!("{ratio:.4}"),
            format!("{:.4}", worst.ratio),
            format!("{:.4}", ratio - worst.ratio),
        );
    }
    if let Some(bound) = &budget.max_of
        && let Some(other) = all.iter().find(|other| other.variant == bound.variant)
    {
        let allowed = other.after as f64 * bound.share;
        if worst.after as f64 > allowed {
            add(
                format!("max_of {}", bound.variant),
                format!("{allowed:.1} tokens ({} of {})", bound.share, other.after),
                format!("{} tokens", worst.after),
                format!("{:.1} tokens", worst.after as f64 - allowed),
            );
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::MaxOf;

    fn worst(variant: &str, after: usize, ratio: f64) -> Worst {
        Worst {
            variant: variant.to_owned(),
            after,
            ratio,
        }
    }

    #[test]
    fn a_figure_at_its_bound_is_within_it() {
        let budget = Budget {
            tokens: Some(100),
            min_ratio: Some(0.99),
            max_of: Some(MaxOf {
                variant: "full".to_owned(),
                share: 0.1,
            }),
        };
        let all = [worst("full", 1000, 0.9), worst("focused", 100, 0.99)];
        assert_eq!(judge("s", &budget, &all[1], &all), []);
    }

    #[test]
    fn every_broken_bound_is_named_with_how_much() {
        let budget = Budget {
            tokens: Some(100),
            min_ratio: Some(0.99),
            max_of: Some(MaxOf {
                variant: "full".to_owned(),
                share: 0.1,
            }),
        };
        let all = [worst("full", 1000, 0.9), worst("focused", 104, 0.985)];
        let broken = judge("s", &budget, &all[1], &all);
        let over: Vec<_> = broken
            .iter()
            .map(|one| (one.bound.as_str(), one.over.as_str()))
            .collect();
        assert_eq!(
            over,
            [
                ("budget", "4 tokens"),
                ("min_ratio", "0.0050"),
                ("max_of full", "4.0 tokens")
            ]
        );
    }

    #[test]
    fn without_a_bound_nothing_is_broken() {
        assert_eq!(judge("s", &Budget::default(), &worst("full", 9, 0.0), &[]), []);
    }
}
