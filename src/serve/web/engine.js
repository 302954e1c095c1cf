// Analysis by the engine.

import { analysis } from "./api.js";
import { button, fill, h, panel, preview } from "./dom.js";
import { keep, setting } from "./settings.js";
import { number, SIDES } from "./words.js";

const LINES = [1, 2, 3, 5];

export class Engine {
  constructor(handlers) {
    this.handlers = handlers;
    this.runs = button("Analyse", () => (this.source ? this.stop() : this.start()), { class: "runs" });
    this.count = h("select", { "aria-label": "Lines", onchange: () => this.source && this.start() },
      LINES.map((count) => h("option", { value: count }, count === 1 ? "1 line" : `${count} lines`)));
    this.draws = h("input", { type: "checkbox", onchange: () => { keep("arrows", this.draws.checked ? null : "off"); this.tell(); } });
    this.draws.checked = setting("arrows") !== "off";
    this.depth = h("p.note", { "aria-live": "off" });
    this.lines = h("ol.thoughts");
    this.intro = "The engine also searches positions without tables.";
    this.node = panel("Engine", "engine",
      h("div.tools", this.runs, this.count, h("label.check", this.draws, "Arrows")), this.depth, this.lines);
  }

  /** Shows on the board what was found. */
  tell() {
    const moves = this.draws.checked && this.found ? this.found.lines.filter((line) => line.moves.length) : [];
    this.handlers.onthoughts(moves.map((line) => ({ move: line.moves[0], category: line.category })), this.found);
  }

  /** Sets the position; restarts a running search there. */
  show(rules, position, isOver, isAllowed) {
    this.node.hidden = !isAllowed;
    this.runs.disabled = isOver;
    if (!isAllowed || isOver) this.stop(true);
    if (this.rules === rules && this.position === position) return this.tell();
    [this.rules, this.position] = [rules, position];
    if (this.source && !isOver) this.start();
    else this.stop(true);
  }

  start() {
    this.stop(true);
    this.depth.textContent = "Thinking…";
    this.source = analysis(this.rules, this.position, this.count.value);
    this.runs.textContent = "Stop";
    this.source.addEventListener("waiting", (event) => { this.depth.textContent = queued(JSON.parse(event.data).place); });
    this.source.addEventListener("iteration", (event) => this.iteration(JSON.parse(event.data)));
    this.source.addEventListener("end", () => this.stop());
    this.source.addEventListener("error", () => {
      this.stop();
      this.depth.textContent = "The engine is busy or cannot search this position; try again.";
    });
  }

  /** Stops the search, and clears its result if `isForgotten`. */
  stop(isForgotten = false) {
    this.source?.close();
    this.source = null;
    this.runs.textContent = "Analyse";
    if (isForgotten) {
      this.found = null;
      this.tell();
      fill(this.lines);
      this.depth.textContent = this.intro;
    }
  }

  iteration(found) {
    this.found = found;
    this.tell();
    this.depth.textContent = `Depth ${found.depth}${found.complete ? "" : ", not finished"}, ${number(found.nodes)} positions, ${number(found.table_hits)} table hits`;
    fill(this.lines, found.lines.map((line) => this.line(line, found.to_move)));
  }

  line(line, side) {
    const [first, ...rest] = line.moves;
    return h("li",
      h(`span.score.${line.category}`, inWords(line, side)),
      first && button(first, () => this.handlers.onmove(first), preview(first, this.handlers.onpoint)),
      h("span.rest", rest.slice(0, 11).map((move, i) => [button(move, () => this.handlers.onplay(line.moves.slice(0, i + 2)), { class: "later" }), " "])));
  }
}

/** The depth of a short search, and its time after the first iteration, in milliseconds. */
const [DEEP, LONG] = [6, 1500];

/** The engine's opinion of a position after a short search: its best line. */
export function opinion(rules, position, signal) {
  return new Promise((resolve) => {
    const source = analysis(rules, position, 1);
    let line = {};
    let late = 0;
    const end = () => { clearTimeout(late); source.close(); resolve(line); };
    signal.addEventListener("abort", end);
    source.addEventListener("iteration", (event) => {
      const found = JSON.parse(event.data);
      [line = {}] = found.lines;
      late ||= setTimeout(end, LONG);
      if (found.depth >= DEEP) end();
    });
    for (const kind of ["end", "error"]) source.addEventListener(kind, end);
  });
}

/** A place in the queue in words. Moves of games come first. */
export const queued = (place) => `The engine is busy: you are ${place === 1 ? "next" : `number ${place} in the queue`}.`;

/** A score as text: the winner, or the lead in soldiers. */
export function inWords({ category, plies, estimate, score }, side) {
  const [own, others] = side === "attackers" ? [SIDES.a, SIDES.d] : [SIDES.d, SIDES.a];
  const distance = plies === null ? "" : ` in ${plies}`;
  if (category === "win") return `${own} win${distance}`;
  if (category === "loss") return `${others} win${distance}`;
  if (estimate === null) return score;
  return `${estimate < 0 ? others : own} ahead by ${(Math.abs(estimate) / 100).toFixed(2)}`;
}
