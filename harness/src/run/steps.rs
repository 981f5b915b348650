//! The steps of a scenario through the library door. A step that must fail has to fail with its code; an expectation
//! is looked for in what was delivered or in a fresh snapshot of the page.

use std::collections::HashMap;

use caveman_browse::tools::act::{self, ActRequest};
use caveman_browse::tools::recover::{self, RecoverRequest};
use caveman_browse::tools::snapshot::{Snapshot, SnapshotRequest};
use caveman_browse::tools::{ToolError, eval};

use crate::arm::{Browser, BrowserError};
use crate::scenario::{Act, Address, Expect, Recover, SnapshotStep, Step, StepKind, Subject, Target};
use crate::serve::Server;

/// Why a step did not go as its file says.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// It failed.
    #[error("failed: {0}")]
    Failed(BrowserError),
    /// It succeeded where it had to fail.
    #[error("succeeded, and had to fail with {wanted}")]
    Succeeded {
        /// The code.
        wanted: String,
    },
    /// It failed in another way.
    #[error("failed with {got}, and had to fail with {wanted}: {text}")]
    OtherCode {
        /// The code that it had to have.
        wanted: String,
        /// The code that it had.
        got: String,
        /// What was said.
        text: String,
    },
    /// An expectation.
    #[error("`{place}` {verb} {wanted:?}; it is:\n{text}", verb = if *.must { "does not hold" } else { "holds" })]
    Expected {
        /// What was looked at.
        place: &'static str,
        /// What was looked for.
        wanted: String,
        /// Whether it had to be there.
        must: bool,
        /// All of it.
        text: String,
    },
    /// There is no snapshot to look back at.
    #[error("no snapshot was taken before")]
    NoSnapshot,
    /// The element that a step names is not in the snapshot, or is there more than once.
    #[error("{count} elements with a uid are {role} \"{name}\"; a step needs one")]
    NotOne {
        /// Its role.
        role: String,
        /// Its name.
        name: String,
        /// How many there are.
        count: usize,
    },
}

/// A snapshot that later steps look back at.
pub(super) struct Seen {
    handle: String,
    /// uid, role and name of every element of the full tree.
    elements: Vec<(String, String, String)>,
}

/// The library door on one browser, and what the steps so far left.
pub(super) struct Steps<'a> {
    pub(super) browser: &'a mut Browser,
    pub(super) server: &'a Server,
    /// Where the first snapshot goes; nowhere when the page is open already.
    pub(super) first: Option<&'a Address>,
    pub(super) remembered: HashMap<String, Seen>,
    pub(super) latest: Option<Snapshot>,
    pub(super) delivered: String,
}

