"""What a `Tablebase` answers.

`category` is always `win`, `draw`, `loss` or, under rules without draws (`berkeley`),
`undecided`, for the side to move in the probed position. `dtw` is the distance to the
end of the game in plies.
"""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray


class Value(NamedTuple):
    """The value of a position."""

    category: str
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw."""


class MoveProbe(NamedTuple):
    """A move and what it leads to."""

    move: str
    """The move, as `e5-e8xe9`."""
    category: str
    """Its outcome for the side that plays it; `unknown` if the table of the slice that
    it leads to is missing."""
    dtw: Optional[int]
    """Plies that are left after the move; `None` for a draw, if it is unknown, and
    where there are WDL tables only."""
    conversion: bool
    """Whether it captures a soldier and the game goes on."""


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


class Values(NamedTuple):
    """The values of n positions."""

    wdl: NDArray[np.int8]
    """`WIN` (1), `DRAW` (0; undecided, where the rules say so) or `LOSS` (-1) for the
    side to move."""
    dtw: NDArray[np.int32]
    """Plies to the end of the game; -1 for a draw, and where WDL tables were asked."""


class SliceValues(NamedTuple):
    """n positions of a slice with one side to move, one for each class of mirror
    images.

    Squares are numbered `rank * size + file` from a1, which is 0.
    """

    king: NDArray[np.uint16]
    """The king's squares."""
    defenders: NDArray[np.uint16]
    """The defenders' squares, n x defenders, ascending."""
    attackers: NDArray[np.uint16]
    """The attackers' squares, n x attackers, ascending."""
    images: NDArray[np.uint8]
    """How many positions each row stands for: its mirror images. Weigh with it to
    count all positions."""
    wdl: NDArray[np.int8]
    """As in `Values`."""
    dtw: NDArray[np.int32]
    """As in `Values`."""
