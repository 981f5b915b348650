//! A client that speaks to the real binary as raw as it can: lines in, lines out.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Nothing here takes as long on any machine; a test that waits so long has found silence.
const SILENCE: Duration = Duration::from_secs(60);

/// A server and its client's end of the streams.
pub(crate) struct Server {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    home: tempfile::TempDir,
    next_id: u64,
}

/// The command that starts a server whose home, store and temporary files are all in `home`.
pub(crate) fn command(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_caveman-browse"));
    for (name, _) in std::env::vars_os() {
        // Where Chrome is found is the machine's; the rest is ours.
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CAVEMAN_") && name != "CAVEMAN_BROWSE_CHROME" {
            command.env_remove(name);
        }
    }
    command
        .env("CAVEMAN_HOME", home)
        .env("TMPDIR", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

impl Server {
    /// A server that finds no Chrome: a call that gets through starts none.
    pub(crate) fn without_chrome() -> Server {
        let home = tempfile::tempdir().unwrap();
        let mut command = command(home.path());
        command.env("CAVEMAN_BROWSE_CHROME", home.path().join("none"));
        Server::spawn(&mut command, home)
    }

    /// A server that may start a Chrome.
    pub(crate) fn with_chrome() -> Server {
        let home = tempfile::tempdir().unwrap();
        let mut command = command(home.path());
        let mut server = Server::spawn(&mut command, home);
        server.initialize("2025-06-18");
        server
    }

    pub(crate) fn spawn(command: &mut Command, home: tempfile::TempDir) -> Server {
        let mut process = command.spawn().unwrap();
        let (to, lines) = channel();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                if output.read_until(b'\n', &mut line).unwrap() == 0 || to.send(line).is_err() {
                    return;
                }
            }
        });
        let input = process.stdin.take();
        Server {
            process,
            input,
            lines,
            home,
            next_id: 1,
        }
    }

    /// A server that finds no Chrome, and what it answers to `initialize`.
    pub(crate) fn initialized(version: &str) -> (Server, Value) {
        let mut server = Server::without_chrome();
        let result = server.initialize(version);
        (server, result)
    }

    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let answer = self.ask(&initialize("init", version));
        self.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        answer["result"].clone()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Where everything lies that the server and its Chrome write.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// The next message; each line of the output must be one.
    pub(crate) fn read(&mut self) -> Value {
        let line = self.lines.recv_timeout(SILENCE).expect("silence");
        let message: Value =
            serde_json::from_slice(&line).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&line)));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.read()
    }

    /// Sends a call and gives its id.
    pub(crate) fn begin(&mut self, name: &str, arguments: &Value) -> u64 {
        self.next_id += 1;
        let params = json!({"name": name, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": "tools/call", "params": params}));
        self.next_id
    }

    /// The result of a call.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let id = self.begin(name, arguments);
        let answer = self.read();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    /// The text of a call that must work.
    pub(crate) fn text(&mut self, name: &str, arguments: &Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], false, "{result}");
        text(&result)
    }

    /// The text of a call that must be refused.
    pub(crate) fn refusal(&mut self, name: &str, arguments: &Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text(&result)
    }

    /// What comes until the answer to a ping with an id of its own.
    pub(crate) fn read_until_ping(&mut self, id: &str) -> Vec<Value> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        let mut before = Vec::new();
        loop {
            let message = self.read();
            if message["id"] == *id {
                assert!(message.get("result").is_some(), "{message}");
                return before;
            }
            before.push(message);
        }
    }

    /// Closes the input; the server must end by itself.
    pub(crate) fn close_input(&mut self) {
        drop(self.input.take());
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }

    /// Closes the input; the server must end by itself, well, without a word on standard error and without a trace.
    pub(crate) fn close(mut self) {
        self.close_input();
        let status = self.wait();
        assert!(status.success(), "{status}");
        let mut words = String::new();
        self.process
            .stderr
            .as_mut()
            .unwrap()
            .read_to_string(&mut words)
            .unwrap();
        assert_eq!(words, "");
        let traces = std::fs::read_dir(self.home.path()).unwrap().count();
        assert_eq!(traces, 0, "it touched its home without need");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The first message of a session.
pub(crate) fn initialize(id: &str, version: &str) -> Value {
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params})
}

fn text(result: &Value) -> String {
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{result}"))
        .to_owned()
}

/// Whether a test that needs a Chrome can run; where one is required, it must.
pub(crate) fn chrome_is_there() -> bool {
    let found = caveman_browse::chrome::find(&caveman_browse::chrome::Env::system());
    match found {
        Ok(_) => true,
        Err(error) if std::env::var_os("CAVEMAN_REQUIRE_CHROME").is_some() => panic!("{error}"),
        Err(_) => {
            eprintln!("skipped: no Chrome");
            false
        }
    }
}
