"""Whatever the engine reports as a win or a loss is one, in games whose positions can recur."""

from __future__ import annotations

import random
from typing import Optional

from taflbase import Engine, Game, PositionError
from conftest import ROOT

RULES = ROOT / "tests" / "rulesets" / "mini-corner.toml"


def start(chance: random.Random) -> Optional[Game]:
    """A game from a random position of few men, which mostly move back and forth."""
    squares = list(range(25))
    chance.shuffle(squares)
    defenders, attackers = chance.randrange(3), chance.randrange(1, 5)
    men = "K" + "T" * defenders + "t" * attackers
    board = ["1"] * 25
    for square, man in zip(squares, men):
        board[square] = man
    ranks = ["".join(board[5 * rank : 5 * rank + 5]) for rank in range(5)]
    for blanks in range(5, 1, -1):
        ranks = [rank.replace("1" * blanks, str(blanks)) for rank in ranks]
    try:
        game = Game(RULES, f"/{'/'.join(ranks)}/ {chance.choice('ad')}")
    except PositionError:
        return None
    for _ in range(chance.randrange(12)):
        if game.outcome() is not None:
            return None
        moves = [move.move for move in game.legal_moves()]
        back = [move for move in moves if len(game.moves) > 1 and undoes(game.moves[-2], move)]
        game.play(chance.choice(back if back and chance.randrange(4) else moves))
    return game if game.outcome() is None else None


def undoes(move: str, other: str) -> bool:
    origin, target = move.lstrip("K")[:5].split("-")
    return other.lstrip("K")[:5] == f"{target}-{origin}"


def has_won(game: Game, side: str, plies: int) -> bool:
    """Whether this side wins within this many plies, by trying every move."""
    outcome = game.outcome()
    if outcome is not None:
        return outcome.winner == side
    if plies == 0:
        return False
    is_mover = game.to_move == side
    for move in game.legal_moves():
        game.play(move.move)
        won = has_won(game, side, plies - 1)
        game.undo()
        if won == is_mover:
            return won
    return not is_mover


def test_reported_wins_hold_with_any_history() -> None:
    chance = random.Random(1)
    engines = [Engine(RULES, tables=False, lines=lines, hash_mib=1) for lines in (1, 3)]
    seen = {"win": 0, "loss": 0}
    while min(seen.values()) < 40:
        game = start(chance)
        if game is None:
            continue
        engine = chance.choice(engines)
        for iteration in engine.analysis(game, nodes=2 ** chance.randrange(1, 12)):
            for line in iteration.lines:
                score = line.score
                if score.category is None or score.plies is None or score.plies > 4:
                    continue
                won = score.category == "win"
                sides = {"attackers": "defenders", "defenders": "attackers"}
                winner = str(game.to_move.value) if won else sides[game.to_move.value]
                then = game.copy()
                then.play(line.moves[0].move)
                context = (score, line, game.positions)
                assert has_won(then, winner, score.plies - 1), context
                if not won and line is iteration.lines[0]:
                    assert has_won(game.copy(), winner, score.plies), context
                seen[score.category.value] += 1
