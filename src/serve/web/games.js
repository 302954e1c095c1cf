// A game as text: records and lists of moves, read and written, and a link that holds it.

import * as api from "./api.js";
import { button, copy, h } from "./dom.js";
import { atPly, gameLink, newGame, over, position, text, withLine } from "./game.js";
import { format } from "./position.js";

/** A picture of the board; of a finished game, which has no position, with its last move. */
function picture(game, isTurned, kind) {
  const move = over(game) && game.moves.at(-1);
  const shown = atPly(game, game.at - (move ? 1 : 0));
  const wanted = { position: format(position(shown)), format: kind, ...(move && { move }), ...(isTurned && { turned: true }) };
  return h("a.button", { href: api.picture(game.rules, wanted), download: `${game.rules}.${kind}` }, `Board as ${kind.toUpperCase()}`);
}

/** Shows the dialog; `open` is called with a game that was read. */
export function showGames(game, isTurned, open) {
  const end = over(atPly(game, game.moves.length));
  const fault = h("p.fault", { role: "alert" });
  const field = h("textarea", { id: "game-text", rows: 8, spellcheck: "false" });
  const file = h("input", { type: "file", "aria-label": "Game file", onchange: async () => { field.value = await file.files[0]?.text() ?? ""; } });
  const attempt = (work) => async (event) => {
    fault.textContent = "";
    await work(event.currentTarget).catch((error) => { fault.textContent = `${error.message}.`; });
  };
  const record = () => api.record(game.rules, game.start, game.moves, end && (end.winner ?? "draw"));
  const read = attempt(async () => {
    open(await readGame(game.rules, field.value));
    dialog.close();
  });
  const save = attempt(async () => {
    const href = URL.createObjectURL(new Blob([(await record()).record]));
    h("a", { href, download: `${game.rules}.otg` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  });
  const link = () => location.href.replace(/#.*$/, "") + gameLink(game);
  const dialog = h("dialog.panel", { "aria-labelledby": "games-title", onclose: () => dialog.remove() },
    h("h2", { id: "games-title" }, "This game"),
    h("div.tools", button("Save as .otg", save), button("Copy moves", (event) => copy(text(game), event.currentTarget)),
      button("Copy game link", (event) => copy(link(), event.currentTarget)),
      ["svg", "png"].map((kind) => picture(game, isTurned, kind))),
    h("h3", h("label", { for: "game-text" }, "Open a game: an .otg record or a list of moves")), field, file, fault,
    h("div.tools", button("Open", read, { class: "primary" }), button("Close", () => dialog.close())));
  document.body.append(dialog);
  dialog.showModal();
}

/** The game of a text, checked by the server. */
export async function readGame(name, words, signal) {
  const { rules, position, moves, over: end } = await api.readGame(name, words, signal);
  return { ...atPly(withLine(newGame(rules, position), moves), moves.length), over: end };
}
