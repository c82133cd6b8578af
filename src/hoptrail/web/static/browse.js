// The graph: entities by name; one with its relations, its passages and its community.

import { get } from "./api.js";
import { counted, errorLine, fill, h } from "./dom.js";
import { placeLine } from "./answer.js";
import { language, t } from "./words.js";

const DELAY = 200;
const MORE = 50;
export const JOINS = "co-occurs with"; // of two names of which no more is known than that they share a sentence

/** Show the search for entities. */
export async function showBrowse(view, site, query) {
  const results = h("div", { "aria-live": "polite" });
  const field = h("input", { type: "search", id: "entity-search", value: query, placeholder: t("A person, place or thing"), autocomplete: "off" });
  let waiting = 0;
  let request = null;
  const search = async () => {
    request?.abort();
    if (/^#\/(?!browse)/.test(location.hash)) return; // another view was asked for meanwhile
    request = new AbortController();
    const text = field.value.trim();
    site.browse = text ? `#/browse?q=${encodeURIComponent(text)}` : "#/browse";
    site.replaceAddress(site.browse);
    try {
      const found = await get(`bases/${encodeURIComponent(site.base)}/entities`, { q: text, limit: MORE }, request.signal);
      fill(results, entityList(found, text, site));
    } catch (error) {
      if (error.name !== "AbortError") results.replaceChildren(errorLine(error));
    }
  };
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, DELAY);
  });
  view.replaceChildren(h("div", { class: "page" },
    h("h1", {}, t("Browse")),
    h("form", { role: "search", class: "search", onsubmit: (event) => { event.preventDefault(); search(); } },
      h("label", { for: "entity-search" }, t("What does it know of?")), field),
    results));
  if (site.base) await search();
  else results.replaceChildren(h("p", {}, t("There is no knowledge base yet.")));
}

function entityList({ entities, more }, text, site) {
  if (!entities.length) return [h("p", {}, text ? t("Nothing is named like “{0}”.", text) : t("No entity was read from the documents yet."))];
  return [
    h("ul", { class: "entities" }, entities.map((one) => h("li", {},
      h("a", { href: site.entityLink(site.base, one.id) }, one.name),
      h("span", { class: "soft" }, [one.type, counted(one.relations, "relations")].filter(Boolean).join(" · ")),
      description(one) && h("span", { class: "clipped" }, description(one))))),
    more && h("p", { class: "soft" }, t("There are more: type more of the name.")),
  ];
}

/** Show one entity. */
export async function showEntity(view, site, base, id, limit = MORE) {
  const entity = await get(`bases/${encodeURIComponent(base)}/entity`, { id, limit });
  const shown = Math.max(entity.relations.length, entity.passages.length);
  const facts = entity.relations.filter((one) => one.predicate !== JOINS);
  const isMore = entity.relations_total > entity.relations.length || entity.passages_total > entity.passages.length;
  view.replaceChildren(h("div", { class: "page" },
    h("p", {}, h("a", { href: site.browse ?? "#/browse" }, `← ${t("Browse")}`)),
    h("h1", { dir: "auto" }, entity.name),
    h("p", { class: "soft" }, [entity.type, entity.aliases.length ? t("also {0}", entity.aliases.join(", ")) : ""].filter(Boolean).join(" · ")),
    description(entity) && h("p", { class: "description" }, description(entity)),
    entity.relations_total > 0 && h("p", {}, h("a", { class: "button", href: site.graphLink(base, id) }, t("Show as a picture"))),
    section(t("Relations"), entity.relations_total, entity.relations.length,
      h("div", {},
        h("ul", { class: "relations" }, facts.map((one) => relation(one, entity, base, site))),
        besides(entity, base, site))),
    section(t("Passages"), entity.passages_total, entity.passages.length,
      h("ul", { class: "passages" }, entity.passages.map((one) => h("li", {},
        h("button", { type: "button", class: "quote", onclick: () => site.open(base, { id: one.doc_id, start: one.start, end: one.end }) },
          h("span", { class: "clipped" }, one.text), placeLine(one.title, one)))))),
    entity.communities.length > 0 && section(t("Community"), entity.communities.length, entity.communities.length,
      h("ul", { class: "communities" }, entity.communities.map((one) => h("li", {},
        h("b", {}, one.title || t("Without a report")), h("span", { class: "soft" }, ` ${t("level {0}", one.level)} · ${counted(one.size, "entities")}`),
        one.summary && h("p", {}, one.summary))))),
    isMore && shown < 1000 && h("button", { type: "button", onclick: () => showEntity(view, site, base, id, limit * 4) }, t("Show more"))));
}

/** A description that says more than the name, as that of a heading does not. */
function description(entity) {
  const text = entity.description.replace(/^#+\s*/, "");
  return text === entity.name ? "" : text;
}

function section(title, total, shown, list) {
  const count = shown < total ? t("{0} of {1}", shown, total.toLocaleString(language)) : total.toLocaleString(language);
  return h("section", {}, h("h2", {}, title, " ", h("span", { class: "soft" }, count)), total > 0 ? list : h("p", { class: "soft" }, t("None.")));
}

function relation(one, entity, base, site) {
  const end = (id, name) => h(id === entity.id ? "b" : "a", id === entity.id ? {} : { href: site.entityLink(base, id) }, h("bdi", {}, name));
  return h("li", {}, end(one.source, one.subject), " ", h("bdi", { class: "predicate" }, one.predicate), h("span", { class: "predicate" }, " → "), end(one.target, one.object));
}

/** The names that share a sentence with an entity, each once. */
function besides(entity, base, site) {
  const others = entity.relations.filter((one) => one.predicate === JOINS)
    .map((one) => (one.source === entity.id ? [one.target, one.object] : [one.source, one.subject]));
  const names = [...new Map(others)].filter(([id]) => id !== entity.id);
  if (!names.length) return null;
  return h("div", { class: "besides" },
    h("h3", {}, t("In one sentence with")),
    h("ul", { class: "chips" }, names.map(([id, name]) => h("li", {}, h("a", { href: site.entityLink(base, id) }, name)))));
}
