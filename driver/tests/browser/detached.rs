//! A Chrome that outlives us.

use caveman_browse::cdp::Connection;
use caveman_browse::chrome::{self, ChromeError, LaunchOptions, Lifetime, Profile, attach};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::support::browser;
#[cfg(target_os = "linux")]
use crate::support::processes::group_is_gone;

async fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

fn options(folder: &TempDir, port: u16) -> Option<LaunchOptions> {
    let profile = Profile::Named(folder.path().join("profile"));
    Some(LaunchOptions {
        profile,
        lifetime: Lifetime::Detached { port },
        ..LaunchOptions::new(browser()?)
    })
}

#[tokio::test]
async fn it_listens_on_its_port_for_our_user_and_survives_its_handle() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port().await;
    let Some(options) = options(&folder, port) else { return };
    let chrome = chrome::launch(options.clone()).await.unwrap();
    assert!(
        chrome
            .ws_url()
            .starts_with(&format!("ws://127.0.0.1:{port}/devtools/browser/"))
    );
    if cfg!(target_os = "linux") {
        assert_eq!(attach::port_owner_is_us(port), attach::PortOwner::Us);
    }
    let ws_url = chrome.ws_url().to_owned();
    drop(chrome);
    let again = attach::resolve(&format!("127.0.0.1:{port}")).await.unwrap();
    assert_eq!(again, ws_url);
    assert!(attach::product(&ws_url).await.unwrap().contains('/'));

    let taken = chrome::launch(options).await.unwrap_err();
    assert!(
        matches!(taken, ChromeError::PortTaken { port: named } if named == port),
        "{taken:?}"
    );

    let connection = Connection::connect(&again).await.unwrap();
    let close = caveman_browse::cdp::protocol::browser_protocol::browser::CloseParams::default();
    connection.browser().call(close, crate::support::LONG).await.unwrap();
    connection.closed().await;
}

#[tokio::test]
async fn it_can_be_ended_by_its_handle() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port().await;
    let Some(options) = options(&folder, port) else { return };
    let chrome = chrome::launch(options).await.unwrap();
    chrome.end().await.unwrap();
    assert!(matches!(
        attach::version("127.0.0.1", port).await,
        Err(ChromeError::Unreachable { .. })
    ));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_that_does_not_listen_in_time_is_ended() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("fake");
    std::fs::write(
        &binary,
        "#!/bin/sh\necho $$ >\"$0.pid\"\necho thinking >&2\nsleep 1000 & wait\n",
    )
    .unwrap();
    std::fs::set_permissions(&binary, std::fs::Permissions::from_mode(0o700)).unwrap();
    let profile = Profile::Named(folder.path().join("profile"));
    let lifetime = Lifetime::Detached {
        port: free_port().await,
    };
    let options = LaunchOptions {
        profile,
        lifetime,
        ..LaunchOptions::new(&binary)
    };
    let error = chrome::launch_within(options, std::time::Duration::from_millis(500))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, ChromeError::StartDeadline { stderr, .. } if stderr == "thinking"),
        "{error:?}"
    );
    let pid = std::fs::read_to_string(folder.path().join("fake.pid")).unwrap();
    assert!(group_is_gone(pid.trim().parse().unwrap()));
}
