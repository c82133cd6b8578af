// The documents of a base: their state; uploads and deletions, which wait in a queue.

import { get, send } from "./api.js";
import { announce, askUser, counted, errorLine, fill, h, pause } from "./dom.js";
import { documentLink } from "./source.js";
import { t } from "./words.js";

const STATES = { extracted: t("facts read"), stored: t("text only"), failed: t("not wholly read") };
const PAGE = 100;
const POLL = 700;
const DELAY = 200;
const DISMISSED = "hoptrail-dismissed";
const MOST_DISMISSED = 200;

/** Show the documents of the chosen base. */
export async function showDocuments(view, site) {
  const base = site.about.bases.find((one) => one.name === site.base);
  if (!base) {
    view.replaceChildren(h("div", { class: "page" }, h("h1", {}, t("Documents")), h("p", {}, t("There is no knowledge base yet."))));
    return;
  }
  const path = `bases/${encodeURIComponent(base.name)}`;
  const list = h("div", {});
  const count = h("p", { class: "soft" }, base.name);
  const jobs = h("ul", { class: "jobs", "aria-live": "polite" });
  const field = h("input", { type: "search", id: "document-search", placeholder: t("Title or id"), autocomplete: "off" });
  const folders = h("div", {});
  let waiting = 0;
  const refresh = async (limit = PAGE, isChanged = false) => {
    try {
      const asked = field.value.trim();
      const found = await get(`${path}/documents`, { q: asked, limit });
      const all = asked && isChanged ? await get(`${path}/documents`, { limit: 1 }) : found;
      if (!asked || isChanged) count.textContent = `${base.name}: ${counted(all.total, "documents")}.`;
      fill(list, documentList(found, base, field.value.trim(), remove, () => refresh(limit + PAGE)));
    } catch (error) {
      list.replaceChildren(errorLine(error));
    }
  };
  const followed = follower(() => list.isConnected, () => refresh(PAGE, true));
  const follow = (job) => {
    const line = addLine(jobs, job.name);
    followed(job, (last, error) => {
      tellJob(line, last, error);
      if (!error && !isUnderWay(last)) announce(jobText(last));
    });
  };
  const remove = async (one) => {
    const note = t("“{0}” and the facts that only it states will be deleted.", one.title);
    if (await askUser(t("Delete the document?"), t("Delete"), { note, danger: true }) === null) return;
    await begin(jobs, one.title, t("not deleted"), () => send(`${path}/document`, { method: "DELETE", query: { id: one.doc_id } }), follow);
  };
  const upload = async (files) => {
    for (const file of files) await addFile(jobs, path, file, site.about.largest_upload, follow);
  };
  const uploadFolder = async (entries) => {
    const { addFolder } = await import("./folder_upload.js");
    await addFolder(folders, entries, { path, largest: site.about.largest_upload, followed });
  };
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => refresh(), DELAY);
  });
  view.replaceChildren(h("div", { class: "page" },
    h("h1", {}, t("Documents")),
    count,
    base.writable ? uploader(upload, uploadFolder, site.about.largest_upload) : h("p", { class: "soft" }, t("Documents can be read here, not added or deleted.")),
    folders,
    jobs,
    h("div", { class: "search" }, h("label", { for: "document-search" }, t("Find")), field),
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
  if (!documents.length) return [h("p", {}, text ? t("No document is called “{0}”.", text) : t("Nothing is indexed yet."))];
  return [
    h("table", { class: "documents" },
      h("thead", {}, h("tr", {}, ["Document", "State", "Length"].map((head) => h("th", { scope: "col" }, t(head))), base.writable && h("td", {}))),
      h("tbody", {}, documents.map((one) => h("tr", {},
        h("th", { scope: "row" }, h("a", { href: documentLink(base.name, { id: one.doc_id }) }, h("bdi", {}, one.title || one.doc_id)), h("span", { class: "soft" }, one.doc_id)),
        h("td", {}, STATES[one.state] ?? one.state, one.failed ? ` (${t("{0} failed", counted(one.failed, "passages"))})` : ""),
        h("td", {}, counted(one.passages, "passages")),
        base.writable && h("td", {}, h("button", { type: "button", class: "plain", "aria-label": t("Delete {0}", one.title || one.doc_id), onclick: () => remove(one) }, t("Delete"))))))),
    documents.length < total && h("p", {}, h("span", { class: "soft" }, `${t("{0} of {1}", documents.length, counted(total, "documents"))} `),
      h("button", { type: "button", onclick: more }, t("Show more"))),
  ];
}

function uploader(upload, uploadFolder, largest) {
  const files = picker("files", t("Add files"), { multiple: true }, upload);
  const folder = picker("folder", t("Add a folder"), { webkitdirectory: true }, uploadFolder);
  const zone = h("div", { class: "drop" }, ...files, ...folder,
    h("p", { class: "soft" }, t("or drop them here: text, PDF, HTML, tables, mail and more, up to {0} each", megabytes(largest))));
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    // What was dropped is gone with this event: folders are asked for now.
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (entries.some((one) => one.isDirectory)) uploadFolder(entries);
    else upload([...event.dataTransfer.files]);
  });
  return zone;
}

