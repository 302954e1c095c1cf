//! The paper's results.

/// A player's results with one colour against another player: wins, losses, draws, and the mean
/// length of decided games.
#[derive(Clone, Copy)]
pub(crate) struct Printed {
    pub(crate) wins: u32,
    pub(crate) losses: u32,
    pub(crate) draws: u32,
    pub(crate) moves: u32,
}

impl Printed {
    pub(crate) fn games(self) -> u32 {
        self.wins + self.losses + self.draws
    }
}

/// Two players, and the results of the first one with the attackers (the paper's Muscovites) and
/// with the defenders (its Swedes).
pub(crate) struct Pairing {
    pub(crate) table: &'static str,
    pub(crate) a: &'static str,
    pub(crate) b: &'static str,
    pub(crate) printed: [Printed; 2],
}

const fn printed(wins: u32, losses: u32, draws: u32, moves: u32) -> Printed {
    Printed { wins, losses, draws, moves }
}

/// In table V, Monte Carlo uses its expanded definitions only as the Swedes.
const SWEDES_ONLY: &str = "expanded:definitions=defenders";

/// Tables I to VI.
pub(crate) const PAIRINGS: [Pairing; 10] = [
    Pairing {
        table: "I",
        a: "greedy",
        b: "random",
        printed: [printed(10, 0, 0, 26), printed(10, 0, 0, 16)],
    },
    Pairing {
        table: "II",
        a: "heuristic",
        b: "greedy",
        printed: [printed(10, 0, 0, 9), printed(10, 0, 0, 14)],
    },
    Pairing {
        table: "III",
        a: "traditional",
        b: "greedy",
        printed: [printed(6, 4, 0, 15), printed(6, 4, 0, 20)],
    },
    Pairing {
        table: "IV",
        a: "expanded",
        b: "greedy",
        printed: [printed(0, 10, 0, 18), printed(10, 0, 0, 18)],
    },
    Pairing {
        table: "V",
        a: "heuristic",
        b: SWEDES_ONLY,
        printed: [printed(1, 1, 8, 24), printed(10, 0, 0, 20)],
    },
    Pairing {
        table: "VI",
        a: "combination",
        b: "random",
        printed: [printed(20, 0, 0, 21), printed(20, 0, 0, 16)],
    },
    Pairing {
        table: "VI",
        a: "combination",
        b: "greedy",
        printed: [printed(20, 0, 0, 9), printed(20, 0, 0, 17)],
    },
    Pairing {
        table: "VI",
        a: "combination",
        b: "heuristic",
        printed: [printed(13, 6, 21, 67), printed(18, 2, 10, 43)],
    },
    Pairing {
        table: "VI",
        a: "combination",
        b: "traditional",
        printed: [printed(10, 0, 0, 19), printed(10, 0, 0, 20)],
    },
    Pairing {
        table: "VI",
        a: "combination",
        b: "expanded",
        printed: [printed(5, 0, 5, 34), printed(10, 0, 0, 20)],
    },
];
