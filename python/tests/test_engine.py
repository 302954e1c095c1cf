"""The engine, compared with values from other programs, and its refusals."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import taflbase
from taflbase import Category, Clock, Engine, Game, Score, Tablebase
from conftest import KNOWN, RULES, SOLVED

WON = "/7/4t2/7/7/2K4/7/2t4/ d"


def known() -> list[tuple[str, str, str, int]]:
    """Positions with values from a program that shares no code with this one."""
    lines = [line.split("\t") for line in KNOWN.read_text().splitlines()]
    return [(rules, position, value, int(plies)) for rules, position, value, plies in lines]


@pytest.mark.parametrize("rules", ["ashton", "berkeley", "brandubh", "mcgill"])
def test_forced_wins_are_found_in_their_distance_without_tables(rules: str) -> None:
    engine = Engine(rules, tables=False, hash_mib=4)
    for of, position, value, plies in known():
        if of == rules:
            found = engine.analyse(position, depth=12)
            assert found.score == Score(Category(value), plies, None), position
            assert str(found.score) == f"{value} in {plies}" and found.table_hits == 0


def test_positions_in_tables_are_played_in_their_distance(brandubh: Tablebase) -> None:
    engine = Engine("brandubh", tables=brandubh, hash_mib=4)
    for found in brandubh.find("K1v2", value="win", plies=(3, 9), random=20, seed=5):
        game = Game("brandubh", found.position)
        side = game.to_move
        assert engine.analyse(game, depth=1).score == Score(Category.WIN, found.dtw, None)
        while game.outcome() is None:
            if game.to_move == side:
                game.play(engine.best_move(game, nodes=500))
            else:
                best = brandubh.best_move(game.position)
                assert best is not None
                game.play(best)
        outcome = game.outcome()
        assert outcome is not None and outcome.winner == side
        assert len(game.moves) == found.dtw


def test_tables_without_distances_have_the_winner(brandubh: Tablebase) -> None:
    # K0v5 has no distances.
    wanted = brandubh.find("K0v5", value="loss", to_move="attackers", limit=40)
    engine = Engine("brandubh", hash_mib=4)
    scores = [engine.analyse(found.position, depth=2).score for found in wanted]
    assert not any(score.category == "win" for score in scores)
    assert Score(Category.LOSS, None, None) in scores and "table loss" in map(str, scores)


def test_folders_of_tables_are_used(tmp_path: Path) -> None:
    tables = taflbase.open("brandubh")
    position = tables.find("K0v3", value="loss", longest=True, limit=1)[0].position
    assert Engine("brandubh", tables=tmp_path).analyse(position, depth=1).score.plies == 10
    alone = Engine("brandubh", tables=False).analyse(position, depth=1)
    assert (alone.score.plies, alone.table_hits) == (None, 0)
    inside = Engine("brandubh").analyse("/7/4t2/2t1t2/4t2/2K1T2/7/2t4/ d", depth=4)
    assert 0 < inside.table_hits < inside.nodes


def test_the_history_counts() -> None:
    # The attackers lose unless they repeat the start position, which is a draw.
    game = Game("brandubh", WON, ["Kc5-b5", "e2-d2", "Kb5-c5"])
    engine = Engine("brandubh", tables=False)
    with_history = engine.analyse(game, depth=6)
    assert (with_history.best_move, with_history.score) == ("d2-e2", Score(None, None, 0))
    without = engine.analyse(game.position, depth=6)
    assert without.score.category == "loss"


def test_iterations_are_returned_one_by_one() -> None:
    engine = Engine("brandubh", lines=3)
    analysis = engine.analysis(Game("brandubh"), depth=5)
    iterations = list(analysis)
    assert [iteration.depth for iteration in iterations] == [1, 2, 3, 4, 5]
    for earlier, later in zip(iterations, iterations[1:]):
        assert earlier.nodes < later.nodes and earlier.time <= later.time
    last = iterations[-1]
    assert analysis.wait() == last and list(analysis) == []
    assert last.nodes_per_second == int(last.nodes / last.time)
    assert last.selective_depth >= last.depth
    points = [line.score.points() for line in last.lines]
    assert len(points) == 3 and points == sorted(points, reverse=True)
    assert len({line.moves[0].move for line in last.lines}) == 3
    assert (last.score, last.best_move) == (last.lines[0].score, last.lines[0].moves[0].move)
    for line in last.lines:
        game = Game("brandubh")
        for move in line.moves:
            assert (game.play(move.move), game.position) == (move.move, move.after)


def test_scores_have_an_order_and_a_text() -> None:
    scores = [
        (Score(Category.WIN, 1, None), "win in 1", 99_999),
        (Score(Category.WIN, 40, None), "win in 40", 99_960),
        (Score(Category.WIN, None, None), "table win", 99_000),
        (Score(None, None, 35), "+0.35", 35),
        (Score(None, None, 0), "+0.00", 0),
        (Score(None, None, -1204), "-12.04", -1204),
        (Score(Category.LOSS, None, None), "table loss", -99_000),
        (Score(Category.LOSS, 6, None), "loss in 6", -99_994),
        (Score(Category.LOSS, 0, None), "loss in 0", -100_000),
    ]
    for score, words, points in scores:
        assert (str(score), score.points()) == (words, points)
    ordered = [score for score, _, _ in scores]
    shuffled = random.Random(1).sample(ordered, len(ordered))
    assert sorted(shuffled, key=Score.points, reverse=True) == ordered


def test_errors_of_searches(brandubh: Tablebase) -> None:
    engine = Engine("brandubh")
    over = Game("brandubh", WON, ["Kc5-c1", "e2-e1", "Kc1-a1"])
    for game, error, message in [
        (over, taflbase.GameOver, "the game is over: the defenders win: the king has escaped"),
        ("/7/7/7/7/2K4/7/7/ a", taflbase.GameOver, "the game is over: "),
        (Game("ashton").position, taflbase.PositionError, "9 instead of 7 ranks"),
        ("", taflbase.PositionError, "rank"),
        (Game("ashton"), taflbase.RulesetError, "game: its ruleset is ashton, not brandubh"),
        (3, TypeError, "game: expected a Game or a position, not int"),
    ]:
        for ask in (engine.analyse, engine.best_move, engine.analysis):
            with pytest.raises(error, match=message) as raised:
                ask(game, depth=1)
            assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("limits", "error", "message"),
    [
        ({"depth": 0}, ValueError, "depth must be from 1 to 1000, not 0"),
        ({"depth": -3}, ValueError, "depth must be from 1 to 1000, not -3"),
        ({"nodes": 0}, ValueError, "nodes must be 1 or more, not 0"),
        ({"time": float("nan")}, ValueError, "time must be seconds .*, not NaN"),
        ({"time": float("inf")}, ValueError, "time must be seconds .*, not inf"),
        ({"time": -1}, ValueError, "time must be seconds .*, not -1"),
        ({"time": 0}, ValueError, "time must be seconds .*, not 0"),
        ({"depth": 2**70}, OverflowError, "too large"),
        ({"depth": 1.5}, TypeError, "integer"),
        ({"time": "1"}, TypeError, "real number"),
    ],
)
def test_invalid_limits(limits: dict[str, Any], error: type, message: str) -> None:
    engine = Engine("brandubh")
    for ask in (engine.analyse, engine.best_move, engine.analysis):
        with pytest.raises(error, match=message):
            ask(Game("brandubh"), **limits)


def test_a_clock_gives_a_move_its_share() -> None:
    engine, game = Engine("brandubh"), Game("brandubh")
    # A twenty-fifth of the remaining time, and most of the increment.
    for clock, least, most in [
        (Clock(attackers=5), 0.05, 1.5),
        (Clock(attackers=0, defenders=600, attackers_increment=10), 0, 1),
        (Clock(1, 600, attackers_increment=0.4), 0.1, 1.5),
    ]:
        assert least < engine.analyse(game, clock=clock).time < most
    # The other limits apply as well.
    assert engine.analyse(game, clock=Clock(600), depth=2).depth == 2
    assert engine.analyse(game, clock=Clock(6000), time=0.1).time < 2
    game.play(engine.best_move(game, clock=Clock(attackers=0.1)))
    assert engine.analysis(game, clock=Clock(defenders=0.1)).wait().lines
    for clock, error, message in [
        (Clock(attackers=9), ValueError, "^clock: the defenders are to move and have no time"),
        (Clock(), ValueError, "^clock: the defenders are to move and have no time"),
        (Clock(9, -1), ValueError, "^clock: defenders must be seconds from 0 to .*, not -1"),
        (
            Clock(9, 9, 0, float("inf")),
            ValueError,
            "^clock: defenders_increment must be seconds .*, not inf",
        ),
        (9, TypeError, "clock"),
    ]:
        with pytest.raises(error, match=message):
            engine.best_move(game, clock=clock)  # type: ignore[arg-type]


def test_a_search_is_restricted_to_moves() -> None:
    engine, game = Engine("brandubh", lines=2), Game("brandubh", WON)
    all_moves = [move.move for move in game.legal_moves()]
    assert engine.best_move(game, depth=4) == "Kc5-c1"
    others = [move for move in all_moves if move != "Kc5-c1"]
    found = engine.analyse(game, depth=4, root_moves=others[:3])
    assert {line.moves[0].move for line in found.lines} <= set(others[:3])
    # Letters and marks may be omitted, as in `Game.play`.
    for text in ("Kc5-a5", "c5-a5"):
        assert engine.best_move(game, depth=2, root_moves=[text]) == "Kc5-a5"
    last = engine.analysis(game, depth=2, root_moves=["Kc5-a5"]).wait()
    assert [line.moves[0].move for line in last.lines] == ["Kc5-a5"]
    for moves, error, message in [
        ([], ValueError, "^root_moves: give at least one move, or None for all"),
        (["e2-e1"], taflbase.MoveError, "^root_moves: .*e2"),
        (["Kc5-a5", "nonsense"], taflbase.MoveError, '^root_moves: "nonsense" is not a move'),
    ]:
        with pytest.raises(error, match=message):
            engine.analyse(game, depth=2, root_moves=moves)


def test_an_unfinished_iteration_is_marked() -> None:
    game = Game("ashton")
    complete = Engine("ashton", lines=3).analyse(game, depth=3)
    assert complete.complete and {line.depth for line in complete.lines} == {3}
    limits = range(300, 3000, 300)
    iterations = [Engine("ashton", lines=3).analyse(game, nodes=nodes) for nodes in limits]
    unfinished = [iteration for iteration in iterations if not iteration.complete]
    assert unfinished
    for iteration in unfinished:
        depths = [line.depth for line in iteration.lines]
        assert depths == sorted(depths, reverse=True) and depths[0] <= iteration.depth


def test_a_closed_engine_cannot_search() -> None:
    with Engine("brandubh") as engine:
        analysis = engine.analysis(Game("brandubh"))
        next(analysis)
    with pytest.raises(taflbase.SearchError):
        analysis.wait()
    asks = [
        lambda: engine.analyse(WON, depth=1),
        lambda: engine.analysis(WON),
        lambda: engine.best_move(WON, depth=1),
        engine.clear,
    ]
    for ask in asks:
        with pytest.raises(taflbase.Closed, match="^the engine is closed: make another one$"):
            ask()
    engine.stop()
    engine.close()


def test_only_an_analysis_may_have_no_limit() -> None:
    engine = Engine("brandubh")
    for ask in (engine.analyse, engine.best_move):
        with pytest.raises(ValueError, match="^give a limit: depth, nodes, time or clock"):
            ask(Game("brandubh"))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"threads": 0}, ValueError, "threads must be from 1 to 1024, not 0"),
        ({"threads": -1}, ValueError, "threads must be from 1 to 1024, not -1"),
        ({"hash_mib": 0}, ValueError, "hash_mib must be from 1 to 1048576, not 0"),
        ({"lines": 0}, ValueError, "lines must be from 1 to 1000, not 0"),
        ({"contempt": -1001}, ValueError, "contempt must be from -1000 to 1000, not -1001"),
        ({"tables": 3}, TypeError, "tables: expected a Tablebase, a folder, or False for none, not int"),
        ({"tables": True}, TypeError, "tables: .* not bool"),
        ({"tables": "no such folder"}, taflbase.FolderError, "no such folder"),
        ({"tables": taflbase.open("ashton")}, taflbase.RulesetError, "the tables of ashton do not hold"),
        ({"weights": "no such file"}, taflbase.WeightsError, "^no such file: "),
    ],
)
def test_invalid_options(options: dict[str, Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        Engine("brandubh", **options)
    assert "\n" not in str(raised.value)
    with pytest.raises(taflbase.RulesetError, match='"chess" is neither'):
        Engine("chess", **options)


TOO_MUCH = """
import resource, taflbase
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
try:
    taflbase.Engine("brandubh", hash_mib=1 << 20)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_missing_memory_does_not_end_the_process() -> None:
    answer = subprocess.run([sys.executable, "-c", TOO_MUCH], capture_output=True, text=True)
    assert answer.stdout == "hash_mib: cannot allocate 1048576 MiB of memory\n", answer.stderr


