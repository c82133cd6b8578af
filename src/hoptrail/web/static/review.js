// The owner's view of feedback: what readers said, and the answers that they saved.

import { get, send } from "./api.js";
import { announce, errorLine, fill, h } from "./dom.js";
import { MARKS } from "./answer.js";
import { language, t } from "./words.js";

const PAGE = 50;

/** Show the feedback of the chosen base. */
export async function showReview(view, site) {
  const path = `bases/${encodeURIComponent(site.base)}`;
  const choice = h("select", { id: "verdict" }, [["", "all"], ["bad", "bad"], ["good", "good"]].map(([value, name]) => h("option", { value }, t(name))));
  const count = h("p", { class: "soft" });
  const list = h("ul", { class: "reviewed" });
  const saved = h("ul", { class: "reviewed" });
  const more = h("p", {});
  const moreSaved = h("p", {});
  choice.addEventListener("change", () => refresh(0));
  view.replaceChildren(h("div", { class: "page" },
    h("h1", {}, t("Feedback")),
    h("div", { class: "search" }, h("label", { for: "verdict" }, t("Show")), choice,
      h("button", { type: "button", onclick: () => download(path) }, t("Export"))),
    count, list, more,
    h("h2", {}, t("Saved answers")), saved, moreSaved));
  await Promise.all([refresh(0), refreshSaved(0)]);

  async function refresh(offset) {
    const found = await get(`${path}/feedback`, { verdict: choice.value, limit: PAGE, offset });
    const { good = 0, bad = 0 } = found.counts;
    const total = Object.values(found.counts).reduce((sum, one) => sum + one, 0);
    count.textContent = total ? `${site.base}: ${t("{0} bad, {1} good, {2} in all. hoptrail eval --from-feedback asks these questions again.", bad, good, total)}` : t("Readers have said nothing yet: thumbs and corrections stand below each answer.");
    if (!offset) list.replaceChildren();
    list.append(...found.feedback.map((one) => entry(one)));
    fill(more, found.more && h("button", { type: "button", onclick: () => refresh(offset + PAGE) }, t("Show more")));
  }

  async function refreshSaved(offset) {
    const found = await get(`${path}/saved`, { limit: PAGE, offset });
    if (!offset) saved.replaceChildren();
    saved.append(...found.saved.map((one) => savedEntry(one)));
    if (!saved.children.length) saved.append(h("li", { class: "soft" }, t("None yet.")));
    fill(moreSaved, found.more && h("button", { type: "button", onclick: () => refreshSaved(offset + PAGE) }, t("Show more")));
  }

  function entry(one) {
    const steps = one.answer.trail;
    return h("li", { class: one.verdict ?? "" },
      h("h3", { dir: "auto" }, one.question),
      h("p", { dir: "auto" }, h("span", { class: "soft" }, t("Answer:"), " "), one.answer.answer),
      one.correction && h("p", { dir: "auto" }, h("span", { class: "soft" }, t("Right:"), " "), h("b", {}, one.correction)),
      one.comment && h("p", { dir: "auto" }, h("span", { class: "soft" }, t("Comment:"), " "), one.comment),
      steps.length > 0 && h("details", {}, h("summary", {}, t("Trail")), h("ol", {}, steps.map((hop) => h("li", {}, `${MARKS[hop.support].sign} ${hop.claim}`)))),
      h("p", { class: "soft" }, `${t(one.verdict ?? "no verdict")} · ${one.reader} · ${day(one.updated)} · ${one.answer.preset} · Hoptrail ${one.versions.hoptrail}`),
      h("p", { class: "buttons" },
        one.correction && button(t("Save the correction for all"), async (place) => {
          await send(`${path}/saved`, { method: "POST", json: { answer: one.answer, text: one.correction, shared: true } });
          place.textContent = t("Saved");
          announce(t("Saved for all."));
          await refreshSaved(0);
        }),
        button(t("Delete"), async (place) => {
          await send(`${path}/feedback/${encodeURIComponent(one.id)}`, { method: "DELETE" });
          remove(place, t("Feedback deleted."));
        })));
  }

  function savedEntry(one) {
    const reasons = [...one.changed.map((id) => t("{0} has changed", id)), ...one.deleted.map((id) => t("{0} was deleted", id))];
    return h("li", { class: one.stands ? "" : "bad" },
      h("h3", { dir: "auto" }, one.question),
      h("p", { dir: "auto" }, one.text),
      h("p", { class: "soft" }, `${one.by} · ${day(one.on)} · ${t(one.shared ? "for all" : "for this reader alone")}`, reasons.length > 0 && ` · ${t("no longer stands: {0}", reasons.join(", "))}`),
      h("p", { class: "buttons" }, button(t("Delete"), async (place) => {
        await send(`${path}/saved/${encodeURIComponent(one.id)}`, { method: "DELETE" });
        remove(place, t("Saved answer deleted."));
      })));
  }
}

function button(name, act) {
  const place = h("button", { type: "button", onclick: async () => {
    try {
      await act(place);
    } catch (error) {
      place.closest("li").append(errorLine(error));
    }
  } }, name);
  return place;
}

/** Take an entry off its list; the keyboard goes on at the next one. */
function remove(place, words) {
  const item = place.closest("li");
  (item.nextElementSibling ?? item.previousElementSibling)?.querySelector("button")?.focus();
  item.remove();
  announce(words);
}

function day(time) {
  return new Date(time).toLocaleDateString(language, { dateStyle: "medium" });
}

async function download(path) {
  const response = await send(`${path}/feedback/export`);
  const url = URL.createObjectURL(await response.blob());
  h("a", { href: url, download: "feedback.jsonl" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
