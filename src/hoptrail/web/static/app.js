// The page: what there is to ask, which view the address names, and what all views share.

import { get, setKey } from "./api.js";
import { showBrowse, showEntity } from "./browse.js";
import { showConversation } from "./conversation.js";
import { showDocuments } from "./documents.js";
import { askUser, errorLine, h } from "./dom.js";
import { showReview } from "./review.js";
import { listenForKeys } from "./shortcuts.js";
import { openSource, showDocument } from "./source.js";
import { showThreads } from "./threads.js";
import { t } from "./words.js";

const BASE = "hoptrail-base";
const PRESET = "hoptrail-preset";
const main = document.getElementById("main");
const baseChoice = document.getElementById("base");

const site = {
  about: null,
  base: null,
  preset: null,
  thread: null,
  open: openSource,
  ask: null, // asks a question in the conversation that is shown
  entityLink: (base, id) => `#/entity?${new URLSearchParams({ kb: base, id })}`,
  graphLink: (base, id) => `#/graph?${new URLSearchParams({ kb: base, id })}`,
  refreshThreads: () => showThreads(document.getElementById("threads"), site),
  browse: null, // the address of the last search for entities
  replaceAddress: (hash) => history.replaceState(null, "", hash),
  nameView: (name) => { document.title = `${name} · Hoptrail`; },
  rememberPreset(name) {
    site.preset = name;
    localStorage.setItem(PRESET, name);
  },
  /** The thread that a first question began: it gets its address, the view stays. */
  adoptThread(id) {
    site.thread = id;
    site.replaceAddress(`#/thread/${encodeURIComponent(id)}`);
  },
  chooseBase(name) {
    if (site.base === name) return;
    site.base = name;
    baseChoice.value = name;
    localStorage.setItem(BASE, name);
    site.refreshThreads();
  },
};

async function start() {
  try {
    site.about = await signedIn();
  } catch (error) {
    main.replaceChildren(h("div", { class: "page" }, errorLine(error)));
    return;
  }
  const names = site.about.bases.map((one) => one.name);
  const presets = site.about.presets.map((one) => one.name);
  baseChoice.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
  baseChoice.closest("label").hidden = names.length < 2;
  site.base = [localStorage.getItem(BASE), site.about.default_base].find((name) => names.includes(name)) ?? names[0] ?? null;
  site.preset = [localStorage.getItem(PRESET), site.about.default_preset].find((name) => presets.includes(name)) ?? presets[0];
  baseChoice.value = site.base ?? "";
  document.getElementById("about").textContent = `Hoptrail ${site.about.version}`;
  document.querySelector('[data-view="review"]').closest("li").hidden = !site.about.reviews || !names.length;
  site.refreshThreads();
  listenForKeys(site);
  addEventListener("hashchange", async () => {
    await show();
    // The keyboard goes on in what is shown now, not in the list of links before it.
    if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
  });
  await show();
}

/** Ask for a key where one is needed, until one is known. */
async function signedIn() {
  const root = "../v1"; // the address of the API without a slash at its end
  let about = await get(root);
  let note = t("Whoever runs it gave you one. It is kept until this tab is closed.");
  while (!about.has_access) {
    const key = await askUser(t("This server asks for your key"), t("Enter"), { input: "", type: "password", note });
    if (key === null) throw { message: t("without a key nothing is shown"), hint: t("load the page again to enter it") };
    setKey(key);
    note = t("That key is not known here. Enter it again, or ask whoever runs the server.");
    about = await get(root);
  }
  return about;
}

/** Show what the address names. */
async function show() {
  const [path, query = ""] = (location.hash.slice(1) || "/").split(/\?(.*)/s);
  const asked = new URLSearchParams(query);
  const [, view, id] = path.split("/");
  const number = (name) => (asked.has(name) ? Number(asked.get(name)) : undefined);
  const base = asked.get("kb");
  if (base && site.about.bases.some((one) => one.name === base)) site.chooseBase(base);
  site.thread = view === "thread" ? decodeURIComponent(id ?? "") : null;
  const source = document.getElementById("source");
  if (source.open) source.close();
  markView(view);
  site.refreshThreads();
  // Each view fills a place of its own: one that comes late fills none that is shown.
  const place = h("div", { class: "view" });
  main.replaceChildren(place);
  try {
    if (view === "browse") await showBrowse(place, site, asked.get("q") ?? "");
    else if (view === "entity") await showEntity(place, site, base ?? site.base, asked.get("id") ?? "");
    else if (view === "graph") await (await import("./graph_view.js")).showGraph(place, site, base ?? site.base, asked.get("id") ?? "");
    else if (view === "shared") await (await import("./sharing.js")).showShared(place, site, decodeURIComponent(id ?? ""));
    else if (view === "review") await showReview(place, site);
    else if (view === "documents") await showDocuments(place, site);
    else if (view === "document") await showDocument(place, base ?? site.base, { id: asked.get("id") ?? "", start: number("start"), end: number("end") });
    else await showConversation(place, site, site.thread);
  } catch (error) {
    place.replaceChildren(h("div", { class: "page" }, h("h1", {}, t("Nothing to show")), errorLine(error)));
  }
}

function markView(view) {
  const shown = { browse: "browse", entity: "browse", graph: "browse", documents: "documents", document: "documents", review: "review" }[view] ?? "ask";
  const name = document.querySelector(`[data-view="${shown}"]`).textContent;
  document.title = shown === "ask" ? "Hoptrail" : `${name} · Hoptrail`;
  for (const link of document.querySelectorAll("[data-view]")) {
    if (link.dataset.view === shown) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

baseChoice.addEventListener("change", () => {
  site.chooseBase(baseChoice.value);
  showMenu(false);
  const view = /^#\/(browse|documents|review)/.test(location.hash) ? null : "#/";
  if (view === null || location.hash === view || !location.hash) show();
  else location.hash = view;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !document.body.classList.contains("menu")) return;
  document.getElementById("menu").click();
  document.getElementById("menu").focus();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
const theme = document.getElementById("theme");
theme.value = localStorage.getItem(THEME) ?? "auto";
theme.addEventListener("change", () => {
  localStorage.setItem(THEME, theme.value);
  applyTheme(theme.value);
});
start();
