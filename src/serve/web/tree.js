// The tree of a proof store. Each branch is requested when it is opened, and again while the store
// is worked on.

import * as api from "./api.js";
import { Board } from "./board.js";
import { button, fill, h, icon, panel, set } from "./dom.js";
import { link } from "./explorer.js";
import { atPly, newGame, withLine } from "./game.js";
import { apply, format, parse } from "./position.js";
import { duration, number, percent, plural, SIDES } from "./words.js";

/**
 * What the server knows of a position.
 * @typedef {{state: string, proof: number | null, disproof: number | null, positions: number,
 *   decided: number, jobs: number, claimed: number, nodes: number, has_moves: boolean}} Status
 */

/** Time between two looks at a store that is worked on, in milliseconds. */
const EVERY = 5000;

/** States with their icon and a word. */
const STATES = {
  proved: ["win", "proved"], disproved: ["loss", "disproved"], working: ["forth", "in work"],
  waiting: ["hourglass", "waiting for a job"], open: ["undecided", "open"], unasked: ["unknown", "not asked"],
};
const isDecided = ({ state }) => state === "proved" || state === "disproved";
const estimate = (value) => (value === null ? "∞" : number(value));

/** The last view, which is kept with its open branches. */
let last = null;

export async function storeView(rules, store, signal) {
  if (last?.rules.name !== rules.name || last.store !== store) last = new StoreView(rules, store);
  await last.begin(signal);
  return last.node;
}

class StoreView {
  constructor(rules, store) {
    [this.rules, this.store] = [rules, store];
    this.roots = new Map();
    this.fault = h("p.fault", { role: "alert" });
    this.note = h("p.note");
    this.follows = h("input", { type: "checkbox", checked: true });
    this.nextJob = button("Show the next job", () => this.attempt(() => this.showNext()));
    this.list = h("ul.branches", { role: "tree", "aria-label": "Proof tree", onkeydown: (event) => this.key(event),
      onclick: (event) => this.click(event), onfocusin: (event) => this.select(itemOf(event.target)) });
    this.board = new Board();
    this.line = h("p.line-to");
    this.facts = h("dl.facts");
    this.opens = h("a.button.primary", { onclick: (event) => this.explore(event) }, "Explore this position");
    this.here = panel("Position", "here", this.board.node, h("div.tools", this.opens), this.line, this.facts);
    this.node = h("div.store",
      h("div.crumbs", h("a", { href: `#${rules.name}/proofs` }, `All proofs of ${rules.title}`)),
      h("h1", "Proof tree ", h("small", store)),
      h("p.intro", "The proof number estimates the work left to prove that a side wins, the disproof number the work left to refute it. The most promising move comes first."),
      h("div.halves",
        panel("Tree", "tree", h("div.tools", button("Read again", () => this.attempt(() => this.read())), this.nextJob,
          h("label.check", this.follows, "Follow the work")), this.fault, this.note,
        h("ul.legend", Object.values(STATES).slice(0, 5).map(([sign, word]) => h("li", { class: sign }, icon(sign), word))),
        h("div.row.heads", { "aria-hidden": "true" }, h("span", "Move"), h("span", "Proof / disproof"), h("span", "Decided"), h("span", "Nodes")),
        this.list),
        this.here));
  }

  /** Shows the store, and follows it until `signal` aborts. */
  async begin(signal) {
    this.signal = signal;
    await this.read();
    this.follow(signal);
  }

