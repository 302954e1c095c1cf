// The value of the position, and its moves grouped by outcome.

import { button, copyable, fill, h, icon, panel, preview } from "./dom.js";
import { menOf } from "./position.js";
import { bound, ending, GROUPS, isBare, letter, moveValue, OUTCOMES, sentence, verdict, winner } from "./words.js";

export class Verdict {
  constructor(handlers) {
    this.handlers = handlers;
    this.sign = h("div.winner");
    this.title = h("p.title");
    this.more = h("p.more");
    this.spoken = h("div", { role: "status" }, this.title, this.more);
    this.extra = h("div.extra");
    this.node = h("section.panel.verdict", { "aria-label": "Verdict" },
      h("div.head", this.sign, this.spoken), this.extra);
  }

  answer(answer, rules) {
    const { title, more } = verdict(answer, rules);
    this.say(title, more, winner(answer.category, letter(answer.to_move)), answer.category);
    const slices = answer.missing?.length ? answer.missing : [answer.slice];
    const { proof } = answer;
    fill(this.extra,
      proof ? h("a.button", { href: `#${rules.name}/proofs` }, `Proof: ${proof.certificate ?? "by tables"}`)
      : answer.category === "unknown" ? this.command(rules, slices) : !isBare(answer) && [
        h("a", { href: `#${rules.name}/${answer.slice}` }, `${answer.slice}, ${menOf(answer.slice)} men`),
        button("Similar position", () => this.handlers.onrandom(answer),
          { title: "A random position of the same men, side to move and value" }),
      ]);
  }

  /** The missing tables, and the command that builds them. */
  command(rules, slices) {
    const about = slices.slice(0, 1).map((slice) => h("a", { href: `#${rules.name}/${slice}` }, `${slice}, ${menOf(slice)} men`));
    const built = `taflbase build ${rules.name} ${slices.slice(0, 3).map((slice) => `--slice ${slice}`).join(" ")}`;
    // Larger slices are too expensive to build.
    if (slices.every((slice) => menOf(slice) > 9)) return about;
    return [about, copyable(built)];
  }

  over(over) {
    const { title, more } = ending(over);
    this.say(title, more, over.winner && letter(over.winner), over.winner ? "win" : "draw");
  }

  problem(problem) {
    const titles = { "bad-position": "Not a position", "game-over": "The game is over here" };
    this.say(titles[problem.code] ?? "No answer", sentence(problem.message), null, "unknown");
    this.node.classList.toggle("wrong", problem.code !== "game-over");
    if (!titles[problem.code]) fill(this.extra, button("Try again", this.handlers.onretry));
  }

  /** Shows a title, details and a side's icon. */
  say(title, more, by, category = "unknown") {
    this.node.classList.remove("wrong");
    fill(this.extra);
    this.node.dataset.category = category;
    this.node.dataset.by = by ?? "";
    fill(this.sign, by ? icon(by === "a" ? "piece-t" : "piece-K") : icon(category));
    // Screen readers would repeat unchanged text.
    if (this.title.textContent !== title) this.title.textContent = title;
    if (this.more.textContent !== more) this.more.textContent = more;
  }
}

/** Moves of a group shown at first. */
const FEW = 24;

export class Moves {
  constructor(handlers) {
    this.handlers = handlers;
    this.body = h("div.groups");
    this.node = panel("Moves", "moves", this.body);
  }

  /**
   * @param {import("./api.js").MoveValue[]} moves best first
   * @param {import("./api.js").MoveValue | null} best
   */
  show(moves, best) {
    this.node.hidden = moves.length === 0;
    fill(this.body, OUTCOMES.map((outcome) => {
      const group = moves.filter((move) => move.category === outcome);
      return group.length > 0 && this.group(outcome, group, best);
    }));
  }

  group(outcome, group, best) {
    const distances = group.map((move) => move.dtw).filter((dtw) => dtw !== null);
    const [least, most] = [Math.min(...distances), Math.max(...distances)];
    const item = (move) => h("li", this.move(move, least, most, move === best));
    const rest = group.slice(FEW).map(item);
    return h("section", { class: `group ${outcome}` },
      h("h3", icon(outcome), `${GROUPS[outcome]} `, h("span.count", String(group.length)),
        distances.length > 0 && h("span.unit", "plies after it")),
      h("ul", group.slice(0, FEW).map(item)),
      rest.length > 0 && h("details", h("summary", `${rest.length} more`), h("ul", rest)));
  }

  move(move, least, most, isBest) {
    const [verb, after] = moveValue(move);
    const node = button([
      h("span", move.move, h("span.unseen", `, ${verb}${move.dtw === null ? "" : ","}`)),
      move.category === "unknown" && move.proof && h("span.unit", bound(move.proof)),
      move.dtw !== null && h("span", String(move.dtw), h("span.unseen", ` ${after}`)),
    ], () => this.handlers.onmove(move.move), {
      class: isBest ? "best" : "", "data-move": move.move,
      ...preview(move.move, this.handlers.onpoint),
    });
    // Fade moves that lose distance.
    const lost = move.dtw === null || most === least ? 0 : (move.dtw - least) / (most - least);
    node.style.setProperty("--strength", String(move.category === "win" ? 1 - lost : lost));
    return node;
  }
}
