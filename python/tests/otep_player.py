"""A program that plays the first legal move by OTEP. Its argument selects how it fails."""

from __future__ import annotations

import sys
import time

import taflbase

fault = sys.argv[1] if len(sys.argv) > 1 else ""
tables = taflbase.open("brandubh")
board = ""
for line in sys.stdin:
    words = line.split()
    print(line, end="", file=sys.stderr, flush=True)
    if words[0] == "rules":
        board = line.split("start:")[1].split()[0]
        print("hello", flush=True)
    elif words[0] in ("opponent-move", "move"):
        board = words[-1]
    elif words[0] == "play":
        if fault == "slow":
            time.sleep(600)
        if fault == "late":
            time.sleep(0.3)
        if fault == "exit":
            sys.exit(3)
        move = tables.legal_moves(f"{board} {words[1][0]}")[0].move
        print("move", "a1-a9" if fault == "illegal" else move, flush=True)
    elif words[0] == "goodbye":
        break
