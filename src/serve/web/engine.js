// Analysis by the engine, and games against it.

import { analysis, reply } from "./api.js";
import { button, choice, fill, h, icon, panel, preview } from "./dom.js";
import { awaited } from "./game.js";
import { other } from "./position.js";
import { keep, setting } from "./settings.js";
import { number, SIDES, TURNS } from "./words.js";

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
const queued = (place) => `The engine is busy: you are ${place === 1 ? "next" : `number ${place} in the queue`}.`;

/** A score as text: the winner, or the lead in soldiers. */
export function inWords({ category, plies, estimate, score }, side) {
  const [own, others] = side === "attackers" ? [SIDES.a, SIDES.d] : [SIDES.d, SIDES.a];
  const distance = plies === null ? "" : ` in ${plies}`;
  if (category === "win") return `${own} win${distance}`;
  if (category === "loss") return `${others} win${distance}`;
  if (estimate === null) return score;
  return `${estimate < 0 ? others : own} ahead by ${(Math.abs(estimate) / 100).toFixed(2)}`;
}

/** What a level does. */
function levelInWords({ nodes, margin, tables }) {
  const search = nodes === null ? "Thinks for some seconds about a move" : `Looks at ${number(nodes)} positions for a move`;
  return `${search}${tables ? ", and knows the tables" : ", without the tables"}. ${margin ? `Chooses at random among moves up to ${margin} soldiers worse than the best.` : "Plays the best move it finds."}`;
}

export class Opponent {
  /** @param {{levels: string[], strengths: Object[]}} engine levels, weakest first */
  constructor({ levels, strengths }, handlers) {
    this.handlers = handlers;
    this.human = "d";
    this.sides = choice("Your side", "human", [
      ["a", icon("piece-t"), SIDES.a], ["d", icon("piece-K"), SIDES.d],
    ], (side) => { this.human = side; });
    this.sides.choose(this.human);
    this.about = h("p.note");
    const explain = () => { this.about.textContent = levelInWords(strengths[levels.indexOf(this.level.value)]); };
    this.level = h("select", { "aria-label": "Strength", onchange: explain },
      levels.map((level, i) => h("option", { value: level, selected: i === Math.floor(levels.length / 2) }, level)));
    const begin = (isFromHere) => () => handlers.onbegin(this.human, this.level.value, isFromHere);
    explain();
    this.before = h("div", h("div.tools", this.sides.node, this.level), this.about,
      h("div.tools", button("New game", begin(false), { class: "primary" }), button("From this position", begin(true))));
    this.state = h("p.note", { role: "status" });
    this.hints = h("input", { type: "checkbox", onchange: () => handlers.onhints(this.hints.checked) });
    this.deals = [["Hint", handlers.onhint], ["Offer a draw", handlers.ondraw], ["Resign", handlers.onresign]].map(([label, act]) => button(label, act));
    this.again = button("Rematch", handlers.onrematch, { class: "primary" });
    this.quits = button("End the game", handlers.onquit);
    this.retries = button("Try again", handlers.onretry, { class: "primary retry", hidden: true });
    this.during = h("div", this.state,
      h("div.tools", button("Take back", handlers.onback), this.deals, this.quits, this.again, this.retries),
      h("label.check", this.hints, "Show table values and analysis"));
    this.body = h("div");
    this.node = panel("Play against the engine", "opponent", this.body);
  }

  /** Shows a state of the game, until `signal` aborts. */
  show(game, signal) {
    const part = game.opponent ? this.during : this.before;
    if (!part.isConnected) fill(this.body, part);
    if (!game.opponent) return;
    const { side, level } = game.opponent;
    const turn = awaited(game);
    this.again.hidden = turn !== "over";
    for (const node of this.deals) {
      node.hidden = turn === "over";
      node.disabled = turn !== "human";
    }
    this.quits.textContent = turn === "over" ? "New settings" : "End the game";
    this.say = (words) => { this.state.textContent = `You play the ${SIDES[other(side)].toLowerCase()} against level ${level}. ${words}`; };
    this.say(`${TURNS[turn]}.`);
    this.retries.hidden = true;
    if (turn === "engine") this.ask(game, signal);
  }

  async ask(game, signal) {
    try {
      const answer = await reply(game.rules, game.start, game.moves, game.opponent.level, signal, (place) => this.say(queued(place)));
      if (!signal.aborted) this.handlers.onreply(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.say(`The engine did not move: ${error.message}.`);
      this.retries.hidden = false;
    }
  }
}
