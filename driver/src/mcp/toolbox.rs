//! The real tools behind the server: checked arguments into requests, what they deliver into text and accounting.
//!
//! Must not know the protocol. Nothing is opened or started before a call needs it, so that `initialize` costs nothing
//! and a store that cannot be opened is an answer, not a crash.

use super::server::{Call, Delivered, Refusal, Toolbox};
use crate::chrome::attach;
use crate::session::{ChromeSource, Session, SessionError, SessionOptions};
use crate::settings::Settings;
use crate::store::{Options, ScopeId, Store};
use crate::tools::act::{self, ActRequest};
use crate::tools::catalog::ToolId;
use crate::tools::eval;
use crate::tools::recover::{self, Part, RecoverRequest};
use crate::tools::snapshot::{self, Snapshot, SnapshotRequest};
use crate::tools::{Code, ToolError};
use serde_json::{Map, json};
use std::sync::Arc;

/// One client's browser.
pub(super) struct SessionToolbox {
    settings: Settings,
    session: Option<Session>,
}

impl From<ToolError> for Refusal {
    fn from(error: ToolError) -> Self {
        Refusal::new(error.code(), error.to_string())
    }
}

impl SessionToolbox {
    /// Opens and starts nothing.
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            session: None,
        }
    }

    async fn session(&mut self) -> Result<&mut Session, ToolError> {
        let session = match self.session.take() {
            Some(mut session) => {
                if self.settings.cdp.is_some() && session.open_page().is_none() {
                    match chrome_source(&self.settings).await {
                        Ok(chrome) => session.set_chrome(chrome),
                        Err(error) => {
                            self.session = Some(session);
                            return Err(error);
                        }
                    }
                }
                session
            }
            None => open(&self.settings).await?,
        };
        Ok(self.session.insert(session))
    }

    async fn snapshot(&mut self, call: &Call) -> Result<Delivered, Refusal> {
        let arguments = &call.arguments;
        let request = SnapshotRequest {
            url: arguments.text("url"),
            wait_ms: arguments.milliseconds("wait").unwrap_or(0),
            query: arguments.text("query"),
            interactive: arguments.flag("interactive"),
            view: self.settings.view,
            payload: self.settings.payload,
            notes: arguments
                .text("since")
                .map(|_| "since: nothing was compared, this is the whole view".to_owned())
                .into_iter()
                .collect(),
        };
        let taken = snapshot::run(self.session().await?, &request).await?;
        Ok(Delivered {
            meta: accounting(&taken),
            text: taken.text,
        })
    }

    async fn act(&mut self, call: &Call) -> Result<Delivered, Refusal> {
        let arguments = &call.arguments;
        let request = ActRequest {
            action: arguments.text("action").unwrap_or_default(),
            uid: arguments.text("uid"),
            text: arguments.text("text"),
            option: arguments.text("option"),
        };
        let (view, payload) = (self.settings.view, self.settings.payload);
        let session = self.session().await?;
        let acted = act::run(session, &request).await?;
        let mut meta = Map::new();
        meta.insert("settled".to_owned(), json!(acted.settled));
        let Some(query) = arguments.text("query") else {
            return Ok(Delivered { text: acted.text, meta });
        };
        let look = SnapshotRequest {
            query: Some(query),
            view,
            payload,
            ..SnapshotRequest::default()
        };
        // The act is done whatever becomes of the look at it.
        let view = match snapshot::run(session, &look).await {
            Ok(taken) => {
                meta.extend(accounting(&taken));
                taken.text
            }
            Err(error) => format!("no view: {}: {error}", error.code()),
        };
        Ok(Delivered {
            text: format!("{}\n{view}", acted.text),
            meta,
        })
    }

    async fn eval(&mut self, call: &Call) -> Result<Delivered, Refusal> {
        let expression = call.arguments.text("expression").unwrap_or_default();
        let evaluated = eval::run(self.session().await?, &expression).await?;
        let mut meta = Map::new();
        if !evaluated.notes.is_empty() {
            meta.insert("notes".to_owned(), json!(evaluated.notes));
        }
        Ok(Delivered {
            text: evaluated.text,
            meta,
        })
    }

    /// Needs no Chrome, and may take a while on another thread: an original has no limit.
    async fn recover(&mut self, call: &Call) -> Result<Delivered, Refusal> {
        let session = self.session().await?;
        let (store, scope) = (
            session.store().cloned().ok_or(ToolError::NoStore)?,
            session.scope().clone(),
        );
        let request = RecoverRequest {
            reference: call.arguments.text("recovery_handle").unwrap_or_default(),
            query: call.arguments.text("query"),
        };
        let recovered = tokio::task::spawn_blocking(move || recover::run(&store, &scope, &request)).await;
        let recovered =
            recovered.map_err(|error| Refusal::new(Code::Internal, format!("recovering stopped: {error}")))??;
        let mut meta = Map::new();
        meta.insert("bytes".to_owned(), json!(recovered.bytes.len()));
        if let Part::Records { shown, of } = recovered.part {
            meta.insert("records".to_owned(), json!(shown));
            meta.insert("of".to_owned(), json!(of));
        }
        match String::from_utf8(recovered.bytes) {
            Ok(text) => Ok(Delivered { text, meta }),
            // Chrome sends UTF-8; a lossy copy would not be the original.
            Err(_) => Err(Refusal::new(
                Code::Internal,
                "the original is not UTF-8 and cannot go into a result; `caveman-browse recover` gives its bytes",
            )),
        }
    }
}

