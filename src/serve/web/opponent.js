// A whole game against the engine, as either side.

import { reply } from "./api.js";
import { button, choice, fill, h, icon, panel } from "./dom.js";
import { mover, over } from "./game.js";
import { SIDES } from "./words.js";

export class Opponent {
  /**
   * @param {string[]} levels from weak to strong
   * @param {import("./dom.js").Does} does
   */
  constructor(levels, does) {
    this.does = does;
    this.human = "d";
    this.asked = null;
    this.sides = choice("Your side", "human", [
      ["a", icon("piece-t"), SIDES.a], ["d", icon("piece-K"), SIDES.d],
    ], (side) => { this.human = side; });
    this.sides.choose(this.human);
    this.level = h("select", { "aria-label": "Strength" },
      levels.map((level, i) => h("option", { value: level, selected: i === Math.floor(levels.length / 2) }, called(level))));
    const begin = (isFromHere) => () => does.onbegin(this.human, this.level.value, isFromHere);
    this.before = h("div", h("div.tools", this.sides.node, this.level),
      h("div.tools", button("New game", begin(false), { class: "primary" }), button("From this position", begin(true))));
    this.state = h("p.note", { role: "status" });
    this.hints = h("input", { type: "checkbox", onchange: () => does.onhints(this.hints.checked) });
    this.during = h("div", this.state, h("div.tools",
      button("Take back", does.onback), button("End the game", does.onquit)),
    h("label.check", this.hints, "Show what tables and engine say"));
    this.body = h("div");
    this.node = panel("Play against the engine", "opponent", this.body);
  }

  /** @param {import("./game.js").Game} game */
  show(game) {
    this.asked?.abort();
    this.asked = null;
    fill(this.body, game.opponent ? this.during : this.before);
    if (!game.opponent) return;
    const { side, level } = game.opponent;
    const isOver = over(game) !== null;
    const isTurn = !isOver && game.at === game.moves.length && mover(game, game.at) === side;
    const who = `You play the ${SIDES[side === "a" ? "d" : "a"].toLowerCase()} against level ${called(level).toLowerCase()}. `;
    this.state.textContent = who + (isOver ? "The game is over." : isTurn ? "The engine is thinking…" : "It is your turn.");
    if (isTurn) this.ask(game);
  }

  async ask(game) {
    this.asked = new AbortController();
    const { signal } = this.asked;
    try {
      const answer = await reply(game.rules, game.start, game.moves, game.opponent.level, signal);
      if (!signal.aborted) this.does.onreply(game, answer);
    } catch (error) {
      if (!signal.aborted) this.state.textContent = `The engine did not move: ${error.message}.`;
    }
  }
}

/** A level's name for people. */
function called(level) {
  return level.charAt(0).toUpperCase() + level.slice(1).replace(/-/g, " ");
}
