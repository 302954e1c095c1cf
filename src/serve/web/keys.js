// Keys, for those who like them; help.js tells which there are.

/** Where the choice about single letters is kept. */
const SETTING = "taflbase-letters";

/** Whether single letters are keys. */
export function areLettersOn() {
  try {
    return localStorage.getItem(SETTING) !== "off";
  } catch {
    // A browser that keeps nothing.
    return true;
  }
}

/** Makes single letters keys, or not. */
export function setLetters(isOn) {
  localStorage.setItem(SETTING, isOn ? "on" : "off");
}

/** Listens for keys outside of text fields and the board; `explorer` tells which is shown. */
export function listen(help, explorer) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const target = event.target;
    if (target.closest("input:not([type=radio], [type=checkbox]), select, dialog")) return;
    // What these keys do to a button or a switch is theirs.
    if (event.key === " " && target.closest("button, a, input, summary")) return;
    if (event.key.startsWith("Arrow") && target.closest("input, .scroll, .frame")) return;
    if (/^[a-z?]$/i.test(event.key) && !areLettersOn()) return;
    if (act(event.key, help, explorer())) event.preventDefault();
  });
}

function act(key, help, shown) {
  if (key === "?") return help(), true;
  const does = shown && {
    ArrowLeft: () => shown.go(shown.game.at - 1), ArrowRight: () => shown.go(shown.game.at + 1),
    " ": () => shown.playBest(), f: () => shown.flip(), x: () => shown.changeSide(), l: () => shown.best(),
    e: () => shown.setMode(shown.mode === "edit" ? "play" : "edit"),
  }[key];
  does?.();
  return Boolean(does);
}
