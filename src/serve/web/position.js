// Boards as texts and as squares. What a move does is in its text: no rule of any game
// is known here.

/**
 * A board and who is to move. Cells are "", "t", "T" or "K", from a1 along rank 1.
 * @typedef {{size: number, cells: string[], side: "a" | "d"}} Position
 */

/**
 * Reads a position as the tables write it; outer slashes may be missing.
 * @returns {Position}
 */
export function parse(text) {
  const [board, side, ...rest] = text.trim().split(/[\s_]+/);
  if (!["a", "d"].includes(side) || rest.length) {
    throw new Error("a position is a board, a blank, and a or d: who is to move");
  }
  const ranks = board.replace(/^\/|\/$/g, "").split("/").map(cellsOfRank);
  const size = ranks.length;
  ranks.forEach((rank, i) => {
    if (rank.length !== size) {
      throw new Error(`rank ${i + 1} has ${rank.length} squares, and there are ${size} ranks`);
    }
  });
  return { size, cells: ranks.flat(), side };
}

function cellsOfRank(rank) {
  const parts = rank.match(/\d+|./g) ?? [];
  return parts.flatMap((part) => {
    if (/^\d+$/.test(part)) return Array(Math.min(Number(part), 20)).fill("");
    if ("tTK".includes(part)) return [part];
    throw new Error(`${part} is no piece: t is an attacker, T a defender, K the king`);
  });
}

/**
 * The board alone, as the tables write it.
 * @param {Position} position
 */
export function boardText({ size, cells }) {
  let text = "/";
  for (let rank = 0; rank < size; rank++) {
    const row = cells.slice(rank * size, (rank + 1) * size).map((cell) => cell || ".").join("");
    text += row.replace(/\.+/g, (empty) => String(empty.length)) + "/";
  }
  return text;
}

export function format(position) {
  return `${boardText(position)} ${position.side}`;
}

/** The name of a square, as "a1". */
export function name(square, size) {
  return String.fromCharCode(97 + (square % size)) + (Math.floor(square / size) + 1);
}

/** The square of that name. */
export function square(text, size) {
  return text.charCodeAt(0) - 97 + (Number(text.slice(1)) - 1) * size;
}

/**
 * Reads a move: "e5-e8xe9/d8", "Ke1-a1--".
 * @returns {{from: string, to: string, captures: string[], ending: "" | "++" | "--"}}
 */
export function parseMove(text) {
  const match = /^K?([a-s]\d+)-([a-s]\d+)(?:x([a-s0-9/]+))?(\+\+|--)?$/.exec(text);
  if (!match) throw new Error(`${text} is no move: e5-e8 is one`);
  const [, from, to, captures, ending] = match;
  return { from, to, captures: captures?.split("/") ?? [], ending: ending ?? "" };
}

/**
 * The position after a move. A captured king stays where he is, as in the tables' texts.
 * @param {Position} position
 */
export function apply({ size, cells, side }, text) {
  const { from, to, captures } = parseMove(text);
  const after = [...cells];
  after[square(to, size)] = after[square(from, size)];
  after[square(from, size)] = "";
  for (const captured of captures) after[square(captured, size)] = "";
  return { size, cells: after, side: other(side) };
}

export function other(side) {
  return side === "a" ? "d" : "a";
}

/** The same position with something else on a square. */
export function placed(position, at, piece) {
  const cells = position.cells.map((cell, i) => {
    if (i === at) return piece;
    // There is one king.
    return piece === "K" && cell === "K" ? "" : cell;
  });
  return { ...position, cells };
}

/** Every square taken from where `source` says, by file and rank; null is empty. */
function rearranged(position, source) {
  const { size, cells } = position;
  const moved = cells.map((_, i) => {
    const [file, rank] = source(i % size, Math.floor(i / size));
    const inside = file >= 0 && rank >= 0 && file < size && rank < size;
    return inside ? cells[rank * size + file] : "";
  });
  return { ...position, cells: moved };
}

/** Turned by a quarter, clockwise. */
export function rotated(position) {
  return rearranged(position, (file, rank) => [position.size - 1 - rank, file]);
}

/** Left and right exchanged. */
export function mirrored(position) {
  return rearranged(position, (file, rank) => [position.size - 1 - file, rank]);
}

/** Moved by so many files and ranks; null if a piece would fall off. */
export function shifted(position, files, ranks) {
  const moved = rearranged(position, (file, rank) => [file - files, rank - ranks]);
  const men = ({ cells }) => cells.filter(Boolean).length;
  return men(moved) === men(position) ? moved : null;
}

/** How many men of a slice as "K2v4": the king is one. */
export function menOf(slice) {
  const [, defenders, attackers] = /^K(\d+)v(\d+)$/.exec(slice) ?? ["", "0", "0"];
  return 1 + Number(defenders) + Number(attackers);
}
