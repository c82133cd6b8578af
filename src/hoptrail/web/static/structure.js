// Text with its headings, lists and tables as such. What a document or a model wrote becomes text
// nodes and never markup; of the text only the marks of headings, lists and tables are not shown.

import { h } from "./dom.js";
import { t } from "./words.js";

const HEADING = /^(#{1,6}) +/;
const ITEM = /^( {0,8})(?:[-*+]|(\d{1,4})[.)]) +/;
const ROW = /^\s*\|.*\|\s*$/;
const FENCE = /^\s*(?:```|~~~)/;
const OWN_LINE = /^(?: {4}|\t|>|\s*$)/; // code, a quoted mail, or nothing: never the rest of a line before
const HARD_BREAK = /(?: {2}|\\)$/;
const FEWEST_WIDTH = 40; // characters of the longest line of a paragraph that was broken for want of room
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
  for (const { line, from, to, isFilled } of joined(linesOf(points))) {
    if (ROW.test(line)) found.push(row(points, from, to, pieces, RULE.test(line)));
    else if (line.trim()) found.push(block(line, from, to, pieces, top, isFilled));
  }
  return grouped(found);
}

function linesOf(points) {
  const lines = [];
  for (let from = 0; from < points.length;) {
    let to = points.indexOf("\n", from);
    if (to < 0) to = points.length;
    lines.push({ line: points.slice(from, to).join(""), from, to });
    from = to + 1;
  }
  return lines;
}

/** The lines, with those that a writer broke for want of room alone put together again. */
function joined(lines) {
  const found = [];
  let isCode = false;
  for (let at = 0; at < lines.length;) {
    if (FENCE.test(lines[at].line)) isCode = !isCode;
    let after = at + 1;
    if (!isCode && canGoOn(lines[at].line)) while (after < lines.length && goesOn(lines[after].line)) after += 1;
    const run = lines.slice(at, after);
    const width = Math.max(...run.map(({ line }) => line.trimEnd().length));
    for (const [place, one] of run.entries()) {
      const before = run[place - 1]?.line;
      if (place > 0 && isBroken(before, one.line, width)) found.push({ ...found.pop(), to: one.to, isFilled: true });
      else found.push({ ...one });
    }
    at = after;
  }
  return found;
}

function canGoOn(line) {
  return !HEADING.test(line) && !ROW.test(line) && !OWN_LINE.test(line) && !FENCE.test(line);
}

function goesOn(line) {
  return canGoOn(line) && !ITEM.test(line);
}

/** Whether a line ends where the next one's first word had no room on it. */
function isBroken(line, next, width) {
  const [word] = next.trim().split(/\s/, 1);
  return width >= FEWEST_WIDTH && !HARD_BREAK.test(line) && line.trimEnd().length + 1 + word.length > width;
}

function block(line, from, to, pieces, top, isFilled) {
  const heading = HEADING.exec(line);
  if (heading) {
    // The text stands below the page's own headings.
    const level = Math.min(heading[1].length - top + 3, 6);
    return h(`h${level}`, { dir: "auto" }, ...pieces(from + heading[0].length, to));
  }
  const item = ITEM.exec(line);
  if (item) {
    const attributes = item[2] ? { value: item[2], "data-group": "ol" } : { "data-group": "ul" };
    return h("li", { ...attributes, class: `deep-${Math.min(item[1].length >> 1, 4)}${isFilled ? " filled" : ""}` }, ...pieces(from + item[0].length, to));
  }
  return h("p", { dir: "auto", class: isFilled ? "filled" : null }, ...pieces(from, to));
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
  return h("div", { class: "table", tabindex: "0", role: "region", "aria-label": t("Table") }, rows);
}
