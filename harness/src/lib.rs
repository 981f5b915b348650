//! The harness: scenarios -> runs -> verdicts -> reports. It uses the driver as its users do, by its public API.
//!
//! Floors, lowest first: `stats`, `budget`, `normal`, `machine`, `whole`, `scenario`, `serve` < `arm`, `record` < `run` <
//! `report` < `cli`. Measuring writes rows; reporting reads rows and nothing else.

pub mod arm;
pub mod budget;
pub mod cli;
pub mod machine;
pub mod normal;
pub mod record;
pub mod report;
pub mod run;
pub mod scenario;
pub mod serve;
pub mod stats;
pub mod whole;
