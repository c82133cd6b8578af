// A folder that is added: its files one by one, with what became of each.

import { end, isUnderWay, sendFile, tellJob } from "./documents.js";
import { announce, askUser, counted, errorLine, h, pause } from "./dom.js";
import { t } from "./words.js";

const TOO_MANY = 429;
const BETWEEN = " - "; // in place of "/": files are kept side by side, so their folders become part of their names

/** Add what was dropped (entries with folders among them) or chosen (files that know their paths). */
export async function addFolder(place, chosen, { path, largest, followed }) {
  const found = chosen.some((one) => one.isDirectory)
    ? (await Promise.all(chosen.map((one) => below(one, "")))).flat()
    : chosen.map((file) => ({ path: file.webkitRelativePath, open: async () => file }));
  const isHidden = (one) => one.path.split("/").some((part) => part.startsWith("."));
  const files = found.filter((one) => !isHidden(one)).sort((one, other) => (one.path < other.path ? -1 : 1));
  const name = [...new Set(found.map((one) => one.path.split("/")[0]))].join(", ");
  const left = found.length > files.length ? ` ${t("Hidden, and left out: {0}.", counted(found.length - files.length, "files"))}` : "";
  if (!files.length) {
    const told = h("p", { class: "notice", role: "alert" }, t("There is no file to add in the folder."), left);
    place.replaceChildren(told);
    return;
  }
  if (await askUser(t("Add the folder?"), t("Add"), { note: `${t("“{0}” has {1}.", name, counted(files.length, "files"))}${left}` }) === null) return;
  await new Folder(place, name, files).add({ path, largest, followed });
}

/** Files below an entry of what was dropped; a folder tells a hundred at a time. */
async function below(entry, folder) {
  const path = folder + entry.name;
  if (entry.isFile) return [{ path, open: () => new Promise((resolve, reject) => entry.file(resolve, reject)) }];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    for (const one of some) found.push(...await below(one, `${path}/`));
  }
}

class Folder {
  #added = 0;
  #refused = 0;
  #queued = 0;
  #isStopped = false;
  #connection = new AbortController();

  constructor(place, name, files) {
    this.name = name;
    this.files = files;
    this.text = h("p", {});
    this.bar = h("progress", { "aria-label": name });
    this.stop = h("button", { type: "button", onclick: () => this.#stop() }, t("Stop"));
    this.lines = h("ul", { class: "jobs" });
    place.replaceChildren(h("section", { class: "folder", "aria-label": name }, h("div", {}, this.text, this.bar, this.stop), this.lines));
    this.#count();
  }

  /** Send all files, one after another, while the first ones are being read already. */
  async add({ path, largest, followed }) {
    const stay = (event) => event.preventDefault();
    addEventListener("beforeunload", stay); // the files that are not sent yet would be lost
    for (const file of this.files) {
      if (this.#isStopped) break;
      await this.#send(file, path, largest, followed);
    }
    removeEventListener("beforeunload", stay);
    this.stop.remove();
  }

  async #send(file, path, largest, followed) {
    const line = h("li", { "data-name": file.path }, `${file.path}: ${t("sending")}`);
    this.lines.append(line); // the first are read first, and those that need a look stay above them
    try {
      const name = file.path.replaceAll("/", BETWEEN);
      const response = await patiently(async () => sendFile(path, await file.open(), name, largest, this.#connection.signal));
      this.#queued += 1;
      followed(await response.json(), (job, error) => this.#tell(line, file, job, error));
    } catch (error) {
      if (error.name === "AbortError") line.remove();
      else this.#refuse(line, () => end(line, [`${file.path}: ${t("not added")}`, errorLine(error.message ? error : { message: t("it could not be read") })]));
    }
  }

  #tell(line, file, job, error) {
    const shown = { ...job, name: file.path };
    shown.errors = job.errors.map((one) => (one.document === job.name ? { ...one, document: file.path } : one));
    if (!error && isUnderWay(job)) {
      tellJob(line, shown);
      return;
    }
    this.#queued -= 1;
    if (error || job.state === "failed" || job.errors.length) this.#refuse(line, () => tellJob(line, shown, error));
    else {
      if (job.notes.length) tellJob(line, shown);
      else line.remove(); // only what needs a look stays
      this.#added += 1;
      this.#count();
    }
  }

  #refuse(line, tell) {
    tell();
    this.#refused += 1;
    this.#count();
  }

  #stop() {
    this.#isStopped = true;
    this.#connection.abort();
    this.#count();
    announce(t("Stopped."));
  }

  #count() {
    const done = this.#added + this.#refused;
    const total = this.#isStopped ? done + this.#queued : this.files.length; // what was sent before is read
    this.bar.max = Math.max(total, 1);
    this.bar.value = done;
    const refused = this.#refused ? `, ${t("{0} not added", this.#refused)}` : "";
    this.text.textContent = `${this.name}: ${t("{0} of {1} added", this.#added, counted(total, "files"))}${refused}`;
    if (done === total) announce(this.text.textContent);
  }
}

/** Do it again where the server says that there were too many in this minute. */
async function patiently(act) {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (error.status !== TOO_MANY || !error.retryAfter) throw error;
      await pause(1000 * error.retryAfter);
    }
  }
}
