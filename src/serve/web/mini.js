// Small pictures of positions, and the style of the views that are loaded on demand.

import { arrowShapes } from "./board.js";
import { h, s } from "./dom.js";
import { formationShapes, partOf } from "./formations.js";
import { marks, NAMES } from "./pieces.js";
import { name, parse, parseMove, square } from "./position.js";

/** Loads the style sheet of these views once; resolves when it can be used. */
export function styled() {
  const href = new URL("study.css", import.meta.url).href;
  return [...document.styleSheets].some((sheet) => sheet.href === href) || new Promise((resolve) => {
    document.head.append(h("link", { rel: "stylesheet", href, onload: resolve, onerror: resolve }));
  });
}

/** Squares shown around the pieces of a large board. */
const AROUND = 2;
const WHOLE = 11;

/**
 * A position as a picture, with a move and what it completes, or the squares that a piece can go to.
 * Of a large board only the part around them is shown.
 */
export function miniature(text, rules, { move, targets = [], formations = [], label = "" } = {}) {
  const { size, cells } = parse(text);
  const marked = marks(rules);
  const seen = move || targets.length ? [...targets] : null;
  if (move) {
    const { from, to, captures } = parseMove(move);
    seen.push(from, to, ...captures, ...formations.flatMap(({ inside, wall }) => [...inside, ...wall]));
    if (move.endsWith("++")) seen.push(name(cells.indexOf("K"), size));
  }
  const [left, right, bottom, top] = size > WHOLE && seen ? around(seen, size) : [0, size - 1, 0, size - 1];
  const x = (file) => file - left;
  const y = (rank) => top - rank;
  const node = s("svg.mini", { viewBox: `-.7 -.1 ${right - left + 1.8} ${top - bottom + 1.8}`, role: "img", "aria-label": words(cells, size, label, move, targets, formations) });
  const order = [...cells.keys()].filter((at) => {
    const [file, rank] = [at % size, Math.floor(at / size)];
    return file >= left && file <= right && rank >= bottom && rank <= top;
  });
  const centre = (called) => {
    const at = square(called, size);
    return [x(at % size) + 0.5, y(Math.floor(at / size)) + 0.5];
  };
  for (const at of order) {
    const [cx, cy] = centre(name(at, size));
    const kind = marked.get(name(at, size)) ?? "";
    node.append(s(`rect.square${kind && `.is-${kind}`}`, { x: cx - 0.48, y: cy - 0.48, width: 0.96, height: 0.96 }));
    if (kind === "goal") node.append(s("path.mark", { d: `M${cx - 0.2} ${cy - 0.2}l.4 .4m0-.4l-.4 .4` }));
    if (kind === "throne") node.append(s("circle.mark", { cx, cy, r: 0.2 }));
    if (cells[at]) node.append(s("use", { href: `#piece-${cells[at]}`, x: cx - 0.44, y: cy - 0.44, width: 0.88, height: 0.88 }));
  }
  for (const target of targets) {
    const [cx, cy] = centre(target);
    node.append(s("circle.dot", { cx, cy, r: 0.16 }));
  }
  node.append(...formations.map((formation) => formationShapes(formation, centre)));
  if (move) node.append(s("g.arrows.undecided", arrowShapes(parseMove(move), centre)));
  for (let file = left; file <= right; file++) node.append(s("text", { x: x(file) + 0.5, y: y(bottom) + 1.5 }, String.fromCharCode(97 + file)));
  for (let rank = bottom; rank <= top; rank++) node.append(s("text", { x: -0.4, y: y(rank) + 0.65 }, String(rank + 1)));
  return node;
}

/** The files and ranks around squares: left, right, bottom, top. */
function around(seen, size) {
  const all = seen.map((called) => square(called, size));
  const span = (values) => [Math.max(0, Math.min(...values) - AROUND), Math.min(size - 1, Math.max(...values) + AROUND)];
  return [...span(all.map((at) => at % size)), ...span(all.map((at) => Math.floor(at / size)))];
}

function words(cells, size, label, move, targets, formations) {
  const pieces = cells.flatMap((piece, at) => (piece ? [NAMES[piece], name(at, size), ...partOf(formations, name(at, size))].join(" ") : []));
  return [label, pieces.join(", "), move && `move ${move}`, targets.length > 0 && `can go to ${targets.join(", ")}`].filter(Boolean).join("; ");
}
