// Keys, and what they do; the same words are in the help.

import { button, h } from "./dom.js";

/** Where the choice about single letters is kept. */
const SETTING = "taflbase-letters";

const KEYS = [
  ["← →", "back and forward in the game"], ["Space", "best move"], ["f", "turn the board round"],
  ["e", "play or edit"], ["x", "the other side to move"], ["l", "line of best play"], ["?", "this help"],
];
const BOARD_KEYS = [
  ["arrows", "from square to square"], ["Enter", "take a piece, put it down"], ["Escape", "let it go"],
  ["t d k", "editing: an attacker, a defender, the king"], ["Delete", "editing: nothing"],
];

/** The dialog with all keys. */
export function help() {
  const letters = h("input", { type: "checkbox", onchange: () => keep(letters.checked) });
  letters.checked = areLettersOn();
  const list = (title, keys) => [h("h3", title), h("dl.keys",
    keys.map(([key, does]) => [h("dt", h("kbd", key)), h("dd", does)]))];
  const dialog = h("dialog.panel", { "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "What this is"),
    h("p", "Endgame tables know every position with few pieces: who wins with best play, and in how many plies. A ply is one move of one side. The winner hurries, the loser delays."),
    h("p", "Choose a game above. Move pieces in Play, or set up any position in Edit; moves are listed by what they come to. Beyond the tables the engine searches."),
    list("Keys", KEYS), list("Keys on the board", BOARD_KEYS),
    h("label.check", letters, "Single letters are keys"),
    h("div.tools", button("Close", () => dialog.close(), { class: "primary" })));
  return dialog;
}

function areLettersOn() {
  try {
    return localStorage.getItem(SETTING) !== "off";
  } catch {
    return true;
  }
}

function keep(isOn) {
  try {
    localStorage.setItem(SETTING, isOn ? "on" : "off");
  } catch {
    // Without storage the choice cannot be kept; the letters stay.
  }
}

/**
 * Listens for keys outside of text fields and the board.
 * @param {HTMLDialogElement} dialog
 * @param {() => import("./explorer.js").Explorer | null} explorer the one that is shown
 */
export function listen(dialog, explorer) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || dialog.open) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input:not([type=radio], [type=checkbox]), select, textarea")) return;
    // What these keys do to a button or a switch is theirs.
    if (event.key === " " && target.closest("button, a, input, summary")) return;
    if (event.key.startsWith("Arrow") && target.closest("input, .scroll, .frame")) return;
    if (/^[a-z?]$/i.test(event.key) && !areLettersOn()) return;
    if (act(event.key, dialog, explorer())) event.preventDefault();
  });
}

function act(key, dialog, shown) {
  if (key === "?") return dialog.showModal(), true;
  const does = shown && {
    ArrowLeft: () => shown.go(shown.game.at - 1), ArrowRight: () => shown.go(shown.game.at + 1),
    " ": () => shown.playBest(), f: () => shown.flip(), x: () => shown.changeSide(), l: () => shown.best(),
    e: () => shown.setMode(shown.mode === "edit" ? "play" : "edit"),
  }[key];
  does?.();
  return Boolean(does);
}