/** A field for files, which a label as a button stands for. */
function picker(id, label, kind, take) {
  const input = h("input", { type: "file", id, class: "unseen", ...kind, onchange: () => {
    const files = [...input.files];
    input.value = "";
    take(files);
  } });
  return [input, h("label", { for: id, class: "button" }, label)];
}

async function addFile(jobs, path, file, largest, follow) {
  await begin(jobs, file.name, t("not added"), () => sendFile(path, file, file.name, largest), follow);
}

/** Send a file, to be indexed under a name; gives the response, whose JSON is the job. */
export async function sendFile(path, file, name, largest, signal) {
  if (largest && file.size > largest) throw { message: t("it is larger than {0}", megabytes(largest)), hint: t("add it in parts, or ask whoever runs this server") };
  return send(`${path}/documents`, { method: "POST", query: { name }, body: file, headers: { "Content-Type": "application/octet-stream" }, signal });
}

function megabytes(bytes) {
  return `${Math.floor(bytes / 1048576)} MB`;
}

async function begin(jobs, name, undone, request, follow) {
  try {
    follow(await (await request()).json());
  } catch (error) {
    end(addLine(jobs, name), [`${name}: ${undone}`, errorLine(error)]);
  }
}

/** A line about a file, above the others; what was told of it before is gone. */
function addLine(jobs, name) {
  [...jobs.children].filter((line) => line.dataset.name === name).forEach((line) => line.remove());
  const line = h("li", { "data-name": name });
  jobs.prepend(line);
  return line;
}

/** Follow jobs to their ends with one request at a time: they are carried out in their order. */
function follower(isShown, whenSomeEnded) {
  const waiting = [];
  let isAsking = false;
  const ask = async () => {
    let hasEnded = false;
    while (waiting.length && isShown()) {
      const [{ job, tell }] = waiting;
      try {
        const last = await get(`jobs/${encodeURIComponent(job.id)}`);
        tell(last);
        if (isUnderWay(last)) {
          if (hasEnded) whenSomeEnded();
          hasEnded = false;
          await pause(POLL);
          continue;
        }
        hasEnded = true;
      } catch (error) {
        tell(job, error);
      }
      waiting.shift();
    }
    if (hasEnded) whenSomeEnded();
  };
  return async (job, tell) => {
    tell(job);
    waiting.push({ job, tell });
    if (isAsking) return;
    isAsking = true;
    await ask();
    isAsking = false;
  };
}

/** Say in its line how far a job is, or what came of it. */
export function tellJob(line, job, error) {
  if (!line.isConnected) return;
  if (error) end(line, [`${job.name}: `, errorLine(error)]);
  else if (isUnderWay(job)) line.textContent = jobText(job);
  else end(line, jobEnd(job), job.id);
}

/** Say in a line what came of a file; it can be put away, and stays so when the page is loaded again. */
export function end(line, told, id) {
  const button = h("button", { type: "button", class: "plain", "aria-label": t("Dismiss {0}", line.dataset.name), onclick: () => {
    const next = line.nextElementSibling ?? line.previousElementSibling;
    (next?.querySelector("button") ?? document.getElementById("files")).focus();
    line.remove();
    if (id) localStorage.setItem(DISMISSED, JSON.stringify([...dismissed(), id].slice(-MOST_DISMISSED)));
  } }, t("Dismiss"));
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

export function isUnderWay(job) {
  return job.state === "queued" || job.state === "running";
}

function jobText({ kind, name, state, progress }) {
  const [done, undone] = kind === "delete" ? [t("deleted"), t("not deleted")] : [t("added"), t("not added")];
  if (state === "done") return `${name}: ${done}`;
  if (state === "failed") return `${name}: ${undone}`;
  if (state === "queued") return `${name}: ${t("waiting")}`;
  const share = progress?.total ? ` (${progress.stage}, ${t("{0} of {1}", progress.done, progress.total)})` : "";
  return `${name}: ${t(kind === "delete" ? "deleting" : "reading")}${share}`;
}
