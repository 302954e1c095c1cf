// The board and all that stands around it. What is shown follows from the game, and the
// game is in the browser's history.

import { Moves, Verdict } from "./answer.js";
import * as api from "./api.js";
import { Board } from "./board.js";
import { button, choice, copy, fill, h, icon } from "./dom.js";
import { Edit } from "./edit.js";
import { Engine, Opponent } from "./engine.js";
import { begun, continued, going, over, played, position, startOf } from "./game.js";
import { Line } from "./line.js";
import { marks, MEANINGS } from "./pieces.js";
import { format, other, parse } from "./position.js";
import { SIDES } from "./words.js";

/** The fragment that shows a position. */
export function link(rules, text) {
  return `#${rules}${text.replace(" ", "_")}`;
}

export class Explorer {
  /** @param {null | {levels: string[]}} engine */
  constructor(engine) {
    this.mode = "play";
    this.makePanels(engine);
    this.makeTools();
    const seats = this.opponent ? [this.opponent.node, this.engine.node] : [];
    this.title = h("h1.unseen");
    this.node = h("div.explorer", this.title,
      h("div.table", this.tools, this.board.node, this.edit.node, this.legend),
      h("div.answers", this.verdict.node, this.moves.node), this.field,
      h("div.more", this.line.node, seats));
  }

  makePanels(engine) {
    const point = { onmove: (move) => this.play(move), onpoint: (move) => this.board.arrow(move) };
    this.board = new Board({
      onmove: (move) => this.play(move), onplace: (at) => this.edit.place(at),
      ondrop: (from, to) => this.edit.move(from, to),
      onkey: (key, at) => this.mode === "edit" && this.edit.key(key, at),
    });
    this.edit = new Edit({ onchange: (changed) => this.put(format(changed)) });
    this.verdict = new Verdict({ onrandom: (answer) => this.another(answer) });
    this.moves = new Moves(point);
    this.line = new Line({ ongo: (at) => this.go(at), online: () => this.best() });
    if (!engine) return;
    this.engine = new Engine(point);
    this.opponent = new Opponent(engine.levels, {
      onbegin: (human, level, isFromHere) => this.challenge(human, level, isFromHere),
      onreply: (game, answer) => game === this.game && this.replied(answer),
      onback: () => this.go(this.game.at - (this.isHumansTurn() ? 2 : 1)),
      onquit: () => this.become({ ...this.game, opponent: null }),
      onhints: (shown) => { this.areHintsShown = shown; this.render(); },
    });
  }

