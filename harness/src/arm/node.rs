//! Node programs of ours: installed from a lock file into a cache outside the tree, run with a bound on their time.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Why a Node program gave no answer. Its text goes behind "not measured: ".
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum NodeError {
    #[error("{program} does not start ({reason})")]
    Start { program: &'static str, reason: String },
    #[error("{program} did not end within {seconds} s")]
    Late { program: &'static str, seconds: u64 },
    #[error("{program} failed: {said}")]
    Failed { program: &'static str, said: String },
    #[error("no directory for a cache: set XDG_CACHE_HOME or HOME")]
    NoCache,
    #[error("{path}: {reason}")]
    File { path: String, reason: String },
}

/// How long `npm ci` may take; a closed network shows as an error long before.
const INSTALL: Duration = Duration::from_secs(180);

/// A directory with our programs and the packages that they are locked to.
#[derive(Clone, Debug)]
pub(super) struct Installed {
    pub(super) directory: PathBuf,
}

/// Where caches lie: `$XDG_CACHE_HOME`, else what takes its place.
fn cache_root(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = path("XDG_CACHE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| path("LOCALAPPDATA"))
        .or_else(|| path("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("caveman-browse").join("node"))
}

/// Makes sure that the packages which `source` locks are there, `source`'s own programs beside them. The directory is
/// named after the contents, and appears as a whole or not at all.
pub(super) async fn install(source: &Path) -> Result<Installed, NodeError> {
    let root = cache_root(|name| std::env::var_os(name)).ok_or(NodeError::NoCache)?;
    let files = ["package.json", "package-lock.json", "aria.mjs"];
    let mut digest = Sha256::new();
    let mut contents = Vec::new();
    for name in files {
        let path = source.join(name);
        let bytes = std::fs::read(&path).map_err(|reason| file(&path, &reason))?;
        digest.update(name.as_bytes());
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(&bytes);
        contents.push((name, bytes));
    }
    let digest: String = digest
        .finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let directory = root.join(format!("playwright-{digest}"));
    if directory.is_dir() {
        return Ok(Installed { directory });
    }
    std::fs::create_dir_all(&root).map_err(|reason| file(&root, &reason))?;
    let making = tempfile::Builder::new()
        .prefix("making-")
        .tempdir_in(&root)
        .map_err(|reason| file(&root, &reason))?;
    for (name, bytes) in contents {
        let path = making.path().join(name);
        std::fs::write(&path, bytes).map_err(|reason| file(&path, &reason))?;
    }
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(making.path());
    output("npm ci", npm, None, INSTALL).await?;
    match std::fs::rename(making.path(), &directory) {
        // Somebody else was quicker, with the same contents.
        Err(_) if directory.is_dir() => {}
        Err(reason) => return Err(file(&directory, &reason)),
        Ok(()) => {
            let _ = making.keep();
        }
    }
    Ok(Installed { directory })
}

fn file(path: &Path, reason: &std::io::Error) -> NodeError {
    NodeError::File {
        path: path.display().to_string(),
        reason: reason.to_string(),
    }
}

/// Runs a program of `installed` with `input` on its standard input; its standard output.
pub(super) async fn run(
    installed: &Installed,
    program: &str,
    input: &str,
    bound: Duration,
) -> Result<String, NodeError> {
    let mut node = Command::new("node");
    node.arg(installed.directory.join(program))
        .current_dir(&installed.directory);
    output("node", node, Some(input), bound).await
}

async fn output(
    program: &'static str,
    mut command: Command,
    input: Option<&str>,
    bound: Duration,
) -> Result<String, NodeError> {
    command
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(|reason| NodeError::Start {
        program,
        reason: reason.to_string(),
    })?;
    let whole = async {
        if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
            // A program that has ended already says why on its other end.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
        child.wait_with_output().await
    };
    // Out of time the child is dropped and so killed. A browser that it drives ends with its pipe.
    let done = tokio::time::timeout(bound, whole).await.map_err(|_| NodeError::Late {
        program,
        seconds: bound.as_secs(),
    })?;
    let done = done.map_err(|reason| NodeError::Start {
        program,
        reason: reason.to_string(),
    })?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let said = said
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map_or_else(|| done.status.to_string(), |line| line.chars().take(200).collect());
    Err(NodeError::Failed { program, said })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_cache_is_where_the_user_keeps_caches() {
        let of = |set: &[(&str, &str)]| {
            cache_root(|name| {
                set.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(
            of(&[("HOME", "/h")]).unwrap(),
            Path::new("/h/.cache/caveman-browse/node")
        );
        assert_eq!(
            of(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]).unwrap(),
            Path::new("/c/caveman-browse/node")
        );
        assert_eq!(of(&[("HOME", "")]), None);
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_fails_and_cannot_change_the_run() {
        let error = output(
            "node",
            Command::new("no-such-program-of-ours"),
            None,
            Duration::from_secs(5),
        )
        .await;
        assert!(
            matches!(error, Err(NodeError::Start { program: "node", .. })),
            "{error:?}"
        );
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_program_that_does_not_end_is_ended() {
        let mut forever = Command::new("tail");
        forever.args(["-f", "/dev/null"]);
        let error = output("node", forever, None, Duration::from_millis(50)).await;
        assert!(matches!(error, Err(NodeError::Late { .. })), "{error:?}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_failure_is_told_in_the_words_of_the_program() {
        let mut failing = Command::new("sh");
        failing.args(["-c", "echo >&2; echo '  Error: no such browser' >&2; exit 3"]);
        let error = output("node", failing, None, Duration::from_secs(5)).await.unwrap_err();
        assert_eq!(error.to_string(), "node failed: Error: no such browser");
    }
}
