// The field below the board: it takes a position, a move or a list of moves.

import { button, copy, h } from "./dom.js";
import { parse, format, parseMove } from "./position.js";

export class Field {
  /** @param {import("./explorer.js").Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.input = h("input", { id: "position", autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
    this.fault = h("p.fault", { role: "alert" });
    this.node = h("form.field", { onsubmit: (event) => { event.preventDefault(); this.submit(); } },
      h("label", { for: "position" }, "Position or move"),
      h("div.tools", this.input, h("button", "Go"),
        button("Copy link", (event) => copy(location.href, event.currentTarget))),
      this.fault);
  }

  show(text) {
    this.input.value = text;
    this.fault.textContent = "";
  }

  async submit() {
    const { explorer } = this;
    const text = this.input.value.trim();
    this.fault.textContent = "";
    const [, from, to] = /^k?\s*([a-s]\d+)[\s-]*([a-s]\d+)(?:x.*|\+\+|--)?$/.exec(text.toLowerCase()) ?? [];
    const move = explorer.legalMoves().map((known) => known.move).find((known) => {
      const squares = parseMove(known);
      return squares.from === from && squares.to === to;
    });
    try {
      if (move) return explorer.play(move);
      if (/:|\s.*-/.test(text)) return await explorer.take(await (await import("./games.js")).readGame(explorer.rules.name, text, explorer.requests.signal));
      if (!text.includes("/")) throw new Error(`${text || "nothing"} is not a legal move or a position`);
      const put = parse(text);
      const { size } = explorer.rules;
      if (put.size !== size) throw new Error(`this board has ${size} ranks, not ${put.size}`);
      if (await explorer.mayEnd()) explorer.setPosition(format(put));
    } catch (error) {
      this.fault.textContent = error.message;
    }
  }
}
