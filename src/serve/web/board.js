// The board: a grid of squares for mouse, touch and keyboard. It knows no rules: legal moves are
// given to it.

import { fill, h, icon, s, set } from "./dom.js";
import { formationShapes, partOf } from "./formations.js";
import { marks, NAMES } from "./pieces.js";
import { name, parseMove, square } from "./position.js";
import { moveValue } from "./words.js";
import { makeDraggable } from "./drag.js";
import { sound } from "./sounds.js";

/**
 * The state of a board. Mode "play" accepts the given moves, "edit" any change, "still" nothing.
 * @typedef {{position: import("./position.js").Position, rules: any, mode: "play" | "edit" | "still",
 *   moves?: {move: string, category?: string, dtw?: number | null}[], isTurned?: boolean,
 *   last?: string | null, hints?: boolean, formations?: import("./api.js").Formation[],
 *   fallen?: boolean, label?: string}} Shown
 */

export class Board {
  constructor(handlers = {}) {
    this.handlers = handlers;
    this.focused = 0;
    this.cells = [];
    this.grid = h("div.grid", { role: "grid", onkeydown: (event) => this.key(event),
      onclick: (event) => this.click(event), onfocusin: (event) => this.focus(event) });
    [this.walls, this.ideas, this.arrows] = ["walls", "ideas", "arrows"].map((layer) => s(`svg.${layer}`, { "aria-hidden": "true" }));
    this.thoughts = [];
    this.gauge = h("div.gauge", { role: "img", hidden: true });
    this.files = h("div.files", { "aria-hidden": "true" });
    this.ranks = h("div.ranks", { "aria-hidden": "true" });
    this.plane = h("div.board", this.ranks, h("div.squares", this.grid, this.walls, this.ideas, this.arrows), this.gauge, this.files);
    this.node = h("div.frame", { onscroll: () => this.cue() }, this.plane);
    new ResizeObserver(() => this.cue()).observe(this.node);
    makeDraggable(this);
  }

  /** @param {Shown} shown */
  show(shown) {
    const before = this.shown;
    this.shown = shown;
    this.selected = null;
    const same = before?.rules === shown.rules && before?.isTurned === shown.isTurned
      && before?.position.size === shown.position.size;
    if (!same) this.lay();
    this.update();
    if (before && shown.last && shown.last !== before.last && shown.mode !== "still") sound(shown.last);
  }

