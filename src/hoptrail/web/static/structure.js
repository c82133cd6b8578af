// The text of a document with its headings and lists as such. What a document holds becomes text
// nodes and never markup; of the text only the marks of headings and lists are not shown.

import { h } from "./dom.js";

const HEADING = /^(#{1,6}) +/;
const ITEM = /^( {0,8})(?:[-*+]|(\d{1,4})[.)]) +/;
// Formats whose reader writes headings and lists in this way; in others a "#" is a "#".
const STRUCTURED = /\.(md|markdown|rst|html?|xhtml|docx|odt|pptx|epub|ipynb|pdf|eml)(?:$|[#/?])/i;

/** Whether the marks of headings and lists in a document are such. */
export function isStructured(id) {
  return STRUCTURED.test(id) || /^https?:/.test(id);
}

/**
 * Elements of lines; `pieces(from, to)` gives the nodes of the characters between two places of
 * `points`, the code points of the text.
 */
export function blocks(points, pieces) {
  const found = [];
  let from = 0;
  while (from < points.length) {
    let to = points.indexOf("\n", from);
    if (to < 0) to = points.length;
    const line = points.slice(from, to).join("");
    if (line.trim()) found.push(block(line, from, to, pieces));
    from = to + 1;
  }
  return grouped(found);
}

function block(line, from, to, pieces) {
  const heading = HEADING.exec(line);
  if (heading) {
    // The document stands below the page's own headings.
    const level = Math.min(heading[1].length + 2, 6);
    return h(`h${level}`, {}, ...pieces(from + heading[0].length, to));
  }
  const item = ITEM.exec(line);
  if (item) {
    const attributes = item[2] ? { value: item[2], "data-list": "ol" } : { "data-list": "ul" };
    return h("li", { ...attributes, class: `deep-${Math.min(item[1].length >> 1, 4)}` }, ...pieces(from + item[0].length, to));
  }
  return h("p", {}, ...pieces(from, to));
}

/** Items that follow each other stand in one list. */
function grouped(elements) {
  const shown = [];
  for (const element of elements) {
    const kind = element.dataset.list;
    if (!kind) {
      shown.push(element);
      continue;
    }
    if (shown.at(-1)?.localName !== kind) shown.push(h(kind, {}));
    shown.at(-1).append(element);
  }
  return shown;
}
