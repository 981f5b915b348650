//! The few system calls about processes, one place for each platform. Unix is tested on Linux; elsewhere only the main
//! process can be ended, by the standard library.

#[cfg(unix)]
pub(super) use unix::{
    end_group, group_is_gone, is_root, own_session, process_is_gone, tie_to_this_thread, wait_without_reaping,
};

#[cfg(not(unix))]
pub(super) use elsewhere::{
    end_group, group_is_gone, is_root, own_session, process_is_gone, tie_to_this_thread, wait_without_reaping,
};

/// How to end a process group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// SIGTERM: Chrome writes its profile and exits.
    Politely,
    /// SIGKILL.
    AtOnce,
}

#[cfg(unix)]
mod unix {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

    use super::How;

    pub(in super::super) fn is_root() -> bool {
        rustix::process::geteuid().is_root()
    }

    fn pid_of(pid: u32) -> Option<Pid> {
        // Never 0 or 1: as a group those would be our own group or everyone.
        i32::try_from(pid).ok().filter(|&pid| pid > 1).and_then(Pid::from_raw)
    }

    /// Ends the tree below a group's leader. That it is gone already is no error.
    pub(in super::super) fn end_group(leader: u32, how: How) {
        if let Some(leader) = pid_of(leader) {
            let _ = match how {
                // Chrome ends its children itself; told one by one they would only look crashed.
                How::Politely => rustix::process::kill_process(leader, Signal::TERM),
                How::AtOnce => rustix::process::kill_process_group(leader, Signal::KILL),
            };
        }
    }

    /// Whether no member of a group runs any more. Who only waits to be reaped counts as gone.
    pub(in super::super) fn group_is_gone(group: u32) -> bool {
        pid_of(group).is_none_or(|pid| rustix::process::test_kill_process_group(pid) == Err(rustix::io::Errno::SRCH))
            || only_zombies(group)
    }

    /// `/proc` tells; where there is none, nobody is known to be a zombie.
    fn only_zombies(group: u32) -> bool {
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return false;
        };
        let mut members = 0;
        for entry in entries.flatten() {
            let Some(stat) = std::fs::read_to_string(entry.path().join("stat")).ok() else {
                continue;
            };
            // pid (name) state parent group …; the name may hold anything.
            let Some((_, after_name)) = stat.rsplit_once(')') else {
                continue;
            };
            let mut fields = after_name.split_ascii_whitespace();
            let (state, of) = (fields.next(), fields.nth(1).and_then(|field| field.parse::<u32>().ok()));
            if of == Some(group) {
                if state != Some("Z") {
                    return false;
                }
                members += 1;
            }
        }
        members > 0
    }

    pub(in super::super) fn process_is_gone(pid: u32) -> bool {
        pid_of(pid).is_none_or(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
    }

    /// Waits until a child has ended and leaves it a zombie, so that its pid, and with it its group's number, cannot be
    /// given to anyone else yet.
    pub(in super::super) fn wait_without_reaping(child: &mut Child) {
        let Some(pid) = pid_of(child.id()) else { return };
        while let Err(rustix::io::Errno::INTR) =
            rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {}
    }

    /// The child gets a process group of its own, so that the whole tree can be ended and a terminal's Ctrl-C passes it by;
    /// on Linux it is also killed when the *thread* that spawns it ends.
    pub(in super::super) fn tie_to_this_thread(command: &mut Command) {
        command.process_group(0);
        #[cfg(target_os = "linux")]
        {
            let us = rustix::process::getpid();
            let tie = move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
                // Ours may have ended before the call above.
                if rustix::process::getppid() != Some(us) {
                    return Err(std::io::Error::from_raw_os_error(
                        rustix::io::Errno::SRCH.raw_os_error(),
                    ));
                }
                Ok(())
            };
            // SAFETY: between fork and exec the closure only makes two system calls; it allocates nothing and takes no lock.
            #[allow(unsafe_code)]
            unsafe {
                command.pre_exec(tie);
            }
        }
    }

    /// The child gets a session of its own: no terminal's hangup and no signal to our group reaches it.
    pub(in super::super) fn own_session(command: &mut Command) {
        // SAFETY: between fork and exec the closure only makes one system call; it allocates nothing and takes no lock.
        #[allow(unsafe_code)]
        unsafe {
            command.pre_exec(|| {
                rustix::process::setsid()?;
                Ok(())
            });
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::process::{Child, Command, Stdio};

    use super::How;

    pub(in super::super) fn is_root() -> bool {
        false
    }

    /// Ends a process and those below it.
    pub(in super::super) fn end_group(pid: u32, _how: How) {
        let _ = Command::new("taskkill")
            .args(["/T", "/F", "/PID", &pid.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }

    pub(in super::super) fn group_is_gone(_pid: u32) -> bool {
        true
    }

    /// Unknown here: nothing is ever taken for abandoned.
    pub(in super::super) fn process_is_gone(_pid: u32) -> bool {
        false
    }

    pub(in super::super) fn wait_without_reaping(child: &mut Child) {
        let _ = child.wait();
    }

    pub(in super::super) fn tie_to_this_thread(_command: &mut Command) {}

    pub(in super::super) fn own_session(_command: &mut Command) {}
}
