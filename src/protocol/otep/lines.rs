use std::io::{self, BufRead, BufReader, Read};

/// Longer lines than this are cut; nobody has to say so much.
const LONGEST: u64 = 1 << 16;

/// Hands on all lines of the input until nobody wants them any more.
pub(super) fn each_line(input: impl Read, mut take: impl FnMut(String) -> bool) -> io::Result<()> {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let line = String::from_utf8_lossy(&line);
        if !take(line.trim_end_matches(['\r', '\n']).to_owned()) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_where_they_end_or_grow_too_long() {
        let mut input = b"one\r\n\ntwo \xff\n".to_vec();
        input.extend(vec![b'x'; 2 * LONGEST as usize]);
        let mut lines = Vec::new();
        let take = |line: String| {
            lines.push(line);
            true
        };
        each_line(&input[..], take).unwrap();
        assert_eq!(lines[..3], ["one", "", "two \u{fffd}"]);
        assert_eq!(lines[3..].iter().map(String::len).collect::<Vec<_>>(), [1 << 16; 2]);
        let mut first = None;
        each_line(&input[..], |line| first.replace(line).is_some()).unwrap();
        assert_eq!(first.as_deref(), Some("one"));
    }
}
