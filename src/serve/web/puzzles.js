// Puzzles from the tables: their list, and one that is played against them.

import * as api from "./api.js";
import { Board } from "./board.js";
import { button, copy, h } from "./dom.js";
import { link } from "./explorer.js";
import { styled } from "./mini.js";
import { apply, format, other, parse } from "./position.js";
import { letter, number, plies, SIDES, winner } from "./words.js";

/** What each kind is called, and what it asks for. */
export const KINDS = {
  "only-move": ["Find the only move", "A single move wins. Which?"],
  win: ["Win in N", "Win as fast as the tables do."],
  longest: ["Longest wins", "The longest wins of the tables."],
  zugzwang: ["Mutual zugzwang", "Whoever has to move does worse."],
  endgame: ["Random endgame", "Win it against perfect play."],
};
const LEVELS = ["easy", "medium", "hard"];
/** The kinds of the days of the week, from Sunday. */
const DAYS = ["longest", "only-move", "win", "zugzwang", "win", "only-move", "win"];
/** Time before the tables' reply, in milliseconds. */
const PAUSE = 450;
/** Moves that a draw has to be held for. */
const HELD = 5;

const puzzleLink = (rules, { kind, level, position }) => `#${rules}/puzzle/${kind}/${level}${position.replace(" ", "_")}`;

/** The link of the puzzle of the day; null if there are none. */
export async function daily(rules, signal) {
  const known = (await api.puzzles(rules.name, signal)).kinds.filter(({ levels }) => levels.some(Boolean)).map(({ kind }) => kind);
  if (known.length === 0) return null;
  const now = new Date();
  const day = DAYS[now.getDay()];
  const seed = now.getFullYear() * 10000 + (now.getMonth() + 1) * 100 + now.getDate();
  const found = await api.puzzle(rules.name, { kind: known.includes(day) ? day : known[0], level: "medium", seed }, signal);
  return puzzleLink(rules.name, found);
}

/** The list of kinds and levels. */
export async function puzzlesView(rules, signal) {
  const [{ kinds }] = await Promise.all([api.puzzles(rules.name, signal), styled()]);
  const fault = h("p.fault", { role: "alert" });
  const known = new Map(kinds.map(({ kind, levels }) => [kind, levels]));
  const isEmpty = kinds.every(({ levels }) => !levels.some(Boolean));
  return h("div.puzzles", h("h1", "Puzzles ", h("small", rules.title)),
    h("p.intro", isEmpty ? "The tables of this game here hold no puzzles." : ["Positions from the tables, where every answer is known. ", h("a", { href: `#${rules.name}/daily` }, "Puzzle of the day")]),
    fault, h("div.kinds", Object.entries(KINDS).map(([kind, [title, words]]) => known.get(kind)?.some(Boolean) && h("section.panel", { "aria-label": title },
      h("h2", title), h("p", words),
      h("div.tools", LEVELS.map((level, i) => known.get(kind)[i] > 0 &&
        button(level, () => next(rules, kind, level, fault, signal), { "aria-label": `${title}, ${level}` })))))));
}

async function next(rules, kind, level, fault, signal) {
  fault.textContent = "";
  try {
    location.hash = puzzleLink(rules.name, await api.puzzle(rules.name, { kind, level }, signal));
  } catch (error) {
    if (!signal.aborted) fault.textContent = `${error.message}.`;
  }
}

/** One puzzle. */
export async function puzzleView(rules, kind, level, text, signal) {
  if (!KINDS[kind]) throw new Error(`there are no puzzles ${kind}`);
  const [first] = await Promise.all([api.probe(rules.name, format(parse(text)), signal), styled()]);
  return new Puzzle(rules, kind, level, first, signal).node;
}

class Puzzle {
  constructor(rules, kind, level, first, signal) {
    Object.assign(this, { rules, kind, first, signal });
    const side = letter(first.to_move);
    // In a zugzwang the side to move suffers; elsewhere the winner solves.
    this.solver = kind === "zugzwang" ? other(side) : winner(first.category, side) ?? side;
    this.board = new Board({ onmove: (move) => this.play(move) });
    this.goal = h("p.title");
    this.says = h("p", { role: "status" });
    this.fault = h("p.fault", { role: "alert" });
    this.made = h("p.line-to");
    this.helps = button("Show the move", () => this.reveal());
    this.node = h("div.explorer.puzzle", h("div.table", this.board.node),
      h("div.answers", h("section.panel", { "aria-labelledby": "puzzle" },
        h("h1", { id: "puzzle" }, `${KINDS[kind][0]} `, h("small", `${rules.title}, ${level}`)),
        this.goal, this.says, this.made, this.fault,
        h("div.tools", this.helps, button("Start again", () => this.begin()),
          h("a.button", { href: link(rules.name, first.position) }, "Open on the board"),
          button("Copy link", (event) => copy(location.href, event.currentTarget)))),
      h("section.panel", { "aria-label": "More puzzles" }, h("div.tools",
        button("Next puzzle", () => next(rules, kind, level, this.fault, signal), { class: "primary" }),
        h("a.button", { href: `#${rules.name}/puzzles` }, "Other kinds and levels")))));
    this.node.style.setProperty("--n", String(rules.size));
    this.goal.textContent = this.goalInWords();
    this.begin();
  }

