// Charts, each with a table of its data.

import { button, fill, h, icon, s } from "./dom.js";
import { name } from "./position.js";
import { number, OUTCOMES, perCent, percent, plies, sentence } from "./words.js";

const SHARES = { win: "wins", draw: "draws", undecided: "undecided", endless: "endless", loss: "losses" };

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
    return s("rect", { class: `share ${outcome}`, x: from - width, y: 0, width, height: 10 });
  });
  return h("figure.shares",
    s("svg", { viewBox: `0 0 ${from} 10`, preserveAspectRatio: "none", role: "img", "aria-label": words.join(", ") }, bars),
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

/** A legend of the outcomes in bars without one, for the side to move. */
export function key(counts) {
  const outcomes = OUTCOMES.filter((outcome) => counts.some((one) => one[outcome] > 0));
  return h("ul.legend", h("li", "The side to move:"),
    outcomes.map((outcome) => h("li", { class: `group ${outcome}` }, h("span.swatch"), icon(outcome), SHARES[outcome])));
}

/** A histogram of distances; a bar opens an example. */
export function histogram(bars, current, onopen) {
  const known = bars.filter((bar) => bar.dtw !== null && bar.positions > 0).sort((one, two) => one.dtw - two.dtw);
  if (known.length === 0) return null;
  const most = Math.max(...known.map((bar) => bar.positions));
  const here = known.findIndex((bar) => bar.category === current?.category && bar.dtw === current?.dtw);
  // Label a dozen bars, and the current one.
  const step = Math.ceil(known.length / 12);
  const isNamed = (i) => i === here || (i % step === 0 && (here < 0 || 2 * Math.abs(i - here) >= step));
  const chart = h("ol.histogram");
  const axis = h("div.scale", { "aria-hidden": "true" });
  const draw = (isLog) => {
    const height = (count) => (isLog ? Math.log(count + 1) / Math.log(most + 1) : count / most);
    fill(axis, ticks(most, isLog).map((tick) => placed(h("span", short(tick)), height(tick))));
    fill(chart, known.map((bar, i) => {
      const words = `${bar.category} in ${plies(bar.dtw)}: ${number(bar.positions)} positions`;
      const node = button([h("span.column"), h("span", { class: isNamed(i) ? "dtw" : "dtw unnamed" }, String(bar.dtw))],
        () => onopen(bar.example), { title: words, "aria-label": words, "aria-current": i === here && "true", disabled: !bar.example });
      return h("li", { class: `${bar.category} ${i === here ? "current" : ""}` }, placed(node, Math.max(height(bar.positions), 0.005)));
    }));
  };
  const log = h("input", { type: "checkbox", onchange: () => draw(log.checked) });
  log.checked = known.some((bar) => bar.positions * 200 < most);
  draw(log.checked);
  return h("figure.distances",
    h("figcaption", "Positions by plies to the end, losses striped", h("label.check", log, "Logarithmic")),
    h("div.plot", axis, chart),
    table("Distances as a table", ["Value", "Plies", "Positions"],
      known.map((bar) => [bar.category, bar.dtw, number(bar.positions)])));
}

/** 12000 as "12K". */
const { format: short } = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** Sets a node's height in its chart, or the strength of its colour, from 0 to 1. */
function placed(node, share) {
  node.style.setProperty("--share", String(share));
  return node;
}

/** Round numbers up to a maximum, for an axis: powers of 10, or 2 to 5 equal steps. */
function ticks(most, isLog) {
  const power = 10 ** Math.floor(Math.log10(most));
  if (isLog) {
    const all = Array.from({ length: Math.log10(power) + 1 }, (_, i) => 10 ** i);
    const every = Math.ceil(all.length / 4);
    return all.filter((_, i) => (all.length - 1 - i) % every === 0);
  }
  const step = [0.2, 0.5, 1, 2].map((part) => part * power).find((size) => most / size <= 5) ?? most;
  return Array.from({ length: Math.floor(most / step) }, (_, i) => (i + 1) * step);
}

/** A heat map by the king's square, of the outcome that tells most. */
export function heatMap(rules, squares, who) {
  const { size } = rules;
  const byName = new Map(squares.map((square) => [square.square, square]));
  const whole = (square) => OUTCOMES.reduce((sum, outcome) => sum + (square[outcome] ?? 0), 0);
  const { outcome, low, high } = mostTelling(squares.filter(whole), whole);
  const cells = Array.from({ length: size * size }, (_, i) =>
    name((size - 1 - Math.floor(i / size)) * size + (i % size), size));
  const rects = cells.map((called, i) => {
    const square = byName.get(called);
    const at = { x: i % size, y: Math.floor(i / size), width: 1, height: 1 };
    if (!square || !whole(square)) return s("rect", { ...at, class: "none" });
    const share = square[outcome] / whole(square);
    const node = s("rect", { ...at, class: "heat" },
      s("title", `${called}: ${percent(square[outcome], whole(square))} ${SHARES[outcome]}`));
    return [placed(node, high > low ? (share - low) / (high - low) : share),
      size <= 13 && s("text", { x: at.x + 0.5, y: at.y + 0.6 }, brief(square[outcome], whole(square)))];
  });
  const known = cells.map((called) => byName.get(called)).filter(Boolean);
  const kinds = OUTCOMES.filter((kind) => kind === "win" || kind === "loss" || known.some((square) => square[kind] > 0));
  return h(`figure.map.group.${outcome}`,
    h("figcaption", `${headed(outcome)} of the ${who} in percent, by the king's square`),
    s("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": "The same figures as in the table below" }, rects),
    high > low && h("p.range", { "aria-hidden": "true" }, percent(low, 1), h("span.ramp"), percent(high, 1)),
    table("Squares as a table", ["King", ...kinds.map(headed)], known.map((square) =>
      [square.square, ...kinds.map((kind) => number(square[kind] ?? 0))])));
}

/** An outcome as a heading. */
const headed = (outcome) => sentence(SHARES[outcome]).slice(0, -1);

/** The outcome of at most half of the placements that varies most from square to square. */
function mostTelling(squares, whole) {
  const all = squares.reduce((sum, square) => sum + whole(square), 0);
  const ranges = OUTCOMES.filter((outcome) => squares.some((square) => square[outcome] > 0)).map((outcome) => {
    const shares = squares.map((square) => (square[outcome] ?? 0) / whole(square));
    const share = squares.reduce((sum, square) => sum + (square[outcome] ?? 0), 0) / all;
    return { outcome, share, low: Math.min(...shares), high: Math.max(...shares) };
  });
  const rare = ranges.filter(({ share }) => share <= 0.5).sort((one, two) => (two.high - two.low) - (one.high - one.low));
  return rare[0] ?? ranges[0] ?? { outcome: "win", low: 0, high: 0 };
}

/** A percentage that fits a square: 2 digits, more near 0 and 100. */
function brief(part, whole) {
  const text = perCent(part, whole);
  const value = Number(text);
  return value >= 10 && value <= 99 ? String(Math.round(value)) : text.replace(/^0\./, ".");
}
