// The lists of a ruleset's tables and proofs, and the statistics of a slice.

import * as api from "./api.js";
import { heatMap, histogram, key, shareBar } from "./charts.js";
import { button, copyable, fill, h, icon, panel } from "./dom.js";
import { menOf } from "./position.js";
import { link } from "./explorer.js";
import { bytes, GROUPS, letter, number, OUTCOMES, plies, plural, sentence, SIDES } from "./words.js";

/** The view of a slice; `current` is the probe result for the board, if any. */
export async function sliceView(rules, slice, current, signal) {
  const body = h("div");
  const node = h("div.slice",
    h("div.crumbs", h("a", { href: `#${rules.name}/tables` }, `All tables of ${rules.title}`)),
    h("h1", `${slice} `, h("small", words(slice))), body);
  const show = async () => {
    fill(body, h("p.note", { role: "status" }, "Counting…"));
    const found = await api.slice(rules.name, slice, signal);
    const here = current?.slice === slice ? current : null;
    fill(body, h("p", h("a", { href: `#${rules.name}/search/${slice}` }, "Search this table")),
      h("div.sides", found.sides.map((side) => sideView(rules, side, found, here, signal))),
      found.downloads && downloads(rules, slice, found.downloads));
  };
  const attempt = () => show().catch((error) => {
    if (signal.aborted) return;
    if (error.code === "unknown-slice") fill(body, missing(error.body));
    else fill(body, h("p.fault", { role: "alert" }, `${slice}: ${error.message}.`), h("div.tools", button("Try again", attempt)));
  });
  attempt();
  return node;
}

/** What it takes to have a table that is not here, by the server's problem. */
function missing({ detail, build, slots }) {
  const size = slots === undefined ? "" : ` It would have room for ${number(slots)} positions, mirror images counted once.`;
  if (build === undefined) return h("p", sentence(detail));
  return h("section.panel", h("p", `There is ${detail} here.${size}`),
    build === null ? h("p", "No machine can build it.") : [
      h("p", "This command builds it, with all the smaller tables that it needs. ",
        h("code", "taflbase plan"), " with the same arguments says how long that takes."),
      h("div.extra", copyable(build))]);
}

/** The files, if the server offers them, with the command that fetches and checks them. */
function downloads(rules, slice, files) {
  return panel("Download", "downloads",
    h("p", "A download that was cut can be resumed. The checksums are BLAKE3."),
    h("dl", files.map(({ path, metric, bytes: size, blake3 }) => [
      h("dt", h("a", { href: path, download: `${slice}.${metric}` }, `${slice}.${metric}`), ` ${bytes(size)}`), h("dd", h("code", blake3))])),
    h("p", "This command fetches and checks the files, and goes on where it was cut:"),
    h("div.extra", copyable(`taflbase pull ${location.origin} ${rules.name} --slice ${slice}`)));
}

function words(slice) {
  const [, defenders, attackers] = /^K(\d+)v(\d+)$/.exec(slice) ?? [];
  const own = Number(defenders) ? ` and ${plural(Number(defenders), "defender", "defenders")}` : "";
  return `the king${own} against ${plural(Number(attackers), "attacker", "attackers")}, ${menOf(slice)} men`;
}

function sideView(rules, side, found, here, signal) {
  const open = (position) => { location.hash = link(rules.name, position); };
  const who = letter(side.to_move);
  const current = here?.to_move === side.to_move ? here : null;
  const squares = side.king ?? found.king ?? [];
  return h("section.panel", { "aria-labelledby": `side-${who}` },
    h("h2", { id: `side-${who}` }, icon(`piece-${who === "a" ? "t" : "T"}`), `${SIDES[who]} to move`),
    h("p.note", `${number(side.positions)} positions, with mirror images.`),
    shareBar(side),
    longest(rules, side),
    h("div.charts", h("div", histogram(side.histogram ?? [], current, open),
      squares.length > 0 && heatMap(rules, squares, side.to_move))),
    randomTools(rules, found.slice, side, open, signal));
}

