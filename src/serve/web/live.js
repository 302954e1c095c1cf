// A game played by a local program: the page shows it, and moves for the sides of users.

import * as api from "./api.js";
import { Board } from "./board.js";
import { button, h } from "./dom.js";
import { parse } from "./position.js";
import { Verdict } from "./answer.js";
import { letter, sentence, SIDES } from "./words.js";

/** Time before reconnecting, in milliseconds. */
const RETRY = 1500;

export class Live {
  constructor() {
    this.board = new Board({ onmove: (move) => this.send(move) });
    this.verdict = new Verdict({});
    this.fault = h("p.fault", { role: "alert" });
    this.node = h("div.explorer.live",
      h("div.table", this.board.node),
      h("div.answers",
        this.verdict.node, this.fault,
        h("div.tools", button("Flip", () => { this.isTurned = !this.isTurned; this.draw(); }))));
    this.follow();
  }

  follow() {
    const source = new EventSource("events");
    source.addEventListener("state", (event) => this.receive(JSON.parse(event.data), Number(event.lastEventId)));
    source.addEventListener("open", () => { this.fault.textContent = ""; });
    source.addEventListener("error", () => {
      this.fault.textContent = "The program does not respond. The game continues here when it is back.";
      if (source.readyState !== EventSource.CLOSED) return;
      source.close();
      setTimeout(() => this.follow(), RETRY);
    });
  }

  async receive(state, revision) {
    [this.state, this.revision] = [state, revision];
    if (this.rules?.name !== state.rules) this.rules = await api.rules(state.rules);
    this.fault.textContent = "";
    this.draw();
  }

  draw() {
    const { board, to_move, last, formations, moves, manual, winner, over } = this.state;
    const isOver = winner || over;
    const isOurs = !isOver && manual.includes(to_move);
    const side = letter(to_move);
    this.node.style.setProperty("--n", String(this.rules.size));
    this.board.show({
      position: parse(`${board} ${side}`), rules: this.rules, mode: "play", last, formations, hints: false,
      moves: isOurs ? moves.map((move) => ({ move })) : [], isTurned: this.isTurned,
      fallen: over === "king-captured", label: `Board of ${this.rules.title}`,
    });
    const played = last ? `Last move: ${last}. ` : "";
    const turn = isOurs ? "Your turn: drag a piece, or click it and then a square." : "The program is thinking.";
    if (isOver) this.verdict.over({ winner, reason: over });
    else this.verdict.say(`${SIDES[side]} to move`, played + turn, side);
  }

  async send(move) {
    const body = JSON.stringify({ revision: this.revision, move });
    try {
      const response = await fetch("move", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      if (response.ok) return;
      const problem = await response.json().catch(() => ({}));
      this.fault.textContent = sentence(problem.detail ?? "the game has moved on");
    } catch {
      this.fault.textContent = "The program does not respond.";
    }
    this.draw();
  }
}