@pytest.mark.parametrize("contempt", [0, 70, -30])
def test_contempt_lowers_the_score_of_a_draw(tmp_path: Path, contempt: int) -> None:
    # The game ends with its first move, whichever it is.
    rules = tmp_path / "short.toml"
    rules.write_text(re.sub("ply-limit = .*", "ply-limit = 1", (RULES / "mcgill.toml").read_text()))
    engine = Engine(rules, tables=False, hash_mib=4, contempt=contempt)
    assert engine.analyse(Game(rules), depth=3).score == Score(None, None, -contempt)


def test_weights_are_read_from_a_file(tmp_path: Path) -> None:
    weights = tmp_path / "weights.toml"
    places = "attackers = [-100, -100]\ndefenders = [100, 100]\nking = [0, 0]\n"
    weights.write_text(f"rulesets = []\n{places}[terms]\n")
    engine = Engine("brandubh", weights=weights)
    # Eight attackers against four defenders; nothing else counts.
    assert engine.analyse(Game("brandubh"), depth=1).score == Score(None, None, 400)
    for text, message in [
        ("", "missing field"),
        ("[", "weights.toml: "),
        (f"rulesets = ['tablut']\n{places}[terms]\n", "weights for tablut, not for brandubh"),
        (f"rulesets = []\n{places}[terms]\nhaste = [1, 1]\n", 'there is no term "haste"'),
        (f"rulesets = []\n{places}[terms]\ntempo = [9999, 1]\n", "from -2000 to 2000, not 9999"),
    ]:
        weights.write_text(text)
        with pytest.raises(taflbase.WeightsError, match=message) as raised:
            Engine("brandubh", weights=weights)
        assert str(raised.value).startswith(str(weights)) and "\n" not in str(raised.value)
    weights.write_bytes(b"\xff\xfe")
    with pytest.raises(taflbase.WeightsError, match="weights.toml"):
        Engine("brandubh", weights=weights)


@pytest.mark.parametrize("rules", [*SOLVED, RULES / "mcgill.toml"])
def test_every_ruleset_is_played(rules: str) -> None:
    engine, game = Engine(rules, hash_mib=1), Game(rules)
    for _ in range(3):
        game.play(engine.best_move(game, nodes=300))
    assert engine.rules == game.rules and len(game.moves) == 3


def test_an_engine_describes_itself() -> None:
    tables = "at most 6 men (distances: 5)"
    assert repr(Engine("brandubh")) == f"<taflbase.Engine brandubh: 1 thread, 64 MiB, tables: {tables}>"
    other = Engine("brandubh", tables=False, threads=2, hash_mib=8)
    assert repr(other) == "<taflbase.Engine brandubh: 2 threads, 8 MiB, tables: none>"
    analysis = other.analysis(WON, depth=1)
    assert repr(analysis) == f"<taflbase.Analysis {WON}>"
