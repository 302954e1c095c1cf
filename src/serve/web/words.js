// Values in words. Outcomes have a name, an icon and a colour, never a colour alone.

export const SIDES = { a: "Attackers", d: "Defenders" };
/** States of a game against the engine. */
export const TURNS = {
  human: "Your turn", engine: "The engine is thinking", past: "The engine has moved here: go forward",
  over: "The game is over", clock: "The clock runs: go forward to the last move",
};
export const OUTCOMES = ["win", "draw", "undecided", "endless", "unknown", "loss"];

/** Headings for moves by outcome, from the mover's view. */
export const GROUPS = {
  win: "Winning", draw: "Drawing", undecided: "Undecided", endless: "Endless", unknown: "Unknown", loss: "Losing",
};

/** 43210 as "43,210". */
export const { format: number } = new Intl.NumberFormat("en");

/** 12.34 as "12.3", 99.964 as "99.96": 0 and 100 only if exact. */
export function perCent(part, whole) {
  if (!whole || part === 0) return "0";
  if (part === whole) return "100";
  const value = (100 * part) / whole;
  const digits = Math.ceil(-Math.log10(Math.min(value, 100 - value)));
  return value.toFixed(Math.max(1, Math.min(digits, 9)));
}

export const percent = (part, whole) => `${perCent(part, whole)} %`;

/** 1 ply, 2 plies. */
export function plural(count, one, many) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

export const plies = (count) => plural(count, "ply", "plies");

/** Seconds with a unit. */
export function duration(seconds) {
  const units = [["s", 60], ["min", 60], ["h", 48], ["days", Infinity]];
  let [count, unit] = [seconds, 0];
  while (count >= units[unit][1]) { count /= unit < 2 ? 60 : 24; unit += 1; }
  return `${count < 10 ? count.toFixed(1) : number(Math.round(count))} ${units[unit][0]}`;
}

/** Bytes with a unit. */
export function bytes(count) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (count >= 1024 && unit < 4) { count /= 1024; unit += 1; }
  return unit === 0 ? `${count} bytes` : `${count.toPrecision(3)} ${units[unit]}`;
}

/** The letter of a side: "a" for "attackers". */
export const letter = (side) => side[0];

/** The winner, given a side's value; null if none. */
export function winner(category, side) {
  if (category === "win") return side;
  // The rules give endless play to the attackers.
  if (category === "endless") return "a";
  if (category === "loss") return side === "a" ? "d" : "a";
  return null;
}

/** The value of a position in words, with details. */
export function verdict(answer, rules) {
  const side = letter(answer.to_move);
  const by = winner(answer.category, side);
  if (answer.category === "endless") {
    return { title: "Endless: the attackers win", more: "Neither side can force the end, and the defenders may not repeat positions for ever." };
  }
  if (by) return decided(answer, by, side, rules);
  if (answer.category === "draw") {
    return { title: "Draw", more: `${answer.proof ? "Proved: w" : "W"}ith best play nobody wins.` };
  }
  if (answer.category === "undecided") {
    return { title: "Undecided", more: "The result depends on the moves before." };
  }
  if (answer.proof) {
    return { title: `Proved: the ${answer.to_move} ${bound(answer.proof, "do")}`, more: "More is not known." };
  }
  const slices = answer.missing?.length ? answer.missing.join(", ") : answer.slice;
  return { title: `Unknown: no table of ${slices} here`, more: "Keep playing: captures lead to positions that the tables know." };
}

/** Whether no attackers are left. Such positions have no table. */
export const isBare = ({ slice }) => slice.endsWith("v0");

function decided(answer, by, side, rules) {
  const who = SIDES[by];
  if (answer.dtw === 0) {
    return { title: `${who} have won`, more: isBare(answer) ? "No attackers are left." : `${SIDES[side]} have no move.` };
  }
  if (answer.proof) {
    return { title: `Proved: the ${who.toLowerCase()} win`, more: "A proof has no distance." };
  }
  if (answer.dtw === null) {
    return { title: `${who} win`, more: "The distance is not in these tables." };
  }
  const { endless } = rules.end;
  const most = endless === "undecided" || (endless === "attackers" && by === "a") ? "at most " : "";
  const good = answer.moves.filter((move) => move.category === "win").length;
  let more = `${SIDES[side]} to move cannot avoid it.`;
  if (by === side) more = good === 1 ? "One move wins." : `${good} moves win.`;
  return { title: `${who} win in ${most}${plies(answer.dtw)}`, more };
}

/** The move to recommend, or null: an unknown one may be better than the first that is known. */
export function bestOf({ category, moves }) {
  const [first] = moves;
  const isSure = category !== "unknown" || first?.category === "win" || moves.every((move) => move.category !== "unknown");
  return first && first.category !== "unknown" && isSure ? first : null;
}

/** Why a position has no line of best play; empty if it has. */
export function lacking({ category, dtw, proof, moves }) {
  if (moves.length === 0) return "The game is over.";
  if (category === "unknown") return "No best line: the value of this position is not known. The engine can search it.";
  if (proof) return "No best line: a proof has no distances.";
  if (dtw === null && (category === "win" || category === "loss")) return "No best line: these tables have no distances.";
  if (category === "endless") return "No best line: neither side can force the end.";
  return category === "win" || category === "loss" ? "" : "No best line: neither side can force a win.";
}

/** The half of a value that is proved: "does not lose". */
export const bound = ({ at_most }, verb = "does") => `${verb} not ${at_most === "win" ? "lose" : "win"}`;

/** The end of a game in words. */
export function ending(over) {
  const reasons = {
    "king-captured": "The king is captured.", "king-escaped": "The king has escaped.",
    "exit-fort": "The king is in an exit fort.", encirclement: "The attackers have encircled all defenders.",
    "no-move": "The other side has no move.", resigned: "The other side has resigned.", time: "The other side has run out of time.", agreed: "The players have agreed on a draw.", repetition: "This position has occurred before.",
    "ply-limit": "The game has reached its ply limit.",
  };
  const title = over.winner ? `${SIDES[letter(over.winner)]} have won` : "The game is drawn";
  return { title, more: reasons[over.reason] ?? "" };
}

/** A move's outcome and the unit of its distance: "wins", "plies after it". */
export function moveValue({ category, dtw }) {
  const verbs = { win: "wins", draw: "draws", loss: "loses", undecided: "undecided", endless: "endless", unknown: "unknown" };
  return [verbs[category], dtw === 1 ? "ply after it" : "plies after it"];
}

export function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");
}
