"""What a `Tablebase`, a `Game` and an `Engine` answer.

`category` is always `win`, `draw`, `loss` or, under rules without draws (`berkeley`),
`undecided`, for the side to move in the probed position. `dtw` is the distance to the
end of the game in plies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from ._native import Board


class Value(NamedTuple):
    """The value of a position."""

    category: str
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw."""


class Move(NamedTuple):
    """A legal move."""

    move: str
    """The move, as `e5-e8xe9`: after `x` what it captures. `++` captures the king, `--`
    is his escape; both end the game."""
    after: str
    """The position after it, with the other side to move. A captured king stays on the
    board."""


class MoveProbe(NamedTuple):
    """A move and what it leads to."""

    move: str
    """The move, as in `Move`."""
    category: str
    """Its outcome for the side that plays it; `unknown` if the table of the slice that
    it leads to is missing."""
    dtw: Optional[int]
    """Plies that are left after the move; `None` for a draw, if it is unknown, and
    where there are WDL tables only."""
    conversion: bool
    """Whether it captures a soldier and the game goes on, with fewer men."""
    after: str
    """The position after it, as in `Move`."""


class Probe(NamedTuple):
    """The value of a position and of each of its moves."""

    position: str
    """The position in its canonical form."""
    to_move: str
    """`attackers` or `defenders`."""
    category: str
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw, and where there are WDL tables
    only."""
    moves: list[MoveProbe]
    """The legal moves, best first."""
    board: Board
    """The board, to look at."""

    def _repr_html_(self) -> str:
        """The board with the value below it, and a table of the moves, best first."""
        header = ("move", "value", "conversion", "plies after it")
        rows = [
            (move.move, move.category, "yes" if move.conversion else "", plain(move.dtw))
            for move in self.moves
        ]
        moves = "".join(html_row("td", row) for row in rows)
        return (
            f"<div>{self.board.svg()}<p>{self.to_move} to move: {in_words(self)}</p>"
            f"<table><thead>{html_row('th', header)}</thead><tbody>{moves}</tbody></table></div>"
        )


class Found(NamedTuple):
    """A position that was looked for: one of each class of mirror images."""

    slice: str
    """The slice, as `K1v2`."""
    position: str
    """The position."""
    to_move: str
    """`attackers` or `defenders`."""
    category: str
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw, and where there are WDL tables
    only."""
    images: int
    """How many mirror images it stands for, itself included."""
    other_category: Optional[str]
    """Of a mutual zugzwang, the outcome for the other side if that were to move."""
    other_dtw: Optional[int]
    """The same in plies."""


class Values(NamedTuple):
    """The values of n positions."""

    wdl: NDArray[np.int8]
    """`WIN` (1), `DRAW` (0; undecided, where the rules say so) or `LOSS` (-1) for the
    side to move."""
    dtw: NDArray[np.int32]
    """Plies to the end of the game; -1 for a draw, and where the tables that were asked
    have no distances."""


class SliceValues(NamedTuple):
    """The n positions of a slice with one side to move. Mirror images are positions of
    their own.

    Squares are numbered `rank * size + file` from a1, which is 0.
    """

    king: NDArray[np.uint16]
    """The king's squares."""
    defenders: NDArray[np.uint16]
    """The defenders' squares, n x defenders, ascending."""
    attackers: NDArray[np.uint16]
    """The attackers' squares, n x attackers, ascending."""
    wdl: NDArray[np.int8]
    """As in `Values`."""
    dtw: NDArray[np.int32]
    """As in `Values`."""


class SliceClasses(NamedTuple):
    """n positions of a slice with one side to move, one for each class of mirror
    images. Where pieces stand in the other images is not told: for that take
    `SliceValues`.
    """

    king: NDArray[np.uint16]
    """As in `SliceValues`."""
    defenders: NDArray[np.uint16]
    """As in `SliceValues`."""
    attackers: NDArray[np.uint16]
    """As in `SliceValues`."""
    images: NDArray[np.uint8]
    """How many positions each stands for, itself included: weights for totals."""
    wdl: NDArray[np.int8]
    """As in `Values`."""
    dtw: NDArray[np.int32]
    """As in `Values`."""


class Outcome(NamedTuple):
    """How a game has ended."""

    winner: Optional[str]
    """`attackers` or `defenders`; `None` for a draw."""
    reason: str
    """`king-captured`, `king-escaped`, `no-move`, `repetition` or `ply-limit`."""


class Score(NamedTuple):
    """What a position is worth to the side to move, as far as a search can tell.

    As text it is what `taflbase analyse` tells: `win in 5`, `table loss`, `+0.35`.
    """

    category: Optional[str]
    """`win` or `loss`, for certain; `None` for an estimate."""
    plies: Optional[int]
    """The game takes so many plies at most; `None` for an estimate, and for a win or loss
    that tables without distances tell."""
    estimate: Optional[int]
    """Hundredths of a soldier, a draw is 0; `None` for a win or a loss."""

    def points(self, win: int = 100_000) -> int:
        """The score as one number, more for what is better: the estimate; `win` less the
        plies for a win, and 1000 less than `win` if they are not known; for a loss the
        same below 0."""
        if self.estimate is not None:
            return self.estimate
        points = win - (1000 if self.plies is None else self.plies)
        return points if self.category == "win" else -points

    def __str__(self) -> str:
        if self.estimate is not None:
            return f"{self.estimate / 100:+.2f}"
        if self.plies is None:
            return f"table {self.category}"
        return f"{self.category} in {self.plies}"


class Line(NamedTuple):
    """A line of play that a search expects."""

    score: Score
    """What it leads to, for the side to move in the position that was searched."""
    moves: list[Move]
    """The moves, at least one."""


class Iteration(NamedTuple):
    """What a search knows after an iteration."""

    depth: int
    """The plies that were searched."""
    selective_depth: int
    """The plies of the longest line that was looked at."""
    lines: list[Line]
    """As many best lines as the engine was to search, best first: fewer if there are
    fewer moves, or fewer that keep what the tables promise."""
    nodes: int
    """Positions looked at so far, by all threads."""
    table_hits: int
    """Those of them whose value the tables told."""
    time: float
    """Seconds since the search began."""

    @property
    def score(self) -> Score:
        """The score of the best line."""
        return self.lines[0].score

    @property
    def best_move(self) -> str:
        """The first move of the best line."""
        return self.lines[0].moves[0].move

    @property
    def nodes_per_second(self) -> int:
        """Positions a second."""
        return int(self.nodes / max(self.time, 1e-9))


def in_words(probe: Probe) -> str:
    """The value as `taflbase probe` tells it."""
    if probe.dtw is None:
        return probe.category
    return f"{probe.category} in {probe.dtw} {'ply' if probe.dtw == 1 else 'plies'}"


def plain(plies: Optional[int]) -> str:
    return "" if plies is None else str(plies)


def html_row(cell: str, texts: Iterable[str]) -> str:
    """A row of a table. No text here has a character that HTML takes for its own."""
    return "<tr>" + "".join(f"<{cell}>{text}</{cell}>" for text in texts) + "</tr>"
