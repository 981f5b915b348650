//! Scenario files: from TOML to a checked scenario, or to every mistake in the file with line and caret.
//!
//! Must not know Chrome, arms or reports. The format is explained in `scenarios/FORMAT.md`.

mod check;
mod load;
mod model;
mod problem;
mod raw;
mod steps;
#[cfg(test)]
mod tests;

pub use load::{Kind, ScenarioError, load_all, load_file, load_text};
pub use model::{
    Act, Address, Budget, Door, Expect, MaxOf, Node, Recover, Scenario, SnapshotStep, Step, StepKind, Subject, Target,
    Variant, ViewName,
};
pub use problem::Problem;
