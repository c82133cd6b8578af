// What a reader says of an answer: thumbs, the right answer, a comment; and the answer that is saved.

import { send } from "./api.js";
import { announce, errorLine, fill, h } from "./dom.js";
import { language, t } from "./words.js";

const THUMB = "M2 10h4v11H2zM8 21h9.5a2 2 0 0 0 2-1.6l1.4-7A2 2 0 0 0 19 10h-5l.8-4.2A2.2 2.2 0 0 0 12.6 3L8 10z";

/** Buttons below an answer; `site.ask(question)` asks again, `given` and `kept` are what was said of it and saved before. */
export function feedbackBar(answer, { base, thread, site, given = null, kept = null }) {
  const path = `bases/${encodeURIComponent(base)}`;
  const told = { verdict: null, correction: "", comment: "", ...given };
  const state = h("span", { class: "kept" });
  const form = h("div", {});
  const good = thumb(t("Good answer"), "good");
  const bad = thumb(t("Bad answer"), "bad");
  const more = h("button", { type: "button", class: "plain", "aria-expanded": "false", onclick: () => (form.firstChild ? close() : open()) }, t("Correct or comment"));
  const isSaved = answer.saved?.stands || kept?.stands;
  const pin = !isSaved && !answer.abstained && h("button", { type: "button", class: "plain", onclick: () => attempt(() => save(null)) }, t("Save this answer"));
  show();
  if (kept?.stands && !answer.saved?.stands) state.append(t("Saved for this question: {0}", kept.text));
  else if (told.correction || told.comment) state.append(t("You wrote: {0}", told.correction || told.comment));
  return h("div", { class: "feedback", role: "group", "aria-label": t("Feedback on this answer") }, h("div", { class: "row" }, good, bad, more, pin, state), form);

  function thumb(label, verdict) {
    return h("button", { type: "button", class: `plain thumb ${verdict}`, "aria-label": label, title: label, onclick: () => attempt(() => judge(verdict)) }, icon());
  }

  function show() {
    good.setAttribute("aria-pressed", String(told.verdict === "good"));
    bad.setAttribute("aria-pressed", String(told.verdict === "bad"));
  }

  async function judge(verdict) {
    if (told.verdict === verdict && (told.correction || told.comment)) {
      if (!form.firstChild) open(); // words are not taken back with a click
    } else if (told.verdict === verdict) {
      await send(`${path}/feedback/${encodeURIComponent(told.id)}`, { method: "DELETE" });
      Object.assign(told, { id: null, verdict: null, correction: "", comment: "" });
      say(t("Taken back."));
    } else {
      await keep({ verdict, correction: verdict === "good" ? "" : told.correction });
      if (verdict === "bad" && !form.firstChild) open();
    }
    show();
  }

  async function keep(changed) {
    const { id, ...words } = { ...told, ...changed };
    const response = await send(`${path}/feedback`, { method: "POST", json: { ...words, answer, thread } });
    Object.assign(told, await response.json());
    say(t("Kept, thank you."));
    show();
  }

  async function save(text, shared = site.about.reviews) {
    await send(`${path}/saved`, { method: "POST", json: { answer, thread, text, shared } });
    say(t("Saved: it answers this question from now on, until a document behind it changes."));
  }

  async function attempt(act) {
    try {
      await act();
    } catch (error) {
      fill(state, errorLine(error));
    }
  }

  function say(words) {
    state.textContent = words;
    announce(words);
  }

  function close() {
    form.replaceChildren();
    more.setAttribute("aria-expanded", "false");
    more.focus();
  }

  function open() {
    more.setAttribute("aria-expanded", "true");
    const correction = h("textarea", { rows: "2", dir: "auto", maxlength: "10000" });
    const comment = h("textarea", { rows: "2", dir: "auto", maxlength: "10000" });
    correction.value = told.correction;
    comment.value = told.comment;
    const saves = h("input", { type: "checkbox" });
    const shares = h("input", { type: "checkbox", checked: true });
    const submit = (event) => {
      event.preventDefault();
      attempt(async () => {
        const right = correction.value.trim();
        if (!right && !comment.value.trim() && !told.verdict) throw { message: t("nothing is said yet"), hint: t("write the right answer or a comment") };
        await keep({ correction: right, comment: comment.value.trim(), verdict: right ? "bad" : told.verdict });
        if (saves.checked) await save(right || null, site.about.reviews && shares.checked);
        close();
      });
    };
    form.replaceChildren(h("form", { onsubmit: submit },
      h("label", {}, t("The right answer"), correction),
      h("label", {}, t("Comment"), comment),
      h("label", { class: "check" }, saves, t("Give this answer to the question from now on")),
      site.about.reviews && site.about.auth === "key" ? h("label", { class: "check" }, shares, t("to all readers")) : "",
      h("p", { class: "buttons" }, h("button", { class: "primary" }, t("Send")), h("button", { type: "button", onclick: close }, t("Cancel")))));
    correction.focus();
  }
}

/** Who saved the answer and when, or why what was saved no longer stands; null where nothing was. */
export function savedLine(answer, base, site) {
  const note = answer.saved;
  if (!note) return null;
  const by = note.by === "local" ? "" : note.by;
  const on = new Date(note.on).toLocaleDateString(language, { dateStyle: "long" });
  if (!note.stands) {
    const reasons = [...note.changed.map((id) => t("{0} has changed", id)), ...note.deleted.map((id) => t("{0} was deleted", id))];
    return h("p", { class: "saved gone" }, t(by ? "The answer saved by {1} on {0} no longer stands: {2}." : "The answer saved on {0} no longer stands: {2}.", on, by, reasons.join(", ")));
  }
  const isOwn = note.by === (site.about.name ?? "local") || site.about.reviews;
  const line = h("p", { class: "saved" }, h("b", {}, t(by ? "Saved by {1} on {0}." : "Saved on {0}.", on, by)),
    note.stated ? ` ${t("The passages below state it.")}`
      : note.corrected && ` ${t("No passage with its words was found, and what stands below is not known to state it.")}`,
    " ",
    h("button", { type: "button", class: "plain", onclick: () => site.ask(answer.standalone_question || answer.question, { saved: false }) }, t("Ask the documents")),
    isOwn && h("button", { type: "button", class: "plain", onclick: async () => {
      try {
        await send(`bases/${encodeURIComponent(base)}/saved/${encodeURIComponent(note.id)}`, { method: "DELETE" });
        line.replaceChildren(t("No longer saved: the documents answer from now on."));
        announce(line.textContent);
      } catch (error) {
        line.append(errorLine(error));
      }
    } }, t("Take back")));
  return line;
}

function icon() {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", THUMB);
  svg.append(path);
  return svg;
}
