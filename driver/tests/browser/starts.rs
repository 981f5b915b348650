//! Starts that fail, by shell scripts in Chrome's place, and starts through launchers.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use caveman_browse::cdp::Connection;
use caveman_browse::chrome::{self, ChromeError, LaunchOptions, Lifetime, Profile};
use tempfile::TempDir;

use crate::support::browser;
use crate::support::processes::{eventually, group_is_gone};

/// An executable script. It stands in for Chrome and gets Chrome's arguments.
fn script(folder: &TempDir, body: &str) -> PathBuf {
    let path = folder.path().join("fake chrome");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

/// The profile that a script was given: it writes `--user-data-dir` there.
const TELL_PROFILE: &str = r#"for a; do case $a in --user-data-dir=*) echo "${a#*=}" >"$0.profile";; esac; done; echo $$ >"$0.new"; mv "$0.new" "$0.pid""#;

fn told(binary: &Path, what: &str) -> String {
    let path = binary.with_file_name(format!("fake chrome.{what}"));
    std::fs::read_to_string(path).unwrap().trim().to_owned()
}

fn nothing_is_left(binary: &Path) -> bool {
    !Path::new(&told(binary, "profile")).exists() && group_is_gone(told(binary, "pid").parse().unwrap())
}

#[tokio::test]
async fn one_that_dies_at_its_start_is_reported_with_what_it_said() {
    let folder = tempfile::tempdir().unwrap();
    let binary = script(
        &folder,
        &format!("{TELL_PROFILE}; echo 'no display, \x1b[31msorry' >&2; exit 3"),
    );
    let error = chrome::launch(LaunchOptions::new(&binary)).await.unwrap_err();
    assert!(
        matches!(&error, ChromeError::DiedAtStart { status, .. } if status.code() == Some(3)),
        "{error:?}"
    );
    assert!(error.to_string().contains("no display, [31msorry"), "{error}");
    assert!(nothing_is_left(&binary));
}

#[tokio::test]
async fn one_that_leaves_children_behind_leaves_none() {
    let folder = tempfile::tempdir().unwrap();
    let binary = script(&folder, &format!("{TELL_PROFILE}; sleep 1000 & sleep 1000 & exit 1"));
    chrome::launch(LaunchOptions::new(&binary)).await.unwrap_err();
    assert!(nothing_is_left(&binary));
}

#[tokio::test]
async fn one_that_says_nothing_is_ended_at_the_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let binary = script(&folder, &format!("{TELL_PROFILE}; trap '' TERM; sleep 1000 & wait"));
    let begun = Instant::now();
    let after = Duration::from_millis(500);
    let error = chrome::launch_within(LaunchOptions::new(&binary), after)
        .await
        .unwrap_err();
    assert!(
        matches!(error, ChromeError::StartDeadline { after: told, .. } if told == after),
        "{error:?}"
    );
    assert!(begun.elapsed() >= after);
    assert!(nothing_is_left(&binary));
}

#[tokio::test]
async fn a_dropped_launch_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let binary = script(&folder, &format!("{TELL_PROFILE}; sleep 1000 & wait"));
    let launch = chrome::launch(LaunchOptions::new(&binary));
    let pid_file = folder.path().join("fake chrome.pid");
    tokio::select! {
        result = launch => panic!("{result:?}"),
        () = async { while !pid_file.exists() { tokio::time::sleep(Duration::from_millis(5)).await } } => {}
    }
    eventually("nothing is left", || nothing_is_left(&binary));
}

#[tokio::test]
async fn garbage_before_the_listening_line_is_passed_over() {
    let Some(chrome) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let noise = r"printf '[: unexpected operator\n\377\376 DevTools listening on nothing\n' >&2";
    let binary = script(&folder, &format!("{noise}; exec '{}' \"$@\"", chrome.display()));
    let chrome = chrome::launch(LaunchOptions::new(&binary)).await.unwrap();
    Connection::connect(chrome.ws_url()).await.unwrap();
    chrome.end().await.unwrap();
}

#[tokio::test]
async fn a_launcher_that_hides_stderr_is_understood_by_the_port_file() {
    let Some(chrome) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let binary = script(&folder, &format!("exec '{}' \"$@\" 2>/dev/null", chrome.display()));
    let chrome = chrome::launch(LaunchOptions::new(&binary)).await.unwrap();
    Connection::connect(chrome.ws_url()).await.unwrap();
    chrome.end().await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_started_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("text");
    std::fs::write(&binary, "not a program").unwrap();
    let error = chrome::launch(LaunchOptions::new(&binary)).await.unwrap_err();
    assert!(matches!(error, ChromeError::Spawn { .. }), "{error:?}");
    assert!(error.to_string().contains(binary.to_str().unwrap()), "{error}");
}

#[tokio::test]
async fn a_window_is_not_asked_of_a_headless_shell() {
    let options = LaunchOptions {
        headful: true,
        ..LaunchOptions::new("/x/chrome-headless-shell")
    };
    let error = chrome::launch(options).await.unwrap_err();
    assert!(matches!(error, ChromeError::HeadlessOnly { .. }), "{error:?}");
}

#[tokio::test]
async fn a_profile_in_use_is_named_and_its_owner_is_not_harmed() {
    let Some(binary) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("deep/profile");
    let options = LaunchOptions {
        profile: Profile::Named(profile.clone()),
        ..LaunchOptions::new(binary)
    };
    let first = chrome::launch(options.clone()).await.unwrap();
    let error = chrome::launch(options.clone()).await.unwrap_err();
    assert!(
        matches!(&error, ChromeError::ProfileLocked { profile: named } if *named == profile),
        "{error:?}"
    );
    Connection::connect(first.ws_url()).await.unwrap();
    first.end().await.unwrap();
    // A named profile stays, is private, and opens again.
    assert_eq!(std::fs::metadata(&profile).unwrap().permissions().mode() & 0o777, 0o700);
    chrome::launch(options).await.unwrap().end().await.unwrap();
    assert!(profile.join("Default").is_dir());
}

#[tokio::test]
async fn a_detached_one_needs_a_profile_that_stays() {
    let options = LaunchOptions {
        lifetime: Lifetime::Detached { port: 1 },
        ..LaunchOptions::new("/bin/true")
    };
    assert!(matches!(
        chrome::launch(options).await,
        Err(ChromeError::NoNamedProfile)
    ));
}
