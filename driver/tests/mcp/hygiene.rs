//! The server's Chrome dies with the server, however that ends (contract, rule 29). A process counts as the server's if its
//! command line names the server's own directory for temporary files, where its profile is.

use super::client::{Server, chrome_is_there, command, initialize};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long something may take that is to happen at once, on a loaded machine.
const SOON: Duration = Duration::from_secs(20);
/// How often the process table is looked at; it has no events.
const LOOK: Duration = Duration::from_millis(10);

/// The processes whose command line names a path.
fn processes_of(home: &Path) -> Vec<u32> {
    let home = home.to_str().unwrap().as_bytes();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // It may end while it is looked at.
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if line.windows(home.len()).any(|window| window == home) {
            found.push(pid);
        }
    }
    found
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < SOON, "{what} does not happen");
        std::thread::sleep(LOOK);
    }
}

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal).unwrap();
}

/// The main process of the server's Chrome: the one that is told where to listen, and is no helper of it.
fn chrome_of(home: &Path) -> u32 {
    let line = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let has = |line: &[u8], flag: &[u8]| line.windows(flag.len()).any(|window| window == flag);
    let main = |pid: &u32| has(&line(*pid), b"--remote-debugging-port=") && !has(&line(*pid), b"--type=");
    processes_of(home).into_iter().find(main).expect("no Chrome runs")
}

/// No process of the server's is left, and no profile.
fn nothing_is_left(home: &Path) {
    wait_until("the end of Chrome", || processes_of(home).is_empty());
    let profiles = || {
        let names = std::fs::read_dir(home)
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name());
        names
            .filter(|name| name.to_string_lossy().starts_with("caveman-browse-"))
            .collect::<Vec<_>>()
    };
    wait_until("the removal of the profile", || profiles().is_empty());
}

const PAGE: &str = "data:text/html,<title>Page</title><h1>A page to look at</h1><button>Go on</button><p>Some words that are \
                    there so that the tree is larger than the view of it.</p>";

fn with_a_page() -> Server {
    let mut server = Server::with_chrome();
    server.text("browser_snapshot", &json!({"url": PAGE}));
    assert!(!processes_of(server.home()).is_empty());
    server
}

/// A server whose Chrome is just being started.
fn with_a_starting_chrome() -> Server {
    let mut server = Server::with_chrome();
    server.begin("browser_snapshot", &json!({"url": PAGE}));
    let home = server.home().to_owned();
    wait_until("the start of Chrome", || !processes_of(&home).is_empty());
    server
}

/// A server in the middle of a call that waits for half a minute.
fn in_a_long_call() -> Server {
    let mut server = with_a_page();
    server.begin("browser_snapshot", &json!({"url": PAGE, "wait": 30_000}));
    assert_eq!(server.read_until_ping("begun").len(), 0);
    server
}

#[test]
fn chrome_ends_when_the_input_is_closed() {
    if !chrome_is_there() {
        return;
    }
    for start in [with_a_page, with_a_starting_chrome, in_a_long_call] {
        let mut server = start();
        server.close_input();
        let status = server.wait();
        assert!(status.success(), "{status}");
        nothing_is_left(server.home());
    }
}

#[test]
fn chrome_ends_on_each_signal_that_ends_the_server() {
    if !chrome_is_there() {
        return;
    }
    for (sent, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        for start in [with_a_page, with_a_starting_chrome, in_a_long_call] {
            let mut server = start();
            signal(server.pid(), sent);
            assert_eq!(server.wait().code(), Some(code));
            nothing_is_left(server.home());
        }
    }
}

#[test]
fn chrome_ends_with_a_server_that_is_killed() {
    if !chrome_is_there() {
        return;
    }
    for start in [with_a_page, with_a_starting_chrome, in_a_long_call] {
        let mut server = start();
        signal(server.pid(), Signal::KILL);
        server.wait();
        let home = server.home().to_owned();
        wait_until("the end of Chrome", || processes_of(&home).is_empty());
    }
}