  makeTools() {
    this.sides = choice("To move", "side", [
      ["a", icon("piece-t"), SIDES.a], ["d", icon("piece-T"), SIDES.d],
    ], () => this.changeSide());
    this.modes = choice("What the board is for", "mode", [["play", "Play"], ["edit", "Edit"]],
      (mode) => this.setMode(mode));
    this.modes.choose("play");
    this.tools = h("div.tools",
      h("div.to-move", this.sides.node, h("span", { "aria-hidden": "true" }, "to move")),
      this.modes.node, button("Flip", () => this.flip()));
    this.edit.node.hidden = true;
    this.legend = h("ul.legend");
    this.input = h("input", { id: "position", autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
    this.fault = h("p.fault", { role: "alert" });
    this.field = h("form.field", { onsubmit: (event) => { event.preventDefault(); this.enter(); } },
      h("label", { for: "position" }, "Position or move"),
      h("div.tools", this.input, h("button", "Go"),
        button("Copy link", (event) => copy(location.href, event.currentTarget))),
      this.fault);
  }

  /** Shows a game of a ruleset, as the history or a link has it. */
  async open(game) {
    this.rules = await api.rules(game.rules);
    const { size } = parse(game.start);
    if (size !== this.rules.size) {
      throw new Error(`${this.rules.title} is played on ${this.rules.size} ranks, not on ${size}`);
    }
    this.game = game;
    this.render();
  }

  /** Nothing goes on while another view is shown. */
  rest() {
    this.line.pause();
    this.engine?.stop();
    this.opponent?.asked?.abort();
  }

  /** Another state of the game: a step in the history, or in place of the last one. */
  become(game, isStep = true) {
    this.game = game;
    const url = link(game.rules, format(position(game)));
    if (isStep) history.pushState({ game }, "", url);
    else history.replaceState({ game }, "", url);
    this.render();
  }

  /** A position from elsewhere: a new game begins there. */
  put(text) {
    this.become(begun(this.game.rules, text));
  }

  play(move) {
    const isKnown = this.known().some((known) => known.move === move);
    if (!isKnown || (this.game.opponent && !this.isHumansTurn())) return;
    // A move of the line keeps the rest of the line.
    if (this.game.moves[this.game.at] === move && !this.game.opponent) this.become(going(this.game, this.game.at + 1));
    else this.become(played(this.game, move));
  }

  go(at) {
    const game = going(this.game, at);
    if (game.at !== this.game.at) this.become(game, false);
  }

  /** Makes the best move. */
  playBest() {
    const [best] = this.known();
    if (best && best.category !== "unknown" && this.areValuesShown()) this.play(best.move);
  }

  /** Asks for a whole line of best play, to be stepped through. */
  async best() {
    const [game, text] = [this.game, format(position(this.game))];
    if (!this.areValuesShown()) return;
    try {
      const line = await api.line(game.rules, text);
      if (game === this.game) this.become(continued(game, line.moves), false);
    } catch (error) {
      this.line.note.textContent = `No line: ${error.message}.`;
    }
  }

  /** Another position of the same men, side and value. */
  async another(answer) {
    const wanted = { to_move: answer.to_move[0], category: answer.category };
    if (answer.dtw) wanted.dtw = answer.dtw;
    try {
      this.put((await api.random(this.game.rules, answer.slice, wanted)).position);
    } catch (error) {
      this.verdict.problem(error);
    }
  }

  challenge(human, level, isFromHere) {
    const start = isFromHere ? format(position(this.game)) : startOf(this.rules);
    this.setMode("play");
    this.isTurned = false;
    this.become({ ...begun(this.game.rules, start), opponent: { side: other(human), level } });
  }

  replied({ move, over }) {
    const game = move ? played(this.game, move) : { ...this.game };
    this.become({ ...game, over: over ?? game.over });
  }

  isHumansTurn() {
    return this.game.opponent?.side !== position(this.game).side;
  }

  areValuesShown() {
    return !this.game.opponent || this.areHintsShown || over(this.game) !== null;
  }

  /** The moves from the board's position, as far as they are known. */
  known() {
    return this.answer?.position === format(position(this.game)) ? this.answer.moves : [];
  }

  setMode(mode) {
    this.mode = mode;
    this.modes.choose(mode);
    this.edit.node.hidden = mode !== "edit";
    if (mode === "edit" && this.game.opponent) this.become({ ...this.game, opponent: null });
    else this.render();
  }

  changeSide() {
    const now = position(this.game);
    this.put(format({ ...now, side: other(now.side) }));
  }

  flip() {
    this.isTurned = !this.isTurned;
    this.render();
  }

  /** A position or a move, typed. */
  enter() {
    const text = this.input.value.trim();
    this.fault.textContent = "";
    const bare = (move) => move.replace(/^K|x.*|\+\+|--/g, "");
    const move = this.known().find((known) => known.move === text || bare(known.move) === bare(text));
    try {
      if (move) return this.play(move.move);
      if (!text.includes("/")) throw new Error(`${text || "nothing"} is no legal move here, and no position`);
      const put = parse(text);
      if (put.size !== this.rules.size) throw new Error(`this board has ${this.rules.size} ranks, not ${put.size}`);
      return this.put(format(put));
    } catch (error) {
      this.fault.textContent = error.message;
    }
  }

  /** Asks for the position's value, and shows what is known meanwhile. */
  render() {
    const now = position(this.game);
    const text = format(now);
    this.asked?.abort();
    this.answer = api.probed(this.game.rules, text) ?? null;
    this.sides.choose(now.side);
    this.input.value = text;
    this.fault.textContent = "";
    this.edit.show(now, this.rules);
    this.explain();
    this.draw(now);
    const end = over(this.game);
    if (end) this.verdict.over(end);
    else if (this.answer) this.answered(this.answer);
    else this.ask(text);
    this.opponent?.show(this.game);
    this.engine?.show(this.game.rules, text, end !== null, this.areValuesShown());
  }

  async ask(text) {
    this.asked = new AbortController();
    const { signal } = this.asked;
    this.node.classList.add("waiting");
    try {
      if (!text.includes("K")) throw new api.Problem({ code: "bad-position", detail: "there is no king on the board" });
      this.answer = await api.probe(this.game.rules, text, signal);
      if (signal.aborted) return;
      this.draw(position(this.game));
      this.answered(this.answer);
    } catch (error) {
      if (signal.aborted) return;
      this.verdict.problem(error);
      this.moves.show([]);
    }
    this.node.classList.remove("waiting");
  }

  answered(answer) {
    this.node.classList.remove("waiting");
    if (this.areValuesShown()) this.verdict.answer(answer, this.rules);
    else this.verdict.turn(this.isHumansTurn() ? "Your turn" : "The engine is thinking", position(this.game).side);
  }

  /** The board, the moves and the line. */
  draw(now) {
    const end = over(this.game);
    const moves = end || (this.game.opponent && !this.isHumansTurn()) ? [] : this.known();
    const areShown = this.areValuesShown();
    this.board.show({
      position: now, rules: this.rules, moves, mode: this.mode, isTurned: this.isTurned,
      last: this.game.moves[this.game.at - 1] ?? null, hints: areShown,
      fallen: end?.reason === "king-captured", label: `Board of ${this.rules.title}`,
    });
    this.moves.show(areShown ? moves : []);
    const canAsk = areShown && !end && ["win", "loss"].includes(this.answer?.category);
    this.line.show(this.game, canAsk);
  }

  /** What the marked squares are. */
  explain() {
    this.title.textContent = `Board of ${this.rules.title}`;
    const kinds = new Set(marks(this.rules).values());
    fill(this.legend, Object.entries(MEANINGS).map(([kind, meaning]) =>
      kinds.has(/** @type {any} */ (kind)) && h("li", h("span", { class: `swatch ${kind}` }), meaning)));
  }
}
