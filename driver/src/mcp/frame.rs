//! Lines off the wire: one message a line, an over-long one discarded as it streams by, without keeping it.
//!
//! Must not know what a message means.

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much of each end of a discarded line is kept, in bytes: enough to find the id that it carried.
const KEPT: usize = 4 * 1024;
/// How much is asked of the input at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// What the input held.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its line feed.
    Whole(Vec<u8>),
    /// A line over the limit; its first and its last bytes.
    TooLong { head: Vec<u8>, tail: Vec<u8> },
}

/// Cuts an input into lines.
pub(super) struct Lines<R> {
    input: R,
    limit: usize,
    chunk: Vec<u8>,
    /// The part of `chunk` that is not handed out yet.
    start: usize,
    end: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most `limit` bytes, line feed not counted.
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            limit,
            chunk: vec![0; CHUNK],
            start: 0,
            end: 0,
        }
    }

    /// The next line; `None` at the end of the input. A last line needs no line feed.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub(super) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        let mut line = Vec::new();
        let mut discarded: Option<Tail> = None;
        loop {
            if self.start == self.end {
                self.start = 0;
                self.end = self.input.read(&mut self.chunk).await?;
                if self.end == 0 {
                    return Ok(match discarded {
                        Some(tail) => Some(Line::TooLong {
                            head: line,
                            tail: tail.into_bytes(),
                        }),
                        None if line.is_empty() => None,
                        None => Some(Line::Whole(line)),
                    });
                }
            }
            let ready = &self.chunk[self.start..self.end];
            let feed = ready.iter().position(|byte| *byte == b'\n');
            let part = &ready[..feed.unwrap_or(ready.len())];
            match &mut discarded {
                Some(tail) => tail.push(part),
                None if line.len() + part.len() > self.limit => {
                    let mut tail = Tail::default();
                    tail.push(&line);
                    tail.push(part);
                    line.truncate(KEPT);
                    line.extend_from_slice(&part[..part.len().min(KEPT - line.len())]);
                    line.shrink_to_fit();
                    discarded = Some(tail);
                }
                None => line.extend_from_slice(part),
            }
            self.start += part.len() + usize::from(feed.is_some());
            if feed.is_some() {
                return Ok(Some(match discarded {
                    Some(tail) => Line::TooLong {
                        head: line,
                        tail: tail.into_bytes(),
                    },
                    None => Line::Whole(line),
                }));
            }
        }
    }
}

/// The last bytes of what went by.
#[derive(Default)]
struct Tail(Vec<u8>);

impl Tail {
    fn push(&mut self, part: &[u8]) {
        self.0.extend_from_slice(&part[part.len().saturating_sub(KEPT)..]);
        let excess = self.0.len().saturating_sub(KEPT);
        self.0.drain(..excess);
    }

    fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    async fn all(input: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(input, limit);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            found.push(line);
        }
        found
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn each_line_is_one_and_the_last_needs_no_line_feed() {
        assert_eq!(
            all(b"a\n\nbc\r\nd", 10).await,
            [whole("a"), whole(""), whole("bc\r"), whole("d")]
        );
        assert_eq!(all(b"", 10).await, []);
        assert_eq!(all(b"a\n", 10).await, [whole("a")]);
    }

    #[tokio::test]
    async fn a_line_at_the_limit_is_whole_and_one_byte_more_is_discarded() {
        let too_long = Line::TooLong {
            head: b"abcdef".to_vec(),
            tail: b"abcdef".to_vec(),
        };
        assert_eq!(
            all(b"abcde\nabcdef\nx\n", 5).await,
            [whole("abcde"), too_long, whole("x")]
        );
    }

    #[tokio::test]
    async fn a_discarded_line_leaves_only_its_ends() {
        let mut input = vec![b'x'; 3 * CHUNK + 17];
        input[..3].copy_from_slice(b"abc");
        input.extend_from_slice(b"xyz\nnext\n");
        let lines = all(&input, CHUNK + 1).await;
        let Line::TooLong { head, tail } = &lines[0] else {
            panic!("{:?}", lines[0])
        };
        assert!(head.len() == KEPT && tail.len() == KEPT);
        assert!(head.starts_with(b"abcx") && tail.ends_with(b"xxyz"));
        assert_eq!(lines[1..], [whole("next")]);
    }

    #[tokio::test]
    async fn a_line_may_come_in_pieces() {
        let (mut writer, reader) = tokio::io::duplex(3);
        let mut lines = Lines::new(reader, 100);
        let sent = tokio::spawn(async move {
            tokio::io::AsyncWriteExt::write_all(&mut writer, b"0123456789\nrest")
                .await
                .unwrap();
        });
        assert_eq!(lines.next().await.unwrap(), Some(whole("0123456789")));
        assert_eq!(lines.next().await.unwrap(), Some(whole("rest")));
        assert_eq!(lines.next().await.unwrap(), None);
        sent.await.unwrap();
    }
}
