//! The watchdog's script, with processes of our own in place of Chrome.

#![allow(clippy::unwrap_used)]

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use super::*;

fn sleeper() -> Child {
    Command::new("sleep").arg("1000").process_group(0).spawn().unwrap()
}

fn folder() -> std::path::PathBuf {
    // A name that a careless script would take apart.
    let parent = tempfile::tempdir().unwrap().keep();
    let folder = parent.join("-rf $(touch x) ' \" ;*");
    std::fs::create_dir_all(folder.join("Default")).unwrap();
    folder
}

#[test]
fn when_the_pipe_closes_the_group_is_killed_and_the_profile_removed() {
    let folder = folder();
    let mut chrome = sleeper();
    let mut watchdog = Watchdog::start(Some(&folder)).unwrap();
    watchdog.guard(chrome.id());
    let waiting = std::thread::spawn(move || chrome.wait().unwrap());
    drop(watchdog);
    assert!(!waiting.join().unwrap().success());
    assert!(!folder.exists());
    std::fs::remove_dir(folder.parent().unwrap()).unwrap();
}

#[test]
fn dismissed_it_touches_nothing() {
    let folder = folder();
    let mut chrome = sleeper();
    let mut watchdog = Watchdog::start(Some(&folder)).unwrap();
    watchdog.guard(chrome.id());
    watchdog.dismiss();
    assert!(chrome.try_wait().unwrap().is_none());
    assert!(folder.exists());
    chrome.kill().unwrap();
    chrome.wait().unwrap();
    std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

#[test]
fn without_a_group_only_the_profile_goes_and_a_named_profile_stays() {
    let folder = folder();
    drop(Watchdog::start(None).unwrap());
    assert!(folder.exists());
    let mut watchdog = Watchdog::start(Some(&folder)).unwrap();
    watchdog.guard(0);
    watchdog.guard(1);
    drop(watchdog);
    assert!(!folder.exists());
    std::fs::remove_dir(folder.parent().unwrap()).unwrap();
}
