// The documents of a base: their state; uploads and deletions, which wait in a queue.

import { get, send } from "./api.js";
import { announce, askUser, counted, errorLine, fill, h } from "./dom.js";
import { documentLink } from "./source.js";

const STATES = { extracted: "facts read", stored: "text only", failed: "not wholly read" };
const PAGE = 100;
const POLL = 700;
const DELAY = 200;
const DISMISSED = "hoptrail-dismissed";
const MOST_DISMISSED = 200;

/** Show the documents of the chosen base. */
export async function showDocuments(view, site) {
  const base = site.about.bases.find((one) => one.name === site.base);
  if (!base) {
    view.replaceChildren(h("div", { class: "page" }, h("h1", {}, "Documents"), h("p", {}, "There is no knowledge base yet.")));
    return;
  }
  const path = `bases/${encodeURIComponent(base.name)}`;
  const list = h("div", {});
  const count = h("p", { class: "soft" }, base.name);
  const jobs = h("ul", { class: "jobs", "aria-live": "polite" });
  const field = h("input", { type: "search", id: "document-search", placeholder: "Title or id", autocomplete: "off" });
  let waiting = 0;
  const refresh = async (limit = PAGE) => {
    try {
      const found = await get(`${path}/documents`, { q: field.value.trim(), limit });
      if (!field.value.trim()) count.textContent = `${base.name}: ${counted(found.total, "documents")}.`;
      fill(list, documentList(found, base, field.value.trim(), remove, () => refresh(limit + PAGE)));
    } catch (error) {
      list.replaceChildren(errorLine(error));
    }
  };
  const follow = (job) => followJob(jobs, job, () => refresh());
  const remove = async (one) => {
    const note = `“${one.title}” and the facts that only it states will be deleted.`;
    if (await askUser("Delete the document?", "Delete", { note, danger: true }) === null) return;
    await begin(jobs, one.title, "deleted", () => send(`${path}/document`, { method: "DELETE", query: { id: one.doc_id } }), follow);
  };
  const upload = async (files) => {
    for (const file of files) await addFile(jobs, path, file, site.about.largest_upload, follow);
  };
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => refresh(), DELAY);
  });
  view.replaceChildren(h("div", { class: "page" },
    h("h1", {}, "Documents"),
    count,
    base.writable ? uploader(upload, site.about.largest_upload) : h("p", { class: "soft" }, "Documents can be read here, not added or deleted."),
    jobs,
    h("div", { class: "search" }, h("label", { for: "document-search" }, "Find"), field),
    list));
  await refresh();
  if (base.writable) {
    const known = await get(`${path}/jobs`, { limit: 50 }).catch(() => ({ jobs: [] }));
    // The latest of each file, the oldest first: what failed is told until it is tried again.
    const latest = new Map(known.jobs.map((job) => [job.name, job]).reverse());
    [...latest.values()].forEach((job) => {
      if (isUnderWay(job)) follow(job);
      else if ((job.errors.length || job.notes.length) && !dismissed().includes(job.id)) end(addLine(jobs, job.name), jobEnd(job), job.id);
    });
  }
}

function documentList({ documents, total }, base, text, remove, more) {
  if (!documents.length) return [h("p", {}, text ? `No document is called “${text}”.` : "Nothing is indexed yet.")];
  return [
    h("table", { class: "documents" },
      h("thead", {}, h("tr", {}, ["Document", "State", "Length"].map((head) => h("th", { scope: "col" }, head)), base.writable && h("td", {}))),
      h("tbody", {}, documents.map((one) => h("tr", {},
        h("th", { scope: "row" }, h("a", { href: documentLink(base.name, { id: one.doc_id }) }, h("bdi", {}, one.title || one.doc_id)), h("span", { class: "soft" }, one.doc_id)),
        h("td", {}, STATES[one.state] ?? one.state, one.failed ? ` (${counted(one.failed, "passages")} failed)` : ""),
        h("td", {}, counted(one.passages, "passages")),
        base.writable && h("td", {}, h("button", { type: "button", class: "plain", "aria-label": `Delete ${one.title || one.doc_id}`, onclick: () => remove(one) }, "Delete")))))),
    documents.length < total && h("p", {}, h("span", { class: "soft" }, `${documents.length} of ${counted(total, "documents")} `),
      h("button", { type: "button", onclick: more }, "Show more")),
  ];
}

