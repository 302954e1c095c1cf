// What a move has completed: a shieldwall, a fort or a ring. The server says which squares these are.

import * as api from "./api.js";
import { s } from "./dom.js";
import { atPly, position } from "./game.js";
import { format } from "./position.js";

export const FORMATIONS = { shieldwall: "shieldwall", "exit-fort": "fort of the king", encirclement: "ring around all defenders" };

/** Whether a move can complete one. */
const mayForm = ({ capture, end }, move) =>
  (capture.shieldwall && move.includes("x")) || ((end.exit_fort || end.encirclement) && /\+\+$|--$/.test(move));

/**
 * The formations that the move before the position on the board has completed.
 * @returns {Promise<import("./api.js").Formation[]>}
 */
export async function formed(game, rules, signal) {
  const move = game.moves[game.at - 1];
  if (!move || !mayForm(rules, move)) return [];
  try {
    const { moves } = await api.probe(game.rules, format(position(atPly(game, game.at - 1))), signal);
    return moves.find((known) => known.move === move)?.formations ?? [];
  } catch {
    // The board is complete without them.
    return [];
  }
}

/** A shieldwall in words; the end of the game has its own. */
export const inWords = ({ kind, inside }) => (kind === "shieldwall" ? `A shieldwall has closed in on ${inside.join(", ")}.` : "");

/** What a square is of formations, in words. */
export const partOf = (formations, called) => formations.map(({ kind, inside, wall }) =>
  (wall.includes(called) ? `part of the ${FORMATIONS[kind]}` : inside.includes(called) && `inside the ${FORMATIONS[kind]}`)).filter(Boolean);

/** A formation as shapes: what is inside, and a line through the wall; `centre` gives the middle of a square. */
export function formationShapes({ inside, wall }, centre) {
  const middles = wall.map(centre);
  const has = (x, y) => middles.some((one) => one[0] === x && one[1] === y);
  const areLinked = ([x1, y1], [x2, y2]) => {
    const [dx, dy] = [Math.abs(x1 - x2), Math.abs(y1 - y2)];
    return dx + dy === 1 || (dx === 1 && dy === 1 && !has(x1, y2) && !has(x2, y1));
  };
  const d = middles.map((one, i) => `M${one}h0${middles.slice(i + 1).filter((two) => areLinked(one, two)).map((two) => `M${one}L${two}`).join("")}`).join("");
  return s("g", inside.map(centre).map(([x, y]) => s("rect.inside", { x: x - 0.5, y: y - 0.5, width: 1, height: 1 })),
    s("path.casing", { d }), s("path.wall", { d }));
}
