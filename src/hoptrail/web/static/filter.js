// The choice of documents: rows of field, comparison and value, which must all hold.

import { get } from "./api.js";
import { h } from "./dom.js";
import { t } from "./words.js";

const COMPARISONS = [
  ["is", "=", quoted],
  ["is not", "!=", quoted],
  ["contains", "like", (value) => quoted(`*${value.replace(/[*?[]/g, "[$&]")}*`)],
  ["is at least", ">=", quoted],
  ["is at most", "<=", quoted],
];

const WORDS = { eq: "is", in: "is one of", gt: "is above", gte: "is at least", lt: "is below", lte: "is at most", like: "is like" };

/** A filter, as an answer names it, in words: "title contains Alder, and date is at least 2024". */
export function filterInWords(filter) {
  if (filter.and) return filter.and.map(part).join(t(", and "));
  if (filter.or) return filter.or.map(part).join(t(", or "));
  if (filter.not) return `${t("not")} (${filterInWords(filter.not)})`;
  return Object.keys(WORDS).filter((key) => key in filter).map((key) => condition(filter.field, key, filter[key])).join(t(", and "));
}

function part(filter) {
  return filter.and || filter.or ? `(${filterInWords(filter)})` : filterInWords(filter);
}

function condition(field, key, value) {
  const inner = key === "like" && /^\*(.+)\*$/s.exec(value);
  if (inner && !/[*?]/.test(inner[1].replace(/\[.\]/g, ""))) return `${field} ${t("contains")} ${inner[1].replace(/\[(.)\]/g, "$1")}`;
  return `${field} ${t(WORDS[key])} ${[value].flat().join(", ")}`;
}

function quoted(text) {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** A form of its own fields; `load(base)` fills it, `check()` refuses a condition without a value, and `value()` is the filter as a text. */
export function filterChoice() {
  const rows = h("div", { class: "rows" });
  const add = h("button", { type: "button", class: "plain", onclick: () => addRow().querySelector("select").focus() }, t("Only some documents"));
  const note = h("p", { class: "soft", hidden: true });
  const problem = h("p", { class: "notice error", role: "alert", hidden: true });
  const element = h("fieldset", { class: "filter" }, h("legend", {}, t("Documents")), rows, problem, add, note);
  let fields = {};
  let base = null;

  function addRow() {
    const number = rows.childElementCount + 1;
    const list = h("datalist", { id: `filter-values-${number}` });
    const field = h("select", { "aria-label": t("Field") }, Object.keys(fields).map((name) => h("option", { value: name }, name)));
    const comparison = h("select", { "aria-label": t("Comparison") }, COMPARISONS.map(([name]) => h("option", {}, t(name))));
    const value = h("input", { type: "text", "aria-label": t("Value"), list: list.id, autocomplete: "off", spellcheck: "false", maxlength: "500" });
    const offer = () => {
      list.replaceChildren(...(fields[field.value]?.values ?? []).map((one) => h("option", { value: one })));
      value.placeholder = fields[field.value]?.values[0] ?? "";
    };
    const row = h("div", { class: "row" }, field, comparison, value, list,
      h("button", { type: "button", class: "plain", "aria-label": t("Remove this condition"), onclick: () => {
        row.remove();
        problem.hidden = true;
        label();
        add.focus();
      } }, t("Remove")));
    field.addEventListener("change", offer);
    offer();
    rows.append(row);
    label();
    return row;
  }

  function label() {
    add.textContent = rows.childElementCount ? t("And another condition") : t("Only some documents");
  }

  return {
    element,
    async load(name) {
      if (name === base || name === null) return;
      base = name;
      rows.replaceChildren();
      label();
      add.disabled = true;  // a condition needs the fields to choose from
      const found = (await get(`bases/${encodeURIComponent(name)}/fields`).catch(() => ({ fields: {} }))).fields;
      if (name !== base) return;
      fields = found;
      add.disabled = false;
      const isEmpty = !Object.keys(fields).length;
      add.hidden = isEmpty;
      note.hidden = !isEmpty;
      note.textContent = t("All documents are used.");
    },
    check() {
      const empty = [...rows.querySelectorAll("input")].find((input) => !input.value.trim());
      problem.hidden = !empty;
      if (!empty) return true;
      const field = empty.closest(".row").querySelector("select").value;
      problem.textContent = t("The condition on {0} has no value: fill it in, or remove the condition.", field);
      empty.closest("details").open = true;
      empty.focus();
      return false;
    },
    value() {
      const parts = [...rows.children].map((row) => {
        const [field, comparison] = row.querySelectorAll("select");
        const [, sign, written] = COMPARISONS[comparison.selectedIndex];
        return `${quoted(field.value)} ${sign} ${written(row.querySelector("input").value.trim())}`;
      });
      return parts.length ? parts.join(" and ") : undefined;
    },
  };
}
