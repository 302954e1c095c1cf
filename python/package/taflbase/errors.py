"""What can go wrong. Each message is one line that says what to do."""

from .enums import Metric


class TaflbaseError(Exception):
    """The base of all errors of this package."""


class RulesetError(TaflbaseError, ValueError):
    """There is no such ruleset, or its file holds none."""


class PositionError(TaflbaseError, ValueError):
    """A position cannot be read, or is none of a running game."""


class MoveError(TaflbaseError, ValueError):
    """A move cannot be read, or is not legal, or there is none to take back."""


class GameOver(TaflbaseError, ValueError):
    """A game is over: nothing can be played or searched."""


class SliceError(TaflbaseError, ValueError):
    """A text is no slice, or the slice has no such rows."""


class MissingTable(TaflbaseError, LookupError):
    """There is no table of a slice. It is never taken for a draw."""

    slice: str
    """The slice, as `K1v2`."""
    metric: Metric
    """What was to be read."""

    def __init__(self, message: str, slice: str, metric: str) -> None:
        super().__init__(message, slice, metric)
        self.slice = slice
        self.metric = Metric(metric)

    def __str__(self) -> str:
        return str(self.args[0])


class FolderError(TaflbaseError, OSError):
    """A folder or a file of tables is not there, or cannot be read; it may be sound."""


class WrongTable(TaflbaseError):
    """A file is a table of other rules, of another slice than its name says, or of a
    format that this version does not read."""


class DamagedTable(TaflbaseError):
    """A table is damaged."""


class Closed(TaflbaseError, ValueError):
    """A tablebase, an engine or an external player was closed before."""


class BuildError(TaflbaseError, RuntimeError):
    """A build cannot be done, or go on. The tables that were finished stay, and the next
    build goes on from what is there."""


class VerifyError(TaflbaseError, RuntimeError):
    """A slice cannot be verified: it does not fit into memory, or its distances are too
    long."""


class ManifestError(TaflbaseError, ValueError):
    """A manifest cannot be read, or is one of other rules."""


class PlayerError(TaflbaseError, RuntimeError):
    """An external player cannot be started, has failed, or has given no legal move."""


class WeightsError(TaflbaseError, ValueError):
    """A file of weights cannot be read, or is none for the ruleset."""


class SearchError(TaflbaseError, RuntimeError):
    """A search has no answer, because the engine was given other work meanwhile."""
