// The list of conversations: open, rename, export, delete.

import { get, send } from "./api.js";
import { askUser, errorLine, fill, h } from "./dom.js";
import { t } from "./words.js";

const PAGE = 30;
let newest = 0; // how often the list was asked for: an earlier reply that comes late is not shown

/** Show the conversations of the chosen base, the latest first, the open one marked. */
export async function showThreads(list, site, shown = PAGE) {
  const asked = ++newest;
  let found;
  try {
    found = site.base ? await get("threads", { base: site.base, limit: shown }) : { threads: [], more: false };
  } catch (error) {
    if (asked === newest) list.replaceChildren(errorLine(error));
    return;
  }
  if (asked !== newest) return;
  fill(list,
    h("div", { class: "threads-head" }, h("h2", {}, t("Conversations")), h("a", { class: "button", href: "#/" }, t("New"))),
    found.threads.length
      ? h("ul", {}, found.threads.map((thread) => item(thread, site)))
      : h("p", { class: "soft" }, t("They are kept here once you have asked.")),
    found.more && h("button", { type: "button", class: "plain", onclick: () => showThreads(list, site, shown + PAGE) }, t("Show more")));
}

function item(thread, site) {
  const actions = h("details", { class: "actions" },
    h("summary", { "aria-label": t("Actions for: {0}", thread.title) }, "⋯"),
    h("div", {},
      action(t("Rename"), () => rename(thread, site)),
      action(t("Export"), () => exportThread(thread)),
      action(t("Share"), async () => (await import("./sharing.js")).shareThread(thread)),
      thread.id === site.thread && action(t("Print"), () => window.print()),
      action(t("Delete"), () => remove(thread, site, actions.closest("li")))));
  actions.addEventListener("focusout", (event) => {
    if (!actions.contains(event.relatedTarget)) actions.open = false;
  });
  return h("li", {},
    h("a", { href: linkTo(thread), "aria-current": thread.id === site.thread ? "page" : null, title: thread.title, dir: "auto" }, thread.title || t("Untitled")),
    actions);

  function action(name, act) {
    return h("button", { type: "button", class: "plain", onclick: async () => {
      actions.open = false;
      try {
        await act();
      } catch (error) {
        actions.closest("li").append(errorLine(error));
      }
    } }, name);
  }
}

async function rename(thread, site) {
  const title = await askUser(t("Rename the conversation"), t("Rename"), { input: thread.title });
  if (!title) return;
  const renamed = await (await send(path(thread), { method: "PATCH", json: { title } })).json();
  if (site.thread === thread.id) site.nameView(renamed.title);
  await site.refreshThreads();
  focusOn(linkTo(thread));
}

async function exportThread(thread) {
  const response = await send(`${path(thread)}/export`, { query: { format: "markdown" } });
  const url = URL.createObjectURL(await response.blob());
  h("a", { href: url, download: `${thread.title.replace(/[^\p{L}\p{N} _-]/gu, "").slice(0, 60).trim() || "conversation"}.md` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

async function remove(thread, site, row) {
  const note = t("“{0}” will be gone for good.", thread.title);
  if (await askUser(t("Delete the conversation?"), t("Delete"), { note, danger: true }) === null) return;
  await send(path(thread), { method: "DELETE" });
  row.remove();
  if (site.thread === thread.id) location.hash = "#/";
  else {
    await site.refreshThreads();
    focusOn("#/");
  }
}

/** The list was made anew: the keyboard goes on at a link of it, where its menu is open. */
function focusOn(address) {
  document.querySelector(`#threads a[href="${CSS.escape(address)}"]`)?.focus();
}

function linkTo(thread) {
  return `#/thread/${encodeURIComponent(thread.id)}`;
}

function path(thread) {
  return `threads/${encodeURIComponent(thread.id)}`;
}
