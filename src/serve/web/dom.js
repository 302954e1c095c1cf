// Nodes, made by calls: the page never writes HTML as text.

// What a part of the page calls when something is done there are its `does`, by their names.

/**
 * An element of HTML: its tag with classes, as "p.note"; its properties, if there are any;
 * its children. Properties that begin with "on" are listeners; others are attributes, left
 * out where they are null, undefined or false.
 */
export const h = (tag, ...rest) => made("http://www.w3.org/1999/xhtml", tag, rest);

/** An element of SVG, likewise. */
export const s = (tag, ...rest) => made("http://www.w3.org/2000/svg", tag, rest);

function made(space, described, rest) {
  const [tag, ...classes] = described.split(".");
  const element = document.createElementNS(space, tag);
  if (classes.length) element.classList.add(...classes);
  if (rest[0]?.constructor === Object) set(element, rest.shift());
  element.append(...nodes(rest));
  return element;
}

function nodes(children) {
  return children.flat(9).filter((child) => child != null && child !== false);
}

/** Sets attributes and listeners; null, undefined and false take an attribute away. */
export function set(element, properties) {
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value == null || value === false) element.removeAttribute(key);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  return element;
}

/** Whose focus went with the children it was among. */
let left = {};

/**
 * Puts these children where the old ones were. A keyboard's focus stays on what is called the
 * same, or goes to the first of them, as soon as there are any.
 */
export function fill(element, ...children) {
  const node = element.querySelector(":focus-visible");
  element.replaceChildren(...nodes(children));
  if (node) left = { element, node };
  if (left.element === element && document.activeElement === document.body) {
    const called = (one) => one.ariaLabel ?? one.textContent;
    const all = [...element.querySelectorAll("a, button")];
    (all.find((one) => called(one) === called(left.node)) ?? all[0])?.focus();
  }
  return element;
}

/** A picture of the page's own (see pieces.js). */
export function icon(name) {
  return s(`svg.icon.${name}`, { viewBox: "0 0 40 40", "aria-hidden": "true" }, s("use", { href: `#${name}` }));
}

/** A button. */
export function button(label, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, label);
}

/** Listeners that show a move on the board while its button is looked at. */
export function pointing(move, onpoint) {
  const [show, hide] = [() => onpoint(move), () => onpoint(null)];
  return { onpointerenter: show, onfocus: show, onpointerleave: hide, onblur: hide };
}

/** A panel with a heading; its class is its name, too. */
export function panel(title, name, ...children) {
  return h(`section.panel.${name}`, { "aria-labelledby": `title-${name}` }, h("h2", { id: `title-${name}` }, title), children);
}

/** Some choices of which one holds, as radio buttons that look like a switch. */
export function choice(legend, name, options, onchoose) {
  const inputs = new Map();
  const labels = options.map(([value, ...label]) => {
    const input = h("input", { type: "radio", name, value, onchange: () => onchoose(value) });
    inputs.set(value, input);
    return h("label", input, h("span", label));
  });
  const node = h("fieldset.choice", h("legend.unseen", legend), labels);
  return {
    node,
    /** Shows which one holds. */
    choose(value) {
      for (const [other, input] of inputs) input.checked = other === value;
    },
  };
}

/** Copies a text, and says so on the button for a while. */
export async function copy(text, from) {
  // It may say so already.
  const label = (from.dataset.label ??= from.textContent);
  try {
    await navigator.clipboard.writeText(text);
    from.textContent = "Copied";
  } catch {
    // Browsers give pages without TLS no clipboard.
    from.textContent = "Not allowed";
  }
  setTimeout(() => { from.textContent = label; }, 1500);
}
