//! Running other programs: streamed and read at once, or bounded in time. Knows nothing of what they are for.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::error::XtaskError;

/// How long a program may take.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// In all.
    pub(crate) total: Duration,
    /// Without a byte of output.
    pub(crate) silent: Duration,
}

/// The name a command has in messages: program and arguments.
pub(crate) fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

/// Runs `command`, passes its standard output on line by line and gives each line to `look`. Standard error is ours.
pub(crate) fn stream(mut command: Command, mut look: impl FnMut(&str)) -> Result<ExitStatus, XtaskError> {
    let program = shown(&command);
    let start = |source| XtaskError::Start {
        program: program.clone(),
        source,
    };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(start)?;
    if let Some(output) = child.stdout.take() {
        let mut reader = BufReader::new(output);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            // A reader that went away (a closed pipe) is no reason to stop counting.
            let _ = std::io::stdout().write_all(&line);
            look(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
    }
    child.wait().map_err(start)
}

/// As [`bounded`], without showing the output.
pub(crate) fn captured(command: Command, bounds: Bounds) -> Result<(ExitStatus, String), XtaskError> {
    bounded(command, bounds, |_| false)
}

/// Runs `command` within `bounds`; its output is returned, and the lines that `show` picks are passed on to standard error
/// as they come. Past a bound the whole process group is killed. A status other than success is returned, not an error.
pub(crate) fn bounded(
    mut command: Command,
    bounds: Bounds,
    show: fn(&str) -> bool,
) -> Result<(ExitStatus, String), XtaskError> {
    let program = shown(&command);
    let start = |source| XtaskError::Start {
        program: program.clone(),
        source,
    };
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A group of its own, so that the children it leaves behind can be ended with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(start)?;
    let (sender, receiver) = channel::<Vec<u8>>();
    let pipes: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
        child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
    ];
    for mut pipe in pipes.into_iter().flatten() {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(read @ 1..) = pipe.read(&mut chunk) {
                if sender.send(chunk[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
    }
    drop(sender);

    let began = Instant::now();
    let mut heard = Instant::now();
    let mut output = Vec::new();
    let mut shown_to = 0;
    loop {
        let left = bounds
            .total
            .saturating_sub(began.elapsed())
            .min(bounds.silent.saturating_sub(heard.elapsed()));
        match receiver.recv_timeout(left) {
            Ok(chunk) => {
                heard = Instant::now();
                output.extend_from_slice(&chunk);
                pass_on(&output, &mut shown_to, show);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                kill(&mut child);
                let _ = child.wait();
                let why = if began.elapsed() >= bounds.total {
                    "it took too long"
                } else {
                    "it said nothing more"
                };
                return Err(XtaskError::TooSlow {
                    program,
                    seconds: began.elapsed().as_secs(),
                    why,
                });
            }
        }
    }
    // Both pipes are closed; a child that lingers without them still has its bound.
    let status = loop {
        if let Some(status) = child.try_wait().map_err(start)? {
            break status;
        }
        if began.elapsed() >= bounds.total {
            kill(&mut child);
            break child.wait().map_err(start)?;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    Ok((status, String::from_utf8_lossy(&output).into_owned()))
}

/// Shows the whole lines of `output` from `from` on that `show` picks.
fn pass_on(output: &[u8], from: &mut usize, show: fn(&str) -> bool) {
    while let Some(length) = output[*from..].iter().position(|&byte| byte == b'\n' || byte == b'\r') {
        let line = String::from_utf8_lossy(&output[*from..*from + length]);
        if !line.trim().is_empty() && show(&line) {
            eprintln!("  {}", line.trim_end());
        }
        *from += length + 1;
    }
}

fn kill(child: &mut std::process::Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // The group is ours: it was made at spawn. It may be gone already.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    #[cfg(unix)]
    fn a_silent_program_is_ended_with_its_children() {
        let bounds = Bounds {
            total: Duration::from_secs(20),
            silent: Duration::from_millis(200),
        };
        let began = Instant::now();
        let error = captured(shell("sleep 30 & sleep 30"), bounds).unwrap_err();
        assert!(
            matches!(
                error,
                XtaskError::TooSlow {
                    why: "it said nothing more",
                    ..
                }
            ),
            "{error}"
        );
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    #[test]
    #[cfg(unix)]
    fn a_talkative_program_is_ended_at_the_total() {
        let bounds = Bounds {
            total: Duration::from_millis(300),
            silent: Duration::from_secs(5),
        };
        let error = captured(shell("while :; do echo x; sleep 0.05; done"), bounds).unwrap_err();
        assert!(
            matches!(
                error,
                XtaskError::TooSlow {
                    why: "it took too long",
                    ..
                }
            ),
            "{error}"
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_failing_program_gives_its_status_and_output() {
        let bounds = Bounds {
            total: Duration::from_secs(5),
            silent: Duration::from_secs(5),
        };
        let (status, output) = captured(shell("echo out; echo err >&2; exit 3"), bounds).unwrap();
        assert_eq!(status.code(), Some(3));
        assert!(output.contains("out") && output.contains("err"), "{output}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = stream(Command::new("no-such-program-here"), |_| {}).unwrap_err();
        assert!(error.to_string().contains("no-such-program-here"), "{error}");
    }
}
