"""The exceptions. Each message is one line that says what to do."""

from .enums import Metric


class TaflbaseError(Exception):
    """The base of all errors of this package."""


class RulesetError(TaflbaseError, ValueError):
    """There is no such ruleset, or its file is invalid."""


class PositionError(TaflbaseError, ValueError):
    """A position cannot be parsed, or is not one of a game in progress."""


class MoveError(TaflbaseError, ValueError):
    """A move cannot be parsed or is illegal, or there is no move to take back."""


class GameOver(TaflbaseError, ValueError):
    """The game is over: no move can be played or searched."""


class SliceError(TaflbaseError, ValueError):
    """A name is not that of a slice, or the slice has no such rows."""


class MissingTable(TaflbaseError, LookupError):
    """The table of a slice is missing. A missing table never counts as a draw."""

    slice: str
    """The slice, as `K1v2`."""
    metric: Metric
    """The metric of the missing table."""

    def __init__(self, message: str, slice: str, metric: str) -> None:
        super().__init__(message, slice, metric)
        self.slice = slice
        self.metric = Metric(metric)

    def __str__(self) -> str:
        return str(self.args[0])


class FolderError(TaflbaseError, OSError):
    """A folder or file of tables does not exist or cannot be read; it may be intact."""


class WrongTable(TaflbaseError):
    """A file is a table of another ruleset, of another slice than its name says, or of an
    unsupported format."""


class DamagedTable(TaflbaseError):
    """A table is damaged."""


class Closed(TaflbaseError, ValueError):
    """The tablebase, engine or external player is closed."""


class BuildError(TaflbaseError, RuntimeError):
    """A build cannot start or continue. Finished tables are kept, and the next build
    resumes from them."""


class VerifyError(TaflbaseError, RuntimeError):
    """A slice cannot be verified: it does not fit in memory, or its distances are too
    large."""


class ManifestError(TaflbaseError, ValueError):
    """A manifest cannot be read, or is one of another ruleset."""


class PlayerError(TaflbaseError, RuntimeError):
    """An external player cannot be started, has failed, or has returned no legal move."""


class WeightsError(TaflbaseError, ValueError):
    """A weights file cannot be read, or is not one for the ruleset."""


class SearchError(TaflbaseError, RuntimeError):
    """A search has no result, because another call has used the engine."""
