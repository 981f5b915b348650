//! Which profiles are swept, and which are not.

#![allow(clippy::unwrap_used)]

use super::*;

fn profile(parent: &Path, name: &str, owner: Option<&Owner>) -> PathBuf {
    let path = parent.join(format!("{PREFIX}{name}"));
    std::fs::create_dir_all(path.join("Default")).unwrap();
    if let Some(owner) = owner {
        std::fs::write(path.join(OWNER_FILE), serde_json::to_vec(owner).unwrap()).unwrap();
    }
    path
}

/// A pid that was ours a moment ago and is nobody's now.
fn dead_pid() -> u32 {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

#[test]
fn the_profile_of_a_dead_owner_is_swept_and_that_of_a_living_one_stays() {
    let parent = tempfile::tempdir().unwrap();
    let dead = profile(
        parent.path(),
        "dead",
        Some(&Owner {
            pid: dead_pid(),
            ..Owner::us()
        }),
    );
    let living = profile(parent.path(), "living", Some(&Owner::us()));
    sweep_in(parent.path());
    assert!(!dead.exists());
    assert!(living.exists());
}

#[test]
fn a_pid_that_was_given_to_another_process_does_not_keep_a_profile() {
    let us = Owner::us();
    let Some(started) = us.started else { return };
    let reused = Owner {
        started: Some(started + 1),
        ..Owner::us()
    };
    assert!(reused.is_dead(&us));
    assert!(!us.is_dead(&Owner::us()));
}

#[test]
fn an_owner_that_cannot_be_judged_from_here_counts_as_alive() {
    let us = Owner::us();
    let pid = dead_pid();
    let elsewhere = Owner {
        pid,
        host: "another host".into(),
        ..Owner::us()
    };
    let contained = Owner {
        pid,
        namespace: Some("pid:[1]".into()),
        ..Owner::us()
    };
    assert!(!elsewhere.is_dead(&us));
    assert!(!contained.is_dead(&us));
}

#[test]
fn an_owner_of_an_earlier_boot_is_dead() {
    let us = Owner {
        boot: Some("now".into()),
        ..Owner::us()
    };
    let earlier = Owner {
        boot: Some("then".into()),
        ..Owner::us()
    };
    assert!(earlier.is_dead(&us));
    assert!(
        !Owner {
            boot: None,
            ..Owner::us()
        }
        .is_dead(&us)
    );
}

#[test]
fn what_is_not_certainly_ours_is_left_alone() {
    let parent = tempfile::tempdir().unwrap();
    let unmarked = profile(parent.path(), "unmarked", None);
    let other = parent.path().join("another-program");
    std::fs::create_dir(&other).unwrap();
    let dead = Owner {
        pid: dead_pid(),
        ..Owner::us()
    };
    std::fs::write(other.join(OWNER_FILE), serde_json::to_vec(&dead).unwrap()).unwrap();
    let broken = profile(parent.path(), "broken", None);
    std::fs::write(broken.join(OWNER_FILE), b"{").unwrap();
    sweep_in(parent.path());
    assert!(unmarked.exists() && other.exists() && broken.exists());
}

#[cfg(unix)]
#[test]
fn a_link_with_our_prefix_is_not_followed() {
    let parent = tempfile::tempdir().unwrap();
    let victim = tempfile::tempdir().unwrap();
    let dead = Owner {
        pid: dead_pid(),
        ..Owner::us()
    };
    std::fs::write(victim.path().join(OWNER_FILE), serde_json::to_vec(&dead).unwrap()).unwrap();
    std::os::unix::fs::symlink(victim.path(), parent.path().join(format!("{PREFIX}link"))).unwrap();
    sweep_in(parent.path());
    assert!(victim.path().join(OWNER_FILE).exists());
}

#[test]
fn a_made_profile_is_marked_and_removed_with_all_it_holds() {
    let profile = choose();
    assert_ne!(profile, choose());
    assert!(!profile.exists());
    make(&profile).unwrap();
    let owner: Owner = serde_json::from_slice(&std::fs::read(profile.join(OWNER_FILE)).unwrap()).unwrap();
    assert_eq!(owner, Owner::us());
    std::fs::create_dir_all(profile.join("a/b")).unwrap();
    std::fs::write(profile.join("a/b/c"), b"x").unwrap();
    assert!(make(&profile).is_err(), "what is there already is not ours");
    remove(&profile).unwrap();
    assert!(!profile.exists());
    remove(&profile).unwrap();
}
