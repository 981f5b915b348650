//! One snapshot with a Chrome of its own, ended afterwards whatever happens.

use super::args::{PayloadArg, SnapshotArgs};
use super::run::{Answer, Failure};
use crate::chrome::shutdown_signal;
use crate::render::PayloadKind;
use crate::session::{ChromeSource, Session, SessionOptions};
use crate::settings::Settings;
use crate::store::{Options, ScopeId, Store};
use crate::tools::ToolError;
use crate::tools::snapshot::{self, Snapshot, SnapshotRequest};
use std::sync::Arc;

pub(super) async fn snapshot(settings: &Settings, args: &SnapshotArgs) -> Answer {
    let request = SnapshotRequest {
        url: Some(args.url.clone()),
        wait_ms: args.wait,
        query: (!args.query.is_empty()).then(|| args.query.join(" ")),
        interactive: args.interactive,
        payload: match args.payload {
            PayloadArg::Text => PayloadKind::Text,
            PayloadArg::Json => PayloadKind::Json,
        },
    };
    let store = if settings.ephemeral {
        Store::in_memory(Options::default())
    } else {
        Store::open(&settings.database, Options::default())
    };
    let store = store.map_err(ToolError::from)?;
    let mut session = Session::new(SessionOptions {
        chrome: ChromeSource::Launch {
            binary: None,
            profile: settings.user_data_dir.clone(),
            headful: settings.headful,
        },
        env: settings.env.clone(),
        store: Some(Arc::new(store)),
        scope: ScopeId::random(),
    });
    let taken = tokio::select! {
        taken = snapshot::run(&mut session, &request) => taken.map_err(Failure::from),
        _ = shutdown_signal() => Err(Failure::Interrupted),
    };
    let ended = session.end().await;
    let taken = taken?;
    ended.map_err(ToolError::from)?;
    for note in &taken.notes {
        tracing::info!("{note}");
    }
    Ok(if args.json { as_json(&taken) } else { taken.text })
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
