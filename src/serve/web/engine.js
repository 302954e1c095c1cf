// The engine: what it thinks of a position, deeper and deeper, beyond the tables too; and a
// whole game against it, as either side.

import { analysis, reply } from "./api.js";
import { button, choice, fill, h, icon, panel, pointing } from "./dom.js";
import { awaited } from "./game.js";
import { other } from "./position.js";
import { number, SIDES, TURNS } from "./words.js";

const LINES = [1, 2, 3, 5];

export class Engine {
  constructor(does) {
    this.does = does;
    this.runs = button("Analyse", () => (this.source ? this.stop() : this.start()), { class: "primary" });
    this.count = h("select", { "aria-label": "Lines", onchange: () => this.source && this.start() },
      LINES.map((count) => h("option", { value: count }, count === 1 ? "1 line" : `${count} lines`)));
    this.depth = h("p.note", { "aria-live": "off" });
    this.lines = h("ol.thoughts");
    this.intro = "The engine searches for good moves where no table reaches.";
    this.node = panel("Engine", "engine",
      h("div.tools", this.runs, this.count), this.depth, this.lines);
  }

  /** Another position: a running search goes on there. */
  show(rules, position, isOver, isAllowed) {
    this.node.hidden = !isAllowed;
    if (!isAllowed) this.stop(true);
    if (this.rules === rules && this.position === position) return;
    [this.rules, this.position] = [rules, position];
    this.runs.disabled = isOver;
    if (this.source && !isOver) this.start();
    else this.stop(true);
  }

  start() {
    this.stop();
    fill(this.lines);
    this.depth.textContent = "Thinking…";
    this.source = analysis(this.rules, this.position, this.count.value);
    this.runs.textContent = "Stop";
    this.source.addEventListener("iteration", (event) => this.iteration(JSON.parse(event.data)));
    this.source.addEventListener("end", () => this.stop());
    this.source.addEventListener("error", () => {
      this.stop();
      this.depth.textContent = "The engine is busy or this position cannot be searched; try again.";
    });
  }

  /** Ends the search; what it found stays, unless the board has changed. */
  stop(isForgotten = false) {
    this.source?.close();
    this.source = null;
    this.runs.textContent = "Analyse";
    if (isForgotten) {
      fill(this.lines);
      this.depth.textContent = this.intro;
    }
  }

  iteration(found) {
    this.depth.textContent = `Depth ${found.depth}${found.complete ? "" : ", not finished"}, ${number(found.nodes)} positions, ${number(found.table_hits)} table hits`;
    fill(this.lines, found.lines.map((line) => this.line(line, found.to_move)));
  }

  line(line, side) {
    const [first, ...rest] = line.moves;
    return h("li",
      h(`span.score.${line.category}`, inWords(line, side)),
      first && button(first, () => this.does.onmove(first), pointing(first, this.does.onpoint)),
      h("span.rest", rest.slice(0, 11).join(" ")));
  }
}

/** A score: who wins, or who is so many soldiers ahead. */
function inWords({ category, plies, estimate, score }, side) {
  const [own, others] = side === "attackers" ? [SIDES.a, SIDES.d] : [SIDES.d, SIDES.a];
  const distance = plies === null ? "" : ` in ${plies}`;
  if (category === "win") return `${own} win${distance}`;
  if (category === "loss") return `${others} win${distance}`;
  if (estimate === null) return score;
  return `${estimate < 0 ? others : own} ahead by ${(Math.abs(estimate) / 100).toFixed(2)}`;
}

export class Opponent {
  /** @param {string[]} levels from weak to strong */
  constructor(levels, does) {
    this.does = does;
    this.human = "d";
    this.sides = choice("Your side", "human", [
      ["a", icon("piece-t"), SIDES.a], ["d", icon("piece-K"), SIDES.d],
    ], (side) => { this.human = side; });
    this.sides.choose(this.human);
    this.level = h("select", { "aria-label": "Strength" },
      levels.map((level, i) => h("option", { value: level, selected: i === Math.floor(levels.length / 2) }, level)));
    const begin = (isFromHere) => () => does.onbegin(this.human, this.level.value, isFromHere);
    this.before = h("div", h("div.tools", this.sides.node, this.level),
      h("div.tools", button("New game", begin(false), { class: "primary" }), button("From this position", begin(true))));
    this.state = h("p.note", { role: "status" });
    this.hints = h("input", { type: "checkbox", onchange: () => does.onhints(this.hints.checked) });
    this.during = h("div", this.state, h("div.tools",
      button("Take back", does.onback), button("End the game", does.onquit)),
    h("label.check", this.hints, "Show what tables and engine say"));
    this.body = h("div");
    this.node = panel("Play against the engine", "opponent", this.body);
  }

  /** A state of the game; the signal tells when it is shown no more. */
  show(game, signal) {
    const part = game.opponent ? this.during : this.before;
    if (!part.isConnected) fill(this.body, part);
    if (!game.opponent) return;
    const { side, level } = game.opponent;
    const turn = awaited(game);
    this.state.textContent = `You play the ${SIDES[other(side)].toLowerCase()} against level ${level}. ${TURNS[turn]}.`;
    if (turn === "engine") this.ask(game, signal);
  }

  async ask(game, signal) {
    try {
      const answer = await reply(game.rules, game.start, game.moves, game.opponent.level, signal);
      if (!signal.aborted) this.does.onreply(answer);
    } catch (error) {
      if (!signal.aborted) this.state.textContent = `The engine did not move: ${error.message}.`;
    }
  }
}
