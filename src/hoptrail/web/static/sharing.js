// A conversation that its owner shares by a link: the link, and what others see of it.

import { answerView } from "./answer.js";
import { get, send } from "./api.js";
import { announce, copyText, errorLine, fill, h } from "./dom.js";
import { language, t } from "./words.js";

const day = (time) => new Date(time).toLocaleDateString(language, { dateStyle: "long" });

/** Ask whether a conversation is to be shared; show its link, and end it. */
export async function shareThread(thread) {
  const path = `threads/${encodeURIComponent(thread.id)}/share`;
  const place = h("div", {});
  const dialog = h("dialog", { class: "question", "aria-label": t("Share the conversation"), onclose: () => dialog.remove() },
    h("h2", {}, t("Share the conversation")), place);
  const close = h("button", { type: "button", onclick: () => dialog.close() }, t("Close"));
  const attempt = async (act) => {
    try {
      await act();
    } catch (error) {
      place.append(errorLine(error));
    }
  };
  const show = ({ share }) => {
    if (share) showLink(share);
    else showNone();
    place.querySelector("input, button.primary").focus();
  };
  const showNone = () => fill(place,
    h("p", {}, t("Whoever may use this server and has the link can read it for {0} days, also what is asked in it later. Keys that see only some documents cannot, unless they see the same ones.", 30)),
    h("p", { class: "buttons" }, close,
      h("button", { type: "button", class: "primary", onclick: () => attempt(async () => show(await (await send(path, { method: "POST", json: {} })).json())) }, t("Make a link"))));
  const showLink = ({ token, expires }) => {
    const address = new URL(`#/shared/${token}`, document.baseURI).href;
    fill(place,
      h("p", {}, t("This link can be read until {0}.", day(expires))),
      h("input", { type: "text", readonly: true, value: address, "aria-label": t("Link"), onfocus: (event) => event.target.select() }),
      h("p", { class: "buttons" },
        h("button", { type: "button", class: "danger", onclick: () => attempt(async () => {
          await send(path, { method: "DELETE" });
          announce(t("It is not shared any more."));
          show({ share: null });
        }) }, t("Stop sharing")),
        close,
        h("button", { type: "button", class: "primary", onclick: (event) => {
          const { target } = event;
          copyText(address).then(() => { target.textContent = t("Copied"); });
        } }, t("Copy the link"))));
  };
  const known = await get(path);
  document.body.append(dialog);
  dialog.showModal();
  show(known);
}

/** Show a conversation by its link: it can be read, not gone on with. */
export async function showShared(view, site, token) {
  let shared;
  try {
    shared = await get(`shared/${encodeURIComponent(token)}`);
  } catch (error) {
    if (error.code !== "unknown_name") throw error;
    throw { message: t("This link shows nothing"), hint: t("it has ended, or it tells of documents that your key may not see") };
  }
  site.nameView(shared.title);
  const open = (place) => site.open(shared.base, place);
  const answers = await Promise.all(shared.turns.map((turn) => answerView(turn.answer, open)));
  view.replaceChildren(h("div", { class: "log" },
    h("h1", { dir: "auto" }, shared.title),
    h("p", { class: "soft" }, t("A conversation that somebody shared, to be read until {0}.", day(shared.expires))),
    shared.turns.length ? "" : h("p", {}, t("Nothing was answered here yet.")),
    ...shared.turns.map((turn, number) => h("article", { class: "turn" }, h("h2", { dir: "auto" }, turn.question), answers[number]))));
}
