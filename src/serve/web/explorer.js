// The board with its panels. They show the game, which is stored in the browser's history.

import { Moves, Verdict } from "./answer.js";
import * as api from "./api.js";
import { balance, captured, legend } from "./beside.js";
import { Board } from "./board.js";
import { timed } from "./clock.js";
import { agrees, button, choice, fill, h, icon } from "./dom.js";
import { Edit } from "./edit.js";
import { Engine } from "./engine.js";
import { Field } from "./field.js";
import { formed, inWords } from "./formations.js";
import { alone, asMain, atPly, awaited, begins, gameLink, inLine, isBarred, linesOf, newGame, over, position, positions, withLine, withMove, withoutLine } from "./game.js";
import { Line } from "./line.js";
import { Opponent } from "./opponent.js";
import { format, other, parse } from "./position.js";
import { bestOf, lacking, SIDES, TURNS } from "./words.js";

/** Time without an answer until the page says so, in milliseconds. */
export const SLOW = 400;

/** The URL fragment of a position. */
export function link(rules, text) {
  return `#${rules}${text.replace(" ", "_")}`;
}

export class Explorer {
  constructor(engine) {
    this.mode = "play";
    this.makePanels(engine);
    this.makeTools();
    const seats = this.opponent ? [this.opponent.node, this.engine.node] : [];
    this.title = h("h1.unseen");
    this.node = h("div.explorer", this.title,
      h("div.table", this.tools, this.board.node, this.opponent?.clocks.node, this.hint, this.edit.node, this.legend),
      h("div.answers", this.verdict.node, this.moves.node), this.field.node,
      h("div.more", this.line.node, seats));
  }

  makePanels(engine) {
    const point = { onmove: (move) => this.play(move), onpoint: (move) => this.board.arrow(move, this.legalMoves().find((known) => known.move === move)?.category) };
    this.board = new Board({
      onmove: (move) => this.play(move), onplace: (at) => this.edit.place(at),
      ondrop: (from, to) => this.edit.move(from, to),
      onkey: (key, at) => this.mode === "edit" && this.edit.key(key, at),
    });
    this.edit = new Edit({ onchange: (changed) => this.setPosition(format(changed)) });
    this.verdict = new Verdict({ onrandom: (answer) => this.showRandom(answer), onretry: () => this.render() });
    this.moves = new Moves(point);
    this.line = new Line({
      ongo: (at) => this.go(at), online: (line, at) => this.setGame(inLine(this.game, line, at), false),
      onbest: () => this.showBestLine(), ongames: () => this.showGames(), onreview: () => this.showReview(),
      onmain: () => this.setGame(asMain(this.game), false), onremove: () => this.setGame(withoutLine(this.game), true),
    });
    if (!engine) return;
    this.engine = new Engine({ ...point, onthoughts: (moves, found) => { this.board.think(moves); this.weigh(found); }, onplay: (moves) => !this.game.clock && this.setGame(atPly(withLine(this.game, moves), this.game.at + moves.length)) });
    this.opponent = new Opponent(engine, this);
  }

  makeTools() {
    this.sides = choice("To move", "side", [
      ["a", icon("piece-t"), SIDES.a], ["d", icon("piece-T"), SIDES.d],
    ], () => this.changeSide());
    this.modes = choice("Board mode", "mode", [["play", "Play"], ["edit", "Edit"]],
      (mode) => this.setMode(mode));
    this.modes.choose("play");
    this.tools = h("div.tools",
      h("div.to-move", this.sides.node, h("span", { "aria-hidden": "true" }, "to move")),
      this.modes.node, button("Flip", () => this.flip()));
    this.edit.node.hidden = true;
    this.hint = h("p.note", { role: "status" });
    this.legend = h("ul.legend");
    this.field = new Field(this);
  }

  /** Shows a game from the history or a link; `isAnalysed` starts the engine if the value is unknown. */
  async open(game, isAnalysed = false) {
    this.rules = await api.rules(game.rules);
    const { size } = parse(game.start);
    if (size !== this.rules.size) {
      throw new Error(`${this.rules.title} is played on ${this.rules.size} ranks, not on ${size}`);
    }
    this.game = game;
    this.isAnalysed = isAnalysed;
    this.render();
  }

  /** Stops everything that could change the game. */
  suspend() {
    this.line.pause();
    this.requests?.abort();
    this.reviewing?.abort();
    this.opponent?.clocks.stop();
  }

  /** Sets the game, as a new history entry or in place of the current one. */
  setGame(game, isStep = true) {
    this.game = game;
    const url = link(game.rules, format(position(game)));
    const state = { game, scroll: scrollY };
    if (isStep) history.pushState(state, "", url);
    else history.replaceState(state, "", url);
    this.render();
  }

  setPosition(text) {
    this.setGame(newGame(this.game.rules, text));
  }

