// Positions and moves as text and data. A move's text lists its captures, so no rules are needed
// here.

/**
 * A board and the side to move. Cells are "", "t", "T" or "K", from a1 along rank 1.
 * @typedef {{size: number, cells: string[], side: "a" | "d"}} Position
 */

/**
 * Parses a position; the outer slashes are optional.
 * @returns {Position}
 */
export function parse(text) {
  const [board, side, ...rest] = text.trim().split(/[\s_]+/);
  if (!["a", "d"].includes(side) || rest.length) {
    throw new Error("a position is a board, a space, and a or d for the side to move");
  }
  const ranks = board.replace(/^\/|\/$/g, "").split("/").map(cellsOfRank);
  const size = ranks.length;
  ranks.forEach((rank, i) => {
    if (rank.length !== size) {
      throw new Error(`rank ${i + 1} has ${rank.length} squares instead of ${size}`);
    }
  });
  return { size, cells: ranks.flat(), side };
}

function cellsOfRank(rank) {
  const parts = rank.match(/\d+|./g) ?? [];
  return parts.flatMap((part) => {
    if (/^\d+$/.test(part)) return Array(Math.min(Number(part), 20)).fill("");
    if ("tTK".includes(part)) return [part];
    throw new Error(`${part} is not a piece: use t (attacker), T (defender) or K (king)`);
  });
}

/** @param {Position} position */
export function format({ size, cells, side }) {
  let text = "/";
  for (let rank = 0; rank < size; rank++) {
    const row = cells.slice(rank * size, (rank + 1) * size).map((cell) => cell || ".").join("");
    text += row.replace(/\.+/g, (empty) => String(empty.length)) + "/";
  }
  return `${text} ${side}`;
}

/** The name of a square, such as "a1". */
export function name(square, size) {
  return String.fromCharCode(97 + (square % size)) + (Math.floor(square / size) + 1);
}

export const square = (text, size) => text.charCodeAt(0) - 97 + (Number(text.slice(1)) - 1) * size;

/**
 * Parses a move: "e5-e8xe9/d8", "Ke1-a1--".
 * @returns {{from: string, to: string, captures: string[], ending: "" | "++" | "--"}}
 */
export function parseMove(text) {
  const match = /^K?([a-s]\d+)-([a-s]\d+)(?:x([a-s0-9/]+))?(\+\+|--)?$/.exec(text);
  if (!match) throw new Error(`${text} is not a move: write it like e5-e8`);
  const [, from, to, captures, ending] = match;
  return { from, to, captures: captures?.split("/") ?? [], ending: ending ?? "" };
}

/**
 * The position after a move. A captured king stays on the board, as in the server's texts.
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

export const other = (side) => (side === "a" ? "d" : "a");

/** The position with a piece placed, or a square cleared. */
export function placed(position, at, piece) {
  const cells = position.cells.map((cell, i) => {
    if (i === at) return piece;
    // There is only one king.
    return piece === "K" && cell === "K" ? "" : cell;
  });
  return { ...position, cells };
}

/** Fills each square from the one that `source` returns, by file and rank. */
function rearranged(position, source) {
  const { size, cells } = position;
  const moved = cells.map((_, i) => {
    const [file, rank] = source(i % size, Math.floor(i / size));
    const inside = file >= 0 && rank >= 0 && file < size && rank < size;
    return inside ? cells[rank * size + file] : "";
  });
  return { ...position, cells: moved };
}

/** Rotated clockwise by 90°. */
export const rotated = (position) => rearranged(position, (file, rank) => [position.size - 1 - rank, file]);

export const mirrored = (position) => rearranged(position, (file, rank) => [position.size - 1 - file, rank]);

/** Shifted by files and ranks; null if a piece would leave the board. */
export function shifted(position, files, ranks) {
  const moved = rearranged(position, (file, rank) => [file - files, rank - ranks]);
  const men = ({ cells }) => cells.filter(Boolean).length;
  return men(moved) === men(position) ? moved : null;
}

/** The number of men of a slice such as "K2v4", with the king. */
export function menOf(slice) {
  const [, defenders, attackers] = /^K(\d+)v(\d+)$/.exec(slice) ?? ["", "0", "0"];
  return 1 + Number(defenders) + Number(attackers);
}
