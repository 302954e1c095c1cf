// A ruleset in words, beside the position in which its games begin.

import { Board } from "./board.js";
import { h } from "./dom.js";
import { link } from "./explorer.js";
import { parse } from "./position.js";

/** The view of a ruleset's rules. */
export function rulesView(rules) {
  const board = new Board();
  board.show({ position: parse(rules.start), rules, mode: "still", label: `Start of ${rules.title}` });
  return h("div", { class: "rules" },
    h("div", { class: "start" }, h("h1", {}, rules.title),
      board.node,
      h("div", { class: "tools" },
        h("a", { class: "button primary", href: link(rules.name, rules.start) }, "Play from here"),
        h("a", { class: "button", href: `#${rules.name}/tables` }, "Tables"))),
    h("div", { class: "panel words" }, sections(rules.text ?? "")));
}

/** Where the second column of the text begins, and where its lines end. */
const [COLUMN, WIDTH] = [16, 80];
/** What is said of the rules, not by them: it comes last. */
const ABOUT = ["source", "note", "fingerprint", "places", "board", "start"];

/**
 * The text of the rules as headings and terms: a line from the first column is a heading,
 * two columns are a term and what it means, deeper lines go on. The board is left out.
 */
function sections(text) {
  const [nodes, about] = [[], []];
  let [list, last, before] = [null, null, ""];
  for (const line of text.split("\n").slice(1)) {
    const [term, words] = [line.slice(2, COLUMN).trim(), line.slice(COLUMN - 1).trim()];
    if (/^\S/.test(line)) {
      nodes.push(/^[*+#] /.test(line) || h("h2", {}, line));
      list = null;
    } else if (words && line[COLUMN - 1] === " " && !/^(\d+|a b)\b/.test(term.replace(/ +/g, " "))) {
      // A line that the next word would have fitted into was not broken: another sentence.
      const isBroken = before.length + 1 + words.split(" ")[0].length > WIDTH;
      if (term) last = entry(term, ABOUT.includes(term) ? about : (list ??= fresh(nodes)));
      if (!term && isBroken) last.lastChild.append(` ${words}`);
      else last.append(h("p", {}, words));
    }
    before = line;
  }
  return [nodes.filter((node) => node !== true), about.length > 0 && [h("h2", {}, "About these rules"), h("dl", {}, about)]];
}

function fresh(nodes) {
  const list = h("dl", {});
  nodes.push(list);
  return list;
}

/** Another term in a list; what it means is to be filled in. */
function entry(term, list) {
  const meaning = h("dd", {});
  if (Array.isArray(list)) list.push(h("dt", {}, term), meaning);
  else list.append(h("dt", {}, term), meaning);
  return meaning;
}
