//! However we end, nothing of our Chrome is left: no process, no profile.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use caveman_browse::cdp::Connection;
use caveman_browse::chrome::{self, Chrome, LaunchOptions, shutdown_signal};

use crate::support::processes::{Process, alive, eventually, gone, tree};
use crate::support::{browser, launched, tab};

/// Says that this process is the child of a test below, and how it is to end.
const CHILD: &str = "CAVEMAN_TEST_CHILD";

/// A Chrome at work, every process of it, and its profile.
async fn at_work() -> Option<(Chrome, BTreeSet<Process>, PathBuf)> {
    let chrome = launched().await?;
    let connection = Connection::connect(chrome.ws_url()).await.unwrap();
    tab(&connection, "data:text/html,hello").await;
    let tree = tree(chrome.pid());
    assert!(tree.len() > 2, "a Chrome is several processes: {tree:?}");
    assert!(chrome.profile().is_dir());
    let profile = chrome.profile().to_owned();
    Some((chrome, tree, profile))
}

#[tokio::test]
async fn after_a_normal_end_nothing_is_left() {
    let Some((chrome, tree, profile)) = at_work().await else {
        return;
    };
    chrome.end().await.unwrap();
    assert_eq!(alive(&tree), []);
    assert!(!profile.exists());
}

#[tokio::test]
async fn a_dropped_handle_leaves_nothing() {
    let Some((chrome, tree, profile)) = at_work().await else {
        return;
    };
    drop(chrome);
    assert_eq!(alive(&tree), []);
    assert!(!profile.exists());
}

#[tokio::test]
async fn a_browser_that_dies_by_itself_takes_its_profile_along() {
    let Some((chrome, tree, profile)) = at_work().await else {
        return;
    };
    kill("-KILL", chrome.pid());
    gone(&tree, &profile);
    chrome.end().await.unwrap();
}

#[test]
fn the_thread_that_asked_for_it_may_end() {
    let Some(binary) = browser() else { return };
    let launch = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(chrome::launch(LaunchOptions::new(binary))).unwrap()
    };
    let chrome = std::thread::spawn(launch).join().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let connection = Connection::connect(chrome.ws_url()).await.unwrap();
        tab(&connection, "data:text/html,hello").await;
        chrome.end().await.unwrap();
    });
}

#[test]
fn after_a_sigkill_of_ours_nothing_is_left() {
    ends("wait", |child| kill("-KILL", child.id()));
}

#[test]
fn after_a_signal_to_our_whole_group_nothing_is_left() {
    ends("wait", |child| kill("-KILL", format!("-{}", child.id())));
}

#[test]
fn after_each_polite_signal_nothing_is_left() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        ends("wait", |child| kill(signal, child.id()));
    }
}

#[test]
fn after_an_exit_without_destructors_nothing_is_left() {
    ends("exit", |_| {});
}

#[test]
fn after_a_panic_nothing_is_left() {
    ends("panic", |_| {});
}

#[test]
fn a_stopped_watchdog_is_made_up_for_by_the_next_launch() {
    let Some(mut started) = started("wait") else { return };
    let (child, tree, profile) = (&mut started.child, &started.tree, &started.profile);
    let table = Command::new("pgrep")
        .args(["-P", &child.id().to_string(), "-f", "caveman-browse-watchdog"])
        .output();
    let watchdog: u32 = String::from_utf8(table.unwrap().stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    kill("-KILL", watchdog);
    kill("-KILL", child.id());
    child.wait().unwrap();
    eventually("Chrome dies with us", || alive(tree).is_empty());
    assert!(profile.exists(), "nobody was left to remove the profile");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let next = launched().await.unwrap();
        eventually("the next launch has swept", || !profile.exists());
        next.end().await.unwrap();
    });
}

/// A child with a Chrome at work. It ends itself when its stdin closes.
struct Started {
    child: Child,
    tree: BTreeSet<Process>,
    profile: PathBuf,
    _stdin: ChildStdin,
    _stdout: Lines<BufReader<ChildStdout>>,
}

/// Starts a child that has a Chrome, ends it, and looks at what is left.
fn ends(how: &str, end: impl Fn(&Child)) {
    let Some(mut started) = started(how) else { return };
    end(&started.child);
    started.child.wait().unwrap();
    gone(&started.tree, &started.profile);
}

fn started(how: &str) -> Option<Started> {
    use std::os::unix::process::CommandExt;
    browser()?;
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ends::the_child_of_these_tests", "--ignored", "--nocapture"])
        .env(CHILD, how)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.find_map(|line| line.unwrap().split_once("CHROME ").map(|(_, after)| after.to_owned()));
    let line = line.expect("the child says what it has started");
    let (pid, profile) = line.split_once(' ').unwrap();
    let tree = tree(pid.parse().unwrap());
    assert!(tree.len() > 2 && Path::new(profile).is_dir());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"seen\n").unwrap();
    Some(Started {
        child,
        tree,
        profile: profile.into(),
        _stdin: stdin,
        _stdout: lines,
    })
}

fn kill(signal: &str, pid: impl std::fmt::Display) {
    let status = Command::new("kill")
        .args([signal, "--", &pid.to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
#[ignore = "not a test: the process that the tests above start and end"]
fn the_child_of_these_tests() {
    let Ok(how) = std::env::var(CHILD) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (chrome, ..) = at_work().await.unwrap();
        // The handlers are there before the parent knows of us.
        let signal = shutdown_signal();
        tokio::pin!(signal);
        tokio::select! {
            biased;
            _ = &mut signal => {}
            () = std::future::ready(()) => {}
        }
        println!("CHROME {} {}", chrome.pid(), chrome.profile().display());
        // Seen. And whoever outlives the tests by a failure ends with them.
        std::io::stdin().read_line(&mut String::new()).unwrap();
        std::thread::spawn(|| {
            while std::io::stdin()
                .read_line(&mut String::new())
                .is_ok_and(|read| read > 0)
            {}
            std::process::exit(2);
        });
        match how.as_str() {
            "exit" => std::process::exit(0),
            "panic" => panic!("on purpose"),
            _ => {
                signal.await.unwrap();
                chrome.end().await.unwrap();
            }
        }
    });
}
