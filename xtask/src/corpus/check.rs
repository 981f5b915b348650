//! `cargo xtask corpus --check`: the command line takes a snapshot of every page, as a user would, and none may be refused. It
//! must not know what a view looks like: it reads the binary's own JSON.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::corpus::manifest::Manifest;
use crate::error::XtaskError;
use crate::repo::Repo;
use crate::{bench, chrome};

/// The bench's own pages, which are no package's: id, and file under `fixtures/pages`.
const OURS: [(&str, &str); 2] = [("order-table", "order-table.html"), ("checkout", "checkout.html")];

/// What came of one page.
#[derive(Serialize)]
struct Checked {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<Tokens>,
    /// The code and what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

/// Of the binary's JSON.
#[derive(Serialize, Deserialize)]
struct Tokens {
    before: u64,
    view: u64,
    after: u64,
}

#[derive(Serialize)]
struct Printed<'a> {
    pages: &'a [Checked],
    passes: bool,
}

/// Takes all snapshots and shows a line for each.
pub(crate) fn run(repo: &Repo, install: bool, manifest: &Manifest, cache: &Path, json: bool) -> Result<(), XtaskError> {
    bench::build(repo)?;
    let chrome = chrome::ensure(repo, "release", install)?;
    let server = Server::start(&repo.built("release", "harness"), repo, cache)?;
    let home = tempfile::tempdir().map_err(XtaskError::io("the temporary directory"))?;
    let user = User {
        binary: &repo.built("release", "caveman-browse"),
        chrome: &chrome,
        home: home.path(),
        port: free_port()?,
    };
    let ours = OURS.map(|(id, file)| (id.to_owned(), format!("/{file}")));
    let others = manifest
        .pages
        .iter()
        .map(|page| (page.id.clone(), format!("/@corpus{}", page.served())));
    let mut pages = Vec::new();
    for (id, path) in ours.into_iter().chain(others) {
        let checked = user.snapshot(id, &format!("{}{path}", server.base));
        if !json {
            println!("{}", checked.as_ref().map_or_else(ToString::to_string, line));
        }
        pages.push(checked?);
    }
    user.close()?;
    let refused = pages.iter().filter(|page| page.tokens.is_none()).count();
    if json {
        let result = Printed {
            pages: &pages,
            passes: refused == 0,
        };
        println!("{}", serde_json::to_string_pretty(&result).unwrap_or_default());
    }
    if refused == 0 {
        return Ok(());
    }
    Err(XtaskError::Refused {
        refused,
        pages: pages.len(),
    })
}

fn line(page: &Checked) -> String {
    match (&page.tokens, &page.refused) {
        (Some(Tokens { before, view, after }), _) => {
            format!("{:<14} {before:>9} raw  {view:>7} view  {after:>7} delivered", page.id)
        }
        (None, refused) => format!("{:<14} REFUSED  {}", page.id, refused.as_deref().unwrap_or_default()),
    }
}

/// A user of the command line with a home of their own.
struct User<'a> {
    binary: &'a Path,
    chrome: &'a chrome::Chrome,
    home: &'a Path,
    port: u16,
}

impl User<'_> {
    fn run(&self, arguments: &[&str]) -> Result<std::process::Output, XtaskError> {
        let mut command = Command::new(self.binary);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .env("CAVEMAN_HOME", self.home)
            .env("CAVEMAN_BROWSE_PORT", self.port.to_string());
        for name in [
            "CAVEMAN_CCR_DB",
            "CAVEMAN_BROWSE_CDP",
            "CAVEMAN_BROWSE_USER_DATA_DIR",
            "CAVEMAN_BROWSE_EPHEMERAL",
        ] {
            command.env_remove(name);
        }
        self.chrome.hand_to(&mut command);
        command.output().map_err(|source| XtaskError::Start {
            program: self.binary.display().to_string(),
            source,
        })
    }

    /// The page's figures, or why there are none.
    fn snapshot(&self, id: String, url: &str) -> Result<Checked, XtaskError> {
        let output = self.run(&["snapshot", "--json", url])?;
        let tokens = serde_json::from_slice::<Tokens>(&output.stdout);
        let (tokens, refused) = match tokens {
            Ok(tokens) if output.status.success() => (Some(tokens), None),
            _ => (None, Some(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        };
        Ok(Checked { id, tokens, refused })
    }

    fn close(&self) -> Result<(), XtaskError> {
        let output = self.run(&["close"])?;
        if output.status.success() {
            return Ok(());
        }
        Err(XtaskError::Ended {
            program: "caveman-browse close".into(),
            status: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        // After an error of ours; nothing is open after `close`.
        let _ = self.run(&["close"]);
    }
}

/// The harness's page server, ended with this.
struct Server {
    child: Child,
    base: String,
}

impl Server {
    fn start(harness: &Path, repo: &Repo, cache: &Path) -> Result<Server, XtaskError> {
        let mut command = Command::new(harness);
        command.arg("serve").arg("--other").arg({
            let mut named = std::ffi::OsString::from("corpus=");
            named.push(cache);
            named
        });
        command
            .current_dir(repo.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|source| XtaskError::Start {
            program: harness.display().to_string(),
            source,
        })?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            // An error leaves the line empty.
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let mut server = Server {
            child,
            base: line.trim().trim_end_matches('/').to_owned(),
        };
        if server.base.starts_with("http://") {
            return Ok(server);
        }
        server.end();
        Err(XtaskError::NoServer {
            program: "harness serve".into(),
        })
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// A port that was free a moment ago: the commands need a fixed one.
fn free_port() -> Result<u16, XtaskError> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    Ok(listener.map_err(XtaskError::io("a port on 127.0.0.1"))?.port())
}
