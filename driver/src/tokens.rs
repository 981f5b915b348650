//! Counting: local `o200k_base` tokens, ordinary encoding, so that `<|endoftext|>` on a page counts as the text it is
//! (rule 3: every count is inferred). Equality with the reference encoder is held by a test.
//!
//! A raw tree is a megabyte of the same few hundred pieces over and over, so a piece is encoded once and then known.

mod pieces;

use std::cell::RefCell;

use bpe_openai::Tokenizer;

/// The tokens of a text. The first call loads the encoder (tens of milliseconds).
pub fn count(text: &str) -> usize {
    let encoder = bpe_openai::o200k_base();
    KNOWN.with_borrow_mut(|known| {
        let mut tokens = 0;
        let mut at = 0;
        while at < text.len() {
            let end = pieces::end(text.as_bytes(), at).unwrap_or_else(|| end_by_expression(encoder, text, at));
            tokens += known.count(encoder, text.as_bytes(), at, end);
            at = end;
        }
        tokens
    })
}

/// The tokens of raw bytes; what is not UTF-8 counts as U+FFFD.
pub fn count_bytes(raw: &[u8]) -> usize {
    count(&String::from_utf8_lossy(raw))
}

/// Where the piece that begins at `at` ends, by the encoder's own expression, which leaves no character out.
fn end_by_expression(encoder: &Tokenizer, text: &str, at: usize) -> usize {
    let piece = encoder.split(&text[at..]).next().filter(|piece| !piece.is_empty());
    piece.map_or(text.len(), |piece| at + piece.len())
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::new(Known::new());
}

/// How many pieces are known at a time: 68 KB a thread, which stay in a core's own cache.
const SLOTS: usize = 4096;
/// The longest piece that is remembered, in bytes: with its length it fills a key.
const LONGEST: usize = 15;

/// Counts of short pieces. Each has one place, so that no page can make a search long, and is compared whole.
struct Known {
    /// A piece's bytes, and its length in the topmost one; 0 is no piece.
    keys: Vec<u128>,
    tokens: Vec<u8>,
}

impl Known {
    fn new() -> Self {
        Self {
            keys: vec![0; SLOTS],
            tokens: vec![0; SLOTS],
        }
    }

    fn count(&mut self, encoder: &Tokenizer, text: &[u8], at: usize, end: usize) -> usize {
        let piece = &text[at..end];
        if piece.len() > LONGEST {
            return encoder.bpe.count(piece);
        }
        let key = key(text, at, piece.len());
        let slot = slot(key);
        if self.keys[slot] != key {
            // A token has a byte at least, so that a short piece has few of them.
            self.tokens[slot] = u8::try_from(encoder.bpe.count(piece)).unwrap_or(u8::MAX);
            self.keys[slot] = key;
        }
        usize::from(self.tokens[slot])
    }
}

/// The piece of `length` bytes at `at` as a number that no other piece has.
fn key(text: &[u8], at: usize, length: usize) -> u128 {
    let bytes = match text.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        Some(bytes) => *bytes,
        None => {
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(&text[at..at + length]);
            bytes
        }
    };
    let mask = (1_u128 << (8 * length)) - 1;
    (u128::from_le_bytes(bytes) & mask) | ((length as u128) << 120)
}

