// Nodes, made by calls: the page never writes HTML as text.

/** @typedef {Node | string | null | undefined | false | Child[]} Child */

/**
 * An element of HTML. Properties that begin with "on" are listeners; others are
 * attributes, left out where they are null, undefined or false.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...Child} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/**
 * An element of SVG.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...Child} children
 * @returns {any}
 */
export function s(tag, properties = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function filled(element, properties, children) {
  set(element, properties);
  element.append(...nodes(children));
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

/** Puts these children where the old ones were. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/** A picture of the page's own (see pieces.js). */
export function icon(name, label) {
  const words = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return s("svg", { class: `icon ${name}`, viewBox: "0 0 40 40", ...words },
    s("use", { href: `#${name}` }));
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
  return h("section", { "aria-labelledby": `title-${name}`, class: `panel ${name}` },
    h("h2", { id: `title-${name}` }, title), children);
}

/** Some choices of which one holds, as radio buttons that look like a switch. */
export function choice(legend, name, options, onchoose) {
  const inputs = new Map();
  const labels = options.map(([value, ...label]) => {
    const input = h("input", { type: "radio", name, value, onchange: () => onchoose(value) });
    inputs.set(value, input);
    return h("label", {}, input, h("span", {}, label));
  });
  const node = h("fieldset", { class: "choice" }, h("legend", { class: "unseen" }, legend), labels);
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
  const label = from.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without TLS there is no clipboard but the old one.
    const field = h("textarea", { class: "unseen" }, text);
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    from.focus();
  }
  from.textContent = "Copied";
  setTimeout(() => { from.textContent = label; }, 1500);
}
