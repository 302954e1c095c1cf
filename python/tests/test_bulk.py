"""Whole slices and many positions as arrays, compared with single probes and counts."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Union

import numpy as np
import pytest

import taflbase
from taflbase import Tablebase

WDL = {"win": taflbase.WIN, "draw": 0, "undecided": 0, "endless": 0, "loss": taflbase.LOSS}
SIDES = ("attackers", "defenders")


Slice = Union[taflbase.SliceValues, taflbase.SliceClasses]


def texts(tables: Tablebase, values: Slice, to_move: str) -> list[str]:
    rows = zip(values.king, values.defenders, values.attackers)
    return [tables.position(*row, to_move) for row in rows]


@pytest.mark.parametrize(
    ("rules", "slice"),
    [("brandubh", "K0v1"), ("brandubh", "K1v2"), ("berkeley", "K1v1"), ("ashton", "K0v2")],
)
def test_the_values_of_a_slice_agree_with_the_counts(rules: str, slice: str) -> None:
    tables = taflbase.open(rules)
    for stats, side in zip(tables.stats(slice), SIDES):
        assert stats.to_move == side
        counted = {
            (WDL[bar.category], -1 if bar.dtw is None else bar.dtw): bar.positions
            for bar in stats.histogram
        }
        values, classes = tables.slice_values(slice, side), tables.slice_classes(slice, side)
        assert len(values.king) == stats.positions
        assert counts(values, np.ones_like(values.wdl)) == counted
        assert counts(classes, classes.images) == counted


def counts(values: Slice, weights: np.ndarray) -> dict[tuple[int, int], int]:
    kinds = Counter[tuple[int, int]]()
    for wdl, dtw, weight in zip(values.wdl.tolist(), values.dtw.tolist(), weights.tolist()):
        kinds[wdl, dtw] += weight
    return dict(kinds)


def test_a_slice_has_every_position_once(brandubh: Tablebase) -> None:
    values = brandubh.slice_values("K0v1", "attackers")
    rows = list(zip(values.king.tolist(), values.attackers[:, 0].tolist()))
    assert len(set(rows)) == len(rows)
    assert set(rows) == set(legal(brandubh))


def test_classes_are_of_mirror_images(brandubh: Tablebase) -> None:
    values = brandubh.slice_classes("K0v1", "attackers")
    rows = np.column_stack([values.king, values.attackers]).tolist()
    classes = {frozenset(mirrored(brandubh.size, row)) for row in rows}
    assert [len(mirrored(brandubh.size, row)) for row in rows] == values.images.tolist()
    assert len(classes) == len(rows)
    assert set().union(*classes) == set(legal(brandubh))


@pytest.mark.parametrize(
    ("rules", "slice"), [("brandubh", "K2v1"), ("ashton", "K0v2"), ("tablut", "K1v1")]
)
@pytest.mark.parametrize("side", SIDES)
def test_heat_maps_are_symmetric(rules: str, slice: str, side: str) -> None:
    tables = taflbase.open(rules)
    values = tables.slice_values(slice, side)
    counted = next(stats for stats in tables.stats(slice) if stats.to_move == side)
    for outcome in ("win", "loss"):
        chosen = values.wdl == WDL[outcome]
        for squares in (values.king, *values.defenders.T, *values.attackers.T):
            heat = np.bincount(squares, weights=chosen, minlength=tables.size**2)
            assert heat.sum() == counted[outcome]
        king = np.bincount(values.king[chosen], minlength=tables.size**2)
        attackers = np.bincount(values.attackers[chosen].ravel(), minlength=tables.size**2)
        for heat in (king, attackers):
            board = heat.reshape(tables.size, tables.size)
            assert np.array_equal(board, np.rot90(board))
            assert np.array_equal(board, board.T)


def test_images_follow_their_representative(brandubh: Tablebase) -> None:
    for slice in ("K1v2", "K0v3"):
        values = brandubh.slice_values(slice, "defenders")
        classes = brandubh.slice_classes(slice, "defenders")
        firsts = np.cumsum(classes.images, dtype=np.int64) - classes.images
        for column in ("king", "defenders", "attackers"):
            assert np.array_equal(getattr(values, column)[firsts], getattr(classes, column))
        assert np.array_equal(values.wdl, np.repeat(classes.wdl, classes.images))
        assert np.array_equal(values.dtw, np.repeat(classes.dtw, classes.images))


def legal(tables: Tablebase) -> Iterator[tuple[int, ...]]:
    """The squares of the king and the attacker in all positions of K0v1."""
    for king, attacker in itertools.permutations(range(tables.size**2), 2):
        with contextlib.suppress(taflbase.PositionError):
            tables.position(king, [], [attacker], "attackers")
            yield king, attacker


def mirrored(size: int, squares: Sequence[int]) -> set[tuple[int, ...]]:
    """The images of squares under the eight symmetries of the board."""
    board = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(side, turns) for side in (board, board.T) for turns in range(4)]
    return {tuple(int(image.flat[square]) for square in squares) for image in turned}


@pytest.mark.parametrize("metric", ["dtw", "wdl"])
@pytest.mark.parametrize("side", SIDES)
def test_many_positions_have_the_values_of_single_probes(brandubh: Tablebase, metric: str, side: str) -> None:
    slice = brandubh.slice_values("K1v2", side, metric)
    picked = np.random.default_rng(7).permutation(len(slice.king))[:300]
    some = taflbase.SliceValues(*(column[picked] for column in slice))
    positions = texts(brandubh, some, side)
    singles = [brandubh.probe_dtw(position) for position in positions]
    wdl = [WDL[value.category] for value in singles]
    dtw = [-1 if value.dtw is None or metric == "wdl" else value.dtw for value in singles]
    assert len(set(zip(wdl, (value.dtw for value in singles)))) >= 2
    squares = brandubh.probe_squares(some.king, some.defenders, some.attackers, side, metric)
    many = brandubh.probe_many(positions, metric)
    for values in (some, squares, many):
        assert values.wdl.tolist() == wdl
        assert values.dtw.tolist() == dtw


def test_partial_values_agree_with_single_probes(brandubh: Tablebase) -> None:
    # K0v5 has a table without distances, K1v2 one with distances.
    lots = [brandubh.slice_classes(slice, "attackers", None, (0, 9)) for slice in ("K1v2", "K0v5")]
    with_distances, without = lots
    assert -1 in without.dtw[without.wdl != 0] and max(with_distances.dtw) > 1
    positions = [text for lot in lots for text in texts(brandubh, lot, "attackers")[:50]]
    known = brandubh.probe_many(positions, metric=None)
    singles = [brandubh.probe(position) for position in positions]
    assert known.dtw.tolist() == [-1 if one.dtw is None else one.dtw for one in singles]
    assert known.wdl.tolist() == [WDL[one.category] for one in singles]
    with pytest.raises(taflbase.MissingTable):
        brandubh.probe_many(positions)
    squares = without.king, without.defenders, without.attackers
    assert np.array_equal(brandubh.probe_squares(*squares, "attackers", None).wdl, without.wdl)


def test_each_position_has_its_own_result(brandubh: Tablebase) -> None:
    # K0v6 has no table, K0v5 none with distances.
    known, no_distance = "/7/4t2/7/7/2K4/7/2t4/ d", "/7/4t2/2K4/7/7/1t3t1/2t1t2/ a"
    no_table, over = "/1ttttt1/7/7/2K4/7/7/4t2/ d", "/7/7/7/7/2K4/7/7/ d"
    positions = [no_table, known, "nonsense", no_distance, over, known]
    unknown, invalid = taflbase.UNKNOWN, taflbase.INVALID
    expected = {
        "dtw": ([unknown, 1, invalid, unknown, invalid, 1], [-1, 3, -1, -1, -1, 3]),
        "wdl": ([unknown, 1, invalid, -1, invalid, 1], [-1] * 6),
        None: ([unknown, 1, invalid, -1, invalid, 1], [-1, 3, -1, -1, -1, 3]),
    }
    for metric, (wdl, dtw) in expected.items():
        values = brandubh.probe_many(positions, metric, errors="mark")
        assert (values.wdl.tolist(), values.dtw.tolist()) == (wdl, dtw)
    with pytest.raises(taflbase.PositionError, match="^position 2: "):
        brandubh.probe_many(positions)
    with pytest.raises(taflbase.MissingTable, match="^position 1: .* K0v6"):
        brandubh.probe_many([known, no_table])
    values = brandubh.probe_squares([16, 0, 99], [[]] * 3, [[1]] * 3, "attackers", errors="mark")
    assert values.wdl.tolist()[1:] == [invalid, invalid] and values.wdl[0] in (-1, 0, 1)
    with pytest.raises(ValueError, match='^errors must be "raise" or "mark", not "ignore"'):
        brandubh.probe_many(positions, errors="ignore")


def test_damaged_tables_are_errors_not_marks(tmp_path: Path) -> None:
    (tmp_path / "K0v2.dtw").write_bytes(b"damaged")
    tables = taflbase.open("brandubh", directories=[tmp_path])
    with pytest.raises(taflbase.DamagedTable, match="^position 0: .*K0v2.dtw"):
        tables.probe_many(["/7/4t2/7/7/2K4/7/2t4/ d"], errors="mark")


def test_parts_make_the_whole(brandubh: Tablebase) -> None:
    rows = brandubh.slice_rows("K2v1")
    cuts = [0, 1, 1, rows // 3, rows]
    for ask in (brandubh.slice_values, brandubh.slice_classes):
        whole = ask("K2v1", "attackers")
        parts = [ask("K2v1", "attackers", rows=cut) for cut in zip(cuts, cuts[1:])]
        for column, pieces in zip(whole, zip(*parts)):
            assert np.array_equal(column, np.concatenate(pieces))


def test_slices_without_distances_have_wdl(brandubh: Tablebase) -> None:
    part = brandubh.slice_values("K0v5", "attackers", "wdl", rows=(0, 500))
    assert set(part.wdl.tolist()) <= {-1, 0, 1}
    assert set(part.dtw.tolist()) == {-1}
    with pytest.raises(taflbase.MissingTable, match="^there is no dtw table") as raised:
        brandubh.slice_values("K0v5", "attackers", rows=(0, 500))
    assert (raised.value.slice, raised.value.metric) == ("K0v5", "dtw")
    assert brandubh.stats("K0v5")[0].max_win is None


@pytest.mark.parametrize("number", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
def test_squares_are_integers_of_any_type(brandubh: Tablebase, number: type) -> None:
    slice = brandubh.slice_values("K1v2", "attackers", rows=(40, 60))
    pieces = slice.king, slice.defenders, slice.attackers
    typed = [squares.astype(number) for squares in pieces]
    reordered = [np.asfortranarray(squares) for squares in typed]
    lists = [squares.tolist() for squares in pieces]
    for squares in (pieces, typed, reordered, lists):
        values = brandubh.probe_squares(*squares, "attackers")
        assert np.array_equal(values.wdl, slice.wdl)
        assert np.array_equal(values.dtw, slice.dtw)


def test_lists_may_have_no_soldiers(brandubh: Tablebase) -> None:
    values = brandubh.probe_squares([16, 17], [[], []], [[1], [2]], "attackers")
    assert values.wdl.tolist() == [
        WDL[brandubh.probe_wdl(brandubh.position(king, [], [attacker], "attackers"))]
        for king, attacker in [(16, 1), (17, 2)]
    ]


def test_no_positions_have_no_values(brandubh: Tablebase) -> None:
    assert len(brandubh.probe_many([]).wdl) == 0
    assert len(brandubh.probe_squares([], [], [], "attackers").wdl) == 0
    assert brandubh.slice_values("K1v2", "attackers", rows=(5, 5)).attackers.shape == (0, 2)


def test_other_threads_keep_running(brandubh: Tablebase) -> None:
    answers = []
    work = threading.Thread(target=lambda: answers.append(brandubh.stats("K1v3")))
    work.start()
    turns = 0
    while work.is_alive():
        time.sleep(0.002)
        turns += 1
    assert answers and turns > 5


def test_threads_share_a_tablebase(brandubh: Tablebase) -> None:
    slice = brandubh.slice_values("K0v2", "defenders")
    positions = texts(brandubh, slice, "defenders")[:2000]
    answers: list[list[str]] = [[], []]

    def probe(number: int) -> None:
        answers[number] = [brandubh.probe_wdl(position) for position in positions]

    threads = [threading.Thread(target=probe, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers[0] == answers[1]
    assert [WDL[word] for word in answers[0]] == slice.wdl[:2000].tolist()


def test_outcomes_are_read_from_dtw_tables_if_there_are_no_others() -> None:
    tables = taflbase.open("ashton")
    outcomes = tables.slice_values("K0v3", "attackers", "wdl", rows=(0, 100))
    distances = tables.slice_values("K0v3", "attackers", rows=(0, 100))
    assert set(outcomes.wdl) == {-1, 0, 1}
    assert np.array_equal(outcomes.wdl, distances.wdl)
