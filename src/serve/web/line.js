// The tree of the game's lines: stepping, playback, copying, and a chart of distances.

import { button, copy, fill, h, icon, panel, s } from "./dom.js";
import { linesOf, mover, text, values } from "./game.js";
import { plies, SIDES } from "./words.js";

/** Playback time per ply, in milliseconds. */
const PACE = 900;

export class Line {
  constructor(handlers) {
    this.handlers = handlers;
    const step = (sign, called, to) => button(icon(sign), () => { this.pause(); handlers.ongo(to()); },
      { "aria-label": called });
    this.back = [step("start", "To the start", () => 0), step("back", "Back", () => this.game.at - 1)];
    this.forth = [step("forth", "Forward", () => this.game.at + 1), step("end", "To the end", () => this.game.moves.length)];
    this.runs = button("Play", () => (this.timer ? this.pause() : this.play()), { class: "runs" });
    this.asks = button("Best line", handlers.onbest, { class: "asks" });
    this.copies = button("Copy", (event) => copy(text(this.game), event.currentTarget));
    this.list = h("ol.plies");
    this.strip = h("figure.strip");
    this.note = h("p.note");
    this.tends = h("div.tools", button("Make it the main line", handlers.onmain), button("Remove this line", handlers.onremove));
    this.reviews = button("Review", handlers.onreview);
    this.review = h("div.review");
    this.node = panel("Line", "line",
      h("div.tools", this.asks, this.reviews, h("span.joined", this.back, this.runs, this.forth)),
      h("div.made", this.note, this.list), this.tends, this.strip, this.review);
    this.node.prepend(h("div.titled", this.node.firstChild, h("div.tools", this.copies, button("Game…", handlers.ongames))));
  }

  /** `reason` says why there is no line of best play. */
  show(game, canAsk, areValuesShown, reason = "") {
    this.game = game;
    const isEmpty = game.moves.length === 0;
    for (const node of this.back) node.disabled = game.at === 0;
    for (const node of [...this.forth, this.runs]) node.disabled = game.at === game.moves.length;
    this.asks.disabled = !canAsk;
    this.copies.disabled = isEmpty;
    this.reviews.disabled = isEmpty || !areValuesShown;
    const lines = linesOf(game);
    this.tends.hidden = lines.length < 2 || isOn(lines[0], game.moves.length, game);
    this.note.textContent = `${reason} ${isEmpty ? "Moves you make are listed here, with a chart of their values." : ""}`.trim();
    if (game.at === game.moves.length) this.pause();
    fill(this.list, this.branch(lines, 0));
    const current = this.list.querySelector("[aria-current]");
    this.list.scrollTop = (current?.offsetTop ?? 0) - this.list.clientHeight / 2;
    this.draw(game, areValuesShown);
  }

  /**
   * The moves of lines that have their first moves in common, from a ply on: those of the first
   * line, each followed by the branches beside it.
   */
  branch(lines, from) {
    const [main] = lines;
    const items = [];
    let near = lines;
    for (let ply = from; ply < main.length; ply++) {
      items.push(this.ply(main, ply));
      const others = near.filter((line) => line.length > ply && line[ply] !== main[ply]);
      near = near.filter((line) => line[ply] === main[ply]);
      for (const move of new Set(others.map((line) => line[ply]))) {
        items.push(h("li.branch", h("ol", this.branch(others.filter((line) => line[ply] === move), ply))));
      }
    }
    return items;
  }

  ply(line, ply) {
    const { game } = this;
    const isHere = isOn(line, ply + 1, game);
    const state = !isHere ? "li.aside" : ply < game.at ? "li" : "li.future";
    return h(state, button(line[ply], () => { this.pause(); this.handlers.online(isHere ? game.moves : line, ply + 1); },
      { "aria-current": isHere && ply + 1 === game.at ? "step" : null, "data-ply": ply + 1,
        "aria-label": `${ply + 1}, ${SIDES[mover(game, ply)]}, ${line[ply]}` }));
  }

  play() {
    this.timer = setInterval(() => this.handlers.ongo(this.game.at + 1), PACE);
    this.runs.textContent = "Pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.runs.textContent = "Play";
  }

  /** Draws the distances as bars: up if the attackers win, down if the defenders do. */
  draw(game, areValuesShown) {
    const known = values(game);
    const most = Math.max(...known.map((value) => value?.dtw ?? 0), 1);
    const drawn = known.filter((value) => value !== null).length;
    this.strip.hidden = !areValuesShown || drawn < 2;
    if (this.strip.hidden) return;
    const bars = known.map((value, i) => value && bar(value, i, most, i === game.at));
    const words = known.map((value, i) => `${i}: ${inWords(value)}`).join("; ");
    const width = Math.max(known.length, 12);
    fill(this.strip,
      h("figcaption", "Plies to the end (up: attackers win)"),
      s("svg", { viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none", role: "img", "aria-label": words }, bars,
        s("path.axis", { d: `M0 5H${width}` })));
  }
}

/** Whether the first moves of a line are those of the game. */
const isOn = (line, count, { moves }) => count <= moves.length && line.slice(0, count).every((move, i) => move === moves[i]);

function bar({ by, dtw }, i, most, isCurrent) {
  // Half a bar for an unknown distance, a thin one on the axis for a draw.
  const height = by === null ? 0.5 : 0.5 + (dtw === null ? 2 : (4.3 * dtw) / most);
  const y = { a: 5 - height, d: 5 }[by] ?? 4.75;
  return s("rect", { class: `bar ${by} ${isCurrent ? "current" : ""}`, x: i + 0.12, y, width: 0.76, height });
}

function inWords(value) {
  if (!value) return "unknown";
  if (!value.by) return "neither side can force a win";
  return `${SIDES[value.by]} win${value.dtw === null ? "" : ` in ${plies(value.dtw)}`}`;
}
