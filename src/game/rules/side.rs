use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The side without a king: black, the Muscovites.
    Attackers,
    /// The king and his soldiers: white, the Swedes.
    Defenders,
}

impl Side {
    /// Both, in the order of [`BySide`].
    pub const ALL: [Side; 2] = [Side::Attackers, Side::Defenders];

    /// The other player.
    #[must_use]
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::Attackers => Side::Defenders,
            Side::Defenders => Side::Attackers,
        }
    }

    /// The kind of this side's soldiers.
    #[inline]
    pub fn soldier(self) -> Kind {
        match self {
            Side::Attackers => Kind::Attacker,
            Side::Defenders => Kind::Defender,
        }
    }

    /// The side's name: `attackers` or `defenders`.
    pub fn name(self) -> &'static str {
        match self {
            Side::Attackers => "attackers",
            Side::Defenders => "defenders",
        }
    }
}

/// One of the three kinds of piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// An attacking soldier, `t`.
    Attacker,
    /// A defending soldier, `T`.
    Defender,
    /// The king, `K`.
    King,
}

impl Kind {
    /// All three, in the order of [`ByKind`].
    pub const ALL: [Kind; 3] = [Kind::Attacker, Kind::Defender, Kind::King];

    /// The side that the piece belongs to.
    #[inline]
    pub fn side(self) -> Side {
        match self {
            Kind::Attacker => Side::Attackers,
            Kind::Defender | Kind::King => Side::Defenders,
        }
    }

    /// The piece's letter in notation: `t`, `T` or `K`.
    pub fn letter(self) -> char {
        match self {
            Kind::Attacker => 't',
            Kind::Defender => 'T',
            Kind::King => 'K',
        }
    }

    /// The kind's name, as messages write it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Attacker => "attacker",
            Kind::Defender => "defender",
            Kind::King => "king",
        }
    }
}

/// A type with one of something for each value of an enum, indexed by it.
macro_rules! by {
    ($(#[$attribute:meta])* $name:ident, $key:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
        pub struct $name<T>(pub [T; $key::ALL.len()]);

        impl<T> $name<T> {
            /// What the function gives for each.
            #[inline]
            pub fn from_fn(make: impl FnMut($key) -> T) -> $name<T> {
                $name($key::ALL.map(make))
            }

            /// What the function makes of each.
            #[inline]
            pub fn map<U>(self, change: impl FnMut(T) -> U) -> $name<U> {
                $name(self.0.map(change))
            }

            /// Each in turn.
            pub fn iter(&self) -> std::slice::Iter<'_, T> {
                self.0.iter()
            }

            /// Each in turn, to be changed.
            pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
                self.0.iter_mut()
            }
        }

        impl<T> Index<$key> for $name<T> {
            type Output = T;

            #[inline]
            fn index(&self, key: $key) -> &T {
                &self.0[key as usize]
            }
        }

        impl<T> IndexMut<$key> for $name<T> {
            #[inline]
            fn index_mut(&mut self, key: $key) -> &mut T {
                &mut self.0[key as usize]
            }
        }

        impl<T> IntoIterator for $name<T> {
            type Item = T;
            type IntoIter = std::array::IntoIter<T, { $key::ALL.len() }>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.into_iter()
            }
        }

        impl<'a, T> IntoIterator for &'a $name<T> {
            type Item = &'a T;
            type IntoIter = std::slice::Iter<'a, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }
    };
}

by! {
    /// Something of each side: that of the attackers, then that of the defenders.
    BySide, Side
}

by! {
    /// Something of each kind of piece: of attackers, of defenders, of the king.
    ByKind, Kind
}