impl Steps<'_> {
    /// Does one step and holds it to what the file says.
    pub(super) async fn run(&mut self, step: &Step) -> Result<(), StepError> {
        let done = match &step.kind {
            StepKind::Snapshot(snapshot) => self.snapshot(snapshot).await,
            StepKind::Recover(recover) => self.recover(recover)?,
            StepKind::Expect(expect) => return self.expect(expect).await,
            StepKind::Act(act) => {
                let request = self.act_request(act)?;
                self.act(&request).await
            }
            StepKind::Eval(expression) => self.eval(expression).await,
        };
        match (done, &step.fails) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(wanted)) => Err(StepError::Succeeded { wanted: wanted.clone() }),
            (Err(error), None) => Err(StepError::Failed(error)),
            (Err(error), Some(wanted)) => {
                let got = code(&error);
                if got == *wanted {
                    self.delivered = error.to_string();
                    return Ok(());
                }
                Err(StepError::OtherCode {
                    wanted: wanted.clone(),
                    got,
                    text: error.to_string(),
                })
            }
        }
    }

    async fn snapshot(&mut self, step: &SnapshotStep) -> Result<(), BrowserError> {
        let go = step.go.as_ref().or(self.first.take());
        let request = SnapshotRequest {
            url: go.map(|address| url(self.server, address)),
            query: step.query.clone(),
            interactive: step.interactive,
            ..SnapshotRequest::default()
        };
        let snapshot = self.browser.snapshot(&request).await?;
        if let Some(name) = &step.remember {
            let seen = Seen {
                handle: snapshot.stored.handle.to_string(),
                elements: self.elements(),
            };
            self.remembered.insert(name.clone(), seen);
        }
        self.delivered.clone_from(&snapshot.text);
        self.latest = Some(snapshot);
        Ok(())
    }

    /// What the latest snapshot gave uids to.
    fn elements(&self) -> Vec<(String, String, String)> {
        let uids = self.browser.session.uids();
        uids.iter()
            .map(|(uid, target)| (uid.to_string(), target.role.clone(), target.name.clone()))
            .collect()
    }

    fn uid(&self, target: &Target) -> Result<String, StepError> {
        let node = match &target.subject {
            Subject::Uid(uid) => return Ok(uid.clone()),
            Subject::Node(node) => node,
        };
        let elements = match &target.from {
            Some(name) => self.remembered.get(name).ok_or(StepError::NoSnapshot)?.elements.clone(),
            None => self.elements(),
        };
        let mut found = elements
            .into_iter()
            .filter(|(_, role, name)| *role == node.role && *name == node.name);
        match (found.next(), found.count()) {
            (Some((uid, _, _)), 0) => Ok(uid),
            (first, others) => Err(StepError::NotOne {
                role: node.role.clone(),
                name: node.name.clone(),
                count: others + usize::from(first.is_some()),
            }),
        }
    }

    fn act_request(&self, act: &Act) -> Result<ActRequest, StepError> {
        let mut request = ActRequest::default();
        let (verb, target) = match act {
            Act::Click(target) => ("click", Some(target)),
            Act::Scroll(target) => ("scroll", Some(target)),
            Act::Type(target, text) => {
                request.text = Some(text.clone());
                ("type", Some(target))
            }
            Act::Select(target, option) => {
                request.option = Some(option.clone());
                ("select", Some(target))
            }
            Act::Wait => ("wait", None),
            Act::Accept(text) => {
                request.text.clone_from(text);
                ("accept", None)
            }
            Act::Dismiss => ("dismiss", None),
            Act::Verb(verb) => (verb.as_str(), None),
        };
        verb.clone_into(&mut request.action);
        request.uid = target.map(|target| self.uid(target)).transpose()?;
        Ok(request)
    }

    async fn act(&mut self, request: &ActRequest) -> Result<(), BrowserError> {
        self.delivered = act::run(&mut self.browser.session, request).await?.text;
        Ok(())
    }

    async fn eval(&mut self, expression: &str) -> Result<(), BrowserError> {
        self.delivered = eval::run(&mut self.browser.session, expression).await?.text;
        Ok(())
    }

    fn recover(&mut self, step: &Recover) -> Result<Result<(), BrowserError>, StepError> {
        let reference = match (&step.handle, &step.of) {
            (Some(handle), _) => handle.clone(),
            (None, Some(name)) => self.remembered.get(name).ok_or(StepError::NoSnapshot)?.handle.clone(),
            (None, None) => self
                .latest
                .as_ref()
                .ok_or(StepError::NoSnapshot)?
                .stored
                .handle
                .to_string(),
        };
        let request = RecoverRequest {
            reference,
            query: step.query.clone(),
        };
        let session = &self.browser.session;
        let recovered = match session.store() {
            Some(store) => recover::run(store, session.scope(), &request),
            None => Err(ToolError::NoStore),
        };
        Ok(match recovered {
            Ok(recovered) => {
                self.delivered = String::from_utf8_lossy(&recovered.bytes).into_owned();
                Ok(())
            }
            Err(error) => Err(BrowserError::from(error)),
        })
    }

    async fn expect(&mut self, expect: &Expect) -> Result<(), StepError> {
        let delivered = self.delivered.clone();
        holds("result", &delivered, &expect.result, true)?;
        holds("result", &delivered, &expect.not_result, false)?;
        if !expect.note.is_empty() {
            let notes = self.latest.as_ref().ok_or(StepError::NoSnapshot)?.notes.join("\n");
            holds("note", &notes, &expect.note, true)?;
        }
        if !expect.view.is_empty() || !expect.not_view.is_empty() {
            let fresh = self
                .browser
                .snapshot(&SnapshotRequest::default())
                .await
                .map_err(StepError::Failed)?;
            holds("view", &fresh.view, &expect.view, true)?;
            holds("view", &fresh.view, &expect.not_view, false)?;
            self.latest = Some(fresh);
        }
        Ok(())
    }
}

fn holds(place: &'static str, text: &str, wanted: &[String], must: bool) -> Result<(), StepError> {
    match wanted.iter().find(|wanted| text.contains(wanted.as_str()) != must) {
        None => Ok(()),
        Some(wanted) => Err(StepError::Expected {
            place,
            wanted: wanted.clone(),
            must,
            text: text.chars().take(4000).collect(),
        }),
    }
}

fn code(error: &BrowserError) -> String {
    match error {
        BrowserError::Tool { source } => source.code().to_string(),
        other => format!("no code ({other})"),
    }
}

/// The whole URL of an address.
pub(super) fn url(server: &Server, address: &Address) -> String {
    match address {
        Address::Served(path) => server.url(path),
        Address::Url(url) => url.clone(),
    }
}
