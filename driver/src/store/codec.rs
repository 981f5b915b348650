//! Bytes to stored bytes and back: zstd and SHA-256. It must not know SQLite. What comes back is what went in, or an
//! error.

use super::error::{Damage, StoreError};
use super::handle::Handle;

/// Level 1 is the fastest, and on a tree it is also the smallest of the fast ones.
const LEVEL: i32 = 1;
/// The largest document that is taken, in bytes. A reply of Chrome arrives whole up to about 200 MB.
pub(super) const MAX_RAW_BYTES: u64 = 1 << 30;

/// Compresses `bytes`.
pub(super) fn pack(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    if bytes.len() as u64 > MAX_RAW_BYTES {
        return Err(StoreError::TooLarge {
            bytes: bytes.len() as u64,
            limit: MAX_RAW_BYTES,
        });
    }
    zstd::bulk::compress(bytes, LEVEL).map_err(|source| StoreError::Compress {
        bytes: bytes.len(),
        source,
    })
}

/// The bytes that were packed as `packed`, when length and digest say that they are.
pub(super) fn unpack(packed: &[u8], raw_len: u64, digest: &Handle) -> Result<Vec<u8>, Damage> {
    // Checked before anything of this size is allocated.
    if raw_len > MAX_RAW_BYTES {
        return Err(Damage::Row);
    }
    match zstd::zstd_safe::get_frame_content_size(packed) {
        Ok(Some(size)) if size == raw_len => {}
        Ok(_) => return Err(Damage::Length),
        Err(_) => return Err(Damage::Compression),
    }
    let room = usize::try_from(raw_len).map_err(|_| Damage::Row)?;
    let bytes = zstd::bulk::decompress(packed, room).map_err(|_| Damage::Compression)?;
    if bytes.len() != room {
        return Err(Damage::Length);
    }
    if Handle::of(&bytes) == *digest {
        Ok(bytes)
    } else {
        Err(Damage::Digest)
    }
}
