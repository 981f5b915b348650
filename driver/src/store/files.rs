//! The database as a file: that it is one, that it is private, that it is still there. It must not know SQL.
//! Nothing here deletes, and a file that is not ours is not even given another mode.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::error::StoreError;

/// The first bytes of every SQLite database (file format, section 1.3).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Which file a path led to when the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

/// Makes the directories (0700) and an empty file (0600) where there are none, and looks at what is there otherwise.
pub(super) fn prepare(path: &Path) -> Result<Identity, StoreError> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(parent)
            .map_err(|source| failed("create the directory", parent, source))?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(file) => return identity(path, &file),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(source) => return Err(failed("create", path, source)),
    }
    // Asked before it is opened: opening a pipe would wait for whoever writes to it.
    let metadata = fs::metadata(path).map_err(|source| failed("look at", path, source))?;
    if !metadata.is_file() {
        return Err(StoreError::NotAFile { path: path.to_owned() });
    }
    // Said by the mode too, since root may write to everything.
    if metadata.permissions().readonly() {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(|source| failed("open", path, source))?;
    let mut head = Vec::with_capacity(MAGIC.len());
    file.by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut head)
        .map_err(|source| failed("read", path, source))?;
    if !head.is_empty() && head != MAGIC {
        return Err(StoreError::NotADatabase { path: path.to_owned() });
    }
    identity(path, &file)
}

/// Takes away what others could read of the database and of the files beside it.
#[cfg_attr(not(unix), allow(clippy::unnecessary_wraps))]
pub(super) fn make_private(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    for file in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        use std::os::unix::fs::PermissionsExt;
        let metadata = match fs::metadata(&file) {
            Ok(metadata) => metadata,
            // The files beside it come and go with the last process that closes the database.
            Err(error) if error.kind() == ErrorKind::NotFound && file != path => continue,
            Err(source) => return Err(failed("look at", &file, source)),
        };
        if metadata.permissions().mode() & 0o777 != 0o600 {
            match fs::set_permissions(&file, fs::Permissions::from_mode(0o600)) {
                Err(error) if error.kind() == ErrorKind::NotFound && file != path => {}
                Err(source) => return Err(failed("make private", &file, source)),
                Ok(()) => {}
            }
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Whether the path still leads to the file that was opened.
pub(super) fn is_unmoved(path: &Path, opened: Identity) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).is_ok_and(|now| {
            Identity {
                device: now.dev(),
                inode: now.ino(),
            } == opened
        })
    }
    #[cfg(not(unix))]
    {
        // An open database cannot be moved there.
        let _ = (path, opened);
        true
    }
}

/// Whether the file system has no room left for what SQLite needs besides the database.
pub(super) fn is_full(path: &Path) -> bool {
    /// SQLite makes the log's shared memory in steps of this size.
    #[cfg(unix)]
    const STEP_BYTES: u64 = 32 << 10;
    #[cfg(unix)]
    return rustix::fs::statvfs(path).is_ok_and(|fs| fs.f_bavail.saturating_mul(fs.f_frsize) < STEP_BYTES);
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// `path` with `suffix` added to its last part: SQLite's name for the log and the shared memory.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn identity(path: &Path, file: &File) -> Result<Identity, StoreError> {
    let metadata = file.metadata().map_err(|source| failed("look at", path, source))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        Ok(Identity {})
    }
}

fn failed(action: &'static str, path: &Path, source: std::io::Error) -> StoreError {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::DiskFull { path: path.to_owned() },
        ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { path: path.to_owned() },
        _ => StoreError::File {
            action,
            path: path.to_owned(),
            source,
        },
    }
}
