// Client of the server's API.

/**
 * A value from the view of the side to move in the probed position.
 * @typedef {"win" | "draw" | "loss" | "undecided" | "endless" | "unknown"} Category
 * @typedef {{move: string, category: Category, dtw: number | null, conversion: boolean,
 *   formations?: Formation[], proof?: Object}} MoveValue
 * @typedef {{kind: "shieldwall" | "exit-fort" | "encirclement", inside: string[], wall: string[]}} Formation
 * @typedef {{rules: string, position: string, to_move: string, slice: string, category: Category,
 *   dtw: number | null, missing: string[], moves: MoveValue[], proof?: Object}} Answer
 */

/** An error: the server's problem (RFC 9457), or no response. */
export class Problem extends Error {
  constructor(body) {
    super(body.detail ?? body.title ?? "the server does not respond");
    this.code = body.code ?? "no-answer";
    this.body = body;
  }
}

const ROOT = "/api/v1";
const JSON_BODY = { "Content-Type": "application/json" };
const answers = new Map();

/** Maximum requests to an overloaded server. */
const TRIES = 30;

/** Requests a path; `read` reads the response's body. */
async function request(path, options = {}, read = (response) => response.json(), tries = 1) {
  let response, body;
  try {
    response = await fetch(ROOT + path, options);
    // A proxy's error may not be JSON. A truncated response is an error.
    body = await read(response).catch((error) => {
      if (response.ok) throw error;
      return {};
    });
  } catch (error) {
    if (error.name === "AbortError" || error instanceof Problem) throw error;
    throw new Problem({ detail: "the server does not respond" });
  }
  // 202: statistics are being counted.
  if (response.status === 202 || (response.status === 503 && tries < TRIES)) {
    // A proxy may send a date.
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    await pause(1000 * Math.max(seconds, 1), options.signal);
    return request(path, options, read, tries + 1);
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

const rulesetPath = (rules) => `/rulesets/${encodeURIComponent(rules)}`;
const at = (position) => `?position=${encodeURIComponent(position)}`;

/** Requests a path, or returns the cached response. */
async function cached(path, signal) {
  if (!answers.has(path)) {
    const answer = await request(path, { signal });
    if (answers.size > 2000) answers.clear();
    answers.set(path, answer);
  }
  return answers.get(path);
}

export const rulesets = () => cached("/rulesets");
export const rules = (name) => cached(rulesetPath(name));
export const lessons = (name) => cached(`${rulesetPath(name)}/lessons`);
export const proofs = (name) => cached(`${rulesetPath(name)}/proofs`);
export const slices = (name) => cached(`${rulesetPath(name)}/slices`);
export const slice = (name, slice, signal) => cached(`${rulesetPath(name)}/slices/${slice}`, signal);
export const line = (name, position, signal) => cached(`${rulesetPath(name)}/line${at(position)}`, signal);

const storePath = (name, store) => `${rulesetPath(name)}/stores/${encodeURIComponent(store)}`;

/** What a proof store has come to. */
export const store = (name, store, signal) => request(storePath(name, store), { signal });

/** A position of a store's tree, with its moves from one on. */
export const storeNode = (name, store, side, position, from, signal) =>
  request(`${storePath(name, store)}?${new URLSearchParams({ side, position, from })}`, { signal });

/** @returns {Promise<Answer>} */
export const probe = (name, position, signal) => cached(`${rulesetPath(name)}/probe${at(position)}`, signal);

/** The cached result of a probe, if any. */
export const probed = (name, position) => answers.get(`${rulesetPath(name)}/probe${at(position)}`);

/** Values of positions that were requested without their moves; null for those that have none. */
const values = new Map();

/** The cached value of a position: undefined if it has not been requested, null if it has none. */
export const valued = (name, position) => probed(name, position) ?? values.get(name + position);

/** Requests the values of positions, which `valued` then returns. */
export async function value(name, positions, signal) {
  const { answers: found } = await post(`${rulesetPath(name)}/probe`, { positions, moves: false }, signal);
  if (values.size > 20000) values.clear();
  found.forEach((answer, i) => values.set(name + positions[i], answer.category ? answer : null));
}

const post = (path, body, signal) => request(path, { method: "POST", headers: JSON_BODY, body: JSON.stringify(body), signal });

/** A game as a record. */
export const record = (name, position, moves, result) => post(`${rulesetPath(name)}/record`, { position, moves, result });

/** The game of a record or a list of moves. */
export const readGame = (name, text, signal) => post(`${rulesetPath(name)}/game`, { text }, signal);

/** The puzzles of a ruleset, counted. */
export const puzzles = (name, signal) => request(`${rulesetPath(name)}/puzzles`, { signal });

/** A puzzle of a kind and level; the same for the same seed. */
export const puzzle = (name, wanted, signal) => request(`${rulesetPath(name)}/puzzles?${new URLSearchParams(wanted)}`, { signal });

/** A random position of a slice with the wanted value. */
export function random(name, slice, wanted, signal) {
  const query = new URLSearchParams(wanted);
  return request(`${rulesetPath(name)}/slices/${slice}/random?${query}`, { signal });
}

/** Positions of a slice that match. */
export const find = (name, slice, wanted, signal) =>
  request(`${rulesetPath(name)}/slices/${slice}/find?${new URLSearchParams(wanted)}`, { signal });

/** The address of a picture: `wanted` has a position and a format, and perhaps a move. */
export const picture = (name, wanted) => `${ROOT}${rulesetPath(name)}/picture?${new URLSearchParams(wanted)}`;

/** The engine's move in a game that began at a position; `onwait` gets the place in the queue. */
export function reply(name, position, moves, level, signal, onwait) {
  const body = JSON.stringify({ position, moves, level });
  const headers = { ...JSON_BODY, Accept: "text/event-stream" };
  const isStream = (response) => response.headers.get("Content-Type")?.startsWith("text/event-stream");
  return request(`${rulesetPath(name)}/reply`, { method: "POST", headers, body, signal },
    (response) => (isStream(response) ? moveOf(response.body, onwait) : response.json()));
}

/** Reads the stream of a reply to its move. */
async function moveOf(stream, onwait) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { done, value } = await reader.read();
    if (done) throw new Problem({ detail: "the server has stopped" });
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const [, kind, data] = /^event: (\w+)\nid: \d+\ndata: (.*)$/.exec(event) ?? [];
      if (kind === "waiting") onwait(JSON.parse(data).place);
      if (kind === "move") return JSON.parse(data);
      if (kind === "problem") throw new Problem(JSON.parse(data));
    }
  }
}

/** Streams the engine's analysis of a position. */
export function analysis(name, position, lines) {
  return new EventSource(`${ROOT}${rulesetPath(name)}/analysis${at(position)}&lines=${lines}`);
}
