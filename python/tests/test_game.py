"""Games and their history."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import taflbase
from taflbase import Game, Outcome, Reason, Side, Tablebase
from conftest import RULES

SHUFFLE = ["d1-c1", "d3-c3", "c1-d1", "c3-d3"]
"""Moves after which brandubh's start position recurs."""
WON = "/7/4t2/7/7/2K4/7/2t4/ d"


def test_moves_are_played_and_taken_back() -> None:
    game = Game("brandubh")
    start = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ a"
    assert (game.rules, game.position, game.to_move, game.moves) == (
        "brandubh",
        start,
        "attackers",
        [],
    )
    assert game.play("d1-c1") == "d1-c1"
    assert game.play("d3-c3") == "d3-c3"
    assert (game.moves, game.to_move) == (["d1-c1", "d3-c3"], "attackers")
    assert game.positions[0] == start and game.positions[2] == game.position
    assert repr(game) == f"<taflbase.Game brandubh: 2 plies, {game.position}>"
    assert (game.undo(), game.undo(), game.position) == ("d3-c3", "d1-c1", start)
    with pytest.raises(taflbase.MoveError, match="^there is no move to take back$"):
        game.undo()


def test_moves_and_positions_agree_with_a_tablebase(brandubh: Tablebase) -> None:
    game = Game("brandubh", "/7/7/4K2/7/1tT4/7/3t3/ a")
    assert game.legal_moves() == brandubh.legal_moves(game.position)
    assert game.play("d7-d5") == "d7-d5xc5"
    assert game.position == brandubh.play("/7/7/4K2/7/1tT4/7/3t3/ a", "d7-d5")
    assert str(game.board()) == str(brandubh.board(game.position))


def test_moves_that_the_rules_forbid_as_repetitions_are_not_listed() -> None:
    game = Game("copenhagen", moves=["d1-b1", "f4-f3", "b1-d1"])
    moves = [move.move for move in game.legal_moves()]
    legal = [move.move for move in taflbase.open("copenhagen").legal_moves(game.position)]
    assert set(legal) - set(moves) == {"f3-f4"} and len(moves) > 50
    with pytest.raises(taflbase.MoveError, match="^f3-f4 repeats a position"):
        game.play("f3-f4")
    with pytest.raises(taflbase.MoveError, match="^root_moves: f3-f4 repeats a position"):
        taflbase.Engine("copenhagen", tables=False).best_move(
            game, depth=2, root_moves=["f3-f4"]
        )


def test_a_game_is_drawn_with_its_last_move_marked() -> None:
    game = Game("brandubh")
    assert "last move" not in game._repr_svg_()
    game.play("d1-c1")
    assert "the last move from d1 to c1" in game._repr_svg_()
    assert game._repr_svg_() == game.board().svg()
    # The two squares are framed, by four lines each.
    frames = [line for line in game._repr_svg_().splitlines() if "#2f74d0" in line]
    assert len(frames) == 8
    game.undo()
    assert game._repr_svg_() == Game("brandubh").board().svg()


def test_games_end_by_the_rules() -> None:
    for game, outcome in [
        (Game("brandubh", moves=SHUFFLE), Outcome(None, Reason.REPETITION)),
        (
            Game("berkeley", moves=["i6-f6", "f5-f3", "i4-i3", "e5-f5", "i3-i4", "f5-e5"]),
            Outcome(Side.ATTACKERS, Reason.REPETITION),
        ),
        (
            Game("brandubh", WON, ["Kc5-c1", "e2-e1", "Kc1-a1"]),
            Outcome(Side.DEFENDERS, Reason.KING_ESCAPED),
        ),
        (Game("brandubh", "/7/7/2tT3/7/1TK4/7/7/ d", ["b5-b3"]), Outcome(Side.DEFENDERS, Reason.NO_MOVE)),
    ]:
        assert game.outcome() == outcome
        assert game.legal_moves() == []
        with pytest.raises(taflbase.GameOver, match="^the game is over: ") as raised:
            game.play("d1-c1")
        assert "\n" not in str(raised.value)
        game.undo()
        assert game.outcome() is None and game.legal_moves()


def test_a_captured_king_ends_the_game(brandubh: Tablebase) -> None:
    found = brandubh.find("K0v2", value="win", to_move="attackers", plies=1, limit=1)[0]
    game = Game("brandubh", found.position)
    best = brandubh.best_move(found.position)
    assert best is not None and game.play(best) == best
    assert game.outcome() == Outcome(Side.ATTACKERS, Reason.KING_CAPTURED)


def test_the_plies_are_counted(tmp_path: Path) -> None:
    assert Game("brandubh").plies_left is None
    limited = tmp_path / "limited.toml"
    text = (RULES / "mcgill.toml").read_text()
    limited.write_text(text.replace("ply-limit = 100", "ply-limit = 2"))
    game = Game(limited, moves=["d1-c1"])
    assert (game.plies_left, game.outcome()) == (1, None)
    game.play("e4-f4")
    assert (game.plies_left, game.outcome()) == (0, Outcome(None, Reason.PLY_LIMIT))
    assert pickle.loads(pickle.dumps(game)) == game


def test_games_are_compared_and_copied_with_their_history() -> None:
    game = Game("brandubh", moves=SHUFFLE[:3])
    for same in (game.copy(), copy.copy(game), pickle.loads(pickle.dumps(game))):
        assert same == game
        assert same.play("c3-d3") and same.outcome() == Outcome(None, Reason.REPETITION)
        assert same != game and game.outcome() is None
    back = Game("brandubh", moves=SHUFFLE)
    assert back.position == Game("brandubh").position and back != Game("brandubh")
    assert Game("brandubh") != Game("brandubh-online")
    # Their tables are the same; what ends a game is not.
    assert Game("tablut") != Game("mcgill")
    with pytest.raises(taflbase.RulesetError, match="its ruleset is mcgill, not tablut"):
        taflbase.Engine("tablut", tables=False).best_move(Game("mcgill"), depth=1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


def test_invalid_games() -> None:
    for make, error, message in [
        (lambda: Game("chess"), taflbase.RulesetError, '"chess" is neither'),
        (lambda: Game("brandubh", "/9/9/ a"), taflbase.PositionError, "2 instead of 7 ranks"),
        (lambda: Game("brandubh", "/7/7/7/7/2K4/7/7/ d"), taflbase.PositionError, "no attackers"),
        (lambda: Game("brandubh", moves=["d1-c1", "d1-c1"]), taflbase.MoveError, "move 2: "),
        (
            lambda: Game("brandubh", moves=[*SHUFFLE, "d1-c1"]),
            taflbase.GameOver,
            "move 5: the game is over: a draw",
        ),
        (lambda: Game("brandubh").play("d1-d9"), taflbase.MoveError, "d9"),
    ]:
        with pytest.raises(error, match="^.*" + message) as raised:
            make()
        assert "\n" not in str(raised.value)