/** Links to the longest win and loss. */
function longest(rules, side) {
  const entry = (label, position, distance) => position && h("li", h("a", { href: link(rules.name, position) }, label), ` in ${plies(distance)}`);
  return h("ul.longest",
    entry("Longest win", side.longest_win, side.max_win), entry("Longest loss", side.longest_loss, side.max_loss));
}

function randomTools(rules, slice, side, open, signal) {
  const fault = h("span.fault", { role: "alert" });
  const find = async (category) => {
    fault.textContent = "";
    try {
      const { position } = await api.random(rules.name, slice, { to_move: side.to_move[0], category }, signal);
      open(position);
    } catch (error) {
      fault.textContent = error.message;
    }
  };
  const kinds = OUTCOMES.filter((category) => side[category] > 0);
  return h("div.tools.random", h("span", "Random position:"),
    kinds.map((category) => button([icon(category), GROUPS[category]], () => find(category), { class: category })), fault);
}

/** The view of all tables, smallest first. */
export async function tablesView(rules) {
  const title = h("h1", "Tables ", h("small", rules.title));
  const { slices } = await api.slices(rules.name);
  const sorted = [...slices].sort((one, two) => menOf(one.slice) - menOf(two.slice));
  const sides = sorted.flatMap((slice) => slice.sides);
  const all = sides.reduce((sum, side) => sum + side.positions, 0);
  return h("div.tables", title,
    h("p.intro", `A table holds the values of all positions with some material: K2v4 is the king and 2 defenders against 4 attackers. There are ${sorted.length}, with ${number(all)} positions. `,
    h("a", { href: `#${rules.name}/search` }, "Search them")),
    key(sides),
    index(["Table", "Attackers to move", "Defenders to move", "Longest win", "Size"], sorted.map((slice) => row(rules, slice)), 2));
}

function row(rules, { slice, sides, files }) {
  const side = (letter) => sides.find((side) => side.to_move[0] === letter);
  const best = [...sides].sort((one, two) => two.max_win - one.max_win)[0];
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  return h("tr",
    h("th", { scope: "row" }, h("a", { href: `#${rules.name}/${slice}` }, slice)),
    ["a", "d"].map((letter) => h("td", side(letter) && shareBar(side(letter), true))),
    h("td.far", !best?.max_win ? "–" : best.longest_win
      ? h("a", { href: link(rules.name, best.longest_win) }, plies(best.max_win)) : plies(best.max_win)),
    h("td.far", bytes(size)));
}

/** The view of all certificates, and of the stores of proofs in work. */
export async function proofsView(rules, stores = []) {
  const { certificates, positions } = await api.proofs(rules.name);
  return h("div.tables", h("h1", "Proofs ", h("small", rules.title)),
    certificates.length > 0 && [
      h("p.intro", `A certificate is a strategy against every reply: ${number(positions)} positions in all. `,
        h("code", "taflbase solve --check"), " checks one by the rules."),
      index(["Certificate", "Value", "Moves"], certificates.map(({ name, position, value, moves }) => h("tr",
        h("th", { scope: "row" }, h("a", { href: link(rules.name, position) }, name)),
        h("td", value), h("td", number(moves)))))],
    stores.length > 0 && [
      h("p.intro", "A store holds a long proof that may still be worked on. Its tree shows how far it is."),
      index(["Store"], stores.map((store) => h("tr", h("th", { scope: "row" },
        h("a", { href: `#${rules.name}/stores/${encodeURIComponent(store)}` }, store)))))]);
}

/** A table, with numbers in the columns after the first ones. */
function index(heads, rows, first = 0) {
  return rows.length > 0 && h("table.panel.index",
    h("thead", h("tr", heads.map((head, i) => h("th", { scope: "col", class: i > first ? "far" : null }, head)))),
    h("tbody", rows));
}
