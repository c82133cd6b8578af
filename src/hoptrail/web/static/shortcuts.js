// Keys that do what a click does, and the overlay that lists them.

import { h } from "./dom.js";
import { t } from "./words.js";

const OFF = "hoptrail-keys-off";
const TYPED_IN = "input, textarea, select, [contenteditable]";

/** Listen for keys; `site` is what the whole page shares. */
export function listenForKeys(site) {
  const keys = new Map([
    ["/", ["write a question, or search", () => focusOn("#question, main input[type=search]") || go("#/")]],
    ["n", ["begin a new conversation", () => go("#/")]],
    ["j", ["go to the next answer", () => step(1)]],
    ["k", ["go to the answer before", () => step(-1)]],
    ["o", ["open the first quote of that answer", () => present()?.querySelector(".quote")?.click()]],
    ["c", ["copy that answer with its citations", () => present()?.querySelector(".figures > .plain")?.click()]],
    ["b", ["browse", () => go("#/browse")]],
    ["d", ["see the documents", () => go("#/documents")]],
  ]);
  if (site.about.reviews) keys.set("f", ["see the feedback", () => go("#/review")]);
  keys.set("?", ["show these keys", () => showKeys(keys)]);
  addEventListener("keydown", (event) => {
    const found = keys.get(event.key);
    if (!found || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPED_IN) || document.querySelector("dialog:modal")) return;
    // Who speaks to the machine, or touches keys by chance, can turn them off; the list stays open to all.
    if (localStorage.getItem(OFF) && event.key !== "?") return;
    event.preventDefault();
    found[1]();
  });
  document.getElementById("keys").addEventListener("click", () => showKeys(keys));
}

function go(address) {
  if (location.hash !== address) location.hash = address;
  else focusOn("#question");
}

function focusOn(selector) {
  const field = document.querySelector(selector);
  field?.focus();
  return Boolean(field);
}

/** The answer that the keys are at: the focused one, else the last. */
function present() {
  return document.activeElement.closest(".turn") ?? document.querySelector(".turn:last-of-type");
}

function step(by) {
  const turns = [...document.querySelectorAll(".turn")];
  const at = turns.indexOf(document.activeElement.closest(".turn"));
  const next = at < 0 ? turns.at(-1) : turns[at + by];
  if (!next) return;
  next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({ block: "start" });
}

function showKeys(keys) {
  const on = h("input", { type: "checkbox", checked: !localStorage.getItem(OFF), onchange: () => {
    if (on.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "yes");
  } });
  const dialog = h("dialog", { class: "question keys", "aria-label": t("Keys"), onclose: () => dialog.remove() },
    h("form", { method: "dialog" },
      h("h2", {}, t("Keys")),
      h("dl", {}, [...keys].flatMap(([key, [does]]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(does))])),
      h("p", { class: "soft" }, t("They work while you are not writing. Enter asks, Shift+Enter begins a line, Escape closes what is open.")),
      h("label", { class: "check" }, on, t("Use single keys")),
      h("p", { class: "buttons" }, h("button", { class: "primary" }, t("Close")))));
  document.body.append(dialog);
  dialog.showModal();
}
