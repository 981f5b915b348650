//! What was found, which versions, a live launch, and what to do.

use super::args::DoctorArgs;
use super::run::Answer;
use crate::chrome::{self, LaunchOptions};
use crate::session::SessionError;
use crate::settings::Settings;
use crate::tools::ToolError;
use std::time::Instant;

pub(super) async fn run(settings: &Settings, args: &DoctorArgs) -> Answer {
    let found = chrome::find(&settings.env).map_err(|e| ToolError::Session(SessionError::Chrome(e)))?;
    let path = found.path.display().to_string();
    let by = found.by.to_string();
    if args.find {
        return Ok(if args.json {
            serde_json::json!({ "path": path, "by": by }).to_string()
        } else {
            path
        });
    }
    let mut options = LaunchOptions::new(found.path.clone());
    options.headful = settings.headful;
    let began = Instant::now();
    let chrome = chrome::launch(options)
        .await
        .map_err(|e| ToolError::Session(SessionError::Chrome(e)))?;
    let launched = began.elapsed();
    let version = chrome::attach::product(chrome.ws_url()).await;
    chrome
        .end()
        .await
        .map_err(|e| ToolError::Session(SessionError::Chrome(e)))?;
    let version = version.map_err(|e| ToolError::Session(SessionError::Chrome(e)))?;
    let looked: Vec<String> = found
        .looked_at
        .iter()
        .map(|looked| format!("{} ({})", looked.place, looked.sight))
        .collect();
    if args.json {
        return Ok(serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"),
            "chrome": { "path": path, "by": by, "version": version, "launch_ms": launched.as_secs_f64() * 1e3 },
            "looked_at": looked,
            "home": settings.home.display().to_string(),
            "database": settings.database.display().to_string(),
            "ephemeral": settings.ephemeral,
        })
        .to_string());
    }
    let mut lines = vec![
        format!("caveman-browse {}", env!("CARGO_PKG_VERSION")),
        format!("chrome    {path}"),
        format!("found by  {by}"),
        format!("version   {version}"),
        format!("launch    ok, {} ms", launched.as_millis()),
        format!("home      {}", settings.home.display()),
        format!(
            "store     {}",
            if settings.ephemeral {
                "in memory".to_owned()
            } else {
                settings.database.display().to_string()
            }
        ),
    ];
    lines.extend(looked.iter().map(|line| format!("looked at {line}")));
    Ok(lines.join("\n"))
}
