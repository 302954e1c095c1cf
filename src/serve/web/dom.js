// Creates nodes by calls: the page never writes HTML as text.

/**
 * Creates an HTML element: tag with classes, such as "p.note", optional properties, children.
 * Properties starting with "on" are listeners; others are attributes, omitted if null, undefined
 * or false.
 */
export const h = (tag, ...rest) => made("http://www.w3.org/1999/xhtml", tag, rest);

/** Creates an SVG element, likewise. */
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

/** Sets attributes and listeners; null, undefined and false remove an attribute. */
export function set(element, properties) {
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value == null || value === false) element.removeAttribute(key);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  return element;
}

/** Where `fill` last removed the focused node. */
let left = {};

/**
 * Replaces the children. Keyboard focus moves to the link or button with the same label, or to
 * the first one, even if it is added later.
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

/** An icon (see pieces.js). */
export function icon(name) {
  return s(`svg.icon.${name}`, { viewBox: "0 0 40 40", "aria-hidden": "true" }, s("use", { href: `#${name}` }));
}

export function button(label, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, label);
}

/** Listeners that preview a move on the board while its button has focus or pointer. */
export function preview(move, onpoint) {
  const [show, hide] = [() => onpoint(move), () => onpoint(null)];
  return { onpointerenter: show, onfocus: show, onpointerleave: hide, onblur: hide };
}

/** A panel with a heading; `name` is also its class. */
export function panel(title, name, ...children) {
  return h(`section.panel.${name}`, { "aria-labelledby": `title-${name}` }, h("h2", { id: `title-${name}` }, title), children);
}

/** Radio buttons that look like a switch. */
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
    choose(value) {
      for (const [other, input] of inputs) input.checked = other === value;
    },
  };
}

/** Asks before something is lost; returns whether the user agrees. */
export function agrees(question, yes) {
  return new Promise((resolve) => {
    const close = (value) => () => dialog.close(value);
    const dialog = h("dialog.panel", { "aria-labelledby": "question",
      onclose: () => { dialog.remove(); resolve(dialog.returnValue === "yes"); } },
    h("p", { id: "question" }, question),
    h("div.tools", button(yes, close("yes"), { class: "primary" }), button("Cancel", close(""))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A command with a button that copies it. */
export const copyable = (text) => [h("code", text), button("Copy", (event) => copy(text, event.currentTarget))];

/** Copies a text and confirms on the button for a while. */
export async function copy(text, from) {
  // The button may still show the confirmation.
  const label = (from.dataset.label ??= from.textContent);
  try {
    await navigator.clipboard.writeText(text);
    from.textContent = "Copied";
  } catch {
    // Without TLS, browsers allow no clipboard: the user can copy the selected text.
    const field = h("textarea", { readonly: true, "aria-label": "Text to copy", rows: Math.min(text.split("\n").length + 1, 8),
      onblur: () => field.remove() }, text);
    from.parentElement.after(field);
    field.select();
    from.textContent = "Press Ctrl+C";
  }
  setTimeout(() => { from.textContent = label; }, 1500);
}
