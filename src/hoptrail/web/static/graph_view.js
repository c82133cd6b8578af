// What lies around an entity, as a picture; below it the same as a list, which needs neither mouse nor eyes.

import { get } from "./api.js";
import { placeLine } from "./answer.js";
import { JOINS } from "./browse.js";
import { announce, counted, errorLine, fill, h } from "./dom.js";
import { Picture } from "./graph_picture.js";
import { t } from "./words.js";

const SIZES = [30, 60, 120, 200];
const SIZE = "hoptrail-graph-size";
const [ZOOM, PAN] = [1.3, 60];

/** Show the picture of what lies around an entity. */
export async function showGraph(view, site, base, id) {
  const root = `bases/${encodeURIComponent(base)}`;
  const title = h("h1", { dir: "auto", tabindex: "-1" });
  const count = h("p", { class: "soft" });
  const told = h("div", { class: "told", "aria-live": "polite" });
  const list = h("ul", { class: "relations" });
  const asList = h("a", {}, `← ${t("As a list")}`);
  const canvas = h("canvas", { "aria-hidden": "true" });
  const size = h("select", { id: "graph-size", onchange: () => {
    localStorage.setItem(SIZE, size.value);
    centre(id);
  } }, SIZES.map((one) => h("option", { value: one }, one)));
  size.value = SIZES.includes(Number(localStorage.getItem(SIZE))) ? localStorage.getItem(SIZE) : "60";
  let latest = 0; // of several that were asked for, the last one is shown

  const load = async (wanted) => {
    const number = latest += 1;
    const found = await get(`${root}/neighbourhood`, { id: wanted, nodes: size.value });
    if (number !== latest) return false;
    id = wanted;
    const name = found.nodes.find((one) => one.id === id).name;
    title.textContent = name;
    site.nameView(name);
    asList.href = site.entityLink(base, id);
    count.textContent = t("{0} and {1}, of the nearest ones", counted(found.nodes.length, "entities"), counted(found.edges.length, "relations"));
    told.replaceChildren(h("p", { class: "soft" }, t("Choose a thing to put it in the middle, or a line to read its passage.")));
    found.edges.forEach((one) => { one.isLoose = one.predicate === JOINS; });
    fill(list, found.edges.map((one) => line(one)));
    picture.show(found);
    announce(`${name}: ${count.textContent}`);
    return true;
  };
  const centre = async (wanted) => {
    try {
      const isOther = wanted !== id;
      if (await load(wanted) && isOther) history.pushState(null, "", site.graphLink(base, id));
    } catch (error) {
      told.replaceChildren(errorLine(error));
    }
  };
  const tell = async (one) => {
    picture.choose(one.id);
    const head = h("p", { class: "claim" }, h("b", {}, h("bdi", {}, one.subject)), " ", h("bdi", { class: "predicate" }, one.predicate), " → ", h("b", {}, h("bdi", {}, one.object)));
    if (!one.passage) {
      told.replaceChildren(head, h("p", { class: "soft" }, t("It has no passage.")));
      return;
    }
    try {
      const { doc_id, start, end } = one.passage;
      const found = await get(`${root}/document`, { id: doc_id, start, end, length: Math.max(1, end - start) });
      const text = Array.from(found.text).slice(start - found.offset, end - found.offset).join("");
      fill(told, head,
        h("button", { type: "button", class: "quote", onclick: () => site.open(base, { id: doc_id, start, end }) },
          h("span", { class: "clipped" }, text), placeLine(one.passage.title, one.passage)),
        one.passages > 1 && h("p", { class: "soft" }, t("It is told in {0}; this is the first.", counted(one.passages, "passages"))));
    } catch (error) {
      fill(told, head, errorLine(error));
    }
  };
  const line = (one) => {
    const end = (other, name) => (other === id ? h("b", {}, h("bdi", {}, name)) : h("a", { href: site.graphLink(base, other), onclick: async (event) => {
      event.preventDefault();
      await centre(other);
      title.focus();
    } }, h("bdi", {}, name)));
    return h("li", {}, end(one.source, one.subject), " ",
      h("button", { type: "button", class: "plain", "aria-label": t("Passage of: {0}", `${one.subject} ${one.predicate} ${one.object}`), onclick: async () => {
        await tell(one);
        told.scrollIntoView({ block: "nearest" });
        told.querySelector("button")?.focus();
      } }, h("bdi", {}, one.predicate)), h("span", { class: "predicate" }, one.isLoose ? " – " : " → "), end(one.target, one.object));
  };

  const picture = new Picture(canvas, { onNode: (node) => node !== id && centre(node), onRelation: tell });
  const moves = {
    ArrowLeft: () => picture.pan(PAN, 0), ArrowRight: () => picture.pan(-PAN, 0), ArrowUp: () => picture.pan(0, PAN), ArrowDown: () => picture.pan(0, -PAN),
    "+": () => picture.zoom(ZOOM), "=": () => picture.zoom(ZOOM), "-": () => picture.zoom(1 / ZOOM), 0: () => picture.fit(),
  };
  const stage = h("div", { class: "stage", tabindex: "0", role: "group", "aria-label": t("Picture: arrow keys move it, plus and minus zoom. The list below says the same."), onkeydown: (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  } }, canvas);
  const button = (sign, label, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, sign);
  view.replaceChildren(h("div", { class: "page graph" },
    h("p", {}, asList), title,
    h("div", { class: "tools" }, count,
      h("label", { for: "graph-size" }, t("At most")), size,
      button("+", t("Zoom in"), moves["+"]), button("−", t("Zoom out"), moves["-"]), button(t("All"), t("Show all of it"), moves[0])),
    stage, told,
    h("section", {}, h("h2", {}, t("Relations in the picture")), list)));
  await load(id);
}
