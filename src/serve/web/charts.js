// Charts, each with a table of its data.

import { button, fill, h, icon, s } from "./dom.js";
import { name } from "./position.js";
import { number, OUTCOMES, percent, plies } from "./words.js";

const SHARES = { win: "wins", draw: "draws", undecided: "undecided", loss: "losses" };

/** A bar of proportions; `isPlain` omits the legend. */
export function shareBar(counts, isPlain = false) {
  const parts = OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) => [outcome, counts[outcome]]);
  const whole = parts.reduce((sum, [, count]) => sum + count, 0);
  const words = parts.map(([outcome, count]) => `${percent(count, whole)} ${SHARES[outcome]}`);
  let from = 0;
  const bars = parts.map(([outcome, count]) => {
    // Keep small shares visible.
    const width = Math.max((100 * count) / whole, 0.8);
    from += width;
    return s("rect", { class: `share ${outcome}`, x: Math.min(from, 100) - width, y: 0, width, height: 10 });
  });
  return h("figure.shares",
    s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": words.join(", ") }, bars),
    !isPlain && h("figcaption", parts.map(([outcome, count]) => h("span", { class: `share ${outcome}` },
      icon(outcome), h("b", percent(count, whole)), ` ${SHARES[outcome]}`, h("small", number(count))))));
}

/** The data of a chart as a table. */
export function table(caption, heads, rows) {
  return h("details", h("summary", caption), scroller(caption, h("table",
    h("thead", h("tr", heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", rows.map(([first, ...cells]) =>
      h("tr", h("th", { scope: "row" }, first), cells.map((cell) => h("td", cell))))))));
}

const scroller = (called, node) => h("div.scroll", { tabindex: 0, role: "group", "aria-label": called }, node);

/** A histogram of distances; a bar opens an example. */
export function histogram(bars, current, onopen) {
  const known = bars.filter((bar) => bar.dtw !== null && bar.positions > 0).sort((one, two) => one.dtw - two.dtw);
  if (known.length === 0) return null;
  const most = Math.max(...known.map((bar) => bar.positions));
  const chart = h("ol.histogram");
  const draw = (isLog) => fill(chart, known.map((bar) => {
    const share = isLog ? Math.log(bar.positions + 1) / Math.log(most + 1) : bar.positions / most;
    const isCurrent = bar.category === current?.category && bar.dtw === current?.dtw;
    const words = `${bar.category} in ${plies(bar.dtw)}: ${number(bar.positions)} positions`;
    const node = button([h("span.column"), h("span.dtw", String(bar.dtw))],
      () => onopen(bar.example), { title: words, "aria-label": words, "aria-current": isCurrent && "true", disabled: !bar.example });
    node.style.setProperty("--share", String(Math.max(share, 0.005)));
    return h("li", { class: `${bar.category} ${isCurrent ? "current" : ""}` }, node);
  }));
  const log = h("input", { type: "checkbox", onchange: () => draw(log.checked) });
  log.checked = known.some((bar) => bar.positions * 200 < most);
  draw(log.checked);
  return h("figure.distances",
    h("figcaption", "Positions by plies to the end, losses striped", h("label.check", log, "Logarithmic")),
    scroller("Histogram of distances", chart),
    table("Distances as a table", ["Value", "Plies", "Positions"],
      known.map((bar) => [bar.category, bar.dtw, number(bar.positions)])));
}

/** A heat map of the share of wins by the king's square. */
export function heatMap(rules, squares, who) {
  const { size } = rules;
  const byName = new Map(squares.map((square) => [square.square, square]));
  const whole = (square) => square.win + square.draw + square.loss + (square.undecided ?? 0);
  const cells = Array.from({ length: size * size }, (_, i) =>
    name((size - 1 - Math.floor(i / size)) * size + (i % size), size));
  const rects = cells.map((called, i) => {
    const square = byName.get(called);
    const at = { x: i % size, y: Math.floor(i / size), width: 1, height: 1 };
    if (!square || !whole(square)) return s("rect", { ...at, class: "none" });
    const share = square.win / whole(square);
    const node = s("rect", { ...at, class: "heat" },
      s("title", `${called}: ${percent(square.win, whole(square))} wins`));
    node.style.setProperty("--share", String(share));
    const shown = share > 0 && share < 1 ? Math.max(1, Math.min(Math.round(100 * share), 99)) : 100 * share;
    return [node, size <= 13 && s("text", { x: at.x + 0.5, y: at.y + 0.62, class: share > 0.5 ? "over" : "" }, String(shown))];
  });
  const known = cells.map((called) => byName.get(called)).filter(Boolean);
  return h("figure.map",
    h("figcaption", `Wins for the ${who}, by the king's square, in percent`),
    s("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": "The same figures as in the table below" }, rects),
    table("Squares as a table", ["King", "Wins", "Draws", "Losses"], known.map(({ square, win, draw, loss }) =>
      [square, number(win), number(draw), number(loss)])));
}
