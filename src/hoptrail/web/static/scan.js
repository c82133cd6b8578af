// Pages that were read from pictures: the picture, the quoted words framed on it.

import { send } from "./api.js";
import { h } from "./dom.js";
import { t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** The pages that show a quote; each picture comes when it is there. */
export function quotedPages(base, id, pages) {
  return pages.map((page) => {
    const figure = h("figure", { class: "scan" },
      h("figcaption", { class: "soft" }, t("{0} as it was scanned; the words of the quote are framed.", page.place || t("The picture"))),
      h("div", { class: "scan-page" }, frames(page)));
    draw(figure.querySelector(".scan-page"), base, id, page);
    return figure;
  });
}

async function draw(place, base, id, page) {
  place.style.aspectRatio = `${page.width} / ${page.height}`;
  try {
    const response = await send(`bases/${encodeURIComponent(base)}/picture`, { query: { id, number: String(page.number) } });
    const picture = await createImageBitmap(await response.blob());
    const canvas = h("canvas", { width: picture.width, height: picture.height, role: "img", "aria-label": page.place || t("The picture") });
    canvas.getContext("2d").drawImage(picture, 0, 0);
    place.prepend(canvas);
    place.classList.add("shown");
  } catch (error) {
    place.replaceWith(h("p", { class: "soft" }, t("The picture cannot be shown: {0}", error.message)));
  }
}

/** The frames of words, a dashed one where the word may have been misread. */
function frames(page) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", `0 0 ${page.width} ${page.height}`);
  drawing.setAttribute("aria-hidden", "true");
  for (const word of page.words) {
    const frame = document.createElementNS(SVG, "polygon");
    const corners = [0, 2, 4, 6].map((at) => `${word.box[at]},${word.box[at + 1]}`);
    frame.setAttribute("points", corners.join(" "));
    frame.setAttribute("class", word.unsure ? "word unsure" : "word");
    drawing.append(frame);
  }
  return drawing;
}

/** Pieces of a text that begins at a character of its document, words that may be misread marked. */
export function withUnsure(text, start, unsure = []) {
  const points = Array.from(text);
  const own = unsure.filter(([begin, end]) => end > start && begin < start + points.length);
  const nodes = [];
  let at = 0;
  for (const [begin, end] of own) {
    const [from, to] = [Math.max(at, begin - start), Math.min(points.length, end - start)];
    if (from > at) nodes.push(points.slice(at, from).join(""));
    if (to > from) nodes.push(h("span", { class: "unsure", title: t("may have been misread in the picture") }, points.slice(from, to).join("")));
    at = Math.max(at, to);
  }
  nodes.push(points.slice(at).join(""));
  return nodes;
}
