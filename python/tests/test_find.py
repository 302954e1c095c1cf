"""Searches in tables."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Callable, Optional

import pytest

import taflbase
from taflbase import Found, MissingTable, SliceError, Tablebase


def test_found_positions_have_the_reported_value(brandubh: Tablebase) -> None:
    found = brandubh.find("K1v2", value="win", plies=(5, 9), limit=20)
    assert len(found) == 20
    for one in found:
        probe = brandubh.probe(one.position)
        assert (one.category, one.dtw, one.to_move) == (probe.category, probe.dtw, probe.to_move)
        assert one.dtw is not None and 5 <= one.dtw <= 9


def test_counts_agree_with_the_statistics(brandubh: Tablebase) -> None:
    attackers, defenders = brandubh.stats("K1v2")
    wins = brandubh.find("K1v2", value="win", to_move="attackers")
    assert sum(one.images for one in wins) == attackers.win
    longest = brandubh.find("K1v2", longest=True, to_move="defenders")
    assert {one.dtw for one in longest} == {defenders.max_win}
    zugzwangs = brandubh.find("K0v3", zugzwang=True)
    number = sum(one.images for one in zugzwangs)
    assert number == brandubh.stats("K0v3")[0].mutual_zugzwangs > 0
    assert all(one.other_category == "loss" for one in zugzwangs)


def test_squares_are_strings_or_lists(brandubh: Tablebase) -> None:
    squares = brandubh.find("K1v1", king="d4", empty="d3,d5")
    assert squares and squares == brandubh.find("K1v1", king=["d4"], empty=["d3", "d5"])
    # All images of a pattern have the same matches.
    assert squares == brandubh.find("K1v1", pattern="/*/*/*/??1K1*/*/*/*/")


def test_a_seed_draws_the_same_positions(brandubh: Tablebase) -> None:
    drawn = brandubh.find("K1v2", random=5, seed=7)
    assert drawn == brandubh.find("K1v2", random=5, seed=7)
    assert drawn[:2] == brandubh.find("K1v2", random=2, seed=7)
    assert drawn != brandubh.find("K1v2", random=5, seed=8)
    assert isinstance(drawn[0], Found)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"king": "j9"}, "king: the board has no square"),
        ({"value": "undecided"}, "value: .* win, loss or draw"),
        ({"plies": (9, 3)}, "plies: 9 to 3 is an empty range"),
        ({"plies": 70000}, "^plies must be a number from 0 to 65535, or two of them, not 70000"),
        ({"plies": (-1, 3)}, r"^plies must be .*, not \(-1, 3\)"),
        ({"value": "draw", "longest": True}, "^a position that is draw has no distance"),
        ({"value": "draw", "plies": 3}, "^a position that is draw has no distance"),
        ({"random": -1}, "^give a whole number from 0 to 18446744073709551615, not -1"),
        ({"limit": -3}, "^give a whole number from 0 to 18446744073709551615, not -3"),
        ({"seed": 1 << 64}, "^give a whole number from 0 to .*, not 18446744073709551616"),
        ({"to_move": "black"}, "to_move must be"),
        ({"pattern": "/*/"}, "pattern: 1 instead of 7 ranks"),
        ({"random": 3, "limit": 2}, "random cannot be combined with limit"),
    ],
)
def test_invalid_searches(brandubh: Tablebase, wanted: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        brandubh.find("K1v1", **wanted)


def test_arguments_of_other_types(brandubh: Tablebase) -> None:
    with pytest.raises(TypeError, match="^give a string or a list of strings, not 24"):
        brandubh.find("K1v1", king=24)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^give a whole number from 0 to .*, not '3'"):
        brandubh.find("K1v1", limit="3")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^give a whole number from 0 to .*, not -2"):
        brandubh.slice_values("K1v1", "attackers", rows=(-2, 3))
    with pytest.raises(TypeError, match="^give a string or a list of strings, not 5"):
        taflbase.build("brandubh", "tables", slices=5)  # type: ignore[call-overload]


def test_slices_must_exist(brandubh: Tablebase) -> None:
    with pytest.raises(SliceError):
        brandubh.find("K1")
    with pytest.raises(MissingTable):
        brandubh.find("K0v6")


class Interrupted(Exception):
    """Raised as Ctrl-C would."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer")
@pytest.mark.parametrize(
    "work",
    [
        lambda tables: tables.find("K2v2", zugzwang=True),
        lambda tables: tables.find("K2v2", zugzwang=True, longest=True),
        lambda tables: tables.find("K2v2", zugzwang=True, random=3),
        lambda tables: tables.stats("K2v2"),
        lambda tables: tables.manifest(["K2v2"], longest=True),
    ],
)
def test_a_pass_over_a_table_can_be_interrupted(work: Callable[[Tablebase], object]) -> None:
    # Work that takes some hundred milliseconds, and a signal at its beginning.
    tables = taflbase.open("berkeley")
    calls = 0

    def count(number: int, frame: Optional[FrameType]) -> None:
        # What checks for signals only at its end would check once.
        nonlocal calls
        calls += 1
        if calls == 4:
            raise Interrupted

    before = signal.signal(signal.SIGALRM, count)
    try:
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_REAL, 2e-4, 2e-4)
            work(tables)
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
