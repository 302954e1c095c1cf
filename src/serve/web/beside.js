// What stands beside the board: who is ahead, what the marks mean, which men were captured.

import { h, icon } from "./dom.js";
import { inWords } from "./engine.js";
import { FORMATIONS } from "./formations.js";
import { over, position } from "./game.js";
import { marks, MEANINGS, NAMES } from "./pieces.js";
import { parse } from "./position.js";
import { letter, verdict, winner } from "./words.js";

/** The lead that is worth three quarters, in hundredths of a soldier. */
const CLEAR = 440;

const shareOf = (by) => ({ a: 0, d: 1 }[by] ?? 0.5);

/**
 * The defenders' share of the outcome, from 0 to 1, with words: by the end of the game, the value
 * or the engine's search; null if nothing is known.
 */
export function balance(game, answer, found, rules) {
  const end = over(game);
  if (end) return [shareOf(end.winner && letter(end.winner)), "The game is over"];
  if (answer && answer.category !== "unknown") {
    return [shareOf(winner(answer.category, letter(answer.to_move))), verdict(answer, rules).title];
  }
  const [line] = found?.lines ?? [];
  if (!line) return null;
  const side = letter(found.to_move);
  const lead = (side === "d" ? 1 : -1) * line.estimate;
  const share = line.estimate === null ? shareOf(winner(line.category, side)) : 1 / (1 + 3 ** (-lead / CLEAR));
  return [share, `Engine: ${inWords(line, found.to_move)}`];
}

/** The legend of the board's marks and of what is drawn on it. */
export function legend(rules, formations) {
  const kinds = new Set(marks(rules).values());
  const entry = (kind, meaning) => h("li", h("span", { class: `swatch ${kind}` }), meaning);
  return [Object.entries(MEANINGS).map(([kind, meaning]) => kinds.has(kind) && entry(kind, meaning)),
    formations.map(({ kind }) => entry("wall", FORMATIONS[kind]))];
}

/** The men that were captured in a game, up to the position on the board. */
export function captured(game) {
  const [before, now] = [parse(game.start), position(game)];
  const count = ({ cells }, piece) => cells.filter((cell) => cell === piece).length;
  const lost = ["t", "T"].map((piece) => [piece, count(before, piece) - count(now, piece)]).filter(([, men]) => men > 0);
  return lost.length > 0 && h("li.captured", "Captured:", lost.map(([piece, men]) => {
    const called = men === 1 ? NAMES[piece] : `${NAMES[piece]}s`;
    return h("span", { title: `${men} ${called}` }, icon(`piece-${piece}`), `${men}`, h("span.unseen", ` ${called}`));
  }));
}
