//! Counting: local `o200k_base` tokens, ordinary encoding, so that `<|endoftext|>` on a page counts as the text it is
//! (rule 3: every count is inferred). Equality with the reference encoder is held by a test.

/// The tokens of a text. The first call loads the encoder (tens of milliseconds).
pub fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

/// The tokens of raw bytes; what is not UTF-8 counts as U+FFFD.
pub fn count_bytes(raw: &[u8]) -> usize {
    count(&String::from_utf8_lossy(raw))
}
