//! The command line as separate processes on a fresh home, with a real Chrome.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "support/site.rs"]
mod site;

use site::Site;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const FORM: &str = "<!doctype html><title>Form</title><main><h1>Order form</h1><label>Email <input id=e></label>\
    <label>Plan <select id=p><option>Free</option><option value=pro>Pro</option></select></label>\
    <button onclick=\"out.textContent='Saved '+e.value+' '+p.value\">Save</button><p id=out role=status>Ready</p></main>";

struct Home {
    dir: tempfile::TempDir,
    port: u16,
}

impl Home {
    fn fresh() -> Self {
        // A port that was free a moment ago: the commands need a fixed one.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self {
            dir: tempfile::tempdir().unwrap(),
            port,
        }
    }

    fn path(&self) -> std::path::PathBuf {
        self.dir.path().join("not/yet/there")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_caveman-browse"));
        command
            .args(arguments)
            .env("CAVEMAN_HOME", self.path())
            .env("CAVEMAN_BROWSE_PORT", self.port.to_string());
        for name in [
            "CAVEMAN_CCR_DB",
            "CAVEMAN_BROWSE_CDP",
            "CAVEMAN_BROWSE_USER_DATA_DIR",
            "CAVEMAN_BROWSE_EPHEMERAL",
            "CAVEMAN_LOG",
        ] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// The exit code and what stood on stderr.
    fn fails(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.run(arguments);
        assert!(output.stdout.is_empty(), "{arguments:?} also answered");
        (
            output.status.code().unwrap(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    }

    /// Processes that were started with this home's profile.
    fn chromes(&self) -> usize {
        let profile = self.path().join("browse-profile").display().to_string();
        std::fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
            .filter(|line| String::from_utf8_lossy(line).contains(&profile))
            .count()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = self
            .command(&["close"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}

/// Chrome is there, or the test may be left out.
fn chrome() -> bool {
    let found = Command::new(env!("CARGO_BIN_EXE_caveman-browse"))
        .args(["doctor", "--find"])
        .output()
        .unwrap();
    let there = found.status.success();
    assert!(
        there || std::env::var_os("CAVEMAN_REQUIRE_CHROME").is_none(),
        "no Chrome"
    );
    if !there {
        eprintln!("skipped: no Chrome");
    }
    there
}

fn uid(view: &str, line_with: &str) -> String {
    let line = view
        .lines()
        .find(|line| line.contains(line_with))
        .unwrap_or_else(|| panic!("no {line_with} in {view}"));
    line.split_once('[').unwrap().1.split_once(']').unwrap().0.to_owned()
}

fn handle(view: &str) -> String {
    view.rsplit_once("handle=").unwrap().1.trim().to_owned()
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(target_os = "linux")]
#[test]
fn five_processes_share_a_page_on_a_fresh_home() {
    if !chrome() {
        return;
    }
    let site = Site::start(&[("form", FORM)]);
    let home = Home::fresh();
    let first = home.ok(&["snapshot", &site.url("form")]);
    assert!(
        first.contains("heading \"Order form\"") && first.lines().last().unwrap().starts_with("caveman before="),
        "{first}"
    );
    assert_eq!(mode(&home.path().join("browse-session.json")), 0o600);
    assert_eq!(mode(&home.path().join("ccr.db")), 0o600);
    assert_eq!(mode(&home.path()), 0o700);

    let typed = home.ok(&["act", &uid(&first, "textbox \"Email"), "type", "ops@example.com"]);
    assert!(
        typed.contains("\"ok\":true") && typed.contains("\"settled\":false"),
        "{typed}"
    );
    home.ok(&["act", &uid(&first, "combobox \"Plan"), "select", "Pro"]);
    home.ok(&["act", &uid(&first, "button \"Save\""), "click"]);
    let second = home.ok(&["snapshot"]);
    assert!(second.contains("Saved ops@example.com pro"), "{second}");
    assert_eq!(home.ok(&["eval", "document.title"]).trim(), "{\"result\":\"Form\"}");

    let original = home.ok(&["recover", &handle(&second)]);
    assert!(
        original.starts_with("{\"nodes\":[") && original.ends_with(']') | original.ends_with('}'),
        "{}",
        original.len()
    );
    let part = home.ok(&["recover", "s2", "Saved"]);
    assert!(
        part.contains("Saved ops@example.com pro") && part.len() < original.len(),
        "{part}"
    );

    // A uid of the page before is stale, one that never was is unknown, and neither touches the page.
    let stale = uid(&second, "button \"Save\"");
    home.ok(&[
        "snapshot",
        "data:text/html,<title>Other</title><h1>Other page</h1><p>Some words of another page.</p><button>B</button>",
    ]);
    let (code, text) = home.fails(&["act", &stale, "click"]);
    assert!(code == 1 && text.starts_with("cave_stale_uid: "), "{text}");
    let (_, text) = home.fails(&["act", "uzzzz", "click"]);
    assert!(text.starts_with("cave_unknown_uid: "), "{text}");
    let (_, text) = home.fails(&["act", "uzzzz", "fly"]);
    assert!(text.starts_with("cave_unknown_action: "), "{text}");
    let (_, text) = home.fails(&["recover", "ccr_forged"]);
    assert!(text.starts_with("cave_"), "{text}");
    let (code, _) = home.fails(&["snapshot", "--nonsense"]);
    assert_eq!(code, 2);

    assert!(home.chromes() > 0);
    assert_eq!(home.ok(&["close"]).trim(), "closed");
    assert_eq!(home.chromes(), 0);
    assert!(!home.path().join("browse-session.json").exists());
    assert_eq!(home.ok(&["close"]).trim(), "nothing was open");
    let (_, text) = home.fails(&["act", "u1", "click"]);
    assert!(
        text.starts_with("cave_browser_unavailable: ") && home.chromes() == 0,
        "{text}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_first_snapshot_leaves_no_chrome_and_no_state() {
    if !chrome() {
        return;
    }
    let home = Home::fresh();
    let (code, text) = home.fails(&["snapshot", "http://127.0.0.1:1/"]);
    assert!(
        code == 1 && text.starts_with("cave_browser_snapshot_failed: "),
        "{text}"
    );
    let (_, text) = home.fails(&["snapshot", "file:///etc/hostname"]);
    assert!(text.starts_with("cave_browser_url_denied: "), "{text}");
    assert_eq!(home.chromes(), 0);
    assert!(!home.path().join("browse-session.json").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_killed_at_any_moment_leaves_what_the_next_one_recovers_from() {
    if !chrome() {
        return;
    }
    let site = Site::start(&[("form", FORM)]);
    let home = Home::fresh();
    let url = site.url("form");
    for after_ms in [20, 120, 250, 400, 600, 900, 1_300] {
        let mut child = home
            .command(&["snapshot", &url])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(after_ms) && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().unwrap();
        let next = home.ok(&["snapshot", &url]);
        assert!(next.contains("Order form"), "killed after {after_ms} ms: {next}");
        if after_ms % 200 == 0 {
            home.ok(&["close"]);
            assert_eq!(home.chromes(), 0, "killed after {after_ms} ms");
        }
    }
    // Chrome killed between two commands: the next one starts another and says so.
    let pid = std::fs::read_to_string(home.path().join("browse-session.json")).unwrap();
    let pid = pid
        .split_once("\"pid\":")
        .unwrap()
        .1
        .split(',')
        .next()
        .unwrap()
        .to_owned();
    Command::new("kill").args(["-9", &pid]).status().unwrap();
    let anew = home.ok(&["snapshot", &url]);
    assert!(
        anew.contains("\nnote: the Chrome of the command before has ended\ncaveman "),
        "{anew}"
    );
    home.ok(&["close"]);
    assert_eq!(home.chromes(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn an_external_chrome_is_used_and_left_running() {
    if !chrome() {
        return;
    }
    let site = Site::start(&[("form", FORM)]);
    let (owner, guest) = (Home::fresh(), Home::fresh());
    owner.ok(&["snapshot", &site.url("form")]);
    let before = owner.ok(&["eval", "document.title"]);
    let cdp = format!("http://127.0.0.1:{}", owner.port);
    let guest_runs = |arguments: &[&str]| {
        let output = guest
            .command(arguments)
            .env("CAVEMAN_BROWSE_CDP", &cdp)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let view = guest_runs(&[
        "snapshot",
        "data:text/html,<title>Guest</title><h1>Guest page</h1><p>Words of the guest.</p><button>B</button>",
    ]);
    assert!(view.contains("Guest page"), "{view}");
    assert!(guest_runs(&["close"]).contains("left running"));
    assert!(owner.chromes() > 0);
    assert_eq!(owner.ok(&["eval", "document.title"]), before);
    owner.ok(&["close"]);
    assert_eq!(owner.chromes(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn two_commands_at_once_on_one_home_both_answer() {
    if !chrome() {
        return;
    }
    let site = Site::start(&[("form", FORM)]);
    let home = Home::fresh();
    let url = site.url("form");
    let children: Vec<_> = (0..3)
        .map(|_| {
            home.command(&["snapshot", &url])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && String::from_utf8_lossy(&output.stdout).contains("Order form"),
            "{said}"
        );
    }
    home.ok(&["close"]);
    assert_eq!(home.chromes(), 0);
}
