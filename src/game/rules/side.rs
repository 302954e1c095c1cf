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
    /// Both sides, in the order of [`BySide`].
    pub const ALL: [Side; 2] = [Side::Attackers, Side::Defenders];

    /// Returns the opponent.
    #[must_use]
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::Attackers => Side::Defenders,
            Side::Defenders => Side::Attackers,
        }
    }

    /// Returns the kind of this side's soldiers.
    #[inline]
    pub fn soldier(self) -> Kind {
        match self {
            Side::Attackers => Kind::Attacker,
            Side::Defenders => Kind::Defender,
        }
    }

    /// Returns the side's name: `attackers` or `defenders`.
    pub fn name(self) -> &'static str {
        match self {
            Side::Attackers => "attackers",
            Side::Defenders => "defenders",
        }
    }

    /// Returns the side with this name.
    pub fn from_name(name: &str) -> Option<Side> {
        Side::ALL.into_iter().find(|side| side.name() == name)
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
    /// All three kinds, in the order of [`ByKind`].
    pub const ALL: [Kind; 3] = [Kind::Attacker, Kind::Defender, Kind::King];

    /// Returns the side that the piece belongs to.
    #[inline]
    pub fn side(self) -> Side {
        match self {
            Kind::Attacker => Side::Attackers,
            Kind::Defender | Kind::King => Side::Defenders,
        }
    }

    /// Returns the piece's letter in notation: `t`, `T` or `K`.
    pub fn letter(self) -> char {
        match self {
            Kind::Attacker => 't',
            Kind::Defender => 'T',
            Kind::King => 'K',
        }
    }

    /// Returns the kind's name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Attacker => "attacker",
            Kind::Defender => "defender",
            Kind::King => "king",
        }
    }
}

/// Defines an array with one element for each value of an enum, indexed by the enum.
macro_rules! by {
    ($(#[$attribute:meta])* $name:ident, $key:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
        pub struct $name<T>(pub [T; $key::ALL.len()]);

        impl<T> $name<T> {
            /// Calls the function for each key in order.
            #[inline]
            pub fn from_fn(make: impl FnMut($key) -> T) -> $name<T> {
                $name($key::ALL.map(make))
            }

            /// Applies the function to each element.
            #[inline]
            pub fn map<U>(self, change: impl FnMut(T) -> U) -> $name<U> {
                $name(self.0.map(change))
            }

            /// Iterates over the elements.
            pub fn iter(&self) -> std::slice::Iter<'_, T> {
                self.0.iter()
            }

            /// Iterates mutably over the elements.
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
    /// One value for each side: attackers, then defenders.
    BySide, Side
}

by! {
    /// One value for each kind of piece: attacker, defender, king.
    ByKind, Kind
}
