//! What is left to do when we are killed without a chance to act: a shell in a session of its own holds the reading end of
//! a pipe whose writing end lives in us. When the pipe closes it kills Chrome's process group and removes the profile.
//!
//! A shell and not our own binary, since the library lives in other programs, too. Unix only.

#[cfg(unix)]
pub(super) use unix::Watchdog;

#[cfg(not(unix))]
pub(super) use elsewhere::Watchdog;

#[cfg(unix)]
mod unix {
    use std::io::Write;
    use std::path::Path;
    use std::process::{Child, ChildStdin, Command, Stdio};

    use super::super::process;

    /// `$1` is the temporary profile, or empty for one that stays. Lines on stdin: the number of Chrome's process group,
    /// then `end` when there is nothing left to do. The end of stdin without `end` means that we are dead.
    const SCRIPT: &str = r#"
trap '' HUP INT TERM QUIT PIPE
group=
while IFS= read -r line; do
    case $line in
        end) exit 0 ;;
        ''|0|1|*[!0-9]*) ;;
        *) group=$line ;;
    esac
done
[ -z "$group" ] || kill -9 "-$group" 2>/dev/null
[ -n "$1" ] || exit 0
# Whoever was just killed may still finish one write: look again until it stays away.
tries=0
away=0
while [ "$away" -lt 2 ] && [ "$tries" -lt 50 ]; do
    if [ -e "$1" ]; then
        away=0
        rm -rf -- "$1" 2>/dev/null
    else
        away=$((away + 1))
    fi
    tries=$((tries + 1))
    sleep 0.1 2>/dev/null || sleep 1
done
exit 0
"#;

    /// Dropped without [`Watchdog::dismiss`] it acts, as after our death.
    pub(in super::super) struct Watchdog {
        shell: Child,
        pipe: Option<ChildStdin>,
    }

    impl Watchdog {
        /// Starts it. A profile is given only if it is to be removed. Without a shell there is none: on Linux Chrome still
        /// dies with us, and the next launch sweeps the profile.
        pub(in super::super) fn start(temporary: Option<&Path>) -> Option<Watchdog> {
            let mut command = Command::new("/bin/sh");
            command
                .arg("-c")
                .arg(SCRIPT)
                .arg("caveman-browse-watchdog")
                .arg(temporary.unwrap_or(Path::new("")))
                .current_dir("/")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            process::own_session(&mut command);
            match command.spawn() {
                Ok(mut shell) => {
                    let pipe = shell.stdin.take();
                    Some(Watchdog { shell, pipe })
                }
                Err(error) => {
                    tracing::warn!(%error, "no /bin/sh: if this process is killed, its temporary profile stays until the next start");
                    None
                }
            }
        }

        /// Tells it which group to kill.
        pub(in super::super) fn guard(&mut self, group: u32) {
            self.say(&format!("{group}\n"));
        }

        /// All is ended and removed; it goes away without acting.
        pub(in super::super) fn dismiss(mut self) {
            self.say("end\n");
        }

        fn say(&mut self, line: &str) {
            if let Some(pipe) = &mut self.pipe {
                // It can only be gone if someone killed it; there is nobody to tell.
                let _ = pipe.write_all(line.as_bytes());
            }
        }
    }

    impl Drop for Watchdog {
        fn drop(&mut self) {
            self.pipe = None;
            let _ = self.shell.wait();
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::path::Path;

    /// There is none here.
    pub(in super::super) struct Watchdog;

    impl Watchdog {
        pub(in super::super) fn start(_temporary: Option<&Path>) -> Option<Watchdog> {
            None
        }

        pub(in super::super) fn guard(&mut self, _group: u32) {}

        pub(in super::super) fn dismiss(self) {}
    }
}

#[cfg(all(test, unix))]
#[path = "watchdog_tests.rs"]
mod tests;
