"""The rules of a ruleset file, which docs/rulesets.md describes: positions, moves and symmetries.

Shares no code with the program, to check certificates by other code than the program's.
"""

import re
import tomllib

ATTACKER, DEFENDER, KING = 1, 2, 3
SIDES = {"attackers": ATTACKER, "defenders": DEFENDER}
SIDE_OF = [None, ATTACKER, DEFENDER, DEFENDER]
# Rules that are not known here, with the values under which they change nothing.
UNKNOWN = {"shieldwall": False, "king-armed": True, "king-edge-hostile": False}
UNKNOWN |= {"exit-fort": False, "encirclement": False}
END = "goals no-moves repetition repetition-occurrence repetition-counts-start endless".split()


def require(condition, reason):
    if not condition:
        raise ValueError(reason)


class Rules:
    """A ruleset file. Squares are numbered from a1, rank by rank; a board has a byte for each."""

    def __init__(self, path):
        file = tomllib.loads(path.read_text("utf-8"))
        self.size, self.squares = n, squares = file["size"], range(file["size"] ** 2)
        self.cells = -(-n * n // 4) * 4  # With the unused bits of a code.
        ranks, files = [squares[s : s + n] for s in squares[::n]], [squares[s::n] for s in range(n)]
        self.lines = []  # From each square in each direction, up to the edge.
        for y, x in (divmod(s, n) for s in squares):
            four = ranks[y][x + 1 :], ranks[y][:x][::-1], files[x][y + 1 :], files[x][:y][::-1]
            self.lines.append([line for line in four if line])
        self.beside = [[line[0] for line in lines] for lines in self.lines]
        sets = {"throne": [[n * n // 2]], "beside-throne": [self.beside[n * n // 2]]}
        sets["all"] = [[*squares]]
        for name, most in ("corners", 2), ("edge", 3):
            sets[name] = [[s for s in squares if len(self.beside[s]) <= most]]
        names = {chr(ord("a") + s % n) + str(s // n + 1): s for s in squares}
        for name, texts in file.get("squares", {}).items():
            texts = [texts] if isinstance(texts, str) else texts
            sets[name] = [[names[word] for word in text.split()] for text in texts]

        def known(table, *fields):
            new = {name for name in table if table[name] is not UNKNOWN.get(name)} - {*fields}
            require(not new, f"this program does not know the rule {', '.join(sorted(new))}")

        def unions(table, *fields):
            known(table, *fields)
            return [{s for name in table.get(f, ()) for g in sets[name] for s in g} for f in fields]

        # By kind of piece, with a first entry for no piece.
        self.movement, self.places, reach, hostile = [None], [None], [], []
        known(file["end"], *END)
        (self.goals,) = unions({"goals": file["end"]["goals"]}, "goals")
        for kind, name in enumerate((*SIDES, "king"), 1):
            hostile.append(unions(file["hostile"][name], "empty", "occupied", "besieged"))
            table = file["movement"][name]
            no_stop, no_cross, _ = unions(table, "no-stop", "no-cross", "no-entry")
            groups = [group for name in table.get("no-entry", ()) for group in sets[name]]
            gate = {s: number for number, group in enumerate(groups) for s in group}
            self.movement.append((no_stop, no_cross, [gate.get(s) for s in squares]))
            self.places.append({*squares} - no_stop - (self.goals if kind == KING else set()))
            alone = [bytes(s) + bytes([kind]) + bytes(self.cells) for s in squares]
            slides = [{*self.slides(alone[s], s)} for s in squares]
            reach += [slides[s] if s in self.places[kind] else set() for s in squares]
        exempt = [f"{field}-{side}" for field in ("protected", "unaided") for side in SIDES]
        *exempt, self.surrounded = unions(file["capture"], *exempt, "king-surrounded")
        # Squares where nobody can stand do not matter, not even for symmetry.
        _, attackers, defenders, king = self.places
        for (_, occupied, besieged), own in zip(hostile, (attackers, defenders | king, defenders)):
            occupied &= own
            besieged &= own - occupied
        for protected, unaided, own in zip(exempt, exempt[2:], (attackers, defenders)):
            protected &= own
            unaided &= own - protected
        self.surrounded &= king
        self.empty, self.occupied, self.besieged = zip([None] * 3, *hostile)
        self.protected, self.unaided = [(), *exempt[:2], ()], [(), *exempt[2:], ()]
        decisions = [*self.places[1:], *sum(hostile, []), *exempt, self.surrounded, self.goals]

        def decided(turn):
            """All that can change a value, in the order of the fingerprint, after a symmetry."""
            origins = [turn.index(s) + k * n * n for k in range(3) for s in squares]
            groups = decisions + [reach[origin] for origin in origins]
            return [sorted(turn[s] for s in group) for group in groups]

        turns = []
        for _ in range(4):
            ranks = [*zip(*ranks[::-1])]
            turns += [sum(map(list, some), []) for some in (ranks, ranks[::-1])]
        turns = [turn for turn in turns if decided(turn) == decided([*squares])]
        turns = [turn + [*range(n * n, self.cells)] for turn in turns]
        # A key has the squares of a code, those of a byte in the order in which bytes compare.
        self.orders = [[turn[s ^ 3] for s in range(self.cells)] for turn in turns]
        self.orders = [bytes(order) for order in self.orders] if n < 17 else self.orders
        number = ("draw", "undecided", "attackers").index(file["end"]["endless"])
        self.endless = ("draw", "undecided", "endless")[number]
        self.hashed = bytes([n, number])
        for group in decided([*squares]):
            self.hashed += b"".join(v.to_bytes(2, "little") for v in [len(group), *group])

    def parse(self, text):
        """The board and the side to move of a position's text."""
        require(re.fullmatch("[/0-9tTK]+ [ad]", text), "the position has unknown letters")
        ranks = re.sub("[1-9][0-9]?", lambda number: "." * int(number[0]), text[:-2]).split("/")
        full = [len(rank) for rank in ranks] == [0, *[self.size] * self.size, 0]
        require(full and "0" not in "".join(ranks), "the position does not fill the board")
        board = bytes(".tTK".index(piece) for piece in "".join(ranks)).ljust(self.cells, b"\0")
        return board, " ad".index(text[-1])

    def text(self, board, mover):
        pieces = "".join(".tTK"[piece] for piece in board)
        ranks = "/".join(pieces[s : s + self.size] for s in self.squares[:: self.size])
        return f"/{re.sub('[.]+', lambda empty: str(len(empty[0])), ranks)}/ {' ad'[mover]}"

    def is_possible(self, board, mover):
        """Whether pieces stand where they may, one of them a king, and the game is not over."""
        placed = all(s in self.places[piece] for s, piece in enumerate(board) if piece)
        return placed and board.count(KING) == 1 and (mover == ATTACKER or ATTACKER in board)

    def key(self, board):
        """The code of the stored mirror image, with a byte for each square."""
        if self.size < 17:
            return min(order.translate(board.ljust(256, b"\0")) for order in self.orders)
        return min(bytes(board[s] for s in order) for order in self.orders)

    def slides(self, board, start):
        no_stop, no_cross, gate = self.movement[board[start]]
        for line in self.lines[start]:
            for square in line:
                if board[square] or gate[square] not in (None, gate[start]):
                    break
                if square not in no_stop:
                    yield square
                if square in no_cross:
                    break

    def moves(self, board, side):
        starts = (s for s in self.squares if SIDE_OF[board[s]] == side)
        return ((start, end) for start in starts for end in self.slides(board, start))

    def is_hostile(self, board, square, victim_square):
        victim, piece = board[victim_square], board[square]
        if piece and SIDE_OF[piece] != SIDE_OF[victim]:
            return True
        if victim_square in self.unaided[victim]:
            return False
        if not piece:
            return square in self.empty[victim]
        others = (board[s] for s in self.beside[square] if s != victim_square)
        besieged = square in self.besieged[victim] and all(other == ATTACKER for other in others)
        return besieged or square in self.occupied[victim]

    def play(self, board, start, end):
        """The board after a move, and whether the move wins."""
        after, piece, taken = bytearray(board), board[start], []
        after[start], after[end] = 0, piece
        for square, *beyond in self.lines[end]:
            victim, anvils = after[square], beyond[:1]
            if not victim or SIDE_OF[victim] == SIDE_OF[piece] or square in self.protected[victim]:
                continue
            if victim == KING and square in self.surrounded:
                anvils = self.beside[square] if len(self.beside[square]) == 4 else ()
            if anvils and all(self.is_hostile(after, anvil, square) for anvil in anvils):
                taken.append(square)
        wins = piece == KING and end in self.goals or any(after[s] == KING for s in taken)
        for square in taken:
            after[square] = 0
        return bytes(after), wins

    def wins_at_once(self, board, side):
        king = board.index(KING)
        if side == DEFENDER:
            return any(square in self.goals for square in self.slides(board, king))
        near = [(start, end) for start, end in self.moves(board, side) if end in self.beside[king]]
        return any(self.play(board, start, end)[1] for start, end in near)
