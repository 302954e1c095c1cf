// What the server knows.

/**
 * A value for the side to move in the probed position.
 * @typedef {"win" | "draw" | "loss" | "undecided" | "unknown"} Category
 * @typedef {{move: string, category: Category, dtw: number | null, conversion: boolean}} MoveValue
 * @typedef {{rules: string, position: string, to_move: string, slice: string, category: Category,
 *   dtw: number | null, missing: string[], moves: MoveValue[]}} Answer
 */

/** An answer that is none: the server's problem (RFC 9457), or no server. */
export class Problem extends Error {
  constructor(body) {
    super(body.detail ?? body.title ?? "the server does not answer");
    this.code = body.code ?? "no-answer";
  }
}

const ROOT = "/api/v1";
const answers = new Map();

/** How often a server is asked that has no time. */
const TRIES = 30;

async function ask(path, options = {}, tries = 1) {
  let response, body;
  try {
    response = await fetch(ROOT + path, options);
    // An error may come from a proxy, in its own words. An answer that is cut off is none.
    body = await response.json().catch((error) => {
      if (response.ok) throw error;
      return {};
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: "the server does not answer; is it still running?" });
  }
  // What is counted will come.
  if (response.status === 202 || (response.status === 503 && tries < TRIES)) {
    // A proxy may write a date.
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    await pause(1000 * Math.max(seconds, 1), options.signal);
    return ask(path, options, tries + 1);
  }
  if (!response.ok) throw new Problem(body);
  return body;
}

function pause(millis, signal) {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, millis);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}

const of = (rules) => `/rulesets/${encodeURIComponent(rules)}`;
const at = (position) => `?position=${encodeURIComponent(position)}`;

/** An answer that is kept while the page is open, even if it is `unknown`. */
async function kept(path, signal) {
  if (!answers.has(path)) {
    const answer = await ask(path, { signal });
    if (answers.size > 2000) answers.clear();
    answers.set(path, answer);
  }
  return answers.get(path);
}

export const rulesets = () => kept("/rulesets");
export const rules = (name) => kept(of(name));
export const slices = (name) => kept(`${of(name)}/slices`);
export const slice = (name, slice, signal) => kept(`${of(name)}/slices/${slice}`, signal);
export const line = (name, position, signal) => kept(`${of(name)}/line${at(position)}`, signal);

/** @returns {Promise<Answer>} */
export const probe = (name, position, signal) => kept(`${of(name)}/probe${at(position)}`, signal);

/** The answer of a probe, if it is here already. */
export const probed = (name, position) => answers.get(`${of(name)}/probe${at(position)}`);

/** A random position of a slice, of that value. */
export function random(name, slice, wanted, signal) {
  const query = new URLSearchParams(wanted);
  return ask(`${of(name)}/slices/${slice}/random?${query}`, { signal });
}

/** The engine's move in a game that began at a position. */
export function reply(name, position, moves, level, signal) {
  const body = JSON.stringify({ position, moves, level });
  const headers = { "Content-Type": "application/json" };
  return ask(`${of(name)}/reply`, { method: "POST", headers, body, signal });
}

/** The engine's thoughts on a position, as they come. */
export function analysis(name, position, lines) {
  return new EventSource(`${ROOT}${of(name)}/analysis${at(position)}&lines=${lines}`);
}
