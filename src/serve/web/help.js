// The help dialog.

import { button, h } from "./dom.js";
import { areLettersOn, setLetters } from "./keys.js";
import { areSoundsOn, setSounds } from "./sounds.js";

const KEYS = [
  ["← →", "back and forward in the game"], ["Space", "best move"], ["f", "flip the board"],
  ["e", "play or edit"], ["x", "change the side to move"], ["l", "line of best play"], ["?", "this help"],
];
const BOARD_KEYS = [
  ["arrows", "move between squares"], ["Enter", "select or move a piece"], ["Escape", "deselect it"],
  ["t d k", "in Edit: place an attacker, a defender, the king"], ["Delete", "in Edit: clear the square"],
];

export function showHelp() {
  const check = (label, isOn, set) => {
    const input = h("input", { type: "checkbox", onchange: () => set(input.checked) });
    input.checked = isOn();
    return h("label.check", input, label);
  };
  const list = (title, keys) => [h("h3", title), h("dl.keys",
    keys.map(([key, action]) => [h("dt", h("kbd", key)), h("dd", action)]))];
  const dialog = h("dialog.panel", { "aria-labelledby": "help-title", onclose: () => dialog.remove() },
    h("h2", { id: "help-title" }, "Help"),
    h("p", "Endgame tables hold the value of every position with few pieces: who wins with best play, and in how many plies. A ply is a move by one side. The winner hurries, the loser delays."),
    h("p", "Choose a game above. Move pieces in Play, or set up any position in Edit. Beyond the tables the engine searches."),
    list("Keys", KEYS), list("Keys on the board", BOARD_KEYS),
    check("Use single letters as shortcuts", areLettersOn, setLetters),
    check("Sounds of moves", areSoundsOn, setSounds),
    h("div.tools", button("Close", () => dialog.close())));
  document.body.append(dialog);
  dialog.showModal();
}
