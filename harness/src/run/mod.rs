//! Scenario x arm x run -> figures. Nothing is rendered while measuring. Must not know how figures are reported.

mod bench;
mod gate;
mod plan;
mod progress;
mod steps;
mod verdict;

pub use bench::{Bench, BenchError, measure};
pub use gate::{GateError, gate};
pub use plan::{Plan, PlanError};
pub use progress::Progress;
pub use steps::StepError;
pub use verdict::{Lost, Verdict};
