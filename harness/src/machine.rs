//! Where and when a run took place: processor, cores, kernel, commit, date. Must not know what was measured.

use std::path::Path;
use std::process::Command;

use jiff::Timestamp;

/// One line: processor, cores, kernel.
pub fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease")
        .ok()
        .map(|release| format!("{} {}", std::env::consts::OS, release.trim()))
        .or_else(|| said("uname", &["-sr"], None))
        .unwrap_or_else(|| std::env::consts::OS.to_owned());
    let cpu = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| cpu_model(&text))
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{cpu}, {cores} cores, {kernel}")
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.trim();
    (!name.is_empty() && name != "unknown").then(|| name.to_owned())
}

/// Now, in UTC, to the minute.
pub fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// The commit that was measured; `+changes` where the sources differ from it. What the bench itself writes does not count.
pub fn commit(root: &Path) -> String {
    let Some(commit) = said("git", &["rev-parse", "--short=12", "HEAD"], Some(root)) else {
        return "unknown".to_owned();
    };
    let written = [":!reports", ":!BENCHMARK.md", ":!README.md"];
    let mut status = vec!["status", "--porcelain", "--", "."];
    status.extend(written);
    match said("git", &status, Some(root)) {
        Some(changes) if changes.is_empty() => commit,
        Some(_) => format!("{commit}+changes"),
        None => format!("{commit}+unknown"),
    }
}

/// The version of a crate as the lock file has it.
pub fn locked_version(lock: &str, name: &str) -> Option<String> {
    let wanted = format!("name = \"{name}\"");
    let mut lines = lock.lines();
    lines.find(|line| *line == wanted)?;
    let version = lines.next()?.strip_prefix("version = \"")?;
    Some(version.trim_end_matches('"').to_owned())
}

fn said(program: &str, arguments: &[&str], directory: Option<&Path>) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let output = command.output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_processor_is_the_first_that_the_kernel_names() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nprocessor\t: 1\nmodel name\t: Other\n";
        assert_eq!(cpu_model(text).unwrap(), "Some CPU @ 2 GHz");
        assert_eq!(cpu_model("processor : 0"), None);
        assert_eq!(cpu_model("model name\t: unknown"), None);
    }

    #[test]
    fn a_version_is_read_from_the_lock_file() {
        let lock = "[[package]]\nname = \"bpe\"\nversion = \"0.2.1\"\n\n[[package]]\nname = \"bpe-openai\"\nversion = \"0.3.2\"\n";
        assert_eq!(locked_version(lock, "bpe-openai").unwrap(), "0.3.2");
        assert_eq!(locked_version(lock, "none"), None);
    }
}
