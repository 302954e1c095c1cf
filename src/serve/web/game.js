// A game as stored in the browser's history: start, moves, and the ply on the board. Moves after
// that ply can be replayed.

import { apply, format, other, parse } from "./position.js";
import { letter, SIDES, winner } from "./words.js";
import { valued } from "./api.js";

/**
 * @typedef {{rules: string, start: string, moves: string[], at: number,
 *   over?: {winner: string | null, reason: string} | null,
 *   opponent?: {side: "a" | "d", level: string} | null}} Game
 */

export const startOf = (rules) => `${rules.start} ${rules.first_mover[0]}`;

/** @returns {Game} */
export function newGame(rules, start) {
  return { rules, start, moves: [], at: 0 };
}

/** The game with a move at the current ply, in place of later ones. */
export function withMove(game, move) {
  const moves = [...game.moves.slice(0, game.at), move];
  return { ...game, moves, at: moves.length, over: ended(move) };
}

/** The game with these moves after the current ply. */
export function withLine(game, line) {
  const moves = [...game.moves.slice(0, game.at), ...line];
  return { ...game, moves, over: ended(moves.at(-1) ?? "") };
}

/** The game at another ply. */
export function atPly(game, at) {
  return { ...game, at: Math.max(0, Math.min(at, game.moves.length)) };
}

/** The end of the game by a move's suffix. */
function ended(move) {
  if (move.endsWith("++")) return { winner: "attackers", reason: "king-captured" };
  if (move.endsWith("--")) return { winner: "defenders", reason: "king-escaped" };
  return null;
}

/** The end of the game, if it is on the board. */
export function over(game) {
  return game.at === game.moves.length ? game.over ?? null : null;
}

/** Whose turn it is, a key of `TURNS`. Without the engine, the user plays both sides. */
export function awaited(game) {
  if (over(game)) return "over";
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
