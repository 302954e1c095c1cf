// What this is, and which keys there are.

import { button, h } from "./dom.js";
import { areLettersOn, setLetters } from "./keys.js";

const KEYS = [
  ["← →", "back and forward in the game"], ["Space", "best move"], ["f", "turn the board round"],
  ["e", "play or edit"], ["x", "the other side to move"], ["l", "line of best play"], ["?", "this help"],
];
const BOARD_KEYS = [
  ["arrows", "from square to square"], ["Enter", "take a piece, put it down"], ["Escape", "let it go"],
  ["t d k", "editing: an attacker, a defender, the king"], ["Delete", "editing: nothing"],
];

/** Shows the help. */
export function showHelp() {
  const letters = h("input", { type: "checkbox", onchange: () => setLetters(letters.checked) });
  letters.checked = areLettersOn();
  const list = (title, keys) => [h("h3", title), h("dl.keys",
    keys.map(([key, does]) => [h("dt", h("kbd", key)), h("dd", does)]))];
  const dialog = h("dialog.panel", { "aria-labelledby": "help-title", onclose: () => dialog.remove() },
    h("h2", { id: "help-title" }, "What this is"),
    h("p", "Endgame tables know every position with few pieces: who wins with best play, and in how many plies. A ply is one move of one side. The winner hurries, the loser delays."),
    h("p", "Choose a game above. Move pieces in Play, or set up any position in Edit. Beyond the tables the engine searches."),
    list("Keys", KEYS), list("Keys on the board", BOARD_KEYS),
    h("label.check", letters, "Single letters are keys"),
    h("div.tools", button("Close", () => dialog.close(), { class: "primary" })));
  document.body.append(dialog);
  dialog.showModal();
}
