//! The command line of Chrome. Each flag is here for a reason; site isolation is left as Chrome has it (contract rule 25)
//! and `--remote-allow-origins` is never passed (rule 32).

use std::ffi::OsString;
use std::path::Path;

/// Quiet: with these no outside request and no outside name look-up was seen in a net log of the first 18 s; without the
/// last two, Chrome still asked for the account list and for updates.
const QUIET: [&str; 18] = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-default-apps",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--metrics-recording-only",
    "--no-pings",
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--disable-features=OptimizationHints,MediaRouter,Translate,InterestFeedContentSuggestions,\
     AutofillServerCommunication,CertificateTransparencyComponentUpdater,NetworkTimeServiceQuerying,\
     DialMediaRouteProvider",
    "--gaia-url=http://127.0.0.1:9/",
    "--component-updater=url-source=http://127.0.0.1:9/",
    "--no-default-browser-check",
    "--disable-breakpad",
    "--disable-crash-reporter",
];

/// A page behaves the same whether its window is seen or not; no system keyring is asked for a password.
const STEADY: [&str; 5] = [
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// The window, in CSS pixels.
const WINDOW: &str = "--window-size=1280,720";

/// A /dev/shm below this is too small for a large page's shared memory; containers often have 64 MiB.
#[cfg(target_os = "linux")]
const SHARED_MEMORY_BYTES: u64 = 256 << 20;

/// Every argument, in order.
pub(super) fn arguments(profile: &Path, port: u16, headful: bool) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = QUIET.iter().chain(&STEADY).map(OsString::from).collect();
    let mut user_data = OsString::from("--user-data-dir=");
    user_data.push(profile);
    arguments.push(user_data);
    arguments.push(format!("--remote-debugging-port={port}").into());
    arguments.push(WINDOW.into());
    if !headful {
        arguments.push("--headless=new".into());
    }
    if super::process::is_root() {
        // As root Chrome refuses to start with its sandbox; for anyone else the sandbox stays.
        arguments.push("--no-sandbox".into());
    }
    if shared_memory_is_small() {
        arguments.push("--disable-dev-shm-usage".into());
    }
    arguments.push("about:blank".into());
    arguments
}

#[cfg(target_os = "linux")]
fn shared_memory_is_small() -> bool {
    rustix::fs::statvfs("/dev/shm").map_or(true, |shm| {
        shm.f_frsize.saturating_mul(shm.f_blocks) < SHARED_MEMORY_BYTES
    })
}

#[cfg(not(target_os = "linux"))]
fn shared_memory_is_small() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(headful: bool) -> Vec<String> {
        let arguments = arguments(Path::new("/p"), 0, headful);
        arguments
            .into_iter()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn no_flag_weakens_isolation_or_opens_the_port_to_pages() {
        for argument in all(false) {
            let forbidden = [
                "remote-allow-origins",
                "site-per-process",
                "IsolateOrigins",
                "disable-web-security",
            ];
            assert!(!forbidden.iter().any(|word| argument.contains(word)), "{argument}");
        }
    }

    #[test]
    fn the_sandbox_is_off_for_root_only() {
        assert_eq!(
            all(false).contains(&"--no-sandbox".to_owned()),
            super::super::process::is_root()
        );
    }

    #[test]
    fn a_window_is_shown_only_when_asked_for() {
        assert!(all(false).contains(&"--headless=new".to_owned()));
        assert!(!all(true).iter().any(|argument| argument.starts_with("--headless")));
    }

    #[test]
    fn every_feature_list_is_one_flag() {
        // Chrome takes the last --disable-features and forgets the others.
        assert_eq!(
            all(false)
                .iter()
                .filter(|argument| argument.starts_with("--disable-features"))
                .count(),
            1
        );
        assert!(!all(false).iter().any(|argument| argument.contains(", ")));
    }
}
