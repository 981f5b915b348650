//! The commands that work on the shared page: arguments to a tool's request, its answer to text.
//!
//! Must not know where the Chrome comes from.

use super::args::{ActArgs, EvalArgs, RecoverArgs, SnapshotArgs};
use super::run::{Answer, Failure};
use super::shared::{self, Shared};
use crate::chrome::shutdown_signal;
use crate::session::Session;
use crate::settings::Settings;
use crate::tools::act::{self, ActRequest};
use crate::tools::recover::{self, RecoverRequest};
use crate::tools::snapshot::{self, Snapshot, SnapshotRequest};
use crate::tools::{ToolError, eval};

/// Runs a tool on the shared page, with what the way there has to say; only with `start` is a Chrome started where none runs.
/// When it succeeds the state is written; when it fails, or is interrupted, nothing is written, and a Chrome that this very command started is ended (contract, rule 33).
async fn on_page<T>(
    settings: &Settings,
    start: bool,
    tool: impl AsyncFnOnce(&mut Session, &[String]) -> Result<T, ToolError>,
) -> Result<(T, Vec<String>), Failure> {
    let mut shared = Shared::open(settings, start).await?;
    let done = tokio::select! {
        done = tool(&mut shared.session, &shared.notes) => done.map_err(Failure::from),
        signal = shutdown_signal() => Err(Failure::interrupted(signal)),
    };
    let notes = std::mem::take(&mut shared.notes);
    match done {
        Ok(done) => shared.keep().map(|()| (done, notes)),
        Err(failure) => {
            shared.abandon().await;
            Err(failure)
        }
    }
}

pub(super) async fn snapshot(settings: &Settings, args: &SnapshotArgs) -> Answer {
    let mut request = SnapshotRequest {
        url: args.url.clone(),
        wait_ms: args.wait,
        query: args
            .focus
            .clone()
            .or_else(|| (!args.query.is_empty()).then(|| args.query.join(" "))),
        interactive: args.interactive,
        view: args.view.unwrap_or(settings.view),
        payload: args.payload.unwrap_or(settings.payload),
        notes: Vec::new(),
    };
    // A wrong argument must not cost a Chrome.
    snapshot::check(&request).map_err(Failure::from)?;
    let taken = on_page(settings, true, async |session, notes| {
        request.notes = notes.to_vec();
        snapshot::run(session, &request).await
    });
    // The notes are in its text.
    let (taken, _) = taken.await?;
    Ok(if args.json { as_json(&taken) } else { taken.text })
}

pub(super) async fn act(settings: &Settings, args: &ActArgs) -> Answer {
    let text = (!args.text.is_empty()).then(|| args.text.join(" "));
    let request = ActRequest {
        action: args.action.clone(),
        uid: (args.uid != "-").then(|| args.uid.clone()),
        text,
        ..ActRequest::default()
    };
    let (acted, notes) = on_page(settings, false, async |session, _| act::run(session, &request).await).await?;
    say(&notes);
    Ok(acted.text)
}

pub(super) async fn eval(settings: &Settings, args: &EvalArgs) -> Answer {
    let expression = args.expression.join(" ");
    let (evaluated, notes) = on_page(settings, false, async |session, _| {
        eval::run(session, &expression).await
    })
    .await?;
    say(&notes);
    Ok(evaluated.text)
}

/// Needs no Chrome: the original is in the store, and short handles resolve in the home's state.
pub(super) async fn recover(settings: &Settings, args: &RecoverArgs) -> Result<Vec<u8>, Failure> {
    let scope = shared::scope(settings).await?;
    let store = shared::open_store(settings)?;
    let request = RecoverRequest {
        reference: args.handle.clone(),
        query: (!args.query.is_empty()).then(|| args.query.join(" ")),
    };
    Ok(recover::run(&store, &scope, &request)?.bytes)
}

/// For whoever reads the answer as JSON, what is no part of it goes to standard error.
fn say(notes: &[String]) {
    for note in notes {
        eprintln!("note: {note}");
    }
}

fn as_json(taken: &Snapshot) -> String {
    let accounting = &taken.accounting;
    serde_json::json!({
        "text": taken.text,
        "url": taken.url,
        "handle": taken.stored.handle.to_string(),
        "short": taken.stored.short,
        "before": accounting.before,
        "view": accounting.view,
        "after": accounting.after,
        "ratio": accounting.ratio,
        "basis": "inferred",
        "notes": taken.notes,
        "ms": {
            "arrive": taken.timing.arrive.as_secs_f64() * 1e3,
            "round_trip": taken.timing.round_trip.as_secs_f64() * 1e3,
            "snapshot": taken.timing.snapshot.as_secs_f64() * 1e3,
        },
    })
    .to_string()
}
