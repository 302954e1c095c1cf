"""Endgame tablebases for tafl games: every position with few pieces, solved exactly.

>>> import taflbase
>>> tables = taflbase.open("brandubh")
>>> tables.probe_dtw("/7/4t2/7/7/2K4/7/2t4/ d")
Value(category='win', dtw=3)

Positions are texts as in OpenTafl: the board from rank 1 up, a blank, and the side to
move. Errors are of the classes in `taflbase.errors`.
"""

from ._native import Board, Tablebase, __version__, open, rulesets
from .answers import Found, Move, MoveProbe, Probe, SliceClasses, SliceValues, Value, Values
from .errors import (
    DamagedTable,
    FolderError,
    MissingTable,
    MoveError,
    PositionError,
    RulesetError,
    SliceError,
    TaflbaseError,
    WrongTable,
)

WIN = 1
"""The side to move wins, in arrays."""
DRAW = 0
"""A draw, or undecided where the rules have no draws, in arrays."""
LOSS = -1
"""The side to move loses, in arrays."""

__all__ = [
    "Board",
    "DRAW",
    "DamagedTable",
    "FolderError",
    "Found",
    "LOSS",
    "MissingTable",
    "Move",
    "MoveError",
    "MoveProbe",
    "PositionError",
    "Probe",
    "RulesetError",
    "SliceClasses",
    "SliceError",
    "SliceValues",
    "Tablebase",
    "TaflbaseError",
    "Value",
    "Values",
    "WIN",
    "WrongTable",
    "__version__",
    "open",
    "rulesets",
]
