//! Where the repository and its target directory are. Knows paths, runs nothing but `git ls-files`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::XtaskError;

/// The checkout this xtask was built from.
pub(crate) struct Repo {
    root: PathBuf,
    target: PathBuf,
}

/// Directories that a walk without git leaves out.
const NOT_OURS: [&str; 3] = [".git", "target", "node_modules"];

impl Repo {
    /// The checkout, from the manifest that cargo names (or the one it was built with), and the target directory, from
    /// where this program lies: `<target>/<profile>/xtask`.
    pub(crate) fn locate() -> Result<Repo, XtaskError> {
        let manifest =
            std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = manifest.parent().map(Path::to_owned).unwrap_or(manifest);
        let exe = std::env::current_exe().map_err(XtaskError::io("the running xtask"))?;
        let target = exe
            .ancestors()
            .nth(2)
            .map_or_else(|| root.join("target"), Path::to_owned);
        Ok(Repo { root, target })
    }

    /// The top level of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A built program: `profile` is `debug` or `release`.
    pub(crate) fn built(&self, profile: &str, name: &str) -> PathBuf {
        self.target
            .join(profile)
            .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Every file of the checkout that is or would be committed, relative, with `/`, sorted.
    pub(crate) fn files(&self) -> Result<Vec<String>, XtaskError> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&self.root)
            .output();
        let mut files = match listed {
            Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
                .split('\0')
                .filter(|name| !name.is_empty() && self.root.join(name).is_file())
                .map(str::to_owned)
                .collect(),
            // An unpacked archive has no git.
            _ => self.walk()?,
        };
        files.sort();
        files.dedup();
        Ok(files)
    }

    fn walk(&self) -> Result<Vec<String>, XtaskError> {
        let mut files = Vec::new();
        let mut open = vec![self.root.clone()];
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(&directory).map_err(XtaskError::io(&directory))? {
                let path = entry.map_err(XtaskError::io(&directory))?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if path.is_dir() && !NOT_OURS.contains(&name.as_str()) {
                    open.push(path);
                } else if path.is_file()
                    && let Ok(relative) = path.strip_prefix(&self.root)
                {
                    files.push(relative.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        Ok(files)
    }
}
