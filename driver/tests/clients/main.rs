//! The official MCP clients against the binary: each initializes, lists, takes a snapshot, acts, verifies and recovers.
//! What they need is installed from the pinned lists beside this file into the user's cache, never into the tree.
//! Where Node, Python or Chrome is not there a trial is ignored; with `CAVEMAN_REQUIRE_CLIENTS=1` it fails.
#![allow(clippy::unwrap_used, missing_docs)]

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// This directory.
const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");
/// How long an installation may take on a slow network.
const INSTALL: Duration = Duration::from_secs(900);
/// How long a client may take, Chrome's launches included.
const CLIENT: Duration = Duration::from_secs(240);

fn main() {
    let trials = vec![
        Trial::ignorable_test("the_typescript_sdk_works", || node("sdk.mjs")),
        Trial::ignorable_test("the_second_typescript_sdk_works", || node("client.mjs")),
        Trial::ignorable_test("the_inspectors_command_line_works", || node("inspector.mjs")),
        Trial::ignorable_test("the_python_sdk_works", python),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Why a trial cannot run here.
struct Missing(String);

impl Missing {
    /// Ignored, or failed where it was required.
    fn settle(self) -> Result<Completion, Failed> {
        if std::env::var_os("CAVEMAN_REQUIRE_CLIENTS").is_some() {
            return Err(self.0.into());
        }
        Ok(Completion::ignored_with(format!("skipped: {}", self.0)))
    }
}

fn node(script: &str) -> Result<Completion, Failed> {
    match chrome_is_there().and_then(|()| node_modules()) {
        // Node resolves a module from where the script lies, so that the scripts are in the cache too.
        Ok(installed) => client(Command::new("node").arg(installed.join(script))),
        Err(missing) => missing.settle(),
    }
}

fn python() -> Result<Completion, Failed> {
    match chrome_is_there().and_then(|()| virtual_environment()) {
        Ok(installed) => client(Command::new(installed.join("bin/python")).arg(Path::new(HERE).join("client.py"))),
        Err(missing) => missing.settle(),
    }
}

/// Runs a client against the binary, with a home of its own.
fn client(command: &mut Command) -> Result<Completion, Failed> {
    let home = tempfile::tempdir().unwrap();
    command
        .arg(env!("CARGO_BIN_EXE_caveman-browse"))
        .env("CAVEMAN_HOME", home.path())
        .env("TMPDIR", home.path());
    let (ok, words) = run(command, CLIENT)?;
    if ok && words.trim_end().ends_with("ok") {
        return Ok(Completion::Completed);
    }
    Err(words.into())
}

fn chrome_is_there() -> Result<(), Missing> {
    let found = caveman_browse::chrome::find(&caveman_browse::chrome::Env::system());
    found.map(drop).map_err(|error| Missing(error.to_string()))
}

fn node_modules() -> Result<PathBuf, Missing> {
    for tool in ["node", "npm"] {
        available(tool)?;
    }
    let listed = ["package.json", "package-lock.json"];
    let scripts = ["steps.mjs", "sdk.mjs", "client.mjs", "inspector.mjs"];
    install("node", &listed, &scripts, |target| {
        // The scripts of packages are not run: nothing here needs one.
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(target);
        vec![npm]
    })
}

fn virtual_environment() -> Result<PathBuf, Missing> {
    available("python3")?;
    install("python", &["requirements.txt"], &[], |target| {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv"]).arg(target);
        let mut pip = Command::new(target.join("bin/python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
            "-r",
        ]);
        pip.arg(target.join("requirements.txt"));
        vec![venv, pip]
    })
}

fn available(tool: &str) -> Result<(), Missing> {
    match run(Command::new(tool).arg("--version"), Duration::from_secs(60)) {
        Ok((true, _)) => Ok(()),
        _ => Err(Missing(format!("no {tool}"))),
    }
}

/// A directory of the cache in which what `listed` pins is installed, named by what the lists say; copies `also` there.
fn install(
    kind: &str,
    listed: &[&str],
    also: &[&str],
    commands: impl FnOnce(&Path) -> Vec<Command>,
) -> Result<PathBuf, Missing> {
    let mut hash = DefaultHasher::new();
    for name in listed {
        fs::read(Path::new(HERE).join(name)).unwrap().hash(&mut hash);
    }
    let cache = cache().ok_or_else(|| Missing("no cache directory: set XDG_CACHE_HOME or HOME".to_owned()))?;
    let target = cache.join(format!("{kind}-{:016x}", hash.finish()));
    fs::create_dir_all(&target).unwrap();
    // Trials run side by side, in one process or in several.
    let lock = fs::File::create(target.join(".lock")).unwrap();
    lock.lock().unwrap();
    let done = target.join(".done");
    if !done.exists() {
        for name in listed {
            fs::copy(Path::new(HERE).join(name), target.join(name)).unwrap();
        }
        for mut command in commands(&target) {
            match run(&mut command, INSTALL) {
                Ok((true, _)) => {}
                Ok((false, words)) => return Err(Missing(format!("{command:?} failed: {words}"))),
                Err(failed) => return Err(Missing(failed.message().unwrap_or_default().to_owned())),
            }
        }
        fs::write(&done, "").unwrap();
    }
    for name in also {
        fs::copy(Path::new(HERE).join(name), target.join(name)).unwrap();
    }
    Ok(target)
}

fn cache() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let root = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(root.join("caveman-browse").join("clients"))
}

/// Runs a command to its end; whether it ended well, and what it wrote.
fn run(command: &mut Command, limit: Duration) -> Result<(bool, String), Failed> {
    let mut output = tempfile::tempfile().unwrap();
    let errors = output.try_clone().unwrap();
    let write = output.try_clone().unwrap();
    let mut process = command
        .stdin(Stdio::null())
        .stdout(write)
        .stderr(errors)
        .spawn()
        .map_err(|error| Failed::from(format!("{command:?}: {error}")))?;
    let began = Instant::now();
    let status = loop {
        if let Some(status) = process.try_wait().unwrap() {
            break Some(status);
        }
        if began.elapsed() > limit {
            let _ = process.kill();
            let _ = process.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let mut words = String::new();
    std::io::Seek::rewind(&mut output).unwrap();
    output.read_to_string(&mut words).unwrap();
    match status {
        Some(status) => Ok((status.success(), words)),
        None => Err(format!("{command:?} did not end in {} s: {words}", limit.as_secs()).into()),
    }
}
