// Routing: the URL fragment names a ruleset and a position, a slice, the tables or the rules.

import * as api from "./api.js";
import { button, fill, h, icon } from "./dom.js";
import { Explorer, link, SLOW } from "./explorer.js";
import { newGame, position as positionOf, startOf } from "./game.js";
import { listen } from "./keys.js";
import { pictures } from "./pieces.js";
import { format, parse } from "./position.js";
import { switchThemes } from "./theme.js";

/** Position of a first visit: one of 19 moves wins. Its table is built in. */
const WELCOME = { rules: "brandubh", position: "/3t3/1K1T3/7/1t5/7/1t5/7/ a" };

const main = document.querySelector("main");
const header = document.querySelector("header");
let explorer = null;
let isBoardShown = false;
/** Larger boards are in one group. */
const LARGE = 11;
let rulesets = [];
let engine = null;
let visit = new AbortController();

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    // A damaged link names no ruleset or position, which is reported as such.
    return text;
  }
}

function parseFragment() {
  const fragment = decoded(location.hash.slice(1));
  if (!fragment) return WELCOME;
  const [, rules, rest] = /^([^/]*)(.*)$/.exec(fragment) ?? [];
  if (rest === "" || rest === "/") return { rules, view: "rules" };
  if (/^\/(tables|proofs|puzzles|daily)$/.test(rest)) return { rules, view: rest.slice(1) };
  const [, kind, level, at] = /^\/puzzle\/([a-z-]+)\/([a-z]+)(\/.+)$/.exec(rest) ?? [];
  if (kind) return { rules, view: "puzzle", puzzle: [kind, level, at.replace("_", " ")] };
  if (rest.startsWith("/stores/")) return { rules, view: "store", store: rest.slice("/stores/".length) };
  if (/^\/K\d+v\d+$/.test(rest)) return { rules, view: "slice", slice: rest.slice(1) };
  const [search, slice] = /^\/search(?:\/(K\d+v\d+))?$/.exec(rest) ?? [];
  if (search) return { rules, view: "search", slice };
  // The engine is at work where no table knows the value.
  const [analyse] = /^\/analyse\b/.exec(rest) ?? [""];
  const [board, ...moves] = rest.slice(analyse.length).split("!");
  return { rules, position: board.replace("_", " "), moves, isAnalysed: analyse !== "" };
}

async function route() {
  visit.abort();
  visit = new AbortController();
  const { signal } = visit;
  // A hidden explorer must not change the URL.
  isBoardShown = false;
  explorer?.suspend();
  const late = setTimeout(() => !signal.aborted && show(loading(), false), SLOW);
  try {
    const { rules: name, view, ...subject } = parseFragment();
    main.inert = Boolean(view);
    if (!summary(name)) throw new Error(`there is no ruleset ${name} here; choose one above`);
    const rules = await api.rules(name);
    if (signal.aborted) return;
    const node = view ? await viewOf(view, rules, subject, signal) : await boardOf(rules, subject, signal);
    if (signal.aborted) return;
    show(node, !view);
    updateHeader(rules, view ?? "board");
    // What has been read before is drawn by the next frame.
    if (history.scrollRestoration === "manual") requestAnimationFrame(() => scrollTo(0, history.state?.scroll ?? 0));
  } catch (error) {
    if (signal.aborted) return;
    show(h("div.panel.lost", h("h1", "Nothing to show"), h("p.fault", { role: "alert" }, `${error.message}.`),
      h("div.tools", error instanceof api.Problem && button("Try again", route), h("a", { href: "#" }, "Start over"))), false);
  } finally {
    clearTimeout(late);
  }
}

const loading = () => h("p.note", { role: "status" }, "Loading…");

function show(node, isBoard) {
  isBoardShown = isBoard;
  main.inert = false;
  if (!isBoard) explorer?.engine?.stop();
  if (node.parentNode !== main) main.replaceChildren(node);
}

/** A view whose module is loaded on demand. */
async function viewOf(view, rules, { slice, store, puzzle }, signal) {
  if (/^(puzzle|daily)/.test(view)) return puzzleViewOf(view, rules, puzzle, signal);
  if (view === "rules") return (await import("./rules.js")).rulesView(rules);
  if (view === "search") return (await import("./search.js")).searchView(rules, slice, signal);
  if (view === "store") return (await import("./tree.js")).storeView(rules, store, signal);
  const { proofsView, sliceView, tablesView } = await import("./tables.js");
  if (view === "tables") return tablesView(rules);
  if (view === "proofs") return proofsView(rules, summary(rules.name).stores);
  return sliceView(rules, slice, explorer?.answer?.rules === rules.name ? explorer.answer : null, signal);
}

