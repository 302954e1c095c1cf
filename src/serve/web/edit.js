// The position editor: the piece to place, and tools for all pieces.

import { button, choice, h, icon } from "./dom.js";
import { startOf } from "./game.js";
import { format, mirrored, parse, placed, rotated, shifted } from "./position.js";

const KEYS = { t: "t", d: "T", k: "K", Delete: "", Backspace: "" };

export class Edit {
  constructor(handlers) {
    this.handlers = handlers;
    this.held = "t";
    this.palette = choice("Piece to place", "palette", [
      ["t", icon("piece-t"), "Attacker"], ["T", icon("piece-T"), "Defender"],
      ["K", icon("piece-K"), "King"], ["", "Eraser"],
    ], (piece) => { this.held = piece; });
    this.palette.choose(this.held);
    const tool = (label, change) => button(label, () => this.change(change));
    const shift = (label, called, files, ranks) =>
      button(label, () => this.change((position) => shifted(position, files, ranks)), { "aria-label": called, title: called });
    this.node = h("div.edit", this.palette.node,
      h("div.tools",
        tool("Clear", (position) => ({ ...position, cells: position.cells.map(() => "") })),
        tool("Start", () => parse(startOf(this.rules))),
        tool("Rotate", rotated),
        tool("Mirror", mirrored),
        h("span.joined", shift("←", "Shift left", -1, 0), shift("→", "Shift right", 1, 0),
          shift("↑", "Shift up", 0, 1), shift("↓", "Shift down", 0, -1))),
      h("p.note", "Click a square to place the piece or remove it. Drag pieces around or off the board."));
  }

  show(position, rules) {
    this.position = position;
    this.rules = rules;
  }

  change(change) {
    const changed = change(this.position);
    if (changed && format(changed) !== format(this.position)) this.handlers.onchange(changed);
  }

  /** Places the held piece, or removes an equal one. */
  place(at) {
    const piece = this.position.cells[at] === this.held ? "" : this.held;
    this.change((position) => placed(position, at, piece));
  }

  /** Moves a piece, or removes it if `to` is null. */
  move(from, to) {
    const piece = this.position.cells[from];
    this.change((position) => {
      const taken = placed(position, from, "");
      return to === null ? taken : placed(taken, to, piece);
    });
  }

  key(key, at) {
    if (!(key in KEYS)) return false;
    this.change((position) => placed(position, at, KEYS[key]));
    return true;
  }
}