  play(move) {
    if (!this.legalMoves().some((known) => known.move === move)) return;
    if (this.game.opponent && isBarred(this.game, move, this.rules)) this.hint.textContent = `${move} repeats a position, which the defenders may not do.`;
    else this.setGame(timed(this.game, move));
  }

  go(at) {
    const game = atPly(this.game, at);
    if (game.at !== this.game.at) this.setGame(game, false);
  }

  playBest() {
    const best = this.mayPlay() && this.areValuesShown() && this.answer && bestOf(this.answer);
    if (best) this.play(best.move);
    else this.hint.textContent = this.whyNot("No best move: the value of this position is not known. The engine can search it.");
  }

  /** Why a value cannot be used; `otherwise` if the answer is here. */
  whyNot(otherwise) {
    const turn = awaited(this.game);
    if (turn !== "human") return `${TURNS[turn]}.`;
    if (!this.areValuesShown()) return "The values are hidden during a game.";
    if (!this.answer) return "";
    return this.answer.moves.length ? otherwise : "The game is over.";
  }

  /** Adds a line of best play to the game. */
  async showBestLine() {
    if (!this.mayAsk()) {
      this.hint.textContent = this.whyNot(this.game.clock ? "A game with clocks shows no lines." : this.answer && lacking(this.answer));
      return;
    }
    const { game, requests: { signal } } = this;
    try {
      const line = await api.line(game.rules, format(position(game)), signal);
      if (!signal.aborted) this.setGame(withLine(game, line.moves), false);
    } catch (error) {
      if (!signal.aborted) this.line.note.textContent = `No line: ${error.message}.`;
    }
  }

  async showGames() {
    const { showGames } = await import("./games.js");
    showGames(this.game, this.isTurned, (game) => this.take(game));
  }

  /** Reviews the game; the review stays as long as the game has this line. */
  async showReview() {
    this.reviewing?.abort();
    this.reviewing = new AbortController();
    this.reviewed = this.game;
    const { moves } = this.game;
    const { review } = await import("./review.js");
    await review(this.game, Boolean(this.engine), this.line.review, this.reviewing.signal, {
      ongo: (at) => this.setGame(inLine(this.game, moves, at), false), onpoint: (move) => this.board.arrow(move),
      onplay: (at, move) => this.setGame(withMove(inLine(this.game, moves, at), move)),
    });
  }

  /** Opens a random position with the same material, side and value. */
  async showRandom(answer) {
    const { signal } = this.requests;
    const wanted = { to_move: answer.to_move[0], category: answer.category };
    if (answer.dtw) wanted.dtw = answer.dtw;
    this.verdict.more.textContent = "Looking…";
    try {
      const found = await api.random(this.game.rules, answer.slice, wanted, signal);
      if (!signal.aborted) this.setPosition(found.position);
    } catch (error) {
      if (signal.aborted) return;
      // The verdict is still true.
      this.answered(answer);
      this.hint.textContent = `No other position: ${error.message}.`;
    }
  }

  /** Whether the user can move. */
  mayPlay() {
    return awaited(this.game) === "human";
  }

  /** Whether a line of best play can be requested. */
  mayAsk() {
    return this.mayPlay() && !this.game.clock && this.areValuesShown() && Boolean(this.answer) && !lacking(this.answer);
  }

  areValuesShown() {
    return !this.game.opponent || this.areHintsShown || over(this.game) !== null;
  }

  /** The legal moves, if known. */
  legalMoves() {
    return (this.mayPlay() && this.answer?.moves) || [];
  }

  /** Whether the game against the engine, if there is one, may end here. */
  async mayEnd() {
    if (!this.game.opponent || over(this.game)) return true;
    return agrees("This ends your game against the engine.", "End it");
  }

  async setMode(mode) {
    if (mode === "edit" && !(await this.mayEnd())) return this.modes.choose(this.mode);
    this.mode = mode;
    this.modes.choose(mode);
    this.edit.node.hidden = mode !== "edit";
    if (mode === "edit" && this.game.opponent) this.setGame(alone(this.game));
    else this.render();
  }

  async changeSide() {
    if (!(await this.mayEnd())) return this.sides.choose(position(this.game).side);
    const now = position(this.game);
    this.setPosition(format({ ...now, side: other(now.side) }));
  }

  flip() {
    this.isTurned = !this.isTurned;
    this.draw();
  }

  /** Shows a game that was read. */
  async take(game) {
    if (game.rules !== this.game.rules) location.hash = gameLink(game);
    else if (await this.mayEnd()) this.setGame(game);
  }

