//! `cargo xtask bench`: builds the release binaries, makes sure of a Chrome, runs `harness bench`. Knows no scenario.

use std::process::Command;

use xshell::{Shell, cmd};

use crate::chrome;
use crate::error::XtaskError;
use crate::repo::Repo;

/// Runs the bench; `args` go to the harness as they are. `--install` is ours wherever it stands.
pub(crate) fn run(repo: &Repo, install: bool, mut args: Vec<String>) -> Result<(), XtaskError> {
    let before = args.len();
    args.retain(|argument| argument != "--install");
    let install = install || args.len() != before;

    build(repo)?;
    let chrome = chrome::ensure(repo, "release", install)?;

    let harness = repo.built("release", "harness");
    let mut command = Command::new(&harness);
    command.arg("bench").args(&args).current_dir(repo.root());
    chrome.hand_to(&mut command);
    eprintln!("$ harness bench {}", args.join(" "));
    let status = command.status().map_err(|source| XtaskError::Start {
        program: harness.display().to_string(),
        source,
    })?;
    if status.success() {
        return Ok(());
    }
    Err(XtaskError::Ended {
        program: "harness bench".into(),
        status: status.to_string(),
    })
}

/// Builds what is measured and what measures it, as users build it.
pub(crate) fn build(repo: &Repo) -> Result<(), XtaskError> {
    let shell = Shell::new()?;
    shell.change_dir(repo.root());
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    cmd!(
        shell,
        "{cargo} build --release --locked --package caveman-browse --package harness"
    )
    .run()?;
    Ok(())
}
