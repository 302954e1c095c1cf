// Search in a table: a pattern drawn on the board, values and distances, and what was found.

import * as api from "./api.js";
import { Board } from "./board.js";
import { button, choice, fill, h, icon } from "./dom.js";
import { link } from "./explorer.js";
import { miniature, styled } from "./mini.js";
import { menOf, placed } from "./position.js";
import { GROUPS, number, OUTCOMES, plies, plural } from "./words.js";

/** The search in the tables; `slice` is the one to search first, if any. */
export async function searchView(rules, slice, signal) {
  const [{ slices }] = await Promise.all([api.slices(rules.name), styled()]);
  const names = slices.map((one) => one.slice).sort((one, two) => menOf(two) - menOf(one));
  return new Search(rules, names, slice, signal).node;
}

class Search {
  constructor(rules, slices, slice, signal) {
    Object.assign(this, { rules, signal });
    this.pattern = { size: rules.size, cells: Array(rules.size ** 2).fill(""), side: "a" };
    this.held = "K";
    this.board = new Board({ onplace: (at) => this.place(at), ondrop: (from, to) => this.move(from, to) });
    this.makeFields(slices, slice);
    this.fault = h("p.fault", { role: "alert" });
    this.status = h("p.note", { role: "status" });
    this.found = h("div.found");
    this.node = h("div.search", h("h1", "Search ", h("small", rules.title)),
      slices.length === 0 ? h("p", "There are no tables of this game here.") : [
        h("p.intro", "Finds the positions of a table. Squares that you leave free may hold anything; mirror images count as the same."),
        this.form()]);
    this.show(this.pattern);
  }

  makeFields(slices, slice) {
    this.palette = choice("To place", "pattern", [["K", icon("piece-K"), "King"], ["T", icon("piece-T"), "Defender"],
      ["t", icon("piece-t"), "Attacker"], ["o", icon("piece-o"), "Must be empty"]], (held) => { this.held = held; });
    this.palette.choose(this.held);
    const select = (called, options) => h("select", { "aria-label": called }, options.map(([value, words]) => h("option", { value }, words)));
    const open = this.rules.end.endless.replace("attackers", "endless");
    this.slice = select("Table", slices.map((one) => [one, `${one}, ${menOf(one)} men`]));
    if (slices.includes(slice)) this.slice.value = slice;
    this.side = select("To move", [["", "either side to move"], ["attackers", "attackers to move"], ["defenders", "defenders to move"]]);
    this.category = select("Value", [["", "any value"], ...OUTCOMES.filter((one) => ["win", "loss", open].includes(one)).map((one) => [one, GROUPS[one].toLowerCase()])]);
    this.plies = h("input", { "aria-label": "Plies, like 9 or 5..21", placeholder: "plies: 9 or 5..21", size: 16 });
    this.zugzwang = h("input", { type: "checkbox" });
  }

  form() {
    const clear = () => this.show({ ...this.pattern, cells: this.pattern.cells.map(() => "") });
    const random = () => this.run({ seed: Math.floor(Math.random() * 2 ** 32) });
    return h("form.explorer", { onsubmit: (event) => { event.preventDefault(); this.run({}); } },
      h("div.table", this.palette.node, this.board.node, h("div.tools", button("Clear the board", clear))),
      h("div.answers", h("section.panel", { "aria-label": "What to find" },
        h("div.tools", this.slice, this.side, this.category, this.plies),
        h("label.check", this.zugzwang, "Only mutual zugzwangs"),
        h("div.tools", h("button.primary", "Search"), button("Count", () => this.run({ count: true })),
          button("Longest", () => this.run({ longest: true })), button("Random", random)),
        this.fault, this.status), this.found));
  }

  /** Shows a pattern: a position in which `o` stands for an empty square, and an empty cell for any. */
  show(pattern) {
    this.pattern = pattern;
    this.board.show({ position: pattern, rules: this.rules, mode: "edit", label: "Pattern" });
    this.node.querySelector(".explorer")?.style.setProperty("--n", String(this.rules.size));
  }

