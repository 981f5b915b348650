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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn both_encoders_count_the_same(text in texts()) {
            prop_assert_eq!(count(&text), reference(&text));
        }
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
