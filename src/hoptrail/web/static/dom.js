// Elements of the page. Text goes in as text nodes only, so nothing of a document becomes markup.

import { language, t } from "./words.js";

/** Make an element: attributes by name, `onclick` and the like as listeners, then its children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...shown(children));
  return element;
}

/** Put children in place of those that an element has; null and false are left out, as in `h`. */
export function fill(element, ...children) {
  element.replaceChildren(...shown(children));
}

function shown(children) {
  return children.flat().filter((child) => child !== null && child !== undefined && child !== false);
}

/** Say something to a screen reader without moving the focus. */
export function announce(text) {
  document.getElementById("status").textContent = text;
}

/** An error in one line, with what to do next. */
export function errorLine(error) {
  const hint = error.hint ? ` (${error.hint})` : "";
  return h("p", { class: "notice error", role: "alert" }, `${error.message}${hint}`);
}

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export function counted(number, things) {
  const english = things.endsWith("ies") ? `${things.slice(0, -3)}y` : things.replace(/s$/, "");
  const [one, many = one] = language === "en" ? [english, things] : t(things).split("|");
  return `${number.toLocaleString(language)} ${number === 1 ? one : many}`;
}

/** Ask in a dialog; gives the text of `input`, or "" where there is none, and null when cancelled. */
export function askUser(title, verb, { input = null, type = "text", note = "", danger = false } = {}) {
  return new Promise((resolve) => {
    const field = input === null ? null : h("input", { type, value: input, dir: "auto", "aria-label": title, required: true, autocomplete: "off" });
    const dialog = h("dialog", { class: "question", "aria-label": title },
      h("form", { method: "dialog" },
        h("h2", {}, title),
        note && h("p", {}, note),
        field,
        h("p", { class: "buttons" },
          h("button", { type: "button", onclick: () => dialog.close() }, t("Cancel")),
          h("button", { value: "yes", class: danger ? "danger" : "primary" }, verb))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? (field ? field.value.trim() : "") : null);
    });
    document.body.append(dialog);
    dialog.showModal();
    field?.select();
  });
}

/** Copy a text; pages that are not on loopback and not on HTTPS have no clipboard API. */
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = h("textarea", { class: "unseen", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
