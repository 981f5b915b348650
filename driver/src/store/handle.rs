//! Handles and references to them. It owns their spelling; it must not know SQLite or what a handle stands for.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::StoreError;

/// The longest reference that is looked at, in characters (contract rule 27).
pub(super) const MAX_REFERENCE_CHARS: usize = 512;
/// The fewest hex digits of a prefix (contract rule 27).
pub(super) const MIN_PREFIX_DIGITS: usize = 8;
/// 128 bits of the SHA-256.
const DIGITS: usize = 32;
const SCHEME: &str = "ccr_";

/// `ccr_` and the first 32 hex digits of the SHA-256 of the exact bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Handle(String);

impl Handle {
    /// The handle of these bytes: one content, one handle, in every store.
    pub fn of(bytes: &[u8]) -> Self {
        use fmt::Write;
        let digest = Sha256::digest(bytes);
        let mut text = String::with_capacity(SCHEME.len() + DIGITS);
        text.push_str(SCHEME);
        for byte in &digest[..DIGITS / 2] {
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    /// The text, 36 bytes long.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A handle read back from the store's own rows.
    pub(super) fn stored(text: String) -> Option<Self> {
        matches!(Reference::parse(&text), Ok(Reference::Full(_))).then_some(Self(text))
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who made a snapshot: one MCP session, or one home state file. Short handles and prefixes mean something only
/// inside of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ScopeId(String);

impl ScopeId {
    /// A scope that no one else has: 128 random bits.
    pub fn random() -> Self {
        // Each RandomState is keyed by the system's random source; what is hashed only keeps two of one thread apart.
        let half = |salt: u8| RandomState::new().hash_one((salt, std::process::id(), std::time::Instant::now()));
        Self(format!("{:016x}{:016x}", half(0), half(1)))
    }

    /// The text, to be written to a state file and read back through `From`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for ScopeId {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// A reference as a caller may spell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reference {
    /// All 32 digits: resolves everywhere.
    Full(Handle),
    /// 8 to 31 digits, as the least and the greatest handle that begin with them.
    Prefix {
        text: String,
        least: String,
        greatest: String,
    },
    /// `s7`.
    Short(i64),
}

impl Reference {
    /// Reads a reference. Nothing is trimmed, folded or completed: a handle is copied, not typed.
    pub(super) fn parse(text: &str) -> Result<Self, StoreError> {
        // No text of 512 bytes has more characters than that.
        if text.len() > MAX_REFERENCE_CHARS {
            let chars = text.chars().count();
            if chars > MAX_REFERENCE_CHARS {
                return Err(StoreError::ReferenceTooLong { chars });
            }
        }
        let not = || StoreError::NotAReference {
            reference: text.to_owned(),
        };
        if let Some(digits) = text.strip_prefix(SCHEME) {
            if digits.len() > DIGITS || !digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
                return Err(not());
            }
            if digits.len() == DIGITS {
                return Ok(Self::Full(Handle(text.to_owned())));
            }
            if digits.len() < MIN_PREFIX_DIGITS {
                return Err(StoreError::PrefixTooShort {
                    reference: text.to_owned(),
                });
            }
            let rest = DIGITS - digits.len();
            return Ok(Self::Prefix {
                text: text.to_owned(),
                least: format!("{text}{}", "0".repeat(rest)),
                greatest: format!("{text}{}", "f".repeat(rest)),
            });
        }
        let number = text.strip_prefix('s').ok_or_else(not)?;
        if number.is_empty() || number.starts_with('0') || !number.bytes().all(|b| b.is_ascii_digit()) {
            return Err(not());
        }
        number
            .parse()
            .map(Self::Short)
            // More digits than any counter reaches: spelled well, and never given out.
            .map_err(|_| StoreError::UnknownShort { short: text.to_owned() })
    }
}

/// The spelling of the `number`th short handle of a scope.
pub(super) fn short(number: i64) -> String {
    format!("s{number}")
}
