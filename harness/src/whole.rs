//! Writing a file as a whole or not at all: beside it first, then in its place.

use std::io::{self, Write};
use std::path::Path;

/// Replaces the contents of `path`; a reader sees the old ones or the new ones.
///
/// # Errors
/// When the directory or the file cannot be written.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or_else(|| Path::new("."));
    let mut beside = tempfile::Builder::new().prefix(".writing-").tempfile_in(directory)?;
    beside.write_all(text.as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the bench writes is read by everybody, as other files of the tree are.
        beside
            .as_file()
            .set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    beside.persist(path)?;
    Ok(())
}