impl Toolbox for SessionToolbox {
    async fn call(&mut self, call: &Call) -> Result<Delivered, Refusal> {
        match call.tool.id {
            ToolId::Snapshot => self.snapshot(call).await,
            ToolId::Act => self.act(call).await,
            ToolId::Eval => self.eval(call).await,
            ToolId::Recover => self.recover(call).await,
        }
    }

    async fn end(self) {
        if let Some(session) = self.session
            && let Err(error) = session.end().await
        {
            tracing::error!("{error}");
        }
    }
}

async fn open(settings: &Settings) -> Result<Session, ToolError> {
    let store = if settings.ephemeral {
        Store::in_memory(Options::default())
    } else {
        Store::open(&settings.database, Options::default())
    };
    Ok(Session::new(SessionOptions {
        chrome: chrome_source(settings).await?,
        env: settings.env.clone(),
        store: Some(Arc::new(store?)),
        scope: ScopeId::random(),
    }))
}

/// Where Chrome comes from; one that is attached to is asked for its address.
async fn chrome_source(settings: &Settings) -> Result<ChromeSource, ToolError> {
    Ok(match &settings.cdp {
        Some(endpoint) => ChromeSource::Attach {
            ws_url: attach::resolve(endpoint).await.map_err(SessionError::from)?,
            target_id: None,
            own_chrome: false,
        },
        None => ChromeSource::Launch {
            binary: None,
            profile: settings.user_data_dir.clone(),
            headful: settings.headful,
        },
    })
}

fn accounting(taken: &Snapshot) -> Map<String, serde_json::Value> {
    let counts = &taken.accounting;
    let mut meta = Map::new();
    meta.insert("before".to_owned(), json!(counts.before));
    meta.insert("view".to_owned(), json!(counts.view));
    meta.insert("after".to_owned(), json!(counts.after));
    meta.insert("ratio".to_owned(), json!(counts.ratio));
    meta.insert("basis".to_owned(), json!("inferred"));
    meta.insert("handle".to_owned(), json!(taken.stored.handle.to_string()));
    meta.insert("short".to_owned(), json!(taken.stored.short));
    meta.insert("url".to_owned(), json!(taken.url));
    if !taken.notes.is_empty() {
        meta.insert("notes".to_owned(), json!(taken.notes));
    }
    meta
}
