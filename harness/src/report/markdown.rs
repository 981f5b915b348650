//! How figures and tables are written. Must not know what they are of.

use crate::stats::Spread;

/// A table; the first column is text, the others are figures.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    line(&mut out, head.iter().map(|cell| (*cell).to_owned()));
    let rule = (0..head.len()).map(|index| if index == 0 { "---" } else { "---:" }.to_owned());
    line(&mut out, rule);
    for row in rows {
        line(&mut out, row.iter().map(|cell| plain(cell)));
    }
    out
}

fn line(out: &mut String, cells: impl Iterator<Item = String>) {
    out.push('|');
    for cell in cells {
        out.push(' ');
        out.push_str(&cell);
        out.push_str(" |");
    }
    out.push('\n');
}

/// A text that cannot break a table or begin anything of Markdown or HTML.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' => out.push_str("\\|"),
            '<' => out.push_str("&lt;"),
            '\n' | '\r' | '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A whole number with thousands parted: `353,190`.
pub(super) fn whole(figure: f64) -> String {
    let digits = format!("{:.0}", figure.abs());
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if figure < 0.0 { format!("-{out}") } else { out }
}

/// `11,941` where all runs agree, else `11,941 [11,940–11,944]`.
pub(super) fn spread(spread: &Spread, show: impl Fn(f64) -> String) -> String {
    if spread.is_exact() {
        show(spread.median)
    } else {
        format!("{} [{}–{}]", show(spread.median), show(spread.min), show(spread.max))
    }
}

/// What `ours` is beside `other`: `23.98 % less`, `97.01 % more`, and beyond three times as much `12.3 × as much`.
pub(super) fn beside(ours: f64, other: f64) -> String {
    if other <= 0.0 {
        return String::new();
    }
    let share = ours / other;
    if share > 3.0 {
        format!("{share:.1} × as much")
    } else if ours > other {
        format!("{:.2} % more", (share - 1.0) * 100.0)
    } else if ours < other {
        format!("{:.2} % less", (1.0 - share) * 100.0)
    } else {
        "the same".to_owned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn thousands_are_parted() {
        assert_eq!(
            [0.0, 999.0, 1000.0, 353_190.4, -1234.0].map(whole),
            ["0", "999", "1,000", "353,190", "-1,234"]
        );
    }

    #[test]
    fn a_spread_shows_its_range_only_where_there_is_one() {
        let of = |samples: &[f64]| spread(&Spread::of(samples).unwrap(), whole);
        assert_eq!(of(&[7.0, 7.0]), "7");
        assert_eq!(of(&[7.0, 9.0, 8.0]), "8 [7–9]");
    }

    #[test]
    fn a_loss_is_written_like_a_win() {
        assert_eq!(beside(50.0, 100.0), "50.00 % less");
        assert_eq!(beside(150.0, 100.0), "50.00 % more");
        assert_eq!(beside(700.0, 100.0), "7.0 × as much");
        assert_eq!(beside(100.0, 100.0), "the same");
        assert_eq!(beside(1.0, 0.0), "");
    }

    #[test]
    fn a_cell_cannot_break_its_table() {
        let table = table(
            &["a", "b"],
            &[vec!["x|y\n<!-- /bench:z -->".to_owned(), "1".to_owned()]],
        );
        assert_eq!(table.lines().count(), 3);
        assert!(!table.contains("<!--"), "{table}");
    }
}
