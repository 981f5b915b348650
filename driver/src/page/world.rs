//! Our scripts in a page: an isolated world of a frame, in which the built-ins are ours, and handles of its elements there.
//!
//! Must not know what the scripts are for.

use super::act_error::{ActError, Stale};
use super::error::PageError;
use super::tab::{Page, QUICK};
use crate::cdp::protocol::browser_protocol::dom::{BackendNodeId, DescribeNodeParams, ResolveNodeParams};
use crate::cdp::protocol::browser_protocol::page::CreateIsolatedWorldParams;
use crate::cdp::protocol::js_protocol::runtime::{
    CallArgument, CallFunctionOnParams, ExecutionContextId, ReleaseObjectGroupParams,
};
use crate::cdp::{CdpError, RawReply, Session};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The name of our world in each frame; Chrome gives the same world for the same name.
const WORLD: &str = "caveman-browse";
/// Worlds are counted: the handles of each are one group, let go as a whole when it ends, and none of a later one's with it.
static WORLDS: AtomicU64 = AtomicU64::new(0);

const SCRIPT: &str = concat!(
    "function (verb, argument) { 'use strict'; const verbs = {};\n",
    include_str!("script/dom.js"),
    include_str!("script/point.js"),
    include_str!("script/guard.js"),
    include_str!("script/field.js"),
    "return verbs[verb](this, argument); }"
);

/// An isolated world of one document. It ends with the document: every call after that says that the element is gone.
#[derive(Debug)]
pub(super) struct World<'p> {
    page: &'p Page,
    session: Session,
    context: ExecutionContextId,
    group: String,
}

/// A handle of an element in a world.
#[derive(Debug, Clone)]
pub(super) struct Handle(String);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Called<T> {
    result: Remote<T>,
    exception_details: Option<Exception>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remote<T> {
    #[serde(default = "Option::default")]
    value: Option<T>,
    object_id: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
struct Exception {
    text: String,
}

impl<'p> World<'p> {
    /// The world of a frame's present document.
    pub(super) async fn of_frame(page: &'p Page, session: &Session, frame_id: &str) -> Result<Self, ActError> {
        let mut create = CreateIsolatedWorldParams::new(frame_id.to_owned());
        create.world_name = Some(WORLD.to_owned());
        let made = page
            .guarded(session.call(create, QUICK))
            .await
            .map_err(gone_if_refused)?;
        let context = made.execution_context_id;
        Ok(Self {
            page,
            session: session.clone(),
            context,
            group: format!("{WORLD}-{}", WORLDS.fetch_add(1, Ordering::Relaxed)),
        })
    }

    /// The CDP session that the frame belongs to.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// A handle of the node, if it still exists in this document.
    pub(super) async fn resolve(&self, backend_node_id: i64) -> Result<Handle, ActError> {
        let resolve = ResolveNodeParams::builder()
            .backend_node_id(BackendNodeId::new(backend_node_id))
            .execution_context_id(self.context)
            .object_group(self.group.as_str())
            .build();
        let resolved = self
            .page
            .guarded(self.session.call(resolve, QUICK))
            .await
            .map_err(gone_if_refused)?;
        match resolved.object.object_id {
            Some(id) => Ok(Handle(id.into())),
            None => Err(ActError::Stale(Stale::Gone)),
        }
    }

    /// Runs a verb of the scripts on an element; its result by value.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        on: &Handle,
        verb: &'static str,
        argument: Value,
        deadline: Duration,
    ) -> Result<T, ActError> {
        let called: Called<T> = self
            .run(on, verb, argument, true, deadline)
            .await?
            .parse()
            .map_err(PageError::from)?;
        let problem = || ActError::Script {
            verb,
            problem: "no result".to_owned(),
        };
        failed(verb, &called)?;
        called.result.value.ok_or_else(problem)
    }

    /// Runs a verb that answers with an element; `None` for null.
    pub(super) async fn call_for_handle(
        &self,
        on: &Handle,
        verb: &'static str,
        argument: Value,
    ) -> Result<Option<Handle>, ActError> {
        let called: Called<Value> = self
            .run(on, verb, argument, false, QUICK)
            .await?
            .parse()
            .map_err(PageError::from)?;
        failed(verb, &called)?;
        Ok(called.result.object_id.map(Handle))
    }

    /// The backend node id of what a handle stands for.
    pub(super) async fn backend_node_id(&self, of: &Handle) -> Result<i64, ActError> {
        let describe = DescribeNodeParams::builder().object_id(of.0.clone()).depth(0).build();
        let described = self
            .page
            .guarded(self.session.call(describe, QUICK))
            .await
            .map_err(gone_if_refused)?;
        Ok(*described.node.backend_node_id.inner())
    }

    /// Lets the handles go. Not waited for: when it fails they go with the document.
    pub(super) fn release(&self) {
        let (session, group) = (self.session.clone(), self.group.clone());
        tokio::spawn(async move {
            let _ = session.call(ReleaseObjectGroupParams::new(group), QUICK).await;
        });
    }

    async fn run(
        &self,
        on: &Handle,
        verb: &str,
        argument: Value,
        by_value: bool,
        deadline: Duration,
    ) -> Result<RawReply, ActError> {
        let mut call = CallFunctionOnParams::new(SCRIPT);
        call.object_id = Some(on.0.clone().into());
        call.arguments = Some(vec![
            CallArgument::builder().value(json!(verb)).build(),
            CallArgument::builder().value(argument).build(),
        ]);
        call.return_by_value = Some(by_value);
        call.object_group = Some(self.group.clone());
        self.page
            .guarded(self.session.call_raw(call, deadline))
            .await
            .map_err(gone_if_refused)
    }
}

/// Chrome refuses a node, a handle or a world for one reason: its document or the node itself is no more. It has one code
/// (-32000) for all of them.
fn gone_if_refused(error: PageError) -> ActError {
    match error {
        PageError::Cdp(CdpError::Protocol { .. }) => ActError::Stale(Stale::Gone),
        other => ActError::Page(other),
    }
}

fn failed<T>(verb: &'static str, called: &Called<T>) -> Result<(), ActError> {
    match &called.exception_details {
        None => Ok(()),
        Some(exception) => {
            let problem = called.result.description.as_ref().unwrap_or(&exception.text);
            let problem = super::error::shown(problem, 200);
            Err(ActError::Script { verb, problem })
        }
    }
}
