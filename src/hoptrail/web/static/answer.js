// An answer on the page: its text, its trail drawn and in steps, what it cost, and as Markdown.

import { drawing } from "./api.js";
import { announce, copyText, counted, h, pause } from "./dom.js";
import { filterInWords } from "./filter.js";
import { withUnsure } from "./scan.js";
import { blocks } from "./structure.js";
import { language, t } from "./words.js";

export const MARKS = {
  stated: { sign: "✓", words: t("stated") },
  partly: { sign: "~", words: t("partly stated") },
  none: { sign: "✗", words: t("not found") },
};
const STOPS = {
  budget_calls: t("the limit of model calls was reached"),
  budget_tokens: t("the token limit was reached"),
  budget_rounds: t("the limit of retrieval rounds was reached"),
  budget_seconds: t("the time limit was reached"),
  model_unavailable: t("the language model could not be used"),
  error: t("a step failed"),
};
const COUNTS_ESTIMATED = "counts tokens that cannot be: estimated"; // said by "about" before the count
const PROSE = 160; // characters from which an answer is read and no longer seen at a glance
const LONG = 3000;
const EMPHASIS = /(\*\*\S(?:.*?\S)?\*\*|(?<![\w*])\*[^\s*](?:[^*]*[^\s*])?\*(?![\w*]))/;
// $...$ around a letter, or around what has a sign of mathematics, $$...$$ likewise, \(...\) and \[...\]; "$5-10" and "($$)" are prices.
const FORMULA = /(\$\$(?=[^$]*[\\^_={}])[^$]{1,2000}\$\$|\$(?=[^\s$])(?=\w\$|[^$\n]{0,1999}[\\^_={}]|[^\d$\n][^$\n]{0,1998}[<>+*/-])[^$\n]{0,1999}[^\s$\\(]\$(?![\w$])|\\\((?:\\[^()\n]|[^\\\n]){1,2000}\\\)|\\\[(?:\\[^[\]\n]|[^\\\n]){1,2000}\\\])/;
const BLOCK_FORMULA = /\$\$(?=[^$]*[\\^_={}])(?:(?!\n\s*\n)[^$]){1,2000}\$\$|\\\[(?:\\[^[\]]|(?!\n\s*\n)[^\\]){1,2000}\\\]/g;
const DRAWING_WAIT = 400; // milliseconds: it moves what stands below when it comes later

/** Show an answer; `open(place)` shows a document, `said` has the parts above the evidence and at the end. */
export async function answerView(answer, open, said = {}) {
  const titles = new Map(answer.citations.map((citation) => [citation.chunk_id, citation.title]));
  const isUnsure = answer.abstained || answer.perhaps;
  const shown = answer.trail.length > 0 ? trail(answer, titles, open) : null;
  const view = h("div", { class: isUnsure ? "answer with-reserve" : "answer" },
    isRephrased(answer) && h("p", { class: "understood" }, t("Understood as:"), " ", h("q", { dir: "auto" }, answer.standalone_question)),
    answerText(answer.answer || t("I don't know.")),
    answer.perhaps && h("p", { class: "reserve" }, h("b", {}, t("perhaps:"), " "), answer.perhaps_reason),
    said.above,
    shown?.section,
    remarks(answer).map((line) => h("p", { class: "remark" }, line)),
    (isUnsure || answer.strategy === "saved") && answer.nearest.length > 0 && nearest(answer.nearest, open),
    h("div", { class: "figures" },
      h("span", {}, figures(answer).join(" · ")),
      byNode(answer.usage),
      copyButton(answer, titles)),
    said.below);
  await Promise.race([shown?.drawn, pause(shown ? DRAWING_WAIT : 0)]);
  return view;
}

/** One line for a screen reader. */
export function summary(answer) {
  const stated = answer.trail.filter((hop) => hop.support === "stated").length;
  const steps = answer.trail.length ? ` ${t("{0}, {1} stated.", counted(answer.trail.length, "steps"), stated)}` : "";
  const reserve = answer.perhaps ? ` ${t("Perhaps: {0}.", answer.perhaps_reason)}` : answer.saved?.stands ? ` ${t("A reader saved it.")}` : "";
  return t("Answer: {0}.", (answer.answer || t("I don't know.")).slice(0, 300)) + reserve + steps;
}

/** A step of the trail: its mark, its claim and its quote, which opens the document. */
export function stepItem(hop, title, open) {
  const mark = MARKS[hop.support];
  const isGone = hop.quote === "deleted" && hop.support === "none";
  const isQuoted = hop.quote && hop.doc_id !== null && !isGone;
  return h("li", { class: `step ${hop.support}`, "data-hop": hop.hop },
    h("p", { class: "claim" },
      h("span", { class: "mark", "aria-hidden": "true" }, mark.sign),
      h("span", { class: "state" }, `${hop.hop} · ${isGone ? t("passage deleted") : mark.words}`),
      " ",
      hop.subject && hop.object
        ? [name(hop.subject), " ", h("bdi", { class: "predicate" }, hop.predicate), h("span", { class: "predicate" }, " → "), name(hop.object)]
        : h("bdi", {}, hop.claim)),
    isQuoted
      ? h("button", { type: "button", class: "quote", onclick: () => open({ id: hop.doc_id, start: hop.start, end: hop.end }) },
        h("q", { dir: "auto" }, ...withUnsure(hop.quote, hop.start, hop.unsure)), placeLine(title, hop))
      : h("p", { class: "noquote" }, isGone ? t("Its document was deleted.") : hop.support === "none" ? t("No passage or relation supports this step.") : t("A relation of the graph; it has no passage.")));
}

function name(text) {
  return h("b", {}, h("bdi", {}, text));
}

export function placeLine(title, place) {
  const isNamed = title && title !== place.doc_id;
  return h("span", { class: "place", title: place.doc_id },
    isNamed && [h("bdi", {}, title), " · "], h("bdi", {}, place.doc_id), place.place && `, ${place.place}`);
}

/** Whether the question leaned on what was said before, and was asked in other words. */
function isRephrased({ question, standalone_question: asked }) {
  const plain = (text) => text.trim().replace(/\s+/g, " ");
  return asked && plain(asked) !== plain(question);
}

/** A short answer as a line, a longer one with its paragraphs, lists and tables; formulas come when they are drawn. */
function answerText(written) {
  const text = written.replace(BLOCK_FORMULA, (formula) => formula.replace(/\s*\n\s*/g, " "));
  const shown = textView(text);
  const formulas = shown.querySelectorAll(".formula");
  if (formulas.length) import("./formulas.js").then(({ draw }) => draw(formulas)).catch(() => {}); // LaTeX can be read as well
  return shown;
}

function textView(text) {
  if (text.length < PROSE && !text.includes("\n")) return h("p", { class: "text", dir: "auto" }, ...withFormulas(text, (part) => [part]));
  const points = Array.from(text);
  const shown = blocks(points, (from, to) => withFormulas(points.slice(from, to).join(""), emphasised));
  if (text.length < LONG) return h("div", { class: "text prose structured" }, ...shown);
  return h("div", { class: "text prose structured long", tabindex: "0", role: "region", "aria-label": t("Answer") }, ...shown);
}

/** Nodes of a line: its formulas, and what `rest` makes of the text between them. */
function withFormulas(line, rest) {
  return line.split(FORMULA).flatMap((part, number) => (number % 2 ? h("span", { class: "formula" }, part) : part ? rest(part) : []));
}

/** Nodes of a line in which models mark words by pairs of asterisks, one or two. */
function emphasised(line) {
  return line.split(EMPHASIS).map((part, number) => {
    if (number % 2 === 0) return part;
    return part.startsWith("**") ? h("b", {}, part.slice(2, -2)) : h("i", {}, part.slice(1, -1));
  });
}

function trail(answer, titles, open) {
  const steps = answer.trail.map((hop) => stepItem(hop, titles.get(hop.chunk_id), open));
  const figure = h("figure", { class: "drawing" });
  const names = answer.abstained ? [] : answer.answers.map((one) => one.text);
  const drawn = drawing(answer.trail, names, 360).then((svg) => {
    figure.append(svg);
    linkDrawing(svg, steps, answer.trail, open);
  }).catch(() => figure.remove()); // the steps beside it say the same
  return { drawn, section: h("section", { class: "trail", "aria-label": t("Trail") }, figure, h("ol", { class: "steps" }, ...steps)) };
}

/** A click on a claim of the drawing opens its quote; it and its step are marked together. */
function linkDrawing(svg, steps, hops, open) {
  steps.forEach((step, place) => {
    const claims = [...svg.querySelectorAll("[data-hop]")].filter((claim) => claim.dataset.hop === step.dataset.hop);
    const mark = (isOn) => [step, ...claims].forEach((one) => one.classList.toggle("active", isOn));
    for (const one of [step, ...claims]) {
      one.addEventListener("pointerenter", () => mark(true));
      one.addEventListener("pointerleave", () => mark(false));
    }
    step.addEventListener("focusin", () => mark(true));
    step.addEventListener("focusout", () => mark(false));
    const { doc_id: id, start, end, quote } = hops[place];
    if (quote && id !== null) {
      claims.forEach((claim) => {
        claim.classList.add("link");
        claim.addEventListener("click", () => open({ id, start, end }));
      });
    }
  });
}

function nearest(passages, open) {
  return h("section", { class: "nearest", "aria-label": t("Nearest passages") },
    h("h3", {}, t("Nearest passages")),
    h("ul", {}, passages.map((one) => h("li", {},
      h("button", { type: "button", class: "quote", onclick: () => open({ id: one.doc_id, start: one.start, end: one.end }) },
        h("q", { dir: "auto" },
          one.before && h("span", { class: "beside" }, `${one.before} `),
          ...withUnsure(one.sentence, one.start, one.unsure),
          one.after && h("span", { class: "beside" }, ` ${one.after}`)), placeLine(one.title, one), one.also?.length > 0 && h("span", { class: "place" }, t("also in {0}", one.also.join(", "))))))));
}

function remarks(answer) {
  const lines = [];
  if (answer.derived && !answer.abstained && answer.trail.length) lines.push(t("Derived: each step of the trail is checked, not the answer's words."));
  const wasAsked = answer.strategy === "graph_search" && answer.usage.llm_calls > 0;
  // A small model is asked where the answer without it has a reserve.
  const didFail = wasAsked && (answer.preset !== "offline" || answer.stop_reason === "model_unavailable");
  if (wasAsked && !didFail) lines.push(answer.abstained
    ? t("Neither graph search nor the language model found an answer that a passage bears out.")
    : t("Found by graph search; the language model was asked as well."));
  if (didFail) lines.push(t("The language model gave no usable answer: this is what graph search came to."));
  if (answer.strategy === "extractive" && !answer.abstained) lines.push(t("Taken from community reports as they stand: no language model composed it."));
  if (answer.query) lines.push(t("Query: {0}", answer.query));
  if (answer.filter) lines.push(t("From the documents of this filter alone: {0}", filterInWords(answer.filter)));
  lines.push(...answer.degraded.filter((line) => line.includes(" ") && !line.endsWith(COUNTS_ESTIMATED)).map((line) => `${line}.`));
  const isTold = answer.abstain_reason === "no_model" || (didFail && answer.stop_reason === "model_unavailable");
  if (answer.stop_reason in STOPS && !isTold) lines.push(t("Stopped early: {0}.", STOPS[answer.stop_reason]));
  return lines;
}

/** Preset, way, calls, tokens, seconds and money in words. */
function figures({ preset, strategy, usage, degraded }) {
  const isAbout = degraded.some((line) => line.endsWith(COUNTS_ESTIMATED));
  const tokens = usage.prompt_tokens + usage.completion_tokens;
  return [
    preset,
    strategy === "none" ? "" : strategy.replaceAll("_", " "),
    usage.llm_calls ? counted(usage.llm_calls, "model calls") : t("no model used"),
    tokens ? t(isAbout ? "about {0} tokens" : "{0} tokens", tokens.toLocaleString(language)) : "",
    `${usage.seconds.toFixed(2)} s`,
    usage.usd ? `$${usage.usd.toFixed(usage.usd < 0.01 ? 5 : 2)}` : "",
  ].filter(Boolean);
}

function byNode(usage) {
  const nodes = Object.entries(usage.by_node);
  if (!nodes.length) return null;
  return h("details", { class: "by-node" }, h("summary", {}, t("by step")),
    h("table", {},
      h("thead", {}, h("tr", {}, ["step", "calls", "tokens", "seconds"].map((head) => h("th", { scope: "col" }, t(head))))),
      h("tbody", {}, nodes.map(([name, spent]) => h("tr", {},
        h("th", { scope: "row" }, name.replaceAll("_", " ")),
        h("td", {}, spent.llm_calls),
        h("td", {}, (spent.prompt_tokens + spent.completion_tokens).toLocaleString(language)),
        h("td", {}, spent.seconds.toFixed(2)))))));
}

function copyButton(answer, titles) {
  const button = h("button", { type: "button", class: "plain", onclick: async () => {
    await copyText(markdown(answer, titles));
    button.textContent = t("Copied");
    announce(t("The answer was copied with its citations."));
    setTimeout(() => { button.textContent = t("Copy with citations"); }, 2000);
  } }, t("Copy with citations"));
  return button;
}

/** The answer with its steps as numbered citations. */
export function markdown(answer, titles) {
  const numbers = answer.trail.map((hop) => `[${hop.hop}]`).join("");
  const lines = [`**${escaped(answer.question)}**`, "", `${answerMarkdown(answer.answer || t("I don't know."))} ${numbers}`.trim()];
  if (answer.perhaps) lines.push("", `perhaps: ${escaped(answer.perhaps_reason)}`);
  if (answer.trail.length) lines.push("");
  for (const hop of answer.trail) {
    const quote = hop.quote ? `: "${escaped(hop.quote)}" (${placed(titles.get(hop.chunk_id), hop)})` : "";
    lines.push(`- [${hop.hop}] ${MARKS[hop.support].words}: ${escaped(hop.claim)}${quote}`);
  }
  if (answer.abstained && answer.nearest.length) {
    lines.push("", t("Nearest passages:"), "", ...answer.nearest.map((one) => `- "${escaped([one.before, one.sentence, one.after].filter(Boolean).join(" "))}" (${placed(one.title, one)})`));
  }
  return `${lines.join("\n")}\n`;
}

/** Where a quote stands, in Markdown. */
function placed(title, place) {
  const where = [title && escaped(title), place.doc_id && `\`${place.doc_id}\``, place.place].filter(Boolean).join(", ");
  return `${where}, characters ${place.start} to ${place.end}`;
}

/** The text of an answer: one of several lines is Markdown itself, of which no link, picture or HTML is kept. */
function answerMarkdown(text) {
  return text.includes("\n") ? text.trim().replace(/[[\]<]/g, "\\$&") : escaped(text);
}

function escaped(text) {
  return text.replace(/\s+/g, " ").trim().replace(/[\\`*_[\]<>]/g, "\\$&");
}
