// Text with its headings, lists and tables as such. What a document or a model wrote becomes text
// nodes and never markup; of the text only the marks of headings, lists and tables are not shown.

import { h } from "./dom.js";

const HEADING = /^(#{1,6}) +/;
const ITEM = /^( {0,8})(?:[-*+]|(\d{1,4})[.)]) +/;
const ROW = /^\s*\|.*\|\s*$/;
const RULE = /^[\s|:-]*-[\s|:-]*$/; // the line between the head of a table and its rows
// Formats whose reader writes headings and lists in this way; in others a "#" is a "#".
const STRUCTURED = /\.(md|markdown|rst|html?|xhtml|docx|odt|pptx|epub|ipynb|pdf|eml)(?:$|[#/?])/i;

/** Whether the marks of headings, lists and tables in a document are such. */
export function isStructured(id) {
  return STRUCTURED.test(id) || /^https?:/.test(id);
}

/**
 * Elements of lines; `pieces(from, to)` gives the nodes of the characters between two places of
 * `points`, the code points of the text.
 */
export function blocks(points, pieces) {
  const found = [];
  const top = Math.min(...(points.join("").match(/^#{1,6}(?= )/gm) ?? []).map((marks) => marks.length));
  let from = 0;
  while (from < points.length) {
    let to = points.indexOf("\n", from);
    if (to < 0) to = points.length;
    const line = points.slice(from, to).join("");
    if (ROW.test(line)) found.push(row(points, from, to, pieces, RULE.test(line)));
    else if (line.trim()) found.push(block(line, from, to, pieces, top));
    from = to + 1;
  }
  return grouped(found);
}

function block(line, from, to, pieces, top) {
  const heading = HEADING.exec(line);
  if (heading) {
    // The text stands below the page's own headings.
    const level = Math.min(heading[1].length - top + 3, 6);
    return h(`h${level}`, { dir: "auto" }, ...pieces(from + heading[0].length, to));
  }
  const item = ITEM.exec(line);
  if (item) {
    const attributes = item[2] ? { value: item[2], "data-group": "ol" } : { "data-group": "ul" };
    return h("li", { ...attributes, class: `deep-${Math.min(item[1].length >> 1, 4)}` }, ...pieces(from + item[0].length, to));
  }
  return h("p", { dir: "auto" }, ...pieces(from, to));
}

/** A line of a table: its cells stand between bars, of which a backslash makes none. */
function row(points, from, to, pieces, isRule) {
  const bars = [];
  for (let place = from; place < to; place++) {
    if (points[place] === "|" && points[place - 1] !== "\\") bars.push(place);
  }
  const cells = isRule ? [] : bars.slice(1).map((bar, number) => h("td", { dir: "auto" }, ...pieces(bars[number] + 1, bar)));
  return h("tr", { "data-group": "table", hidden: isRule }, cells);
}

/** Items that follow each other stand in one list, rows in one table. */
function grouped(elements) {
  const shown = [];
  for (const element of elements) {
    const group = element.dataset.group;
    if (!group) {
      shown.push(element);
      continue;
    }
    if (shown.at(-1)?.localName !== group) shown.push(h(group, { dir: "auto" }));
    shown.at(-1).append(element);
  }
  return shown.map((element) => (element.localName === "table" ? table(element) : element));
}

/** A table whose first row is its head where a rule follows it; a wide one is scrolled by itself. */
function table(rows) {
  const [first, rule] = rows.rows;
  if (rule?.hidden) {
    first.replaceChildren(...[...first.cells].map((cell) => h("th", { scope: "col", dir: "auto" }, ...cell.childNodes)));
  }
  for (const one of [...rows.rows]) if (one.hidden) one.remove();
  return h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Table" }, rows);
}
