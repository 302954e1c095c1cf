"""Enumerations in results and arguments.

Each member is also a `str`: it compares equal to its value, and prints, sorts and is written
to JSON as its value. Arguments may be members or strings.
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
    """Replaces `DRAW` under rules without draws (`berkeley`)."""
    ENDLESS = "endless"
    """Replaces `DRAW` where endless play is won by the attackers."""
    UNKNOWN = "unknown"
    """For moves only: the table of the slice that the move leads to is missing."""


class Metric(_Word):
    """The contents of a table."""

    WDL = "wdl"
    """Outcomes: win, draw or loss."""
    DTW = "dtw"
    """Outcomes and distances to the end of the game, in plies."""


class Reason(_Word):
    """The reason for the end of a game."""

    KING_CAPTURED = "king-captured"
    KING_ESCAPED = "king-escaped"
    EXIT_FORT = "exit-fort"
    """The king is in an exit fort at the edge."""
    ENCIRCLEMENT = "encirclement"
    """The attackers have encircled all defenders."""
    NO_MOVE = "no-move"
    """The side to move has no legal move, or no men, and loses."""
    REPETITION = "repetition"
    PLY_LIMIT = "ply-limit"


class Phase(_Word):
    """A step of a build or of a verification."""

    READING = "reading"
    """Opening the tables of smaller slices, or in a verification reading values."""
    INITIAL = "initial"
    """Finding the positions decided by captures, a lack of moves, or the rules."""
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
    """All values are correct, provided those of the slices that captures lead to are."""
    CONSISTENT = "consistent"
    """The values are consistent with each other. Without distances this is not a proof."""
    SAMPLED = "sampled"
    """The sampled blocks are correct, provided the values that their moves lead to are. The
    rest of the table was not checked."""
    WRONG = "wrong"
    """There are errors: see the messages."""
