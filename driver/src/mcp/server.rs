//! The SDK's handler: the catalog, and calls as tasks on the one session, so that a long call holds up no ping. A call
//! that panics, is cancelled or outlives the server is answered or ended here, and the session stays usable.
//!
//! Must not know what a tool does: that is behind [`Toolbox`].

use super::arguments::{Arguments, quote};
use crate::tools::Code;
use crate::tools::catalog::{self, CATALOG, ToolId, ToolSpec};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult, MetaObject,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};

/// The largest text of a result, in bytes as JSON; only a recovered original may be larger (contract, rule 28).
pub(super) const RESULT_LIMIT: usize = 16 * 1024 * 1024;

/// A call whose tool exists and whose arguments are checked.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The tool.
    pub(crate) tool: &'static ToolSpec,
    /// Its arguments.
    pub(crate) arguments: Arguments,
}

/// What a tool delivers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Delivered {
    /// The exact text for the reader.
    pub(crate) text: String,
    /// What a program may want to know besides.
    pub(crate) meta: Map<String, Value>,
}

/// Why there is nothing to deliver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {text}")]
pub(crate) struct Refusal {
    /// The stable code.
    pub(crate) code: Code,
    /// The thing and the next step.
    pub(crate) text: String,
}

impl Refusal {
    pub(crate) fn new(code: Code, text: impl Into<String>) -> Self {
        Self {
            code,
            text: text.into(),
        }
    }
}

/// What carries out calls, one at a time.
pub(crate) trait Toolbox: Send + 'static {
    /// Carries out one call. Dropping the future ends the call; the toolbox must stay usable.
    fn call(&mut self, call: &Call) -> impl Future<Output = Result<Delivered, Refusal>> + Send;

    /// Ends what was started: Chrome and its profile.
    fn end(self) -> impl Future<Output = ()> + Send;
}

/// The toolbox, until it is taken away to be ended.
pub(super) type Shared<T> = Arc<Mutex<Option<T>>>;

/// The SDK's handler.
pub(super) struct Server<T> {
    toolbox: Shared<T>,
    /// Turns true when the server ends.
    ending: watch::Receiver<bool>,
    /// Called once the client is ready.
    warm_up: fn(),
    /// How long an act that was cancelled may go on.
    act_grace: Duration,
}

impl<T: Toolbox> Server<T> {
    pub(super) fn new(toolbox: Shared<T>, ending: watch::Receiver<bool>, warm_up: fn(), act_grace: Duration) -> Self {
        Self {
            toolbox,
            ending,
            warm_up,
            act_grace,
        }
    }

    /// Carries out a call in a task of its own. Dropping the returned future cancels the call.
    async fn carry_out(&self, call: Call) -> Result<Delivered, Refusal> {
        let (alive, cancelled) = watch::channel(());
        let grace = if call.tool.id == ToolId::Act {
            self.act_grace
        } else {
            Duration::ZERO
        };
        let task = tokio::spawn(attempt(
            Arc::clone(&self.toolbox),
            call,
            grace,
            cancelled,
            self.ending.clone(),
        ));
        let answer = task.await;
        drop(alive);
        answer.unwrap_or_else(|error| {
            let text = if error.is_panic() {
                "the tool stopped at a fault of its own"
            } else {
                "the tool was stopped"
            };
            Err(Refusal::new(
                Code::Internal,
                format!("{text}; the session goes on, take a new snapshot"),
            ))
        })
    }
}

/// One call, from the wait for its turn to its end.
async fn attempt<T: Toolbox>(
    toolbox: Shared<T>,
    call: Call,
    grace: Duration,
    cancelled: watch::Receiver<()>,
    ending: watch::Receiver<bool>,
) -> Result<Delivered, Refusal> {
    let mut turn = tokio::select! {
        biased;
        () = is_over(ending.clone()) => return Err(over()),
        () = is_gone(cancelled.clone()) => return Err(taken_back()),
        turn = toolbox.lock() => turn,
    };
    let Some(tools) = turn.as_mut() else { return Err(over()) };
    let cut_off = async {
        is_gone(cancelled).await;
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        biased;
        () = is_over(ending) => Err(over()),
        answer = tools.call(&call) => answer,
        () = cut_off => Err(taken_back()),
    }
}

/// Waits until the server ends.
async fn is_over(mut ending: watch::Receiver<bool>) {
    let _ = ending.wait_for(|ending| *ending).await;
}

/// Waits until whoever asked is gone.
async fn is_gone(mut cancelled: watch::Receiver<()>) {
    while cancelled.changed().await.is_ok() {}
}

fn over() -> Refusal {
    Refusal::new(Code::BrowserUnavailable, "the server is ending; start it again")
}

/// Nobody reads this: a cancelled request gets no answer.
fn taken_back() -> Refusal {
    Refusal::new(Code::Timeout, "the call was cancelled")
}

/// The tool of that name with its arguments, or why not. An unknown tool is a result that the model can read, as a
/// refused argument is, not a protocol error that a client may hide from it.
fn checked(request: CallToolRequestParams) -> Result<Call, Refusal> {
    let Some(tool) = catalog::find(&request.name) else {
        let known = CATALOG.map(|spec| spec.name).join(", ");
        let text = format!("no tool {}; there are {known}", quote(&request.name));
        return Err(Refusal::new(Code::UnknownTool, text));
    };
    let arguments = Arguments::check(tool, request.arguments.unwrap_or_default());
    let arguments = arguments.map_err(|error| Refusal::new(error.code(), error.to_string()))?;
    Ok(Call { tool, arguments })
}

/// A result that a client can take: not over the limit.
fn limited(tool: &ToolSpec, delivered: Delivered) -> Result<Delivered, Refusal> {
    if tool.id == ToolId::Recover {
        return Ok(delivered);
    }
    let bytes = length_as_json(&delivered.text);
    if bytes > RESULT_LIMIT {
        let text = format!("the result has {bytes} bytes, the limit is {RESULT_LIMIT}; ask for less");
        return Err(Refusal::new(Code::PayloadTooLarge, text));
    }
    Ok(delivered)
}

/// How many bytes a text takes as a JSON string, without its quotes.
fn length_as_json(text: &str) -> usize {
    text.bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
            0..0x20 => 6,
            _ => 1,
        })
        .sum()
}

fn result_of(answer: Result<Delivered, Refusal>) -> CallToolResult {
    match answer {
        Ok(delivered) => {
            let result = CallToolResult::success(vec![ContentBlock::text(delivered.text)]);
            if delivered.meta.is_empty() {
                result
            } else {
                result.with_meta(Some(MetaObject(delivered.meta)))
            }
        }
        Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.to_string())]),
    }
}

impl<T: Toolbox> ServerHandler for Server<T> {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = CATALOG
            .iter()
            .map(|spec| Tool::new(spec.name, spec.description, Arc::new(spec.input_schema())));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = match checked(request) {
            Ok(call) => {
                let tool = call.tool;
                tokio::select! {
                    biased;
                    answer = self.carry_out(call) => answer.and_then(|delivered| limited(tool, delivered)),
                    () = context.ct.cancelled() => Err(taken_back()),
                }
            }
            Err(refusal) => Err(refusal),
        };
        Ok(CallToolResponse::from(result_of(answer)))
    }

    async fn on_initialized(&self, _context: NotificationContext<RoleServer>) {
        (self.warm_up)();
    }
}
