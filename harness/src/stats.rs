//! Medians and ranges. Pure; must not know what is counted.

/// The middle of some samples, and how far they spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle one; of an even number the mean of the two in the middle.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// How many there are.
    pub runs: usize,
}

impl Spread {
    /// Of the samples, in any order; `None` where there is none, or one that is no number.
    pub fn of(samples: &[f64]) -> Option<Spread> {
        if samples.is_empty() || samples.iter().any(|sample| !sample.is_finite()) {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        };
        Some(Spread {
            median,
            min: sorted[0],
            max: sorted[sorted.len() - 1],
            runs: sorted.len(),
        })
    }

    /// Whether all samples were the same.
    pub fn is_exact(&self) -> bool {
        self.min.total_cmp(&self.max).is_eq()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_median_of_an_odd_number_is_the_middle_sample() {
        let spread = Spread::of(&[5.0, 1.0, 3.0]).unwrap();
        assert_eq!((spread.median, spread.min, spread.max, spread.runs), (3.0, 1.0, 5.0, 3));
    }

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_two_in_the_middle() {
        assert_eq!(Spread::of(&[4.0, 1.0, 3.0, 10.0]).unwrap().median, 3.5);
    }

    #[test]
    fn no_samples_and_samples_that_are_no_numbers_have_no_middle() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn equal_samples_are_exact() {
        assert!(Spread::of(&[7.0, 7.0, 7.0]).unwrap().is_exact());
        assert!(!Spread::of(&[7.0, 8.0]).unwrap().is_exact());
    }
}