  goalInWords() {
    const { category, dtw, to_move } = this.first;
    const who = SIDES[this.solver];
    if (category === "unknown") return "No table here knows this position.";
    if (this.kind === "only-move") return `${who} to move: find the only move that wins.`;
    if (this.kind === "zugzwang") return `The ${to_move} have to move. ${who}: ${category === "loss" ? "win" : "hold the draw"}.`;
    if (!winner(category, letter(to_move))) return `${who} to move: hold the draw.`;
    const turn = this.solver === letter(to_move) ? `${who} to move` : `The ${to_move} move first. ${who}`;
    if (category === "endless") return `${turn}: hold the king, since you win endless play.`;
    return `${turn}: win${dtw === null ? "" : ` in ${plies(dtw)}`}.`;
  }

  begin() {
    this.game = [];
    this.formations = undefined;
    this.position = parse(this.first.position);
    this.isOver = this.first.category === "unknown";
    this.slips = 0;
    this.say(KINDS[this.kind][1]);
    this.show(this.first);
  }

  say(words) {
    this.says.textContent = words;
  }

  /** Shows the position with its values; the tables reply if it is their turn. */
  show(answer) {
    this.answer = answer;
    const isOurs = !this.isOver && this.position.side === this.solver;
    this.helps.disabled = !isOurs;
    this.board.show({ position: this.position, rules: this.rules, mode: "play", hints: false, moves: isOurs ? answer.moves : [],
      isTurned: false, last: this.game.at(-1) ?? null, formations: this.formations,
      fallen: this.game.at(-1)?.endsWith("++") && !this.formations, label: `Puzzle of ${this.rules.title}` });
    this.made.textContent = this.game.join(" ");
    if (!this.isOver && answer.moves.length === 0) this.end(this.position.side !== this.solver);
    else if (!this.isOver && !isOurs) setTimeout(() => !this.signal.aborted && this.answer === answer && this.make(answer.moves[0].move), PAUSE);
  }

  play(text) {
    const move = this.answer.moves.find((known) => known.move === text);
    const { category } = this.answer;
    const [best] = this.answer.moves;
    if (move.category !== category) {
      this.slips += 1;
      const after = { win: "wins", draw: "is a draw", loss: "loses" }[move.category] ?? `is ${move.category}`;
      this.show(this.answer);
      return this.say(`No: ${text} ${after}. Try another move.`);
    }
    const lost = move.dtw !== null && category === "win" ? move.dtw - best.dtw : 0;
    if (this.kind === "win" && lost > 0) {
      this.slips += 1;
      this.show(this.answer);
      return this.say(`${text} wins too, but ${plies(lost)} later. Find the fastest.`);
    }
    this.say(lost > 0 ? `Still winning, but ${plies(lost)} slower than the best.` : "Good.");
    this.make(text);
  }

  async make(text) {
    const isOurs = this.position.side === this.solver;
    this.game.push(text);
    this.formations = this.answer.moves.find((known) => known.move === text)?.formations;
    this.position = apply(this.position, text);
    const moved = this.game.length;
    const own = Math.ceil((moved + (this.solver === letter(this.first.to_move) ? 0 : -1)) / 2);
    if (/\+\+$|--$/.test(text)) return this.end(isOurs);
    if (isOurs && (this.kind === "only-move" || (["draw", "endless"].includes(this.answer.category) && own >= HELD))) return this.end(true);
    try {
      const answer = await api.probe(this.rules.name, format(this.position), this.signal);
      if (this.game.length === moved && !this.signal.aborted) this.show(answer);
    } catch (error) {
      if (this.signal.aborted) return;
      // Positions without attackers have ended.
      if (error.code === "game-over") this.end(isOurs);
      else this.fault.textContent = `${error.message}.`;
    }
  }

  end(isSolved) {
    this.isOver = true;
    this.show({ ...this.answer, moves: [] });
    const slips = this.slips ? ` after ${number(this.slips)} wrong ${this.slips === 1 ? "try" : "tries"}` : "";
    this.say(isSolved ? `Solved${slips}.` : "Not solved. Start again?");
  }

  reveal() {
    const [best] = this.answer.moves;
    this.slips += 1;
    this.board.arrow(best.move, best.category);
    this.say(`The move is ${best.move}.`);
  }
}
