// The theme: the system's, unless the visitor has chosen the other one. The first frame waits for
// this module, so that it has the right colours.

import { keep, setting } from "./settings.js";

const system = matchMedia("(prefers-color-scheme: dark)");
const { dataset } = document.documentElement;

const isDark = () => (dataset.theme ? dataset.theme === "dark" : system.matches);

function apply(theme) {
  if (theme === "dark" || theme === "light") dataset.theme = theme;
  else delete dataset.theme;
}

/** Makes a button the switch between the themes. */
export function switchThemes(button) {
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    // Whoever wants the system's theme follows the system from now on.
    const chosen = (theme === "dark") === system.matches ? null : theme;
    apply(chosen);
    keep("theme", chosen);
    show();
  });
  system.addEventListener("change", show);
  show();
  return button;
}

apply(setting("theme"));
