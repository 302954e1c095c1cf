"""How searches begin and end: limits, other threads, interrupts."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType
from typing import Any, Callable, Optional

import pytest

import taflbase
from taflbase import Engine, Game, Iteration


def without_time(iteration: Iteration) -> Iteration:
    return iteration._replace(time=0)


def test_one_thread_is_deterministic() -> None:
    engine, game = Engine("ashton"), Game("ashton")
    first = engine.analyse(game, nodes=30_000)
    assert 30_000 <= first.nodes < 30_100
    other = Engine("ashton").analyse(game, nodes=30_000)
    # What the engine has stored is used.
    assert without_time(engine.analyse(game, nodes=30_000)) != without_time(first)
    engine.clear()
    again = engine.analyse(game, nodes=30_000)
    assert without_time(first) == without_time(other) == without_time(again)


def test_limits_end_a_search() -> None:
    engine, game = Engine("tablut", threads=2), Game("tablut")
    assert engine.analyse(game, depth=3, time=600).depth == 3
    assert engine.analyse(game, nodes=5_000, depth=60).nodes < 1_000_000
    # The time of the result is that of the last iteration, which may be an early one.
    began = time.monotonic()
    engine.analyse(game, time=0.2)
    assert 0.1 < time.monotonic() - began < 10
    best = engine.best_move(game, depth=2)
    assert best in [move.move for move in game.legal_moves()]


def test_a_search_without_limits_is_stopped_from_another_thread() -> None:
    engine = Engine("ashton")
    analysis = engine.analysis(Game("ashton"))
    next(analysis)
    threading.Timer(0.05, engine.stop).start()
    began = time.monotonic()
    found = analysis.wait()
    assert found.depth >= 1 and found.lines[0].moves
    assert time.monotonic() - began < 30
    # Stopping has no effect on a finished search, or on an idle engine.
    analysis.stop()
    engine.stop()
    # A stop before the search has begun counts, too.
    early = engine.analysis(Game("ashton"), time=60)
    early.stop()
    assert early.wait().time < 30


def test_analyse_is_stopped_from_another_thread() -> None:
    engine, answers = Engine("ashton"), []
    work = threading.Thread(target=lambda: answers.append(engine.analyse(Game("ashton"), time=600)))
    work.start()
    until = time.monotonic() + 60
    while work.is_alive() and time.monotonic() < until:
        engine.stop()
        work.join(0.01)
    assert answers and answers[0].lines


def test_other_threads_keep_running_while_the_engine_searches() -> None:
    engine = Engine("ashton")
    work = threading.Thread(target=lambda: engine.analyse(Game("ashton"), time=0.5))
    work.start()
    turns = 0
    while work.is_alive():
        time.sleep(0.002)
        turns += 1
    assert turns > 5


def test_a_block_ends_the_search_and_the_engine_is_free() -> None:
    engine = Engine("ashton")
    with engine.analysis(Game("ashton")) as analysis:
        for iteration in analysis:
            if iteration.depth == 3:
                break
    assert analysis.wait().depth >= 3
    # Nothing refers to the search that is abandoned here.
    for iteration in engine.analysis(Game("ashton")):
        break
    assert engine.analyse(Game("ashton"), depth=2).depth == 2


def test_an_abandoned_search_ends() -> None:
    engine = Engine("ashton")
    analysis = engine.analysis(Game("ashton"))
    next(analysis)
    del analysis
    time.sleep(0.2)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.1


def test_a_new_search_ends_the_one_before_it() -> None:
    engine = Engine("ashton")
    earlier = engine.analysis(Game("ashton"))
    next(earlier)
    assert engine.analyse(Game("ashton"), depth=2).depth == 2
    with pytest.raises(taflbase.SearchError, match="the engine was given other work"):
        earlier.wait()
    with pytest.raises(taflbase.SearchError):
        list(earlier)
    # Releasing the earlier search does not stop the later one. What that has counted at its last
    # iteration depends on the table, and so on how long the earlier one ran; its depth does not.
    later = engine.analysis(Game("ashton"), depth=7)
    del earlier
    found = later.wait()
    assert found.depth == 7
    # A search that had already finished keeps its result.
    assert engine.analyse(Game("ashton"), depth=1) and later.wait() == found
    cleared = engine.analysis(Game("ashton"))
    engine.clear()
    with pytest.raises(taflbase.SearchError):
        cleared.wait()


def test_an_analysis_outlives_its_engine() -> None:
    assert Engine("brandubh").analysis(Game("brandubh"), depth=3).wait().depth == 3


class Interrupted(Exception):
    """Raised as Ctrl-C would."""


ASKS: list[Callable[[Engine, Game], Any]] = [
    lambda engine, game: engine.analyse(game, time=60),
    lambda engine, game: engine.best_move(game, time=60),
    lambda engine, game: engine.analysis(game, time=60).wait(),
    lambda engine, game: list(engine.analysis(game, time=60)),
]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer")
@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("error", [Interrupted, KeyboardInterrupt])
def test_a_search_can_be_interrupted(ask: Callable[[Engine, Game], Any], error: type) -> None:
    def interrupt(number: int, frame: Optional[FrameType]) -> None:
        raise error

    engine = Engine("ashton")
    before = signal.signal(signal.SIGALRM, interrupt)
    began = time.monotonic()
    try:
        with pytest.raises(error):
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            ask(engine, Game("ashton"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert engine.analyse(Game("ashton"), depth=1).depth == 1
    assert time.monotonic() - began < 30
