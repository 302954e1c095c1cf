// Icons of pieces and outcomes. Pieces differ in shape: attackers are round, defenders square,
// and the king has a crown.

import { s } from "./dom.js";

const CROWN = "M10.5 27.5 8.6 14.4 15 18.6 20 10.8 25 18.6 31.4 14.4 29.5 27.5Z";

/** All icons, to be added to the page once. */
export function pictures() {
  return s("svg.unseen", { "aria-hidden": "true" }, s("defs", [
    symbol("piece-t",
      s("circle.dark.rim", { cx: 20, cy: 20, r: 15 }),
      s("circle.dark.ring", { cx: 20, cy: 20, r: 8.5 })),
    symbol("piece-T",
      s("rect.light.rim", { x: 6.5, y: 6.5, width: 27, height: 27, rx: 8 }),
      s("rect.light.ring", { x: 13, y: 13, width: 14, height: 14, rx: 4 })),
    symbol("piece-K",
      s("rect.light.rim", { x: 4, y: 4, width: 32, height: 32, rx: 9 }),
      s("path.gold", { d: CROWN }),
      s("path.gold.band", { d: "M10.9 30.6H29.1" })),
    // A square of a pattern that has to be empty.
    symbol("piece-o", s("path.stroke", { d: "M12 12 28 28M28 12 12 28" })),
    // Outcomes: up for a win, level for a draw, down for a loss.
    symbol("win", s("path", { d: "M20 6 36 33H4Z" })),
    symbol("loss", s("path", { d: "M20 34 4 7H36Z" })),
    symbol("draw", s("path", { d: "M6 10H34V17H6ZM6 23H34V30H6Z" })),
    symbol("theme", s("path", { d: "M20 4A16 16 0 0 1 20 36Z" }), s("circle.stroke", { cx: 20, cy: 20, r: 15 })),
    symbol("hourglass", s("path", { d: "M9 4H31L23 20 31 36H9L17 20Z" })),
    symbol("undecided", s("path", { d: "M20 5 35 20 20 35 5 20Z" })),
    symbol("endless", s("path.stroke", { d: "M20 20C11 9 4 13 4 20S11 31 20 20 36 13 36 20 29 31 20 20Z" })),
    ...["M28 8 12 20 28 32Z", "M31 8 17 20 31 32ZM9 8H14V32H9Z"].flatMap((d, i) => {
      const turned = s("path", { d, transform: "rotate(180 20 20)" });
      return [symbol(["back", "start"][i], s("path", { d })), symbol(["forth", "end"][i], turned)];
    }),
    symbol("unknown", s("path", {
      class: "stroke", d: "M12 14C12 4 28 4 28 13C28 20 20 19 20 26M20 32V34.5",
    })),
  ]));
}

function symbol(id, ...shapes) {
  return s("symbol", { id, viewBox: "0 0 40 40" }, shapes);
}

export const NAMES = { t: "attacker", T: "defender", K: "king", o: "must be empty" };

export const MEANINGS = {
  goal: "the king wins here", throne: "throne", camp: "closed or hostile to some pieces",
};

/**
 * The special squares of a ruleset, by name.
 * @param {any} rules an object of `rules --json`
 * @returns {Map<string, "goal" | "throne" | "camp">}
 */
export function marks(rules) {
  const closed = ["attackers", "defenders"].flatMap((side) => {
    const { no_stop, no_entry } = rules.movement[side];
    return [...no_stop, ...no_entry.flat()];
  });
  const hostile = Object.values(rules.hostile).flatMap((squares) => squares.empty);
  const marked = new Map();
  for (const name of [...closed, ...hostile]) marked.set(name, "camp");
  for (const name of rules.squares.throne ?? []) marked.set(name, "throne");
  for (const name of rules.end.goals) marked.set(name, "goal");
  return marked;
}
