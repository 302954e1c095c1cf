"""The words of answers and arguments.

Each is a `str` as well: it compares equal to its value, and prints, sorts and is written to
JSON as its value. Arguments are taken either way.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

_W = TypeVar("_W", bound="_Word")


class _Word(str, Enum):
    def __new__(cls: type[_W], value: str) -> _W:
        word = str.__new__(cls, value)
        word._value_ = value
        return word

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, spec: str) -> str:
        return str.__format__(self, spec)


class Side(_Word):
    """A side of the game."""

    ATTACKERS = "attackers"
    DEFENDERS = "defenders"


class Category(_Word):
    """The outcome of a position or a move, for one side."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"
    UNDECIDED = "undecided"
    """In place of `DRAW` under rules without draws (`berkeley`)."""
    UNKNOWN = "unknown"
    """Of a move only: the table of the slice that it leads to is missing."""


class Metric(_Word):
    """What a table holds."""

    WDL = "wdl"
    """Outcomes: win, draw or loss."""
    DTW = "dtw"
    """Outcomes and distances to the end of the game, in plies."""


class Reason(_Word):
    """Why a game is over."""

    KING_CAPTURED = "king-captured"
    KING_ESCAPED = "king-escaped"
    NO_MOVE = "no-move"
    """The side to move has no legal move, or no men, and has lost."""
    REPETITION = "repetition"
    PLY_LIMIT = "ply-limit"


class Phase(_Word):
    """A step of a build or of a verification."""

    READING = "reading"
    """Opening the tables of smaller slices; in a verification, reading values."""
    INITIAL = "initial"
    """Finding what captures, missing moves and the rules themselves decide."""
    TABLES = "tables"
    """Preparing the bit tables for the plies of one outcome."""
    PLY = "ply"
    """Solving one ply of one outcome."""
    WRITING = "writing"
    """Compressing and writing the tables."""
    VERIFYING = "verifying"
    """Recomputing stored values by forward moves."""


class Verdict(_Word):
    """The result of a verification."""

    PROVED = "proved"
    """All values are right, if those of the slices that captures lead to are."""
    CONSISTENT = "consistent"
    """The values do not contradict each other. Without distances that is no proof."""
    SAMPLED = "sampled"
    """The sampled blocks are right, if the values that their moves lead to are. Of the
    rest of the table it says nothing."""
    WRONG = "wrong"
    """Something is wrong: see the messages."""
