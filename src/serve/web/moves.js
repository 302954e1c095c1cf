// The moves, grouped by what they come to.

import { button, fill, h, icon, panel, pointing } from "./dom.js";
import { GROUPS, moveValue, OUTCOMES } from "./words.js";

/** How many moves of a group are shown before somebody asks for all. */
const FEW = 24;

export class Moves {
  /** @param {import("./dom.js").Does} does */
  constructor(does) {
    this.does = does;
    this.body = h("div.groups");
    this.node = panel("Moves", "moves", this.body);
  }

  /** @param {import("./api.js").MoveValue[]} moves best first */
  show(moves) {
    this.node.hidden = moves.length === 0;
    fill(this.body, OUTCOMES.map((outcome) => {
      const group = moves.filter((move) => move.category === outcome);
      return group.length > 0 && this.group(outcome, group, moves[0]);
    }));
  }

  group(outcome, group, best) {
    const distances = group.map((move) => move.dtw).filter((dtw) => dtw !== null);
    const [least, most] = [Math.min(...distances), Math.max(...distances)];
    const list = h("ul", group.map((move, i) =>
      h("li", { hidden: i >= FEW }, this.move(move, least, most, move === best))));
    const all = group.length > FEW && button(`${group.length - FEW} more`, (event) => {
      for (const item of list.children) item.hidden = false;
      list.children[FEW].firstChild.focus();
      event.currentTarget.remove();
    }, { class: "plain" });
    return h("section", { class: `group ${outcome}` },
      h("h3", icon(outcome), `${GROUPS[outcome]} `, h("span.count", String(group.length)),
        distances.length > 0 && h("span.unit", "plies after it")),
      list, all);
  }

  move(move, least, most, isBest) {
    const [does, after] = moveValue(move);
    const node = button([
      h("span", move.move, h("span.unseen", `, ${does}${move.dtw === null ? "" : ","}`)),
      move.dtw !== null && h("span", String(move.dtw), h("span.unseen", ` ${after}`)),
    ], () => this.does.onmove(move.move), {
      class: isBest ? "best" : "", "data-move": move.move,
      ...pointing(move.move, this.does.onpoint),
    });
    // The more distance a move gives away, the fainter it is.
    const lost = move.dtw === null || most === least ? 0 : (move.dtw - least) / (most - least);
    node.style.setProperty("--strength", String(move.category === "win" ? 1 - lost : lost));
    return node;
  }
}
