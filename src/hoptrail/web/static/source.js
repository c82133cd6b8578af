// A document at its quote: in a panel beside the conversation, over it on a narrow screen.

import { get } from "./api.js";
import { errorLine, h } from "./dom.js";
import { quotedPages, withUnsure } from "./scan.js";
import { blocks, isStructured } from "./structure.js";
import { language, t } from "./words.js";

const WINDOW = 40000;
const NARROW = matchMedia("(max-width: 63.99rem)");

/** Open a document at the characters `start` to `end`; both may be left out. */
export async function openSource(base, place) {
  const panel = document.getElementById("source");
  const from = document.activeElement;
  if (panel.open) panel.close();
  // An entry of its own: "back" closes the panel, and does not leave the conversation.
  if (!history.state?.isSource) history.pushState({ isSource: true }, "");
  panel.replaceChildren(head(place.id, base, place), h("p", { class: "soft" }, t("Opening the document")));
  if (NARROW.matches) panel.showModal();
  else panel.show();
  panel.onclose = () => {
    if (from?.isConnected) from.focus();
  };
  panel.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    closeSource();
  };
  try {
    await fill(panel, base, place, { start: place.start, end: place.end });
  } catch (error) {
    panel.lastElementChild.replaceWith(errorLine(error));
  }
}

function head(title, base, place) {
  return h("div", { class: "head" },
    h("h2", { id: "source-title", tabindex: "-1", dir: "auto" }, title),
    h("a", { class: "button full-width", href: documentLink(base, place) }, t("Full width")),
    h("button", { type: "button", class: "plain", onclick: closeSource }, t("Close")));
}

function closeSource() {
  document.getElementById("source").close();
  if (history.state?.isSource) history.back();
}

addEventListener("popstate", () => {
  const panel = document.getElementById("source");
  if (panel.open && !history.state?.isSource) panel.close();
});

/** The address of a document at a quote, as answers given to other programs use it. */
export function documentLink(base, { id, start, end }) {
  const query = new URLSearchParams({ kb: base, id });
  if (start !== undefined && start !== null) query.set("start", start);
  if (end !== undefined && end !== null) query.set("end", end);
  return `#/document?${query}`;
}

async function fill(panel, base, place, around) {
  const view = await documentView(base, place.id, around);
  panel.replaceChildren(head(view.title, base, place), view.element);
  view.reveal();
}

/** Show a document as the main view. */
export async function showDocument(view, base, place) {
  const shown = await documentView(base, place.id, { start: place.start, end: place.end });
  view.replaceChildren(h("div", { class: "page document" }, h("h1", { dir: "auto" }, shown.title), shown.element));
  shown.reveal();
}

async function documentView(base, id, around) {
  const found = await get(`bases/${encodeURIComponent(base)}/document`, { id, ...around, length: WINDOW });
  const kind = isStructured(id) ? "document-text structured" : "document-text";
  const text = h("div", { class: kind, tabindex: "0", role: "region", "aria-label": t("Text of the document") }, ...marked(found, id));
  const first = text.firstElementChild;
  // The title stands above the text already.
  if (/^h\d$/.test(first?.localName) && first.textContent.trim() === found.title && !first.querySelector("mark")) first.hidden = true;
  const element = h("div", { class: "document-body" },
    h("p", { class: "soft" }, found.title === id ? found.source : id, found.highlight?.place ? ` · ${found.highlight.place}` : ""),
    windowNote(found),
    ...quotedPages(base, id, found.pages ?? []),
    text);
  const more = windowButtons(found);
  element.append(more);
  return { title: found.title || id, element, reveal };

  function reveal() {
    const quote = text.querySelector("mark");
    const framed = element.querySelector(".scan polygon");
    if (framed) framed.scrollIntoView({ block: "center" });
    else if (quote) quote.scrollIntoView({ block: "center" });
    else text.closest("main, #source").scrollTo(0, 0); // the title stands above the text
    (quote ?? text).focus({ preventScroll: true });
  }

  function windowButtons(shown) {
    const end = shown.offset + Array.from(shown.text).length;
    const go = (middle) => async () => {
      const next = await documentView(base, id, { around: Math.round(middle) });
      element.replaceWith(next.element);
      next.reveal();
    };
    return h("p", { class: "buttons" },
      shown.offset > 0 && h("button", { type: "button", onclick: go(shown.offset - WINDOW / 2) }, t("Earlier text")),
      end < shown.total && h("button", { type: "button", onclick: go(end + WINDOW / 2) }, t("Later text")));
  }
}

function windowNote(found) {
  const end = found.offset + Array.from(found.text).length;
  if (found.offset === 0 && end >= found.total) return null;
  const number = (value) => value.toLocaleString(language);
  return h("p", { class: "soft" }, t("Characters {0} to {1} of {2}.", number(found.offset), number(end), number(found.total)));
}

/** The text with its places as small headings and the quote highlighted; offsets are code points. */
function marked({ text, offset, places, highlight, unsure }, id) {
  const points = Array.from(text);
  let told = -1; // up to where places are named
  const nameAt = (cut) => {
    const name = places.findLast(([start]) => start > told && start <= cut)?.[1];
    told = cut;
    return name && h("span", { class: "place-name" }, name);
  };
  /** The nodes of the characters between two places of the text that is shown. */
  const pieces = (from, to) => {
    const [start, end] = [offset + from, offset + to];
    const edges = [...places.map(([place]) => place), highlight?.start, highlight?.end];
    const cuts = new Set([start, ...edges.filter((edge) => edge > start && edge < end), end]);
    const order = [...cuts].sort((one, other) => one - other);
    return order.slice(0, -1).flatMap((cut, number) => {
      const piece = points.slice(cut - offset, order[number + 1] - offset).join("");
      const isQuote = highlight && cut >= highlight.start && cut < highlight.end;
      return [nameAt(cut), isQuote ? h("mark", { tabindex: "-1" }, ...withUnsure(piece, cut, unsure)) : withUnsure(piece, cut, unsure)].flat().filter(Boolean);
    });
  };
  return isStructured(id) ? blocks(points, pieces) : pieces(0, points.length);
}
