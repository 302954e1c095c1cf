// How to play: the rules in pictures made by the ruleset itself, notation, and all decisions.

import * as api from "./api.js";
import { h } from "./dom.js";
import { startOf } from "./game.js";
import { miniature, styled } from "./mini.js";
import { parse, parseMove } from "./position.js";
import { NAMES } from "./pieces.js";

/** Headings of the parts of the lessons. */
const PARTS = { aim: "The aim", moves: "Moving", captures: "Capturing", king: "Capturing the king", end: "The end of the game" };

export async function rulesView(rules) {
  const [{ lessons }] = await Promise.all([api.lessons(rules.name), styled()]);
  const part = (called, title) => h("section.panel", h("h2", title),
    h("div.lessons", lessons.filter((lesson) => lesson.part === called).map((lesson) => picture(lesson, rules))));
  return h("div.howto",
    h("div.titled", h("h1", `How to play ${rules.title}`), h("div.tools",
      h("a.button.primary", { href: `#${rules.name}/analyse` }, "Play from here"))),
    Object.entries(PARTS).map(([called, title]) => part(called, title)),
    notation(rules, lessons),
    h("details.panel.words", h("summary", "All decisions of this ruleset in words"), h("pre.scroll", { tabindex: 0 }, rules.text)));
}

function picture(lesson, rules) {
  const { position, title } = lesson;
  return h("figure", { class: position ? null : "text" },
    position && miniature(position, rules, { ...lesson, label: title }),
    h("figcaption", h("h3", title), h("p", lesson.text),
      position && lesson.part !== "aim" && h("a", { href: `#${rules.name}/analyse${position.replace(" ", "_")}`, "aria-label": `${title}: try it` }, "Try it")));
}

/** What the page writes, explained with the ruleset's own pieces and moves. */
function notation(rules, lessons) {
  const capture = lessons.find(({ move }) => move?.includes("x"));
  const ends = lessons.filter(({ move }) => /\+\+|--/.test(move ?? "")).map(({ move }) => move);
  const parts = capture && parseMove(capture.move);
  const term = (called, ...meaning) => [h("dt", called), h("dd", meaning)];
  const count = (piece) => parse(startOf(rules)).cells.filter((cell) => cell === piece).length;
  const [defenders, attackers] = [count("T"), count("t")];
  return h("section.panel", h("h2", "Reading moves and tables"), h("dl.terms",
    term("a1", "A square: files have letters from the left, ranks have numbers from the bottom."),
    parts && term(capture.move, `The piece on ${parts.from} goes to ${parts.to} and captures on ${parts.captures.join(" and ")}.`),
    [...new Set(ends)].slice(-1).map((move) => term(move, `K stands for the ${NAMES.K}. -- at the end: he has escaped. ++ would mean that he is captured.`)),
    term("ply", "A move of one side. “Win in 5 plies” means three moves of the winner and two of the loser; the winner hurries, the loser delays."),
    term("K2v4", `The pieces on the board: the king and 2 defenders against 4 attackers. The game begins as K${defenders}v${attackers}. A table has the value of each such position.`)));
}