  async follow(signal) {
    while (!signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, EVERY));
      if (!signal.aborted && this.follows.checked && !document.hidden) await this.attempt(() => this.read());
    }
  }

  /** Runs an action, and shows why it failed. */
  async attempt(action) {
    const { signal } = this;
    try {
      await action();
      this.fault.textContent = "";
    } catch (error) {
      if (!signal.aborted) this.fault.textContent = `${error.message}.`;
    }
  }

  /** Reads the store, and the open branches if there is anything new. */
  async read() {
    const found = await api.store(this.rules.name, this.store, this.signal);
    const text = JSON.stringify(found);
    if (text === this.known) return;
    this.show(found);
    for (const item of this.items()) await item.reload();
    this.known = text;
    this.select(this.selected?.node.isConnected ? this.selected : this.items()[0]);
  }

  show({ roots, certificates, skipped }) {
    const damaged = skipped && ` ${plural(skipped, "damaged part was", "damaged parts were")} left out: taflbase solve --status says why.`;
    this.note.textContent = roots.length === 0 ? `The store holds no results.${damaged || ""}`
      : `${plural(certificates, "certificate", "certificates")}.${damaged || ""}`;
    const items = roots.flatMap((root, i) => ["a", "d"].map((side) => {
      const question = root[SIDES[side].toLowerCase()];
      const key = side + root.position;
      if (!this.roots.has(key)) {
        const label = `${SIDES[side]} win?${roots.length > 1 ? ` (position ${i + 1})` : ""}`;
        this.roots.set(key, new Item(this, null, label, side, parse(root.position)));
      }
      const item = this.roots.get(key);
      item.question = question;
      item.update(question, i * 2 + (side === "a" ? 1 : 2), 2 * roots.length);
      return item;
    }));
    arrange(this.list, items.map((item) => item.node));
    this.here.hidden = items.length === 0;
    this.nextJob.disabled = !items.some((item) => item.question.line.length);
  }

  /** All items that can be seen, from top to bottom. */
  items() {
    return [...this.list.querySelectorAll("[role=treeitem]")].map(itemOf);
  }

  /** Selects an item: the board shows its position. */
  select(item) {
    if (!item?.place) return;
    for (const one of this.list.querySelectorAll("[tabindex='0']")) set(one, { tabindex: -1, "aria-selected": "false" });
    set(item.row, { tabindex: 0, "aria-selected": "true" });
    this.selected = item;
    const line = item.line();
    this.board.show({ position: item.place, rules: this.rules, mode: "still", last: line.at(-1) ?? null,
      label: `Position after ${plural(line.length, "move", "moves")}` });
    fill(this.line, line.length ? [h("b", "Line: "), line.join(" ")] : "The position that was asked about.");
    fill(this.facts, item.facts().map(([term, value]) => [h("dt", term), h("dd", value)]));
    set(this.opens, { href: link(this.rules.name, item.text) });
  }

  /** Opens the selected position in the explorer, with the line to it. */
  explore(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const line = this.selected.line();
    const game = withLine(newGame(this.rules.name, this.selected.root().text), line);
    history.pushState({ game: atPly(game, line.length) }, "", this.opens.href);
    dispatchEvent(new PopStateEvent("popstate"));
  }

  /** Opens the branches down to the next job of the selected question. */
  async showNext() {
    const open = [this.selected?.root(), ...this.roots.values()].filter((root) => root?.question.line.length);
    let [item] = open;
    for (const move of item.question.line) {
      await item.open();
      const next = item.children.get(move);
      if (!next) break;
      item = next;
    }
    item.row.focus();
  }

  click(event) {
    const item = itemOf(event.target);
    if (!item) return;
    item.row.focus({ preventScroll: true });
    if (item.more) this.attempt(() => item.more());
    else if (event.target.closest(".twist") || event.detail === 2) this.attempt(() => item.toggle());
  }

  key(event) {
    const item = itemOf(event.target);
    if (!item || event.ctrlKey || event.altKey || event.metaKey) return;
    const all = this.items();
    const at = all.indexOf(item);
    const go = (to) => to?.row.focus();
    const action = {
      ArrowDown: () => go(all[at + 1]), ArrowUp: () => go(all[at - 1]), Home: () => go(all[0]), End: () => go(all.at(-1)),
      ArrowLeft: () => (item.isOpen ? item.close() : go(item.before)),
      ArrowRight: () => (item.isOpen ? go(all[at + 1]) : this.attempt(() => item.open?.())),
      Enter: () => this.attempt(() => (item.more ?? item.toggle).call(item)),
    };
    const does = action[event.key === " " ? "Enter" : event.key];
    if (!does) return;
    does();
    event.preventDefault();
    event.stopPropagation();
  }
}

const known = new WeakMap();
const itemOf = (node) => known.get(node?.closest?.("[role=treeitem]"));

/** Puts nodes into an element, without moving those that are in their place. */
function arrange(element, nodes) {
  if (element.childNodes.length === nodes.length && nodes.every((node, i) => node === element.childNodes[i])) return;
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren(...nodes);
  if (focused?.isConnected) focused.focus({ preventScroll: true });
}

/** A position in the tree. */
class Item {
  constructor(view, before, label, side, place) {
    Object.assign(this, { view, before, label, side, place });
    this.text = format(place);
    this.level = before ? before.level + 1 : 1;
    this.children = new Map();
    this.isOpen = false;
    this.row = rowOf(this, this.level);
    this.group = h("ul", { role: "group" });
    this.node = h("li", { role: "none" }, this.row);
  }

  root() {
    return this.before?.root() ?? this;
  }

