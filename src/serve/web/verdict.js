// Who wins, first of all; then where the position comes from and goes to.

import { button, copy, fill, h, icon } from "./dom.js";
import { ending, letter, sentence, verdict, winner } from "./words.js";
import { menOf } from "./position.js";

export class Verdict {
  /** @param {import("./dom.js").Does} does */
  constructor(does) {
    this.does = does;
    this.sign = h("div.winner");
    this.title = h("p.title");
    this.more = h("p.more");
    this.spoken = h("div", { role: "status" }, this.title, this.more);
    this.extra = h("div.extra");
    this.node = h("section.panel.verdict", { "aria-label": "Verdict" },
      h("div.head", this.sign, this.spoken), this.extra);
  }

  /** What a probe tells. */
  answer(answer, rules) {
    const { title, more } = verdict(answer, rules);
    this.say(title, more, winner(answer.category, letter(answer.to_move)), answer.category);
    const slices = answer.missing?.length ? answer.missing : [answer.slice];
    fill(this.extra,
      answer.category === "unknown" ? this.command(rules, slices) : [
        h("a", { href: `#${rules.name}/${answer.slice}` }, `${answer.slice}, ${menOf(answer.slice)} men`),
        button("Another like it", () => this.does.onrandom(answer),
          { title: "A random position of the same men, side to move and value" }),
      ]);
  }

  /** The command that builds what is missing. */
  command(rules, slices) {
    const built = `taflbase build ${rules.name} ${slices.slice(0, 3).map((slice) => `--slice ${slice}`).join(" ")}`;
    // What nobody could build is not advised.
    if (slices.every((slice) => menOf(slice) > 9)) return null;
    const copied = button("Copy", (event) => copy(built, event.currentTarget));
    return [h("code", built), copied];
  }

  /** The end of a game. */
  over(over) {
    const { title, more } = ending(over);
    this.say(title, more, over.winner ? letter(over.winner) : null, over.winner ? "win" : "draw");
    fill(this.extra);
  }

  /** What is wrong with the position. */
  problem(problem) {
    const isOver = problem.code === "game-over";
    const titles = { "bad-position": "Not a position", "game-over": "The game is over here" };
    this.say(titles[problem.code] ?? "No answer", sentence(problem.message), null, "unknown");
    this.node.classList.toggle("wrong", !isOver);
    fill(this.extra);
  }

  /** While what the tables say is hidden: whose turn it is. */
  turn(title, side) {
    this.say(title, "", side);
    fill(this.extra);
  }

  say(title, more, by, category = "unknown") {
    this.node.classList.remove("wrong");
    this.node.dataset.category = category;
    this.node.dataset.by = by ?? "";
    fill(this.sign, by ? icon(by === "a" ? "piece-t" : "piece-K") : icon(category));
    // What has not changed is not said again.
    if (this.title.textContent !== title) this.title.textContent = title;
    if (this.more.textContent !== more) this.more.textContent = more;
  }
}