function uploader(upload, largest) {
  const input = h("input", { type: "file", id: "files", class: "unseen", multiple: true, onchange: async () => {
    const files = [...input.files];
    input.value = "";
    await upload(files);
  } });
  const zone = h("div", { class: "drop" }, input, h("label", { for: "files", class: "button" }, "Add files"),
    h("p", { class: "soft" }, `or drop them here: text, PDF, HTML, tables, mail and more, up to ${megabytes(largest)} each`));
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    upload([...event.dataTransfer.files]);
  });
  return zone;
}

async function addFile(jobs, path, file, largest, follow) {
  if (largest && file.size > largest) {
    const error = { message: `it is larger than ${megabytes(largest)}`, hint: "add it in parts, or ask whoever runs this server" };
    end(addLine(jobs, file.name), [`${file.name}: not added`, errorLine(error)]);
    return;
  }
  await begin(jobs, file.name, "added", () => send(`${path}/documents`, { method: "POST", query: { name: file.name }, body: file, headers: { "Content-Type": "application/octet-stream" } }), follow);
}

function megabytes(bytes) {
  return `${Math.floor(bytes / 1048576)} MB`;
}

async function begin(jobs, name, done, request, follow) {
  try {
    follow(await (await request()).json());
  } catch (error) {
    end(addLine(jobs, name), [`${name}: not ${done}`, errorLine(error)]);
  }
}

/** A line about a file, above the others; what was told of it before is gone. */
function addLine(jobs, name) {
  [...jobs.children].filter((line) => line.dataset.name === name).forEach((line) => line.remove());
  const line = h("li", { "data-name": name });
  jobs.prepend(line);
  return line;
}

/** Show a job until it has ended. */
async function followJob(jobs, job, whenDone) {
  const line = addLine(jobs, job.name);
  let last = job;
  try {
    while (isUnderWay(last)) {
      line.textContent = jobText(last);
      await new Promise((resolve) => setTimeout(resolve, POLL));
      if (!line.isConnected) return;
      last = await get(`jobs/${encodeURIComponent(job.id)}`);
    }
    end(line, jobEnd(last), last.id);
    announce(jobText(last));
    whenDone();
  } catch (error) {
    end(line, [`${job.name}: `, errorLine(error)]);
  }
}

/** Say in a line what came of a file; it can be put away, and stays so when the page is loaded again. */
function end(line, told, id) {
  const button = h("button", { type: "button", class: "plain", "aria-label": `Dismiss ${line.dataset.name}`, onclick: () => {
    const next = line.nextElementSibling ?? line.previousElementSibling;
    (next?.querySelector("button") ?? document.getElementById("files")).focus();
    line.remove();
    if (id) localStorage.setItem(DISMISSED, JSON.stringify([...dismissed(), id].slice(-MOST_DISMISSED)));
  } }, "Dismiss");
  fill(line, told, button);
}

/** The jobs whose end was put away in this browser. */
function dismissed() {
  return JSON.parse(localStorage.getItem(DISMISSED) ?? "[]");
}

function jobEnd(job) {
  const reasons = job.errors.map((one) => errorLine({ message: one.document === job.name ? one.reason : `${one.document}: ${one.reason}` }));
  return [jobText(job), ...reasons, ...job.notes.map((note) => h("p", { class: "soft" }, note))];
}

function isUnderWay(job) {
  return job.state === "queued" || job.state === "running";
}

function jobText({ kind, name, state, progress }) {
  const done = kind === "delete" ? "deleted" : "added";
  if (state === "done") return `${name}: ${done}`;
  if (state === "failed") return `${name}: not ${done}`;
  if (state === "queued") return `${name}: waiting`;
  const share = progress?.total ? ` (${progress.stage}, ${progress.done} of ${progress.total})` : "";
  return `${name}: ${kind === "delete" ? "deleting" : "reading"}${share}`;
}
