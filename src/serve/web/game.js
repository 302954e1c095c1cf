// A game as stored in the browser's history: start, moves, and the ply on the board. Moves after
// that ply can be replayed. Lines that other moves have replaced are kept as a tree.

import { apply, format, other, parse } from "./position.js";
import { letter, SIDES, winner } from "./words.js";
import { valued } from "./api.js";

/**
 * `lines` are all lines of the tree from the start to their ends, the main line first, if there
 * is more than the moves.
 * @typedef {{rules: string, start: string, moves: string[], at: number, lines?: string[][],
 *   over?: {winner: string | null, reason: string} | null,
 *   opponent?: {side: "a" | "d", level: string} | null,
 *   clock?: {chosen: string, increment: number, left: {a: number, d: number}, since: number} | null}} Game
 */

export const startOf = (rules) => `${rules.start} ${rules.first_mover[0]}`;

/** @returns {Game} */
export function newGame(rules, start) {
  return { rules, start, moves: [], at: 0 };
}

/** Maximum lines of a tree; the oldest but the main line are dropped. */
const MOST_LINES = 200;

/** The lines of the game's tree. */
export const linesOf = (game) => game.lines ?? [game.moves];

/** Whether a line begins with these moves. */
export const begins = (line, moves) => moves.every((move, i) => line[i] === move);

/** The lines with another one, which may go on from one of them. */
function joined(lines, moves) {
  if (lines.some((line) => begins(line, moves))) return lines;
  const at = lines.findIndex((line) => begins(moves, line));
  return at < 0 ? [...lines, moves] : lines.with(at, moves);
}

/** The game with these moves, which keeps its other lines. */
function along(game, moves, at) {
  const lines = joined(joined(linesOf(game), game.moves), moves);
  if (lines.length > MOST_LINES) lines.splice(1, 1);
  return { ...game, moves, at, over: ended(moves.at(-1) ?? ""), lines: lines.length > 1 ? lines : undefined };
}

/** The game with a move at the current ply, in place of later ones. */
export function withMove(game, move) {
  const moves = [...game.moves.slice(0, game.at), move];
  // A line that goes on from here keeps its rest, unless an engine has to reply.
  const known = !game.opponent && [game.moves, ...linesOf(game)].find((line) => begins(line, moves));
  if (known === game.moves) return atPly(game, moves.length);
  return along(game, known || moves, moves.length);
}

/** The game with these moves after the current ply. */
export function withLine(game, line) {
  return along(game, [...game.moves.slice(0, game.at), ...line], game.at);
}

/** The game in another line of its tree. */
export function inLine(game, line, at) {
  return line === game.moves || (line.length === game.moves.length && begins(line, game.moves))
    ? atPly(game, at) : along(game, line, at);
}

/** The game with its current line as the main line. */
export function asMain(game) {
  const others = linesOf(game).filter((line) => !begins(line, game.moves));
  const own = linesOf(game).filter((line) => begins(line, game.moves));
  return { ...game, lines: [...own, ...others] };
}

/** The game without its current line, in the one that has most moves in common with it. */
export function withoutLine(game) {
  const others = linesOf(game).filter((line) => !begins(line, game.moves));
  const common = (line) => line.findIndex((move, i) => move !== game.moves[i]);
  const [next = []] = others.toSorted((one, two) => common(two) - common(one));
  return { ...game, moves: next, lines: others.length > 1 ? others : undefined, over: ended(next.at(-1) ?? ""),
    at: Math.max(0, Math.min(game.at, common(next))) };
}

/** The game without an engine that plays in it. */
export const alone = (game) => ({ ...game, opponent: null, clock: null });

/** The game at another ply. */
export function atPly(game, at) {
  return { ...game, at: Math.max(0, Math.min(at, game.moves.length)) };
}

/** The end of the game by a move's suffix. */
function ended(move) {
  if (move.endsWith("++")) return { winner: "attackers", reason: "king-captured" };
  // Only a fort lets a soldier's move win so. `formed` knows the other ends.
  if (move.endsWith("--")) return { winner: "defenders", reason: move.startsWith("K") ? "king-escaped" : "exit-fort" };
  return null;
}

/** The end of the game, if it is on the board. */
export function over(game) {
  return game.at === game.moves.length ? game.over ?? null : null;
}

/** Whose turn it is, a key of `TURNS`. Without the engine, the user plays both sides. */
export function awaited(game) {
  if (over(game)) return "over";
  if (game.clock && !game.over && game.at < game.moves.length) return "clock";
  if (mover(game, game.at) !== game.opponent?.side) return "human";
  return game.at === game.moves.length ? "engine" : "past";
}

/** All positions of the game as text. */
export function positions(game) {
  let position = parse(game.start);
  const texts = [format(position)];
  for (const move of game.moves) {
    position = apply(position, move);
    texts.push(format(position));
  }
  return texts;
}

export function position(game) {
  return game.moves.slice(0, game.at).reduce(apply, parse(game.start));
}

/** The side that moves at a ply, from 0. */
export function mover(game, ply) {
  const { side } = parse(game.start);
  return ply % 2 ? other(side) : side;
}

/** The URL fragment of a whole game. */
export const gameLink = ({ rules, start, moves }) => `#${rules}${start.replace(" ", "_")}${moves.map((move) => `!${move}`).join("")}`;

/** Whether the defenders may not play a move, as it repeats a position; pieces are compared before captures. */
export function isBarred(game, move, { end }) {
  if (end.repetition !== "defenders-barred" || mover(game, game.at) !== "d") return false;
  const pieces = (text) => text.split(" ")[0];
  const moved = pieces(format(apply(position(game), move.split("x")[0])));
  const earlier = positions(game).slice(end.repetition_counts_start ? 0 : 1, game.at);
  return earlier.filter((text) => pieces(text) === moved).length + 1 >= end.repetition_occurrence;
}

/** The game as text, for copying. */
export function text(game) {
  const lines = game.moves.map((move, ply) =>
    `${String(ply + 1).padStart(ply < 99 ? 3 : 5)}. ${SIDES[mover(game, ply)].toLowerCase()}  ${move}`);
  return [`${game.rules}: ${game.start}`, ...lines].join("\n");
}

/** The winner and distance of each position of the game; null if unknown. */
export function values(game) {
  const known = positions(game).map((text) => {
    const answer = valued(game.rules, text);
    if (!answer || answer.category === "unknown") return null;
    return { by: winner(answer.category, letter(answer.to_move)), dtw: answer.dtw };
  });
  if (game.over?.winner) known[game.moves.length] = { by: letter(game.over.winner), dtw: 0 };
  return known;
}