  /** Marks the edges beyond which there is more of the board. */
  cue() {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight, classList } = this.node;
    const [right, below] = [scrollWidth - clientWidth - scrollLeft, scrollHeight - clientHeight - scrollTop];
    for (const [edge, hidden] of Object.entries({ left: scrollLeft, right, above: scrollTop, below })) classList.toggle(`more-${edge}`, hidden > 2);
  }

  /** Creates the squares, for another board size or orientation. */
  lay() {
    const { position: { size }, rules, isTurned } = this.shown;
    const marked = marks(rules);
    const order = [...Array(size).keys()];
    const files = isTurned ? [...order].reverse() : order;
    const ranks = isTurned ? order : [...order].reverse();
    this.plane.style.setProperty("--n", String(size));
    this.order = ranks.flatMap((rank) => files.map((file) => rank * size + file));
    this.cells = [];
    const isFocused = this.grid.contains(document.activeElement);
    fill(this.grid, ranks.map((rank) => h("div", { role: "row" }, files.map((file) => {
      const at = rank * size + file;
      const kind = marked.get(name(at, size)) ?? "";
      this.cells[at] = h("div", { role: "gridcell", "data-square": name(at, size), tabindex: -1 });
      this.cells[at].kind = kind;
      return this.cells[at];
    }))));
    fill(this.files, files.map((file) => h("span", String.fromCharCode(97 + file))));
    fill(this.ranks, ranks.map((rank) => h("span", String(rank + 1))));
    for (const layer of [this.walls, this.arrows, this.ideas]) layer.setAttribute("viewBox", `0 0 ${size} ${size}`);
    if (this.focused >= size * size) this.focused = 0;
    if (isFocused) this.cells[this.focused].focus();
  }

  /** Updates pieces, targets and labels. */
  update() {
    const { position: { size, cells }, moves = [], mode, last, label, fallen } = this.shown;
    const movable = new Set(mode === "play" ? moves.map((move) => parseMove(move.move).from) : []);
    const targets = this.targets();
    const lastMove = last ? parseMove(last) : null;
    set(this.grid, { "aria-label": label ?? "Board" });
    this.cells.forEach((cell, at) => {
      const [piece, called] = [cells[at], name(at, size)];
      const target = targets.get(at);
      const isMovable = mode === "edit" ? piece !== "" : movable.has(called);
      const isLast = called === lastMove?.from || called === lastMove?.to;
      cell.className = ["cell", cell.kind, isMovable && "movable", isLast && "last",
        at === this.selected && "selected", target && "target"].filter(Boolean).join(" ");
      set(cell, { "aria-label": this.words(at, called, piece, target), tabindex: at === this.focused ? 0 : -1,
        "aria-selected": mode === "play" ? String(at === this.selected) : null });
      fill(cell, piece && icon(`piece-${piece}`), fallen && piece === "K" && cross(),
        target && icon(this.shown.hints === false ? "undecided" : target.category ?? "undecided"));
      if (target) cell.lastChild.classList.add("sign");
    });
    fill(this.walls, (this.shown.formations ?? []).map((formation) => formationShapes(formation, (at) => this.centre(at))));
    this.arrow(null);
    this.think(this.thoughts);
  }

  words(at, called, piece, target) {
    const kind = { goal: "goal", throne: "throne", camp: "" }[this.cells[at].kind];
    const words = [called, piece ? NAMES[piece] : "empty", kind, ...partOf(this.shown.formations ?? [], called)];
    if (target) {
      const [verb, after] = this.shown.hints === false ? ["can go here"] : moveValue(target);
      words.push(verb, after && target.dtw !== null && `${target.dtw} ${after}`);
    }
    return words.filter(Boolean).join(", ");
  }

  /** Moves of the selected piece, by target square. */
  targets() {
    const { position: { size }, moves = [], mode } = this.shown;
    const found = new Map();
    if (this.selected == null || mode !== "play") return found;
    for (const move of moves) {
      const { from, to } = parseMove(move.move);
      if (square(from, size) === this.selected) found.set(square(to, size), move);
    }
    return found;
  }

  select(at) {
    this.selected = at;
    this.update();
  }

  /** Moves the selected piece to a square, if legal. */
  go(at) {
    const move = this.targets().get(at);
    if (move) this.handlers.onmove?.(move.move);
    return Boolean(move);
  }

  click(event) {
    const at = this.at(event.target);
    if (at === null || this.isDropping || this.shown.mode === "still") return;
    this.act(at);
  }

  /** Handles a click or Enter on a square. */
  act(at) {
    if (this.shown.mode === "edit") {
      this.handlers.onplace?.(at);
    } else if (!this.go(at)) {
      const isMovable = this.cells[at].classList.contains("movable");
      this.select(isMovable && this.selected !== at ? at : null);
    }
  }

  /** The square of a node, or null. */
  at(node) {
    const cell = node instanceof Element ? node.closest("[role=gridcell]") : null;
    return cell && this.grid.contains(cell) ? this.cells.indexOf(cell) : null;
  }

  focus(event) {
    const at = this.at(event.target);
    if (at === null) return;
    this.cells[this.focused]?.setAttribute("tabindex", "-1");
    this.focused = at;
    this.cells[at].setAttribute("tabindex", "0");
  }

  key(event) {
    const at = this.at(event.target);
    if (at === null || event.ctrlKey || event.altKey || event.metaKey) return;
    const { size } = this.shown.position;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -size, ArrowDown: size }[event.key];
    if (step) this.step(at, step, size);
    else if (event.key === "Enter" && this.shown.mode !== "still") this.act(at);
    else if (event.key === "Escape" && this.selected !== null) this.select(null);
    else if (!this.handlers.onkey?.(event.key, at)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  step(at, step, size) {
    const here = this.order.indexOf(at);
    const next = here + step;
    const isWrapped = Math.abs(step) === 1 && Math.floor(next / size) !== Math.floor(here / size);
    if (next >= 0 && next < this.order.length && !isWrapped) this.cells[this.order[next]].focus();
  }

  /** Draws a move as an arrow in its outcome's colour and crosses out its captures; null removes it. */
  arrow(text, category = "undecided") {
    set(this.arrows, { class: `arrows ${category}` });
    fill(this.arrows, text && this.drawn(parseMove(text)));
  }

  /** Draws the engine's first moves as arrows, the best one first. */
  think(thoughts) {
    this.thoughts = thoughts;
    fill(this.ideas, thoughts.map(({ move, category }, i) =>
      s(`g.${category ?? "undecided"}`, { opacity: 0.85 / (i + 1) }, this.drawn(parseMove(move)).slice(0, 2))).reverse());
  }

  /** Shows who is ahead beside the board: the defenders' share, from 0 to 1, and words; null hides it. */
  weigh(balance) {
    this.gauge.hidden = balance === null;
    if (balance === null) return;
    const [share, words] = balance;
    set(this.gauge, { "aria-label": words, title: words });
    this.gauge.style.setProperty("--share", String(share));
  }

  drawn(move) {
    return arrowShapes(move, (called) => this.centre(called));
  }

  /** The middle of a square on the board as it is turned. */
  centre(called) {
    const { size } = this.shown.position;
    const place = this.order.indexOf(square(called, size));
    return [(place % size) + 0.5, Math.floor(place / size) + 0.5];
  }
}

/** A move as an arrow with crosses on its captures; `centre` gives the middle of a square. */
export function arrowShapes({ from, to, captures }, centre) {
  const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
  const [dx, dy] = [Math.sign(x2 - x1), Math.sign(y2 - y1)];
  const tip = (by, aside) => `${x2 - by * dx - aside * dy} ${y2 - by * dy + aside * dx}`;
  return [
    s("path.shaft", { d: `M${x1} ${y1}L${tip(0.3, 0)}` }),
    s("path.head", { d: `M${tip(-0.12, 0)}L${tip(0.34, 0.26)}L${tip(0.34, -0.26)}Z` }),
    captures.map((called) => {
      const [x, y] = centre(called);
      return s("path.taken", { d: `M${x - 0.28} ${y - 0.28}l.56 .56M${x + 0.28} ${y - 0.28}l-.56 .56` });
    }),
  ];
}

/** The mark on a captured king. */
function cross() {
  return s("svg.fallen", { viewBox: "0 0 40 40", "aria-hidden": "true" },
    s("path", { d: "M9 9 31 31M31 9 9 31" }));
}