  /** The moves from the root. */
  line() {
    return this.before ? [...this.before.line(), this.label] : [];
  }

  isRepetition() {
    for (let item = this.before; item; item = item.before) if (item.text === this.text) return true;
    return false;
  }

  /** @param {Status} status */
  update(status, index, count) {
    this.status = status;
    this.opens = status.has_moves && !this.isRepetition();
    const [sign, word] = STATES[status.state];
    set(this.row, { "aria-setsize": count, "aria-posinset": index, "aria-expanded": this.opens ? String(this.isOpen) : null });
    // What is open below a decided position is not needed any more.
    this.row.classList.toggle("idle", Boolean(this.before) && isDecided(this.before.status) && !isDecided(status));
    const share = status.positions > 1 && h("span.meter");
    if (share) share.style.setProperty("--share", String(status.decided / status.positions));
    const numbers = [spoken(`${word}, proof and disproof number `), `${estimate(status.proof)} / ${estimate(status.disproof)}`];
    fill(this.row, h("span.twist", this.opens && icon("forth")),
      h(`span.called.${sign}`, icon(sign), h("span", this.label), spoken(", ")),
      h("span.numbers", this.isRepetition() ? "repetition" : isDecided(status) || status.state === "unasked" ? word : numbers),
      h("span.decided", share && [share, spoken(", "), percent(status.decided, status.positions), spoken(` of ${number(status.positions)} positions decided`)]),
      h("span.nodes", status.nodes > 0 && [spoken(", "), number(status.nodes), spoken(" nodes")],
        status.claimed > 0 && [h("b", ` +${number(status.claimed)}`), spoken(" in work")]));
    if (this.view.selected === this) this.view.select(this);
  }

  /** Terms and values about the position. */
  facts() {
    const { state, proof, disproof, positions, decided, jobs, claimed, nodes } = this.status;
    return [
      ["Question", `Do the ${SIDES[this.side].toLowerCase()} win?`],
      ["State", STATES[state][1]],
      ["Proof, disproof", `${estimate(proof)}, ${estimate(disproof)}`],
      ["Positions", `${number(positions)}, ${percent(decided, positions)} decided`],
      ["Jobs", `${number(jobs)} done, ${number(claimed)} in work${this.question ? `, ${number(this.question.open)} waiting` : ""}`],
      ["Nodes", number(nodes)],
      this.question && ["Time", duration(this.question.seconds)],
    ].filter(Boolean);
  }

  toggle() {
    return this.isOpen ? this.close() : this.open();
  }

  close() {
    this.isOpen = false;
    this.children.clear();
    this.group.remove();
    set(this.row, { "aria-expanded": "false" });
    // The focus may have been below.
    if (!this.view.selected.node.isConnected) this.row.focus();
  }

  async open() {
    if (!this.opens || this.isOpen) return;
    await this.load(1);
    this.node.append(this.group);
    this.isOpen = true;
    set(this.row, { "aria-expanded": "true" });
  }

  /** Requests the moves of an open branch again. */
  async reload() {
    if (!this.isOpen) return;
    if (this.opens) await this.load(this.children.size);
    else this.close();
  }

  /** Requests at least so many moves. */
  async load(least) {
    const { view, side, text } = this;
    const moves = [];
    let count;
    do {
      const found = await api.storeNode(view.rules.name, view.store, SIDES[side].toLowerCase(), text, moves.length, view.signal);
      moves.push(...found.moves);
      count = found.moves.length ? found.count : moves.length;
    } while (moves.length < Math.min(least, count));
    this.children = new Map(moves.map((status, i) => {
      const item = this.children.get(status.move) ?? new Item(view, this, status.move, side, apply(this.place, status.move));
      item.update(status, i + 1, count);
      return [status.move, item];
    }));
    const rest = count - moves.length;
    arrange(this.group, [...[...this.children.values()].map((item) => item.node), ...(rest ? [this.rest(rest)] : [])]);
  }

  /** The item that requests more moves. */
  rest(count) {
    const item = { before: this, more: () => this.load(this.children.size + 1) };
    item.row = rowOf(item, this.level + 1, h("span.twist"), h("span.called", h("span", `${number(count)} more`), spoken(" moves")));
    return h("li", { role: "none" }, item.row);
  }
}

/** Words that are only heard. */
const spoken = (words) => h("span.unseen", words);

function rowOf(item, level, ...children) {
  const row = h("div.row", { role: "treeitem", tabindex: -1, "aria-level": level, "aria-selected": "false" }, children);
  row.style.setProperty("--level", String(level - 1));
  known.set(row, item);
  return row;
}
