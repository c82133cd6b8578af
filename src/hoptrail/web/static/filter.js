// The choice of documents: rows of field, comparison and value, which must all hold.

import { get } from "./api.js";
import { h } from "./dom.js";

const COMPARISONS = [
  ["is", (field, value) => ({ field, eq: value })],
  ["is not", (field, value) => ({ not: { field, eq: value } })],
  ["contains", (field, value) => ({ field, like: `*${value.replace(/[*?[]/g, "[$&]")}*` })],
  ["is at least", (field, value) => ({ field, gte: value })],
  ["is at most", (field, value) => ({ field, lte: value })],
];

/** A form of its own fields; `load(base)` fills it, and `value()` is the filter in its JSON form. */
export function filterChoice() {
  const rows = h("div", { class: "rows" });
  const add = h("button", { type: "button", class: "plain", onclick: () => addRow().querySelector("select").focus() }, "Only some documents");
  const note = h("p", { class: "soft", hidden: true });
  const element = h("fieldset", { class: "filter" }, h("legend", {}, "Documents"), rows, add, note);
  let fields = {};
  let base = null;

  function addRow() {
    const number = rows.childElementCount + 1;
    const list = h("datalist", { id: `filter-values-${number}` });
    const field = h("select", { "aria-label": "Field" }, Object.keys(fields).map((name) => h("option", { value: name }, name)));
    const comparison = h("select", { "aria-label": "Comparison" }, COMPARISONS.map(([name]) => h("option", {}, name)));
    const value = h("input", { type: "text", "aria-label": "Value", list: list.id, autocomplete: "off", spellcheck: "false", maxlength: "500" });
    const offer = () => {
      list.replaceChildren(...(fields[field.value]?.values ?? []).map((one) => h("option", { value: one })));
      value.placeholder = fields[field.value]?.values[0] ?? "";
    };
    const row = h("div", { class: "row" }, field, comparison, value, list,
      h("button", { type: "button", class: "plain", "aria-label": "Remove this condition", onclick: () => {
        row.remove();
        label();
        add.focus();
      } }, "Remove"));
    field.addEventListener("change", offer);
    offer();
    rows.append(row);
    label();
    return row;
  }

  function label() {
    add.textContent = rows.childElementCount ? "And another condition" : "Only some documents";
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
      note.textContent = "All documents are used.";
    },
    value() {
      const parts = [...rows.children].flatMap((row) => {
        const [field, comparison] = row.querySelectorAll("select");
        const text = row.querySelector("input").value.trim();
        return text ? [COMPARISONS[comparison.selectedIndex][1](field.value, text)] : [];
      });
      return parts.length > 1 ? { and: parts } : parts[0];
    },
  };
}
