//! Which Chrome holds a profile: how a command finds its own browser again when its state was lost.
//!
//! Must not know the state.

use std::path::Path;

/// A running Chrome that holds a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// Its main process.
    pub pid: u32,
    /// The debugging port that it was started with.
    pub port: u16,
}

/// The Chrome that holds `profile` and listens on a fixed port. Linux only: Chrome's own lock is a link to `host-pid`, and
/// the process's arguments are readable; elsewhere there is no answer.
#[cfg(target_os = "linux")]
pub fn holder(profile: &Path) -> Option<Holder> {
    let link = std::fs::read_link(profile.join("SingletonLock")).ok()?;
    let pid: u32 = link.to_str()?.rsplit_once('-')?.1.parse().ok()?;
    let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let port = port_in(&arguments, profile)?;
    Some(Holder { pid, port })
}

/// The Chrome that holds `profile`: this system does not say.
#[cfg(not(target_os = "linux"))]
pub fn holder(_profile: &Path) -> Option<Holder> {
    None
}

/// The port in a command line that names this very profile. Chrome may rewrite its title with blanks for NULs.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn port_in(arguments: &[u8], profile: &Path) -> Option<u16> {
    let text = String::from_utf8_lossy(arguments).replace('\0', " ");
    let names = format!("--user-data-dir={} ", profile.display());
    if !format!("{text} ").contains(&names) {
        return None;
    }
    let port = text.split_once("--remote-debugging-port=")?.1;
    port.split(' ').next()?.parse().ok().filter(|port| *port != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pid_that_belongs_to_something_else_by_now_is_not_taken_for_chrome() {
        let profile = Path::new("/h/browse-profile");
        let chrome = b"/usr/bin/chromium\0--user-data-dir=/h/browse-profile\0--remote-debugging-port=9333\0";
        assert_eq!(port_in(chrome, profile), Some(9333));
        assert_eq!(port_in(chrome, Path::new("/h/browse")), None);
        assert_eq!(port_in(b"/bin/sleep\x00100\x00", profile), None);
        let free = b"/usr/bin/chromium --user-data-dir=/h/browse-profile --remote-debugging-port=0";
        assert_eq!(port_in(free, profile), None);
    }
}