#[test]
fn chrome_ends_when_nobody_reads_the_output_any_more() {
    if !chrome_is_there() {
        return;
    }
    for ping in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let mut process = command(home.path()).spawn().unwrap();
        let mut input = process.stdin.take().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut say = |message: &serde_json::Value| writeln!(input, "{message}");
        say(&initialize("a", "2025-06-18")).unwrap();
        let params = json!({"name": "browser_snapshot", "arguments": {"url": PAGE}});
        say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        output.read_line(&mut line).unwrap();
        assert!(line.contains("A page to look at"), "{line}");
        drop(output);
        if ping {
            // The server may be gone already.
            let _ = say(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
        }
        assert_eq!(process.wait().unwrap().code(), Some(1));
        nothing_is_left(home.path());
        drop(input);
    }
}

#[test]
fn calls_that_came_before_the_end_of_the_input_are_answered() {
    if !chrome_is_there() {
        return;
    }
    let mut server = with_a_page();
    let id = server.begin("browser_recover", &json!({"recovery_handle": "s1"}));
    server.close_input();
    let answer = server.read();
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&json!(id), &json!(false)),
        "{answer}"
    );
    assert!(server.wait().success());
}

/// The tabs of a Chrome, as a witness of its own sees them.
async fn tabs(ws_url: &str) -> Vec<String> {
    use caveman_browse::cdp::{Connection, protocol::browser_protocol::target::GetTargetsParams};
    let connection = Connection::connect(ws_url).await.unwrap();
    let targets = connection
        .browser()
        .call(GetTargetsParams::default(), SOON)
        .await
        .unwrap();
    let pages = targets.target_infos.iter().filter(|target| target.r#type == "page");
    let mut pages: Vec<String> = pages.map(|target| target.target_id.inner().clone()).collect();
    pages.sort();
    pages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chrome_that_was_attached_to_is_left_running_with_the_tabs_it_had() {
    use caveman_browse::chrome::{Env, LaunchOptions, find, launch};
    if !chrome_is_there() {
        return;
    }
    let chrome = launch(LaunchOptions::new(find(&Env::system()).unwrap().path))
        .await
        .unwrap();
    let before = tabs(chrome.ws_url()).await;
    let home = tempfile::tempdir().unwrap();
    let mut command = command(home.path());
    command.env("CAVEMAN_BROWSE_CDP", chrome.ws_url());
    let mut server = Server::spawn(&mut command, home);
    server.initialize("2025-06-18");
    let result = server.call("browser_snapshot", &json!({"url": PAGE}));
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(tabs(chrome.ws_url()).await.len(), before.len() + 1);
    server.close_input();
    assert!(server.wait().success());
    assert_eq!(tabs(chrome.ws_url()).await, before);
    chrome.end().await.unwrap();
}

#[test]
fn two_servers_do_not_disturb_each_other() {
    if !chrome_is_there() {
        return;
    }
    let (mut one, mut two) = (with_a_page(), with_a_page());
    one.close_input();
    one.wait();
    nothing_is_left(one.home());
    assert!(two.text("browser_snapshot", &json!({})).contains("A page to look at"));
    two.close_input();
    two.wait();
    nothing_is_left(two.home());
}

#[test]
fn a_chrome_that_was_killed_is_replaced_and_the_result_says_so() {
    if !chrome_is_there() {
        return;
    }
    let mut server = with_a_page();
    let home = server.home().to_owned();
    let chrome = chrome_of(&home);
    signal(chrome, Signal::KILL);
    wait_until("the end of Chrome", || !processes_of(&home).contains(&chrome));
    let result = server.call("browser_snapshot", &json!({"url": PAGE}));
    assert_eq!(result["isError"], false, "{result}");
    let notes = result["_meta"]["notes"].to_string();
    assert!(notes.contains("a new one was started"), "{result}");
    server.close_input();
    assert!(server.wait().success());
    nothing_is_left(&home);
}

#[test]
fn a_cancelled_call_leaves_the_session_as_it_was() {
    if !chrome_is_there() {
        return;
    }
    let mut server = with_a_page();
    let id = server.begin("browser_snapshot", &json!({"url": PAGE, "wait": 30_000}));
    assert_eq!(server.read_until_ping("begun").len(), 0);
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    let began = Instant::now();
    let text = server.text("browser_snapshot", &json!({}));
    assert!(text.contains("A page to look at"), "{text}");
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "it waited for what was cancelled"
    );
}