async function puzzleViewOf(view, rules, puzzle, signal) {
  const { daily, puzzlesView, puzzleView } = await import("./puzzles.js");
  if (view === "puzzles") return puzzlesView(rules, signal);
  if (view === "puzzle") return puzzleView(rules, ...puzzle, signal);
  // Without a puzzle the game opens at its start, with the engine at work.
  const found = await daily(rules, signal);
  if (!signal.aborted) location.replace(found ?? `#${rules.name}/analyse`);
  return loading();
}

async function boardOf(rules, { position: at, moves, isAnalysed }, signal) {
  const { name } = rules;
  const position = at || startOf(rules);
  explorer ??= new Explorer(engine);
  if (moves?.length) {
    const game = await (await import("./games.js")).readGame(name, [position, ...moves].join(" "), signal);
    if (signal.aborted) return explorer.node;
    history.replaceState({ game }, "", link(name, format(positionOf(game))));
    await explorer.open(game);
    return explorer.node;
  }
  const text = format(parse(position));
  const stored = [history.state?.game, explorer.game].find((game) =>
    game?.rules === name && format(positionOf(game)) === text);
  await explorer.open(stored ?? newGame(name, text), isAnalysed);
  return explorer.node;
}

const summary = (wanted) => rulesets.find(({ name }) => name === wanted);

function updateHeader(rules, view) {
  document.title = `${rules.title}: ${view === "board" ? "explorer" : view} – taflbase`;
  const game = explorer?.game;
  const board = game?.rules === rules.name ? link(rules.name, format(positionOf(game))) : `#${rules.name}/analyse`;
  const go = (label, to, ...views) => h("a", { href: to, "aria-current": views.includes(view) && "page",
    // On the board itself, do nothing.
    onclick: (event) => label === "Board" && view === "board" && event.preventDefault() }, label);
  fill(header.querySelector("nav"), go("Board", board, "board"),
    go("Puzzles", `#${rules.name}/puzzles`, "puzzles", "puzzle", "daily"),
    go("Tables", `#${rules.name}/tables`, "tables", "slice", "search"),
    (summary(rules.name).proofs || summary(rules.name).stores) && go("Proofs", `#${rules.name}/proofs`, "proofs", "store"),
    go("Rules", `#${rules.name}`, "rules"));
  header.querySelector("select").value = rules.name;
}

/** The header's menu of rulesets: opens the same view of another one. */
function games() {
  return h("select", { "aria-label": "Game", onchange: (event) => {
    const name = event.currentTarget.value;
    const { view } = parseFragment();
    const other = { rules: name, puzzles: `${name}/puzzles`, search: `${name}/search` };
    location.hash = view && view !== "puzzle" ? other[view] ?? `${name}/tables` : name === WELCOME.rules ? link(name, WELCOME.position).slice(1) : `${name}/daily`;
  } }, groups().map(([label, members]) => h("optgroup", { label }, members.map(({ name, title, size }) => h("option", { value: name }, `${title}, ${size}×${size}`)))));
}

/** The rulesets by board and source, as `taflbase rules` lists them. */
function groups() {
  const order = [...rulesets].sort((a, b) => Math.min(a.size, LARGE) - Math.min(b.size, LARGE) || a.origin.localeCompare(b.origin));
  const found = new Map();
  for (const entry of order) {
    const label = `${entry.group.replace(/(\d+)x(\d+)/, "$1×$2")}, ${entry.origin.replace("-", " ")}`;
    found.set(label, [...found.get(label) ?? [], entry]);
  }
  return [...found];
}

async function begin() {
  document.body.append(pictures());
  if (/^\/live\/[^/]+\/$/.test(location.pathname)) {
    const { Live } = await import("./live.js");
    header.classList.add("live");
    fill(main, new Live().node);
    return;
  }
  await start();
}

/** Requests what there is, and shows the view of the address. */
async function start() {
  fill(main, loading());
  try {
    ({ rulesets, engine } = await api.rulesets());
  } catch (error) {
    fill(main, h("div.panel.lost", h("p.fault", { role: "alert" }, `${error.message}.`), h("div.tools", button("Try again", start))));
    return;
  }
  const help = async () => (await import("./help.js")).showHelp();
  header.querySelector(".controls").append(games(),
    switchThemes(h("button", { type: "button", "aria-label": "Dark theme", title: "Light or dark" }, icon("theme"))),
    button("?", help, { "aria-label": "Help", title: "Help (?)" }));
  listen(help, () => (isBoardShown ? explorer : null));
  addEventListener("popstate", route);
  // The browser would scroll before the view is complete.
  if ("onscrollend" in window) history.scrollRestoration = "manual";
  addEventListener("scrollend", () => history.replaceState({ ...history.state, scroll: scrollY }, ""));
  await route();
}

begin();
