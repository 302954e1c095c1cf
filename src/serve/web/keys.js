// Keyboard shortcuts; help.js lists them.

import { keep, setting } from "./settings.js";

/** Whether single-letter shortcuts are on. */
export const areLettersOn = () => setting("letters") !== "off";

/** Turns single-letter shortcuts on or off. */
export const setLetters = (isOn) => keep("letters", isOn ? "on" : "off");

/** Listens for keys outside of text fields and the board; `explorer` returns the visible one. */
export function listen(help, explorer) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const target = event.target;
    if (target.closest("input:not([type=radio], [type=checkbox]), textarea, select, dialog")) return;
    // Leave buttons, switches and scrollers their own keys.
    if (event.key === " " && target.closest("button, a, input, summary")) return;
    if (event.key.startsWith("Arrow") && target.closest("input, .scroll, .frame")) return;
    if (/^[a-z?]$/i.test(event.key) && !areLettersOn()) return;
    if (act(event.key, help, explorer())) event.preventDefault();
  });
}

function act(key, help, shown) {
  if (key === "?") return help(), true;
  const action = shown && {
    ArrowLeft: () => shown.go(shown.game.at - 1), ArrowRight: () => shown.go(shown.game.at + 1),
    " ": () => shown.playBest(), f: () => shown.flip(), x: () => shown.changeSide(), l: () => shown.showBestLine(),
    e: () => shown.setMode(shown.mode === "edit" ? "play" : "edit"),
  }[key];
  action?.();
  return Boolean(action);
}
