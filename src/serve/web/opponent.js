// Games against the engine.

import { reply } from "./api.js";
import { clockMenu, Clocks, newClock, stopped, timed } from "./clock.js";
import { button, choice, fill, h, icon, panel } from "./dom.js";
import { opinion, queued } from "./engine.js";
import { alone, atPly, awaited, mover, newGame, position, startOf } from "./game.js";
import { format, other } from "./position.js";
import { bestOf, number, SIDES, TURNS } from "./words.js";

/** Plies after which the engine may agree to a draw, and how far it may be ahead, in hundredths of a soldier. */
const [LONG, LEVEL] = [40, 30];

/** What a level does. */
function levelInWords({ nodes, margin, tables }) {
  const search = nodes === null ? "Thinks for some seconds about a move" : `Looks at ${number(nodes)} positions for a move`;
  return `${search}${tables ? ", and knows the tables" : ", without the tables"}. ${margin ? `Chooses at random among moves up to ${margin} soldiers worse than the best.` : "Plays the best move it finds."}`;
}

export class Opponent {
  /**
   * @param {{levels: string[], strengths: Object[]}} engine levels, weakest first
   * @param {import("./explorer.js").Explorer} explorer shows the game
   */
  constructor({ levels, strengths }, explorer) {
    this.explorer = explorer;
    this.human = "d";
    this.sides = choice("Your side", "human", [
      ["a", icon("piece-t"), SIDES.a], ["d", icon("piece-K"), SIDES.d],
    ], (side) => { this.human = side; });
    this.sides.choose(this.human);
    this.about = h("p.note");
    const explain = () => { this.about.textContent = levelInWords(strengths[levels.indexOf(this.level.value)]); };
    this.level = h("select", { "aria-label": "Strength", onchange: explain },
      levels.map((level, i) => h("option", { value: level, selected: i === Math.floor(levels.length / 2) }, level)));
    explain();
    this.clock = clockMenu();
    this.before = h("div", h("div.tools", this.sides.node, this.level, this.clock), this.about,
      h("div.tools", button("New game", () => this.begin(startOf(explorer.rules)), { class: "primary" }),
        button("From this position", () => this.begin(format(position(explorer.game))))));
    this.state = h("p.note", { role: "status" });
    this.hints = h("input", { type: "checkbox", onchange: () => { explorer.areHintsShown = this.hints.checked; explorer.render(); } });
    this.deals = [["Hint", () => this.hint()], ["Offer a draw", () => this.offerDraw()], ["Resign", () => this.resign()]].map(([label, act]) => button(label, act));
    this.again = button("Rematch", () => this.rematch(), { class: "primary" });
    this.quits = button("End the game", () => explorer.setGame(alone(explorer.game)));
    this.retries = button("Try again", () => explorer.render(), { class: "primary retry", hidden: true });
    this.clocks = new Clocks((winner) => this.end({ winner, reason: "time" }));
    this.backs = button("Take back", () => this.takeBack());
    this.during = h("div", this.state,
      h("div.tools", this.backs, this.deals, this.quits, this.again, this.retries),
      h("label.check", this.hints, "Show table values and analysis"));
    this.body = h("div");
    this.node = panel("Play against the engine", "opponent", this.body);
  }

  /** Shows a state of the game, until `signal` aborts. */
  show(game, signal) {
    const part = game.opponent ? this.during : this.before;
    this.clocks.stop();
    if (!part.isConnected) fill(this.body, part);
    if (!game.opponent) return;
    const { side, level } = game.opponent;
    const turn = awaited(game);
    this.again.hidden = turn !== "over";
    this.backs.hidden = Boolean(game.clock);
    for (const node of this.deals) {
      node.hidden = turn === "over";
      node.disabled = turn !== "human";
    }
    this.quits.textContent = turn === "over" ? "New settings" : "End the game";
    this.say = (words) => { this.state.textContent = `You play the ${SIDES[other(side)].toLowerCase()} against level ${level}. ${words}`; };
    this.say(`${TURNS[turn]}.`);
    this.retries.hidden = true;
    if (turn === "engine") this.ask(game, signal);
    // A flag that has fallen ends the game.
    this.clocks.show(game);
  }

  async ask(game, signal) {
    try {
      const { move, over } = await reply(game.rules, game.start, game.moves, game.opponent.level, signal, (place) => this.say(queued(place)));
      if (signal.aborted) return;
      const next = move ? timed(game, move) : game;
      // One history entry holds the user's move and the reply.
      this.explorer.setGame({ ...next, over: over ?? next.over }, false);
    } catch (error) {
      if (signal.aborted) return;
      this.say(`The engine did not move: ${error.message}.`);
      this.retries.hidden = false;
    }
  }

  begin(start) {
    const { explorer } = this;
    explorer.setMode("play");
    explorer.isTurned = false;
    explorer.setGame({ ...newGame(explorer.game.rules, start), opponent: { side: other(this.human), level: this.level.value }, clock: newClock(this.clock.value) });
    // The button may be far below the board.
    explorer.tools.scrollIntoView({ block: "nearest" });
  }

  rematch() {
    const { rules, start, opponent, clock } = this.explorer.game;
    this.explorer.setGame({ ...newGame(rules, start), opponent, clock: newClock(clock?.chosen ?? "") });
  }

  /** Takes back to the user's previous turn, if any. */
  takeBack() {
    const { game } = this.explorer;
    const at = game.at - (mover(game, game.at) === game.opponent.side ? 1 : 2);
    if (at >= 0) this.explorer.go(at);
  }

  /** Ends the game for a reason outside of the rules. */
  end(over) {
    const { game } = this.explorer;
    this.explorer.setGame({ ...atPly(game, game.moves.length), over, clock: stopped(game) }, false);
  }

  resign() {
    this.end({ winner: SIDES[this.explorer.game.opponent.side].toLowerCase(), reason: "resigned" });
  }

  /** The engine agrees to a draw if the tables say so, or if after many moves neither side is ahead. */
  async offerDraw() {
    const { game, answer, rules, requests: { signal } } = this.explorer;
    const isLong = answer?.category === "unknown" && game.moves.length >= LONG;
    const { estimate } = isLong ? await opinion(game.rules, format(position(game)), signal) : {};
    if (signal.aborted) return;
    const isEven = answer?.category === "draw" || (typeof estimate === "number" && Math.abs(estimate) <= LEVEL);
    if (isEven && rules.end.endless === "draw") this.end({ winner: null, reason: "agreed" });
    else this.say("The engine declines the draw.");
  }

  async hint() {
    const { game, answer, board, requests: { signal } } = this.explorer;
    const best = answer && bestOf(answer);
    const move = best?.move ?? (await opinion(game.rules, format(position(game)), signal)).moves?.[0];
    if (move && !signal.aborted && this.explorer.mayPlay()) board.arrow(move);
  }
}
