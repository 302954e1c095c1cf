"""External programs as players."""

from __future__ import annotations

import shlex
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Optional

import pytest

import taflbase
from taflbase import Clock, Engine, ExternalPlayer, Game
PROGRAM = Path(__file__).with_name("otep_player.py")


def command(fault: str = "") -> str:
    return shlex.join([sys.executable, str(PROGRAM), fault])


def test_a_program_plays_a_game_against_the_engine(capfd: pytest.CaptureFixture[str]) -> None:
    game = Game("brandubh")
    with ExternalPlayer("brandubh", command()) as player, Engine("brandubh") as engine:
        assert player.rules == "brandubh" and player.name.startswith("python")
        assert repr(player) == f"<taflbase.ExternalPlayer brandubh: {player.name}>"
        players = {"attackers": player, "defenders": engine}
        while game.outcome() is None and len(game.moves) < 40:
            first = game.legal_moves()[0].move
            move = players[game.to_move].best_move(game, clock=Clock(60, 2))
            assert game.to_move == "defenders" or move == first
            game.play(move)
        assert len(game.moves) > 2
        heard = capfd.readouterr().err.splitlines()
        # The whole game is sent once, and then move by move.
        assert sum(line.startswith("rules ") for line in heard) == 2
        assert sum(line.startswith("opponent-move ") for line in heard) == len(game.moves[2::2])
        assert "clock 60000 60000 0 0 0" in heard
        # A game that does not continue that one is sent as a new game.
        other = Game("brandubh", moves=["d1-c1", "d3-c3"])
        assert player.best_move(other, time=1) == other.legal_moves()[0].move
        other.undo()
        assert player.best_move(other, time=1) == other.legal_moves()[0].move
        heard = capfd.readouterr().err.splitlines()
        assert sum(line.startswith("rules ") for line in heard) == 2
    with pytest.raises(taflbase.Closed, match="^the player is closed: start another one$"):
        player.best_move(Game("brandubh"), time=1)


def test_programs_that_fail() -> None:
    for fault, message in [
        ("illegal", "plays a1-a9: "),
        ("exit", "has ended"),
    ]:
        with ExternalPlayer("brandubh", command(fault)) as player:
            for _ in range(2):
                # It is restarted for the second move.
                with pytest.raises(taflbase.PlayerError, match=message) as raised:
                    player.best_move(Game("brandubh"), time=1)
                assert "\n" not in str(raised.value)
    for start, error, message in [
        (lambda: ExternalPlayer("brandubh", ""), taflbase.PlayerError, "no command"),
        (lambda: ExternalPlayer("brandubh", "/no/such"), taflbase.PlayerError, "cannot be started"),
        (lambda: ExternalPlayer("brandubh", "true"), taflbase.PlayerError, "^true: has ended"),
        (lambda: ExternalPlayer("chess", "true"), taflbase.RulesetError, '"chess" is neither'),
    ]:
        with pytest.raises(error, match=message):
            start()


def test_requests_that_never_reach_a_program() -> None:
    with ExternalPlayer("brandubh", command()) as player:
        over = "/7/7/7/7/2K4/7/7/ a"
        for game, limits, error, message in [
            (Game("ashton"), {"time": 1}, taflbase.RulesetError, "its ruleset is ashton"),
            (over, {"time": 1}, taflbase.GameOver, "the game is over"),
            (Game("brandubh"), {}, TypeError, "^give either time or clock"),
            (Game("brandubh"), {"time": 1, "clock": Clock(1, 1)}, TypeError, "^give either"),
            (Game("brandubh"), {"time": 0}, ValueError, "^time must be seconds"),
            (Game("brandubh"), {"clock": Clock()}, ValueError, "^clock: the attackers"),
        ]:
            with pytest.raises(error, match=message):
                player.best_move(game, **limits)


class Interrupted(Exception):
    """Raised as Ctrl-C would."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer")
def test_waiting_can_be_interrupted() -> None:
    def interrupt(number: int, frame: Optional[FrameType]) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    began = time.monotonic()
    try:
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_REAL, 2)
            with ExternalPlayer("brandubh", command("slow")) as player:
                player.best_move(Game("brandubh"), time=600)
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            ExternalPlayer("brandubh", "sleep 1000")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 9


def test_a_player_that_thinks_can_be_closed() -> None:
    player = ExternalPlayer("brandubh", command("slow"))
    errors = []

    def ask() -> None:
        try:
            player.best_move(Game("brandubh"), time=600)
        except taflbase.PlayerError as error:
            errors.append(error)

    thinking = threading.Thread(target=ask)
    thinking.start()
    time.sleep(1)
    began = time.monotonic()
    player.close()
    thinking.join()
    assert time.monotonic() - began < 9 and len(errors) == 1
    with pytest.raises(taflbase.Closed):
        player.best_move(Game("brandubh"), time=1)


def test_other_threads_keep_running_while_a_program_thinks() -> None:
    with ExternalPlayer("brandubh", command("late")) as player:
        moves = []
        work = threading.Thread(
            target=lambda: moves.append(player.best_move(Game("brandubh"), time=5))
        )
        work.start()
        turns = 0
        while work.is_alive():
            time.sleep(0.002)
            turns += 1
        assert moves and turns > 5
