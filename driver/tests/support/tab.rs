//! A tab for a test: snapshot, find a uid by its line, act, look at the page. All tests of a file share one Chrome.
#![allow(dead_code, unreachable_pub)]

use super::site::Site;
use caveman_browse::chrome::{self, Env, LaunchOptions, Lifetime, Profile};
use caveman_browse::render::PayloadKind;
use caveman_browse::session::{ChromeSource, Session, SessionOptions};
use caveman_browse::store::{Options, ScopeId, Store};
use caveman_browse::tools::act::{self, ActRequest, Acted};
use caveman_browse::tools::snapshot::{self, SnapshotRequest};
use caveman_browse::tools::{Code, ToolError, eval};
use std::sync::{Arc, LazyLock, mpsc};
use std::time::{Duration, Instant};

/// The websocket address of the Chrome that all tests of this process share; it ends with the process.
static CHROME: LazyLock<Option<String>> = LazyLock::new(|| {
    let (sender, receiver) = mpsc::channel();
    // Chrome is bound to the thread that started it, so that thread stays.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let Ok(found) = chrome::find(&Env::system()) else {
                assert!(std::env::var_os("CAVEMAN_REQUIRE_CHROME").is_none(), "no Chrome");
                eprintln!("skipped: no Chrome");
                let _ = sender.send(None);
                return;
            };
            let options = LaunchOptions {
                binary: found.path,
                profile: Profile::Temporary,
                headful: false,
                lifetime: Lifetime::WithUs,
            };
            let chrome = chrome::launch(options).await.expect("Chrome starts");
            let _ = sender.send(Some(chrome.ws_url().to_owned()));
            std::future::pending::<()>().await;
        });
    });
    receiver.recv().expect("Chrome or none")
});

const OTHER: &str = "<!doctype html><title>Other</title><h1>Another page</h1><p>Words.</p><button>Elsewhere</button>";

fn page(body: &str) -> String {
    let out =
        "<p id=out role=status>none</p><script>function say(t){document.getElementById('out').textContent=t}</script>";
    format!("<!doctype html><title>Page</title><h1>Some page</h1><p>With a few words to read.</p>{out}{body}")
}

fn session(chrome: ChromeSource) -> Session {
    Session::new(SessionOptions {
        chrome,
        env: Env::system(),
        store: Some(Arc::new(Store::in_memory(Options::default()).expect("a store"))),
        scope: ScopeId::random(),
    })
}

/// An error as an agent sees it.
#[derive(Debug)]
pub struct Refused {
    pub code: Code,
    pub text: String,
    pub took: Duration,
}

pub struct Tab {
    pub session: Session,
    pub view: String,
    site: Site,
}

impl Tab {
    /// A tab of its own with these pages in reach; `None` where there is no Chrome.
    pub fn new(pages: &[(&str, &str)]) -> Option<Tab> {
        let ws_url = CHROME.clone()?;
        let session = session(ChromeSource::Attach {
            ws_url,
            target_id: None,
            own_chrome: true,
        });
        Some(Tab {
            session,
            view: String::new(),
            site: Site::start(pages),
        })
    }

    /// A tab with a page of this body, and another page beside it.
    pub fn with(body: &str) -> Option<Tab> {
        Tab::new(&[("page", &page(body)), ("other", OTHER)])
    }

    /// The same with a Chrome of its own, for a test that ends it.
    pub fn alone(body: &str) -> Option<Tab> {
        let mut tab = Tab::with(body)?;
        tab.session = session(ChromeSource::Launch {
            binary: None,
            profile: None,
            headful: false,
        });
        Some(tab)
    }

    pub async fn open(&mut self, path: &str) {
        let url = self.site.url(path);
        self.snapshot(Some(url)).await;
    }

    pub async fn again(&mut self) {
        self.snapshot(None).await;
    }

    async fn snapshot(&mut self, url: Option<String>) {
        let request = SnapshotRequest {
            url,
            payload: PayloadKind::Text,
            ..SnapshotRequest::default()
        };
        self.view = snapshot::run(&mut self.session, &request)
            .await
            .expect("a snapshot")
            .view;
    }

    /// The uid of the one line that begins with `line` behind its bracket.
    pub fn uid(&self, line: &str) -> String {
        let found: Vec<&str> = self
            .view
            .lines()
            .filter_map(|text| text.trim_start().strip_prefix('[')?.split_once("] "))
            .filter(|(_, rest)| rest.starts_with(line))
            .map(|(uid, _)| uid)
            .collect();
        assert_eq!(found.len(), 1, "{line} in\n{}", self.view);
        found[0].to_owned()
    }

    pub async fn act(&mut self, verb: &str, line: &str, text: Option<&str>) -> Result<Acted, Refused> {
        let uid = self.uid(line);
        self.act_on(verb, &uid, text).await
    }

    pub async fn act_on(&mut self, verb: &str, uid: &str, text: Option<&str>) -> Result<Acted, Refused> {
        let request = ActRequest {
            action: verb.to_owned(),
            uid: Some(uid.to_owned()),
            text: text.map(str::to_owned),
            option: None,
        };
        self.request(&request).await
    }

    pub async fn request(&mut self, request: &ActRequest) -> Result<Acted, Refused> {
        let began = Instant::now();
        act::run(&mut self.session, request)
            .await
            .map_err(|error| refused(&error, began))
    }

    pub async fn click(&mut self, line: &str) {
        self.act("click", line, None)
            .await
            .unwrap_or_else(|refused| panic!("click {line}: {refused:?}\n{}", self.view));
    }

    pub async fn type_in(&mut self, line: &str, text: &str) {
        self.act("type", line, Some(text))
            .await
            .unwrap_or_else(|refused| panic!("type {line}: {refused:?}"));
    }

    pub async fn fails(&mut self, verb: &str, line: &str, text: Option<&str>) -> Refused {
        match self.act(verb, line, text).await {
            Err(refused) => refused,
            Ok(acted) => panic!("{verb} {line} was done: {}", acted.text),
        }
    }

    pub async fn eval(&mut self, expression: &str) -> Result<String, Refused> {
        let began = Instant::now();
        let done = eval::run(&mut self.session, expression).await;
        done.map(|done| done.text).map_err(|error| refused(&error, began))
    }

    /// The value of an expression as JSON.
    pub async fn value(&mut self, expression: &str) -> String {
        let text = self.eval(expression).await.expect("a value");
        text.strip_prefix("{\"result\":")
            .and_then(|rest| rest.strip_suffix('}'))
            .expect("a result")
            .to_owned()
    }

    /// Waits up to a second for the expression to have this value.
    pub async fn expect(&mut self, expression: &str, value: &str) {
        let until = Instant::now() + Duration::from_secs(1);
        loop {
            let now = self.value(expression).await;
            if now == value {
                return;
            }
            assert!(Instant::now() < until, "{expression} is {now}, not {value}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The text of `#out`.
    pub async fn out(&mut self, text: &str) {
        self.expect("document.getElementById('out').textContent", &format!("{text:?}"))
            .await;
    }
}

fn refused(error: &ToolError, began: Instant) -> Refused {
    Refused {
        code: error.code(),
        text: error.to_string(),
        took: began.elapsed(),
    }
}
