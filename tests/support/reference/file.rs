//! Ruleset files: the squares that their fields name.
//!
//! Implemented from `docs/rulesets.md` alone.

use toml::{Table, Value};

/// For each square, whether it is in the set.
pub(super) type Set = Vec<bool>;

/// A ruleset file.
pub(super) struct File {
    table: Table,
    pub size: usize,
}

impl File {
    pub(super) fn parse(text: &str) -> File {
        let table: Table = text.parse().expect("a TOML file");
        let size = table["size"].as_integer().expect("a number");
        File { table, size: size as usize }
    }

    /// Returns a string at the top level of the file.
    pub(super) fn text(&self, field: &str) -> &str {
        self.table[field].as_str().expect("a text")
    }

    /// Returns a value of the file, if it is there.
    fn value(&self, path: &[&str]) -> Option<&Value> {
        let (last, tables) = path.split_last().expect("a field");
        let mut table = &self.table;
        for name in tables {
            table = table.get(*name)?.as_table().expect("a table");
        }
        table.get(*last)
    }

    /// Returns whether a field says `true`; `otherwise` if it is missing.
    pub(super) fn flag(&self, path: &[&str], otherwise: bool) -> bool {
        self.value(path).map_or(otherwise, |value| value.as_bool().expect("true or false"))
    }

    /// Returns a number, if it is there.
    pub(super) fn number(&self, path: &[&str]) -> Option<usize> {
        self.value(path).map(|value| value.as_integer().expect("a number") as usize)
    }

    /// Returns the squares of all sets that a field lists; none if it is missing.
    pub(super) fn set(&self, path: &[&str]) -> Set {
        let mut set = vec![false; self.size * self.size];
        for square in self.groups(path).concat() {
            set[square] = true;
        }
        set
    }

    /// The same, group by group.
    pub(super) fn groups(&self, path: &[&str]) -> Vec<Vec<usize>> {
        let (&last, tables) = path.split_last().expect("a field");
        let table = tables
            .iter()
            .fold(&self.table, |table, &name| table[name].as_table().expect("a table"));
        let names = table.get(last).map_or(&[][..], |list| list.as_array().expect("a list"));
        let groups = names.iter().flat_map(|name| self.named(name.as_str().expect("a name")));
        groups.collect()
    }

    /// Returns the groups of a named set.
    fn named(&self, name: &str) -> Vec<Vec<usize>> {
        let own = self.table.get("squares").and_then(|sets| sets.get(name));
        match own {
            Some(Value::String(squares)) => vec![self.squares(squares)],
            Some(Value::Array(groups)) => {
                let texts = groups.iter().map(|group| group.as_str().expect("squares"));
                texts.map(|squares| self.squares(squares)).collect()
            }
            Some(other) => panic!("{name} = {other}"),
            None => vec![self.predefined(name)],
        }
    }

    fn predefined(&self, name: &str) -> Vec<usize> {
        let (last, middle) = (self.size - 1, self.size / 2);
        let belongs = |file: usize, rank: usize| match name {
            "throne" => (file, rank) == (middle, middle),
            "beside-throne" => file.abs_diff(middle) + rank.abs_diff(middle) == 1,
            "corners" => [0, last].contains(&file) && [0, last].contains(&rank),
            "all" => true,
            "edge" => [0, last].contains(&file) || [0, last].contains(&rank),
            _ => panic!("no set is named {name}"),
        };
        let squares = 0..self.size * self.size;
        squares.filter(|square| belongs(square % self.size, square / self.size)).collect()
    }

    /// Parses the squares of a string like `a1 c13`.
    fn squares(&self, names: &str) -> Vec<usize> {
        let square = |name: &str| {
            let (file, rank) = name.split_at(1);
            let file = usize::from(file.as_bytes()[0] - b'a');
            let rank: usize = rank.parse().expect("a rank");
            assert!(file < self.size && (1..=self.size).contains(&rank), "no square {name}");
            (rank - 1) * self.size + file
        };
        names.split_whitespace().map(square).collect()
    }
}
