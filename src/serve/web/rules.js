// The rules in words, beside the start position.

import { Board } from "./board.js";
import { h } from "./dom.js";
import { link } from "./explorer.js";
import { startOf } from "./game.js";
import { parse } from "./position.js";

export function rulesView(rules) {
  const board = new Board();
  board.show({ position: parse(startOf(rules)), rules, mode: "still", label: `Start of ${rules.title}` });
  return h("div.rules",
    h("div.start", h("h1", rules.title),
      board.node,
      h("div.tools",
        h("a.button.primary", { href: link(rules.name, startOf(rules)) }, "Play from here"),
        h("a.button", { href: `#${rules.name}/tables` }, "Tables"))),
    h("div.panel.words", sections(rules.text ?? "")));
}

/** Start of the second column of the text, and its line width. */
const [COLUMN, WIDTH] = [16, 80];
/** Terms about the rules, which are listed last. */
const ABOUT = ["source", "note", "fingerprint", "places", "board", "start"];

/** Converts the text of the rules to headings and definitions, without its board. */
function sections(text) {
  const about = h("dl");
  const nodes = [h("dl")];
  let [meaning, before] = [null, ""];
  for (const line of text.split("\n").slice(1)) {
    const [term, words] = [line.slice(2, COLUMN).trim(), line.slice(COLUMN - 1).trim()];
    if (/^[^ *+#]/.test(line)) {
      nodes.push(h("h2", line), h("dl"));
    } else if (words && line[COLUMN - 1] === " " && !/^(\d+|a +b)\b/.test(term)) {
      if (term) {
        meaning = h("dd");
        (ABOUT.includes(term) ? about : nodes.at(-1)).append(h("dt", term), meaning);
      }
      // If the next word would have fitted on the line before, this is a new sentence.
      const isBroken = before.length + 1 + words.split(" ")[0].length > WIDTH;
      if (!term && isBroken) meaning.lastChild.append(` ${words}`);
      else meaning.append(h("p", words));
    }
    before = line;
  }
  return [nodes, h("h2", "About these rules"), about];
}
