// Settings of the visitor, which the browser keeps if it allows that.

/** A setting, or null. */
export function setting(key) {
  try {
    return localStorage.getItem(`taflbase-${key}`);
  } catch {
    // Storage is disabled.
    return null;
  }
}

/** Keeps a setting; null forgets it. */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(`taflbase-${key}`);
    else localStorage.setItem(`taflbase-${key}`, value);
  } catch {
    // It holds until the page is left.
  }
}
