//! Human-readable numbers and times.

use std::fmt::Display;

/// Formats `1234567` as `1,234,567`.
pub fn grouped(number: impl Display) -> String {
    let digits: Vec<char> = number.to_string().chars().collect();
    let groups: Vec<String> = digits.rchunks(3).rev().map(|group| group.iter().collect()).collect();
    groups.join(",")
}

/// Formats a count with its noun, given as singular and plural: `1 ply`, `1,234 plies`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, [one, more]: [&str; 2]) -> String {
    let noun = if count == N::from(1) { one } else { more };
    format!("{} {noun}", grouped(count))
}

/// Formats a duration in seconds: `4.2 s`, `12 min`, `3.5 h`, `10.0 days`.
pub fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 100.0 => format!("{seconds:.1} s"),
        seconds if seconds < 6000.0 => format!("{:.0} min", seconds / 60.0),
        seconds if seconds < 360_000.0 => format!("{:.1} h", seconds / 3600.0),
        seconds => format!("{:.1} days", seconds / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        let games = [0, 1, 1234].map(|count| counted(count, ["game", "games"]));
        assert_eq!(games, ["0 games", "1 game", "1,234 games"]);
        let times = [0.05, 99.0, 120.0, 7200.0, 864_000.0].map(time);
        assert_eq!(times, ["0.1 s", "99.0 s", "2 min", "2.0 h", "10.0 days"]);
    }
}
