//! Getting one pinned package through its registry's ordinary client, and unpacking it. The archive is checked before
//! anything of it is unpacked, and nothing of it is run or installed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::corpus::manifest::{Origin, Package};
use crate::error::XtaskError;
use crate::process::{self, Bounds};

/// The largest package is about 13 MB.
const ARCHIVE: Bounds = Bounds {
    total: Duration::from_secs(180),
    silent: Duration::from_secs(180),
};

/// Fetches `package` and unpacks it into `directory`. `scratch` is for the archive.
pub(crate) fn package(origin: Origin, package: &Package, directory: &Path, scratch: &Path) -> Result<(), XtaskError> {
    let scratch = tempfile::tempdir_in(scratch).map_err(XtaskError::io(scratch))?;
    let archive = match origin {
        Origin::Npm => npm(package, scratch.path()),
        Origin::Debian => debian(package, scratch.path()),
    }?;
    let bytes = std::fs::read(&archive).map_err(XtaskError::io(&archive))?;
    check(package, &bytes)?;
    let into = directory.join(&package.into);
    std::fs::create_dir_all(&into).map_err(XtaskError::io(&into))?;
    unpack(origin, package, &archive, &into)
}

/// Refuses an archive that is not the pinned one.
fn check(package: &Package, bytes: &[u8]) -> Result<(), XtaskError> {
    let found = sha256(bytes);
    if found == package.sha256 {
        return Ok(());
    }
    let wanted = package.sha256.clone();
    Err(XtaskError::Digest {
        package: format!("{} {}", package.name, package.version),
        wanted,
        found,
    })
}

/// Lower-case hex digits of the SHA-256.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn npm(package: &Package, scratch: &Path) -> Result<PathBuf, XtaskError> {
    let mut command = Command::new("npm");
    command
        .args([
            "pack",
            "--ignore-scripts",
            "--silent",
            &format!("{}@{}", package.name, package.version),
        ])
        .current_dir(scratch)
        .env("npm_config_fetch_retries", "1")
        .env("npm_config_fetch_timeout", "60000");
    fetched(package, command, scratch, "tgz")
}

fn debian(package: &Package, scratch: &Path) -> Result<PathBuf, XtaskError> {
    let mut command = Command::new("apt-get");
    command
        .args(["download", "-q", &format!("{}={}", package.name, package.version)])
        .current_dir(scratch);
    fetched(package, command, scratch, "deb")
}

/// Runs the client and gives the one archive that it left.
fn fetched(package: &Package, command: Command, scratch: &Path, end: &str) -> Result<PathBuf, XtaskError> {
    let failed = |reason: String| XtaskError::Fetch {
        package: format!("{} {}", package.name, package.version),
        reason: format!("{reason} (is this version still offered?)"),
    };
    let (status, output) = process::captured(command, ARCHIVE).map_err(|error| failed(error.to_string()))?;
    if !status.success() {
        let last = output
            .lines()
            .rfind(|line| !line.trim().is_empty())
            .unwrap_or("no reason given");
        return Err(failed(last.to_owned()));
    }
    std::fs::read_dir(scratch)
        .map_err(XtaskError::io(scratch))?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|found| found == end))
        .ok_or_else(|| failed("no archive was left".into()))
}

fn unpack(origin: Origin, package: &Package, archive: &Path, into: &Path) -> Result<(), XtaskError> {
    let mut command;
    match origin {
        // npm's archives have everything under one directory.
        Origin::Npm => {
            command = Command::new("tar");
            command.args(["--extract", "--gzip", "--no-same-owner", "--strip-components=1"]);
            command.arg("--file").arg(archive).arg("--directory").arg(into);
        }
        Origin::Debian => {
            command = Command::new("dpkg-deb");
            command.arg("--extract").arg(archive).arg(into);
        }
    }
    let (status, output) = process::captured(command, ARCHIVE)?;
    if status.success() {
        return Ok(());
    }
    Err(XtaskError::Fetch {
        package: format!("{} {}", package.name, package.version),
        reason: format!("it could not be unpacked: {}", output.trim()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_that_is_not_the_pinned_one_is_refused() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let package = Package {
            name: "a".into(),
            version: "1".into(),
            sha256: abc.into(),
            into: String::new(),
        };
        assert!(check(&package, b"abc").is_ok());
        assert!(matches!(check(&package, b"abd"), Err(XtaskError::Digest { .. })));
    }
}
