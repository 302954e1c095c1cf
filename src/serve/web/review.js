// A review of a game: where its value changed, by the tables or by the engine's estimate, and which
// move was better.

import * as api from "./api.js";
import { button, fill, h, preview } from "./dom.js";
import { opinion } from "./engine.js";
import { mover, positions } from "./game.js";
import { bestOf, letter, plural, winner } from "./words.js";

/** By how much an estimate has to drop, in hundredths of a soldier. */
const DROP = 100;
const [IS, WAS] = [["loses", "draws"], ["", "drawing", "winning"]];

/**
 * What is known of a position: who wins, null if nobody, undefined if that is not known; else the
 * defenders' lead in hundredths of a soldier; and the best move. `isProved` if tables or proofs say so.
 * @typedef {{by?: string | null, isProved?: boolean, lead?: number, best?: string}} Opinion
 */

/** Writes the review into `node` as it is made. */
export async function review(game, hasEngine, node, signal, handlers) {
  const texts = positions(game);
  const status = h("p.note", { role: "status" });
  const list = h("ol.turns");
  fill(node, h("h3", "Review"), status, list);
  const found = [];
  let before = null;
  for (const [at, text] of texts.entries()) {
    status.textContent = `Position ${at + 1} of ${texts.length}…`;
    const isEnd = at === game.moves.length && game.over;
    const here = isEnd ? { by: game.over.winner && letter(game.over.winner) } : await judge(game.rules, text, hasEngine, signal).catch(() => ({}));
    if (signal.aborted) {
      status.textContent = "The review was stopped.";
      return;
    }
    const turn = before && compare(before, here, mover(game, at - 1));
    // The best move is not a mistake, whatever a deeper search says of it.
    if (turn && before.best !== game.moves[at - 1]) {
      found.push(turn);
      list.append(item(game, at - 1, turn, before, handlers));
    }
    before = here;
  }
  status.textContent = found.length ? `${plural(found.length, "move", "moves")} changed the value.` : "No move changed the value for the worse.";
}

/** @returns {Promise<Opinion>} */
async function judge(rules, text, hasEngine, signal) {
  const answer = await api.probe(rules, text, signal);
  const side = letter(answer.to_move);
  if (answer.category !== "unknown") return { by: winner(answer.category, side), isProved: true, best: bestOf(answer)?.move };
  if (!hasEngine) return {};
  const line = await opinion(rules, text, signal);
  if (!line.moves) return {};
  const [best] = line.moves;
  return line.estimate === null ? { best, by: winner(line.category, side) }
    : { best, lead: side === "d" ? line.estimate : -line.estimate };
}

/** How a move made the position worse for its side, in words; null if it did not. */
function compare(before, after, side) {
  const result = ({ by }) => (by === undefined ? undefined : by === null ? 1 : by === side ? 2 : 0);
  const [was, is] = [result(before), result(after)];
  if (was !== undefined && is !== undefined) return is < was ? `${IS[is]} instead of ${WAS[was]}` : null;
  if (is === 0 && was === undefined) return IS[0];
  if (was === 2 && before.isProved) return "lets the proved win go";
  if (before.lead === undefined || after.lead === undefined) return null;
  const drop = (before.lead - after.lead) * (side === "d" ? 1 : -1);
  return drop >= DROP ? `drops the estimate by ${(drop / 100).toFixed(1)}` : null;
}

function item(game, ply, turn, { best }, { ongo, onplay, onpoint }) {
  return h("li", button(`${ply + 1}. ${game.moves[ply]}`, () => ongo(ply)), ` ${turn}.`,
    best && [" Better: ", button(best, () => onplay(ply, best), preview(best, onpoint))]);
}
