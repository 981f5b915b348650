//! The reader's choices (rule 14) and the words for them: which grammar, which form. The one place that reads the words.
//! Must not know where a word came from.

/// Which grammar a view has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ViewKind {
    /// `[uid] role "name" = "value" {state}`, two blanks a level (rule 12).
    #[default]
    Classic,
}

/// How the result is delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PayloadKind {
    /// The view, then one `caveman …` line.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// A choice that is made by a word.
pub trait Choice: Copy + 'static {
    /// Every choice, in the order in which a refusal lists them, each with its word.
    const WORDS: &'static [(&'static str, Self)];

    /// What the word chooses; `None` where it is none of them. Case counts.
    fn of(word: &str) -> Option<Self> {
        Self::WORDS
            .iter()
            .find(|(known, _)| *known == word)
            .map(|(_, choice)| *choice)
    }

    /// The words, for whoever gave another: `text or json`.
    fn words() -> String {
        let words: Vec<&str> = Self::WORDS.iter().map(|(word, _)| *word).collect();
        words.join(" or ")
    }
}

impl Choice for ViewKind {
    const WORDS: &'static [(&'static str, Self)] = &[("classic", Self::Classic)];
}

impl Choice for PayloadKind {
    const WORDS: &'static [(&'static str, Self)] = &[("text", Self::Text), ("json", Self::Json)];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_chooses_what_it_says_and_no_other_word_does() {
        assert_eq!(ViewKind::of("classic"), Some(ViewKind::Classic));
        assert_eq!(PayloadKind::of("json"), Some(PayloadKind::Json));
        for word in ["", "JSON", " json", "xml"] {
            assert_eq!(PayloadKind::of(word), None, "{word:?}");
        }
        assert_eq!(PayloadKind::words(), "text or json");
    }
}