  /** Shows the game, and requests the value of its position. */
  render() {
    const now = position(this.game);
    const text = format(now);
    // Drop requests for the previous position.
    this.requests?.abort();
    this.requests = new AbortController();
    this.node.classList.remove("waiting");
    this.board.think([]);
    this.dropReview();
    this.answer = api.probed(this.game.rules, text);
    this.sides.choose(now.side);
    this.field.show(text);
    this.hint.textContent = "";
    this.formations = [];
    this.node.style.setProperty("--n", String(now.size));
    this.edit.show(now, this.rules);
    this.drawLegend();
    this.draw();
    const end = over(this.game);
    this.showEngine(end !== null);
    this.weigh();
    if (end) this.verdict.over(end);
    else if (this.answer) this.answered(this.answer);
    else this.ask(text);
    this.askValues();
    this.showFormations();
    if (this.opponent) this.showOpponent();
  }

  /** Draws what the last move has completed, which may be how the game has ended. */
  async showFormations() {
    const { game, requests: { signal } } = this;
    const found = await formed(game, this.rules, signal);
    if (signal.aborted || found.length === 0) return;
    const [end, { kind }] = [over(game), found.at(-1)];
    // The mark of a move does not tell these ends from others.
    if (end && kind !== "shieldwall" && end.reason !== kind) return this.setGame({ ...game, over: { ...end, reason: kind } }, false);
    this.formations = found;
    this.drawLegend();
    this.draw();
    if (!end) this.hint.textContent = found.map(inWords).join(" ");
  }

  /** Removes the review of another game. */
  dropReview() {
    const { game, reviewed } = this;
    if (!reviewed || (reviewed.rules === game.rules && reviewed.start === game.start
      && linesOf(game).some((line) => begins(line, reviewed.moves)))) return;
    this.reviewing.abort();
    this.reviewed = null;
    fill(this.line.review);
  }

  /** Shows who is ahead. */
  weigh(found = this.engine?.found) {
    this.board.weigh(this.areValuesShown() ? balance(this.game, this.answer, found, this.rules) : null);
  }

  /** Shows the game against the engine, beside the board while there is one. */
  showOpponent() {
    const { node } = this.opponent;
    const before = this.game.opponent ? this.verdict.node : this.line.node;
    if (node.previousSibling !== before) {
      const focused = document.activeElement;
      before.after(node);
      if (node.contains(focused)) focused.focus({ preventScroll: true });
    }
    this.opponent.show(this.game, this.requests.signal);
  }

  /** Requests the values of the game's other positions, for the chart. */
  async askValues() {
    const { game, requests: { signal } } = this;
    const unknown = positions(game).filter((text, at) => at !== game.at && !(game.over && at === game.moves.length)
      && api.valued(game.rules, text) === undefined);
    if (!this.areValuesShown() || unknown.length === 0) return;
    try {
      await api.value(game.rules, [...new Set(unknown)].slice(0, 1000), signal);
    } catch {
      // The chart shows what is known.
      return;
    }
    if (!signal.aborted) this.drawLine();
  }

  showEngine(isOver) {
    this.engine?.show(this.game.rules, format(position(this.game)), isOver, this.areValuesShown());
  }

  async ask(text) {
    const { signal } = this.requests;
    this.node.classList.add("waiting");
    const late = setTimeout(() => !signal.aborted && this.verdict.say("Looking it up…", "", null), SLOW);
    try {
      if (!text.includes("K")) throw new api.Problem({ code: "bad-position", detail: "there is no king on the board" });
      const answer = await api.probe(this.game.rules, text, signal);
      if (signal.aborted) return;
      this.answer = answer;
      this.draw();
      this.answered(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.verdict.problem(error);
      this.showEngine(["bad-position", "game-over"].includes(error.code));
    } finally {
      clearTimeout(late);
    }
    this.node.classList.remove("waiting");
  }

  answered(answer) {
    this.weigh();
    if (this.areValuesShown()) this.verdict.answer(answer, this.rules);
    else this.verdict.say(TURNS[awaited(this.game)], "", position(this.game).side);
    this.showEngine(answer.moves.length === 0);
    if (this.isAnalysed && answer.category === "unknown" && answer.moves.length) this.engine?.start();
    this.isAnalysed = false;
  }

  draw() {
    const moves = this.legalMoves();
    const areShown = this.areValuesShown();
    this.board.show({
      position: position(this.game), rules: this.rules, moves, mode: this.mode, isTurned: this.isTurned,
      last: this.game.moves[this.game.at - 1] ?? null, hints: areShown, formations: this.formations,
      fallen: over(this.game)?.reason === "king-captured", label: this.title.textContent,
    });
    this.moves.show(areShown ? moves : [], this.answer ? bestOf(this.answer) : null);
    this.drawLine();
  }

  drawLine() {
    const areShown = this.areValuesShown();
    this.line.show(this.game, this.mayAsk(), areShown, this.mayPlay() && areShown && this.answer ? lacking(this.answer) : "");
  }

  drawLegend() {
    this.title.textContent = `Board of ${this.rules.title}`;
    fill(this.legend, legend(this.rules, this.formations), captured(this.game));
  }
}
