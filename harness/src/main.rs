//! The binary. Everything is in the library's `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::cli::main()
}
