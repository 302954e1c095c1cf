// The engine: what it thinks of a position, deeper and deeper, beyond the tables too.

import { analysis } from "./api.js";
import { button, fill, h, panel, pointing } from "./dom.js";
import { number, SIDES } from "./words.js";

const LINES = [1, 2, 3, 5];

export class Engine {
  /** @param {import("./dom.js").Does} does */
  constructor(does) {
    this.does = does;
    this.source = null;
    this.rules = "";
    this.position = "";
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
    this.depth.textContent = `Depth ${found.depth}, ${number(found.nodes)} positions, ${number(found.table_hits)} table hits`;
    fill(this.lines, found.lines.map((line) => this.line(line, found.to_move)));
  }

  line(line, side) {
    const [first, ...rest] = line.moves;
    return h("li",
      h("span", { class: `score ${line.category ?? ""}`, title: `for the ${side}` }, inWords(line, side)),
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
  const ahead = (Math.abs(estimate) / 100).toFixed(2);
  return Math.abs(estimate) < 15 ? `Level, ${score}` : `${estimate > 0 ? own : others} ahead by ${ahead}`;
}