  /** Places the held piece, or removes an equal one. */
  place(at) {
    this.show(placed(this.pattern, at, this.pattern.cells[at] === this.held ? "" : this.held));
  }

  /** Moves a piece, or removes it if `to` is null. */
  move(from, to) {
    const taken = placed(this.pattern, from, "");
    this.show(to === null ? taken : placed(taken, to, this.pattern.cells[from]));
  }

  /** The pattern as the server reads it. */
  text() {
    const { size, cells: all } = this.pattern;
    const ranks = Array.from({ length: size }, (_, rank) => all.slice(rank * size, (rank + 1) * size));
    return ranks.map((cells) => (cells.every((cell) => !cell) ? "*" : cells.map((cell) => ({ "": "?", o: "1" })[cell] ?? cell).join(""))).join("/");
  }

  /** Searches for what the form says. */
  run(more) {
    const wanted = { slice: this.slice.value, pattern: this.text(), to_move: this.side.value, category: this.category.value, plies: this.plies.value.trim(), zugzwang: this.zugzwang.checked || "", ...more };
    for (const key of Object.keys(wanted)) if (wanted[key] === "") delete wanted[key];
    this.find(wanted);
  }

  async find(wanted) {
    this.request?.abort();
    this.request = new AbortController();
    const { signal } = this.request;
    const { slice, ...query } = wanted;
    this.fault.textContent = "";
    this.status.textContent = "Searching…";
    try {
      const reply = await api.find(this.rules.name, slice, query, AbortSignal.any([signal, this.signal]));
      this.report(reply, wanted);
    } catch (error) {
      if (signal.aborted || this.signal.aborted) return;
      this.status.textContent = "";
      this.fault.textContent = `${error.message}.`;
    }
  }

  report({ counts = [], positions, more, complete }, wanted) {
    const { skip = 0 } = wanted;
    const known = `${skip ? `${number(skip + 1)} to ` : ""}${plural(skip + positions.length, "position", "positions")}${more ? ", and there are more" : ""}`;
    const counted = counts.map(({ to_move, stored, placements }) => `${number(stored)} with the ${to_move} to move, ${number(placements)} with mirror images`).join("; ");
    this.status.textContent = `${counted || (positions.length ? known : "Nothing found")}.${complete ? "" : " Time ran out: only a part of the slice was searched."}`;
    fill(this.found, positions.length > 0 && this.list(positions, skip, more && { ...wanted, skip: skip + positions.length }));
  }

  /** Positions to step through; `next` is the search for more, if there are more. */
  list(positions, skip, next) {
    const picture = h("div.here");
    const steps = [-1, 1].map((by) => button(icon(by < 0 ? "back" : "forth"), () => select(this.at + by), { "aria-label": by < 0 ? "Previous position" : "Next position" }));
    const list = h("ol.hits", positions.map((found, at) => h("li", button(`${skip + at + 1}. ${inWords(found)}`, () => select(at)))));
    const select = (at) => {
      this.at = at;
      const found = positions[at];
      fill(picture, miniature(found.position, this.rules, { label: inWords(found) }),
        h("p", inWords(found), " ", h("a", { href: link(this.rules.name, found.position) }, "Open")));
      [...list.children].forEach((item, i) => { item.firstChild.ariaCurrent = i === at ? "true" : null; });
      steps[0].disabled = at === 0;
      steps[1].disabled = at === positions.length - 1;
    };
    select(0);
    return h("section.panel", { "aria-label": "Found" }, picture,
      h("div.tools", h("span.joined", steps), next && button("More", () => this.find(next))), list);
  }
}

function inWords({ to_move, category, dtw, other_category }) {
  const value = `${to_move} to move: ${category}${dtw === null ? "" : ` in ${plies(dtw)}`}`;
  return other_category ? `${value}; the other side to move: ${other_category}` : value;
}
