//! Lines of bounded length, from users and other programs.

use std::io::{self, BufRead, BufReader, Read};

/// Maximum length of a line; the rest of a longer one is dropped.
const MAX_LINE_BYTES: u64 = 1 << 16;

/// Reads a line, without the line break and with at most 64 KiB: the rest of a longer one is
/// dropped. Returns `None` at the end of the input.
///
/// # Errors
/// If the input cannot be read.
pub fn next_line(mut input: impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    let text = String::from_utf8_lossy(&line);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Calls `take` for each line of the input until it returns `false`.
pub(super) fn each_line(input: impl Read, mut take: impl FnMut(String) -> bool) -> io::Result<()> {
    let mut reader = BufReader::new(input);
    while let Some(line) = next_line(&mut reader)? {
        if !take(line) {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_a_line_break_or_the_maximum() {
        let mut input = b"one\r\n\ntwo \xff\n".to_vec();
        for beyond in [0, 1, 3 * MAX_LINE_BYTES] {
            input.extend(vec![b'x'; (MAX_LINE_BYTES + beyond) as usize]);
            input.extend(b"quit\n");
        }
        input.extend(vec![b'x'; MAX_LINE_BYTES as usize]);
        let mut lines = Vec::new();
        let take = |line: String| {
            lines.push(line);
            true
        };
        each_line(&input[..], take).unwrap();
        assert_eq!(lines[..3], ["one", "", "two \u{fffd}"]);
        assert_eq!(lines[3..].iter().map(String::len).collect::<Vec<_>>(), [1 << 16; 4]);
        let mut first = None;
        each_line(&input[..], |line| first.replace(line).is_some()).unwrap();
        assert_eq!(first.as_deref(), Some("one"));
    }
}
