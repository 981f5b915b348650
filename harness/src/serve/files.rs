//! From the path of a request to a file under a root, and never to one outside it.

use std::path::{Path, PathBuf};

/// The file under `root` that a percent-decoded path names. `None` for a path that could leave the root, names a
/// directory or nothing.
pub(super) fn resolve(root: &Path, path: &str) -> Option<PathBuf> {
    let mut file = root.to_owned();
    for part in path.split('/') {
        // A part with a separator of any system, a drive or a NUL is none that a page would have.
        let odd = part.is_empty() || part.starts_with('.') || part.contains(['\\', ':', '\0']);
        if odd {
            return None;
        }
        file.push(part);
    }
    // A link may lead outside.
    let real = file.canonicalize().ok()?;
    (real.starts_with(root.canonicalize().ok()?) && real.is_file()).then_some(real)
}

/// The decoded text; `None` where it is no UTF-8 or a `%` begins nothing.
pub(super) fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The media type that a file's ending stands for.
pub(super) fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|end| end.to_str()).unwrap_or_default() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "yaml" | "yml" | "txt" | "md" => "text/plain; charset=utf-8",
        "pdf" => "application/pdf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn no_path_leaves_the_root() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("pages");
        std::fs::create_dir_all(root.join("deep")).unwrap();
        std::fs::write(outer.path().join("secret.txt"), "s").unwrap();
        std::fs::write(root.join("a.html"), "a").unwrap();
        std::fs::write(root.join("deep/b.html"), "b").unwrap();
        assert!(resolve(&root, "a.html").is_some());
        assert!(resolve(&root, "deep/b.html").is_some());
        for path in [
            "../secret.txt",
            "deep/../../secret.txt",
            "..\\secret.txt",
            "/a.html",
            "deep//b.html",
            "deep",
            "",
            ".hidden",
            "a.html\0",
            "C:a.html",
        ] {
            assert_eq!(resolve(&root, path), None, "{path:?}");
        }
        let encoded = decode("%2e%2e/secret.txt").unwrap();
        assert_eq!(resolve(&root, &encoded), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_root_is_not_followed() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("pages");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(outer.path().join("secret.txt"), "s").unwrap();
        std::os::unix::fs::symlink(outer.path().join("secret.txt"), root.join("link.txt")).unwrap();
        assert_eq!(resolve(&root, "link.txt"), None);
    }

    #[test]
    fn percent_signs_are_decoded_or_refused() {
        assert_eq!(decode("a%20b.html").unwrap(), "a b.html");
        assert_eq!(decode("%e3%81%82").unwrap(), "あ");
        assert_eq!(decode("%"), None);
        assert_eq!(decode("%zz"), None);
        assert_eq!(decode("%ff"), None);
    }
}
