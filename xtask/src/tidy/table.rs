//! The tables that tidy checks against: the floors of the driver, and the files that may be long. ARCHITECTURE.md explains
//! them; this is where they are decided.

/// A top-level module of the driver.
pub(crate) struct Room {
    pub(crate) name: &'static str,
    /// Pure rooms name no runtime, socket, file, process or clock.
    pub(crate) pure: bool,
    /// The rooms it may import, and no others.
    pub(crate) may: &'static [&'static str],
}

const fn pure(name: &'static str, may: &'static [&'static str]) -> Room {
    Room { name, pure: true, may }
}

const fn room(name: &'static str, may: &'static [&'static str]) -> Room {
    Room { name, pure: false, may }
}

/// What a door may import: everything below it.
const DOORS: &[&str] = &[
    "ax", "tokens", "uid", "view", "render", "store", "cdp", "chrome", "page", "session", "settings", "tools",
];
/// The command line without a subcommand is the other door.
const DOORS_AND_MCP: &[&str] = &[
    "ax", "tokens", "uid", "view", "render", "store", "cdp", "chrome", "page", "session", "settings", "tools", "mcp",
];

/// The floors of `driver/src`, lowest first.
pub(crate) const FLOORS: &[Room] = &[
    pure("ax", &[]),
    pure("tokens", &[]),
    pure("uid", &["ax"]),
    pure("view", &["ax", "uid"]),
    pure("render", &["ax", "tokens", "uid", "view"]),
    room("store", &["ax", "tokens", "uid", "view", "render"]),
    room("cdp", &[]),
    room("chrome", &["cdp"]),
    room("settings", &["chrome", "render"]),
    room("page", &["ax", "tokens", "uid", "view", "render", "store", "cdp"]),
    room(
        "session",
        &[
            "ax", "tokens", "uid", "view", "render", "store", "cdp", "chrome", "page",
        ],
    ),
    room(
        "tools",
        &[
            "ax", "tokens", "uid", "view", "render", "store", "cdp", "chrome", "page", "session",
        ],
    ),
    room("mcp", DOORS),
    room("cli", DOORS_AND_MCP),
];

/// Files that are not rooms: they join the rooms and may name any.
pub(crate) const JOINTS: &[&str] = &["lib", "main"];

/// Crates that only some rooms may name. `chromiumoxide` is the generated protocol: above `cdp` it is `crate::cdp::protocol`.
pub(crate) const CRATES: &[(&str, &[&str])] = &[
    ("chromiumoxide", &["cdp", "chrome"]),
    ("tokio_tungstenite", &["cdp"]),
    ("rmcp", &["mcp"]),
    ("rusqlite", &["store"]),
    ("zstd", &["store"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
];

/// Crates that no pure room may name.
pub(crate) const IMPURE_CRATES: &[&str] = &[
    "tokio",
    "tokio_tungstenite",
    "futures_util",
    "rusqlite",
    "rustix",
    "tempfile",
    "tracing",
    "tracing_subscriber",
];

/// Parts of the standard library that no pure room may name: each reaches out of the process or tells the time.
pub(crate) const IMPURE_STD: &[&[&str]] = &[
    &["fs"],
    &["net"],
    &["io"],
    &["env"],
    &["process"],
    &["thread"],
    &["os"],
    &["time", "Instant"],
    &["time", "SystemTime"],
    &["time", "UNIX_EPOCH"],
];

/// Files longer than `words::LONG` lines, each with the reason why it tells one story all the same.
pub(crate) const LONG_FILES: &[(&str, &str)] = &[
    ("driver/src/ax/tests.rs", "one small tree a claim about curation"),
    (
        "driver/src/chrome/find_tests.rs",
        "a walk over fake machines, one claim for each place a Chrome can lie in",
    ),
    (
        "driver/src/page/watch.rs",
        "one reducer: each event and the readiness rule read the same state",
    ),
];
