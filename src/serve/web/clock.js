// The clocks of a game against the engine. They are part of the game, and run while nobody looks.

import { h, icon } from "./dom.js";
import { mover, withMove } from "./game.js";
import { other } from "./position.js";
import { SIDES } from "./words.js";

/** Minutes for each side, and seconds for each move. */
const TIMES = [[1, 0], [3, 2], [5, 5], [10, 10], [30, 20]];

/** A menu of clocks. */
export const clockMenu = () => h("select", { "aria-label": "Clock" }, h("option", { value: "" }, "No clock"),
  TIMES.map(([minutes, seconds]) => h("option", { value: `${minutes} ${seconds}` }, `${minutes} min${seconds ? ` + ${seconds} s a move` : ""}`)));

/** A clock that starts now, as chosen in the menu; null without one. */
export function newClock(chosen) {
  const [minutes, seconds] = chosen.split(" ").map(Number);
  return chosen ? { chosen, increment: 1000 * seconds, left: { a: 60000 * minutes, d: 60000 * minutes }, since: Date.now() } : null;
}

/** The side whose time runs. */
const runs = (game) => (game.over ? null : mover(game, game.moves.length));

/** What a side has left, in milliseconds. */
function left(game, side) {
  const { clock } = game;
  return Math.max(0, clock.left[side] - (side === runs(game) ? Date.now() - clock.since : 0));
}

/** The clock of a game after the side whose time runs has moved or the game has ended. */
export function stopped(game, increment = 0) {
  const { clock } = game;
  const side = runs(game);
  return clock && { ...clock, left: { ...clock.left, [side]: left(game, side) + increment }, since: Date.now() };
}

/** The game with a move. */
export const timed = (game, move) => ({ ...withMove(game, move), clock: stopped(game, game.clock?.increment) });

/** Milliseconds as "4:05", and as "0:07.3" at the end. */
function inWords(millis) {
  const tenths = Math.ceil(millis / 100);
  const seconds = millis < 20000 ? (tenths / 10).toFixed(1).padStart(4, "0") : String(Math.ceil(millis / 1000) % 60).padStart(2, "0");
  return `${Math.floor((millis < 20000 ? millis : 1000 * Math.ceil(millis / 1000)) / 60000)}:${seconds}`;
}

/** Time between two looks at the clocks, in milliseconds. */
const TICK = 100;

export class Clocks {
  /** `onflag` is called when a side has no time left, with the winner. */
  constructor(onflag) {
    this.onflag = onflag;
    this.faces = ["a", "d"].map((side) => h("span.clock", { role: "timer", "aria-label": `Time of the ${SIDES[side].toLowerCase()}` }));
    this.node = h("div.tools.clocks", [["a", "piece-t"], ["d", "piece-K"]].map(([, piece], i) => h("span", icon(piece), this.faces[i])));
  }

  /** Shows the clocks of a game, which run until they are stopped. */
  show(game) {
    this.stop();
    if (!game.clock) return;
    this.node.hidden = false;
    const running = runs(game);
    const tick = () => {
      ["a", "d"].forEach((side, i) => {
        this.faces[i].textContent = inWords(left(game, side));
        this.faces[i].classList.toggle("running", side === running);
      });
      if (running && left(game, running) === 0) this.onflag(SIDES[other(running)].toLowerCase());
    };
    if (running) this.timer = setInterval(tick, TICK);
    tick();
  }

  /** Hides them. */
  stop() {
    clearInterval(this.timer);
    this.node.hidden = true;
  }
}
