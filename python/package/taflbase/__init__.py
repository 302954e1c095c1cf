"""Endgame tablebases for tafl games: every position with few pieces, solved exactly; and
an engine for all others.

>>> import taflbase
>>> tables = taflbase.open("brandubh")
>>> tables.probe_dtw("/7/4t2/7/7/2K4/7/2t4/ d")
Value(category='win', dtw=3)
>>> engine = taflbase.Engine("brandubh")
>>> game = taflbase.Game("brandubh", moves=["d1-c1"])
>>> best = engine.best_move(game, time=0.1)

Positions are texts as in OpenTafl: the board from rank 1 up, a blank, and the side to
move. Errors are of the classes in `taflbase.errors`.
"""

from ._native import Analysis, Board, Engine, Game, Tablebase, __version__, open, rulesets
from .answers import (
    Found,
    Iteration,
    Line,
    Move,
    MoveProbe,
    Outcome,
    Probe,
    Score,
    SliceClasses,
    SliceValues,
    Value,
    Values,
)
from .errors import (
    DamagedTable,
    FolderError,
    GameOver,
    MissingTable,
    MoveError,
    PositionError,
    RulesetError,
    SearchError,
    SliceError,
    TaflbaseError,
    WeightsError,
    WrongTable,
)

WIN = 1
"""The side to move wins, in arrays."""
DRAW = 0
"""A draw, or undecided where the rules have no draws, in arrays."""
LOSS = -1
"""The side to move loses, in arrays."""

__all__ = [
    "Analysis",
    "Board",
    "DRAW",
    "DamagedTable",
    "Engine",
    "FolderError",
    "Found",
    "Game",
    "GameOver",
    "Iteration",
    "LOSS",
    "Line",
    "MissingTable",
    "Move",
    "MoveError",
    "MoveProbe",
    "Outcome",
    "PositionError",
    "Probe",
    "RulesetError",
    "Score",
    "SearchError",
    "SliceClasses",
    "SliceError",
    "SliceValues",
    "Tablebase",
    "TaflbaseError",
    "Value",
    "Values",
    "WIN",
    "WeightsError",
    "WrongTable",
    "__version__",
    "open",
    "rulesets",
]