#[allow(clippy::cast_possible_truncation)] // halves are what is wanted
fn slot(key: u128) -> usize {
    // The odd constant nearest to 2^64 over the golden ratio: multiplied, its topmost bits depend on all bits below.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let halves = (key as u64) ^ ((key >> 64) as u64).rotate_left(29);
    (halves.wrapping_mul(SPREAD) >> (64 - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The reference: rank by rank, what the model's own tokenizer does with ordinary text.
    fn reference(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
    }

    fn texts() -> impl Strategy<Value = String> {
        let special = prop::sample::select(vec![
            "<|endoftext|>",
            "<|endofprompt|>",
            "<|im_start|>",
            "<|",
            "|>",
            "<|end",
        ]);
        prop_oneof![
            any::<String>(),
            "\\PC{0,200}",
            "[\\x00-\\x20\\x7f-\\xa0]{0,200}",
            (special, any::<String>()).prop_map(|(special, text)| format!("{text}{special}{text}")),
            (any::<char>(), 1..400_usize).prop_map(|(character, times)| character.to_string().repeat(times)),
            ("[ \\n\\r\\t]{1,3}", 1..300_usize).prop_map(|(blank, times)| blank.repeat(times)),
            "[0-9a-f]{0,64}",
            "[\\u{4e00}-\\u{9fff}\\u{3040}-\\u{30ff}\\u{ac00}-\\u{d7a3}\\u{600}-\\u{6ff}\\u{e00}-\\u{e7f}]{0,80}",
            "[\\u{1f300}-\\u{1faff}\\u{200d}\\u{fe0f}\\u{300}-\\u{36f}]{0,60}",
        ]
    }

    /// What decides where a text is cut, in any order and beside any other.
    fn seams() -> impl Strategy<Value = String> {
        let seam = prop::sample::select(vec![
            " ", "  ", "\t", "\n", "\r\n", "\u{b}", "\u{a0}", "\u{2028}", "\u{85}", "\u{3000}", "'", "'s", "'S", "'ſ",
            "'re", "'rE", "'r", "'LL", "'l", "'d", "/", "//", "\"", "\":{\"", "{}", "[],", "\\", "\0", "\u{1f}",
            "\u{7f}", "a", "Z", "Aa", "aA", "ABC", "word", "Words", "1", "12", "123", "1234", "é", "É", "ǅ", "ʰ", "漢",
            "\u{301}", "²", "٣", "😀", "\u{200d}", "…", "\u{FFFD}", "nodeId", "https://", "e-mail", "3rd", "_",
        ]);
        prop::collection::vec(seam, 0..40).prop_map(|parts| parts.concat())
    }

    /// JSON as Chrome writes it, with any text in it.
    fn json() -> impl Strategy<Value = String> {
        let node = (any::<u32>(), texts(), seams(), any::<bool>()).prop_map(|(id, name, value, ignored)| {
            serde_json::json!({
                "nodeId": id.to_string(), "ignored": ignored, "role": {"type": "role", "value": "button"},
                "name": {"type": "computedString", "value": name, "sources": [{"type": "contents"}]},
                "value": {"type": "string", "value": value}, "childIds": [], "backendDOMNodeId": id
            })
        });
        prop::collection::vec(node, 0..4).prop_map(|nodes| serde_json::json!({ "nodes": nodes }).to_string())
    }

    fn ours(text: &str) -> Vec<&str> {
        let mut cut = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let by_expression = || end_by_expression(bpe_openai::o200k_base(), text, at);
            let end = pieces::end(text.as_bytes(), at).unwrap_or_else(by_expression);
            cut.push(&text[at..end]);
            at = end;
        }
        cut
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn both_encoders_count_the_same(text in prop_oneof![texts(), seams(), json()]) {
            prop_assert_eq!(count(&text), reference(&text));
        }

        #[test]
        fn pieces_are_cut_where_the_encoder_cuts_them(text in prop_oneof![texts(), seams(), json()]) {
            let theirs: Vec<&str> = bpe_openai::o200k_base().split(&text).collect();
            prop_assert_eq!(ours(&text), theirs);
        }

        #[test]
        fn what_was_counted_before_does_not_matter(first in seams(), second in seams()) {
            let fresh = std::thread::spawn({ let second = second.clone(); move || count(&second) }).join();
            count(&first);
            prop_assert_eq!(count(&second), fresh.unwrap_or_default());
        }
    }

    #[test]
    fn every_short_run_of_ascii_is_cut_as_the_encoder_cuts_it() {
        // One of each kind that the expression tells apart, in all orders.
        let kinds = ["a", "R", "s", "7", "\n", " ", "\t", "'", "/", "\u{1}", "é"];
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            texts = texts
                .iter()
                .flat_map(|text| kinds.map(|kind| format!("{text}{kind}")))
                .collect();
            for text in &texts {
                let theirs: Vec<&str> = bpe_openai::o200k_base().split(text).collect();
                assert_eq!(ours(text), theirs, "{text:?}");
            }
        }
    }

    #[test]
    fn a_whole_captured_tree_counts_as_the_reference_counts_it() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/ax/order-table.json");
        let tree = std::fs::read_to_string(path).unwrap_or_default();
        assert!(tree.len() > 100_000);
        assert_eq!(count(&tree), reference(&tree));
    }

    #[test]
    fn special_spellings_count_as_the_text_they_are() {
        assert_eq!(count("<|endoftext|>"), 7);
        assert_eq!(reference("<|endoftext|>"), 7);
    }

    #[test]
    fn bytes_that_are_no_text_count_as_replacement_characters() {
        assert_eq!(count_bytes(b"a\xffb"), count("a\u{FFFD}b"));
        assert_eq!(count_bytes("é".as_bytes()), count("é"));
    }
}
