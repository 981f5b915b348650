//! What a navigation can come to, on a real Chrome. One Chrome for the whole file.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "support/site.rs"]
mod site;

use caveman_browse::chrome::Env;
use caveman_browse::render::PayloadKind;
use caveman_browse::session::{ChromeSource, Session, SessionOptions};
use caveman_browse::store::{Options, ScopeId, Store};
use caveman_browse::tools::snapshot::{self, Snapshot, SnapshotRequest};
use caveman_browse::tools::{Code, ToolError};
use site::Site;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn session() -> Session {
    Session::new(SessionOptions {
        chrome: ChromeSource::Launch {
            binary: None,
            profile: None,
            headful: false,
        },
        env: Env::system(),
        store: Some(Arc::new(Store::in_memory(Options::default()).unwrap())),
        scope: ScopeId::random(),
    })
}

async fn go(session: &mut Session, url: &str) -> Result<Snapshot, ToolError> {
    let request = SnapshotRequest {
        url: Some(url.to_owned()),
        payload: PayloadKind::Text,
        ..SnapshotRequest::default()
    };
    snapshot::run(session, &request).await
}

fn code(result: Result<Snapshot, ToolError>) -> (Code, String) {
    match result {
        Ok(snapshot) => panic!("delivered {}", snapshot.text),
        Err(error) => (error.code(), error.to_string()),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_our_own_chrome_has_the_size_that_playwright_gives_its_pages() {
    if caveman_browse::chrome::find(&Env::system()).is_err() && std::env::var_os("CAVEMAN_REQUIRE_CHROME").is_none() {
        eprintln!("skipped: no Chrome");
        return;
    }
    let mut session = session();
    let size = "<title>Size</title><h1>The size of this page</h1><p>Some words to read here.</p>\
        <script>document.write('<p>' + innerWidth + ' by ' + innerHeight + '</p>')</script>";
    let view = go(&mut session, &format!("data:text/html,{size}")).await.unwrap().view;
    assert!(view.contains("1280 by 720"), "{view}");
    session.end().await.unwrap();
}

/// One story, since a Chrome costs more than any of its chapters.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_comes_instead_of_a_page_is_said_at_once() {
    if caveman_browse::chrome::find(&Env::system()).is_err() && std::env::var_os("CAVEMAN_REQUIRE_CHROME").is_none() {
        eprintln!("skipped: no Chrome");
        return;
    }
    let site = Site::start(&[
        (
            "home",
            "<title>Home</title><h1>Home page</h1><p>Some words to read here.</p><button>Go</button>",
        ),
        (
            "alert",
            "<title>Alert</title><h1>Before</h1><script>alert('Hello there')</script><p>After</p>",
        ),
        (
            "stuck",
            "<title>Stuck</title><h1>Picture missing</h1><p>text</p><img src=/x/never alt=chart>",
        ),
        ("hop", "<title>Hop</title><script>location.href='/home'</script>"),
        (
            "blob",
            "<title>Blob</title><script>location.href=URL.createObjectURL(new Blob(['<h1>escaped</h1>'],{type:'text/html'}))</script>",
        ),
        (
            "busy",
            "<title>Busy</title><h1>Busy</h1><script>onload=()=>setTimeout(()=>{for(;;);},50)</script>",
        ),
    ]);
    let mut session = session();
    let home = go(&mut session, &site.url("home")).await.unwrap();
    assert!(home.text.contains("heading \"Home page\""), "{}", home.text);
    let pid = session.chrome_pid().unwrap();

    // Quick refusals leave the page and its uids.
    let uids = format!("{:?}", session.uids());
    for (path, expected, says) in [
        ("x/204", Code::SnapshotFailed, "without content"),
        ("x/download", Code::SnapshotFailed, "report.csv"),
        (
            "x/redirect?to=file:///etc/hostname",
            Code::SnapshotFailed,
            "ERR_UNSAFE_REDIRECT",
        ),
    ] {
        let began = Instant::now();
        let (code, text) = code(go(&mut session, &site.url(path)).await);
        assert_eq!(code, expected, "{path}: {text}");
        assert!(text.contains(says), "{path}: {text}");
        assert!(
            began.elapsed() < Duration::from_secs(8),
            "{path} took {:?}",
            began.elapsed()
        );
        assert_eq!(format!("{:?}", session.uids()), uids, "{path} changed the uids");
    }
    let (_, text) = code(go(&mut session, "http://no-such-host.invalid/").await);
    assert!(text.contains("ERR_NAME_NOT_RESOLVED"), "{text}");
    let (_, text) = code(go(&mut session, &site.url("home").replace("http:", "https:")).await);
    assert!(text.contains("net::ERR_"), "{text}");
    let (denied, _) = code(go(&mut session, "file:///etc/hostname").await);
    assert_eq!(denied, Code::UrlDenied);

    // An alert on load is named, and leaving the page closes it.
    let began = Instant::now();
    let (open, text) = code(go(&mut session, &site.url("alert")).await);
    assert_eq!(open, Code::DialogOpen, "{text}");
    assert!(
        text.contains("Hello there") && began.elapsed() < Duration::from_secs(8),
        "{text}"
    );
    let again = go(&mut session, &site.url("home")).await.unwrap();
    assert!(
        again.notes.iter().any(|note| note.contains("Hello there")),
        "{:?}",
        again.notes
    );

    // Pages that never finish are shown as far as they came, and say so.
    for (path, heading) in [("x/endless", "Arrived so far"), ("stuck", "Picture missing")] {
        let began = Instant::now();
        let shown = go(&mut session, &site.url(path)).await.unwrap();
        assert!(shown.text.contains(heading), "{path}: {}", shown.text);
        assert!(
            !shown.notes.is_empty() && began.elapsed() < Duration::from_secs(14),
            "{path}: {:?}",
            shown.notes
        );
    }
    let hop = go(&mut session, &site.url("hop")).await.unwrap();
    assert!(hop.text.contains("Home page"), "{}", hop.text);
    match go(&mut session, &site.url("blob")).await {
        Ok(shown) => assert!(!shown.text.contains("escaped"), "{}", shown.text),
        Err(error) => assert_eq!(error.code(), Code::UrlDenied, "{error}"),
    }

    // A Chrome that is killed is replaced, and the reader is told.
    let home = go(&mut session, &site.url("home")).await.unwrap();
    assert!(home.notes.is_empty(), "{:?}", home.notes);
    std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .unwrap();
    let mut replaced = go(&mut session, &site.url("home")).await;
    if replaced.is_err() {
        replaced = go(&mut session, &site.url("home")).await;
    }
    assert!(
        replaced
            .unwrap()
            .notes
            .iter()
            .any(|note| note.contains("new one was started"))
    );
    session.end().await.unwrap();
}
