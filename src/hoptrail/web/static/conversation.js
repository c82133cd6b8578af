// The conversation: questions, answers as they come, follow-ups, and the stop button.

import { ask, get, send } from "./api.js";
import { answerView, stepItem, summary } from "./answer.js";
import { announce, counted, errorLine, h } from "./dom.js";
import { feedbackBar, savedLine } from "./feedback.js";
import { filterChoice } from "./filter.js";
import { t } from "./words.js";

const UNANSWERED = "hoptrail-unanswered";

/** Show the conversation of a thread, or an empty one; `site` is what the whole page shares. */
export async function showConversation(view, site, threadId) {
  const log = h("div", { class: "log" });
  const conversation = h("div", { class: "conversation" }, log, composer(log, site, threadId));
  if (threadId === null) {
    log.append(await welcome(site));
    view.replaceChildren(conversation);
    conversation.querySelector("textarea").focus();
    return;
  }
  const thread = await get(`threads/${encodeURIComponent(threadId)}`).catch((error) => { throw explained(error); });
  site.chooseBase(thread.base);
  site.nameView(thread.title);
  const answers = await Promise.all(thread.turns.map((turn) => answerView(turn.answer, (place) => site.open(thread.base, place), said(turn.answer, { base: thread.base, thread: threadId, site, given: turn.feedback, kept: turn.saved }))));
  log.append(heading(thread.title), ...thread.turns.map((turn, number) => turnView(turn.question, answers[number])));
  if (!answers.length) {
    // Its first question was stopped, or its page was left before the answer.
    log.append(h("p", { class: "notice" }, t("Nothing was answered here yet. The question stands below to be asked again.")));
    conversation.querySelector("textarea").value = thread.title;
  } else {
    conversation.querySelector("textarea").value = unanswered(threadId);
  }
  view.replaceChildren(conversation);
  log.lastElementChild?.scrollIntoView({ block: "start" });
}

/** The question of a thread that was stopped, or whose page was left before the answer. */
function unanswered(threadId) {
  const kept = JSON.parse(sessionStorage.getItem(UNANSWERED) ?? "{}");
  return kept.thread === threadId ? kept.question : "";
}

function keepUnanswered(thread, question) {
  sessionStorage.setItem(UNANSWERED, JSON.stringify({ thread, question }));
}

/** A thread that is not there, in the words of someone who followed a link to it. */
function explained(error) {
  if (error.code !== "unknown_name") return error;
  return { message: t("This conversation is not here"), hint: t("it was deleted, or it belongs to another key; choose New for a new one") };
}

function heading(title) {
  return h("h1", { class: "unseen" }, title);
}

function turnView(question, ...rest) {
  return h("article", { class: "turn" }, h("h2", { dir: "auto" }, question), ...rest);
}

async function welcome(site) {
  const base = site.about.bases.find((one) => one.name === site.base);
  if (!base) {
    return h("section", { class: "welcome" }, h("h1", {}, t("There is no knowledge base yet")),
      h("p", {}, t("Read a folder of yours into one, then start the page again:")),
      h("pre", {}, "hoptrail index my-notes\nhoptrail web"));
  }
  if (!base.documents && !base.entities) {
    return h("section", { class: "welcome" }, h("h1", {}, t("This knowledge base is empty")),
      base.writable
        ? h("p", {}, t("Add files under Documents, then ask about them here."), " ", h("a", { href: "#/documents" }, t("Documents")))
        : h("p", {}, t("Read files into it, then ask about them here:"), " ", h("code", {}, "hoptrail index FOLDER")));
  }
  const known = await get(`bases/${encodeURIComponent(base.name)}/entities`, { limit: 8 }).catch(() => ({ entities: [] }));
  return h("section", { class: "welcome" },
    h("h1", {}, t("Ask something that takes several steps")),
    h("p", {}, t("Such as “On which river lies the birthplace of the man who built the telescope?” The answer comes with its trail: each step, the fact behind it, and the passage behind the fact. A click on a step opens the document at the quote.")),
    h("p", { class: "soft" }, `${base.name}: ${counted(base.documents, "documents")}, ${counted(base.passages, "passages")}, ${counted(base.entities, "entities")}. `,
      site.about.model ? t("Language model: {0}.", site.about.model + checked(site.about.model_check)) : t("No language model is set: answers are found by search in the graph and read out of sentences.")),
    known.entities.length > 0 && h("div", {},
      h("h2", {}, t("It knows of")),
      h("ul", { class: "chips" }, known.entities.map((one) => h("li", {}, h("a", { href: site.entityLink(base.name, one.id) }, one.name))))));
}

function checked(check) {
  if (!check) return "";
  return `, ${t("which got {0} % of a short check right and reads {1} tokens a second", Math.round(100 * check.right), Math.round(check.read_per_second))}`;
}

/** What stands around an answer besides itself: who saved it, and the buttons for feedback. */
function said(answer, about) {
  return { above: savedLine(answer, about.base, about.site), below: feedbackBar(answer, about) };
}

function composer(log, site, threadId) {
  let thread = threadId;
  let run = null;
  const field = h("textarea", { id: "question", rows: "1", dir: "auto", placeholder: threadId ? t("Ask a follow-up question") : t("Ask a question"), "aria-label": t("Question"), maxlength: "10000" });
  const button = h("button", { class: "primary" }, t("Ask"));
  const preset = presetChoice(site);
  const filter = filterChoice();
  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight + 2, 220)}px`;
  };
  const setRunning = (isRunning) => {
    button.textContent = isRunning ? t("Stop") : t("Ask");
    button.classList.toggle("stop", isRunning);
    form.classList.toggle("running", isRunning);
  };
  const submit = (event) => {
    event.preventDefault();
    if (run) {
      stop(run);
      return;
    }
    const text = field.value.trim();
    if (!text || !filter.check()) return;
    field.value = "";
    grow();
    begin(text, {});
  };
  const begin = async (text, choices) => {
    run = { id: null, connection: new AbortController() };
    setRunning(true);
    log.querySelector(".welcome")?.replaceWith(heading(t("Conversation")));
    try {
      const question = { question: text, preset: preset.value, thread: thread ?? "new", ...choices };
      if (!thread) question.base = site.base;
      keepUnanswered(thread, text);
      question.filter = filter.value();
      thread = await answerOn(log, site, question, run, (id) => { thread = id; keepUnanswered(id, text); site.adoptThread(id); });
      if (unanswered(thread) === text) sessionStorage.removeItem(UNANSWERED);
      field.placeholder = t("Ask a follow-up question");
    } catch (error) {
      field.value = text;
      grow();
    } finally {
      run = null;
      setRunning(false);
      field.focus();
    }
  };
  site.ask = (text, choices) => run === null && begin(text, choices);
  field.addEventListener("input", grow);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !run) submit(event);
  });
  const form = h("form", { class: "composer", onsubmit: submit },
    h("div", { class: "field" }, field, button),
    h("details", { class: "choices" }, h("summary", {}, t("Choices")),
      h("div", {},
        h("label", {}, t("Way of answering"), " ", preset),
        h("p", { class: "soft", id: "preset-note" }, presetNote(site, preset.value)),
        filter.element)));
  form.querySelector("details").addEventListener("toggle", () => filter.load(site.base));
  preset.addEventListener("change", () => {
    site.rememberPreset(preset.value);
    form.querySelector("#preset-note").textContent = presetNote(site, preset.value);
  });
  return form;
}

function presetChoice(site) {
  const select = h("select", { id: "preset", "aria-describedby": "preset-note" },
    site.about.presets.map((one) => h("option", { value: one.name }, one.name)));
  select.value = site.preset;
  return select;
}

function presetNote(site, name) {
  const preset = site.about.presets.find((one) => one.name === name);
  if (!preset) return "";
  const offline = preset.needs_model && !site.about.model ? ` ${t("No model is set: graph search answers alone.")}` : "";
  return `${sentence(preset.does)}${preset.choose_for ? ` (for ${preset.choose_for})` : ""}.${offline}`;
}

/** Stop a run: the server tells when it has ended, so that the thread is free for the next question. */
function stop(run) {
  const disconnect = () => run.connection.abort();
  if (run.id === null) disconnect();
  else send(`runs/${encodeURIComponent(run.id)}/stop`, { method: "POST" }).catch(disconnect);
}

/** Ask, show what comes, and give the thread's id. A stopped question stays to be asked again. */
async function answerOn(log, site, question, run, adopt) {
  const doing = h("span", {}, t("Searching"));
  const clock = h("span", { class: "clock" });
  const progress = h("p", { class: "progress" }, doing, clock);
  const draft = h("p", { class: "text draft", dir: "auto" });
  const steps = h("ol", { class: "steps" });
  const turn = turnView(question.question, progress, draft, steps);
  let thread = question.thread;
  let base = site.base;
  let isWhole = false;
  log.append(turn);
  turn.scrollIntoView({ block: "start" });
  announce(t("Searching for the answer."));
  const begun = Date.now();
  const ticking = setInterval(() => { clock.textContent = `${Math.round((Date.now() - begun) / 1000)} s`; }, 1000);
  try {
    for await (const [name, data] of ask(question, run.connection.signal)) {
      if (name === "start") {
        ({ thread, base, run: run.id } = data);
        if (question.thread === "new") {
          adopt(thread);
          site.nameView(question.question);
        }
      } else if (name === "node") {
        isWhole = true;
        doing.textContent = sentence(data.next || data.node.replaceAll("_", " "));
      } else if (name === "waiting" || name === "reading") {
        doing.textContent = sentence(data.next);
      } else if (name === "draft") {
        isWhole = true;
        doing.textContent = sentence(data.next);
        draft.textContent = data.text;
        draft.classList.toggle("prose", data.text.length > 160);
      } else if (name === "token") {
        // A second try of the answer is shown in place of the first.
        if (isWhole) draft.textContent = "";
        isWhole = false;
        draft.append(data.text);
        draft.classList.toggle("prose", draft.textContent.length > 160);
      } else if (name === "hop") {
        steps.append(stepItem(data.hop, "", (place) => site.open(base, place)));
      } else if (name === "answer") {
        turn.replaceChildren(turn.firstElementChild, await answerView(data, (place) => site.open(base, place), said(data, { base, thread, site })));
        turn.scrollIntoView({ block: "start" });
        announce(summary(data));
        site.refreshThreads();
        return thread;
      } else if (name === "error") {
        throw data.error;
      } else if (name === "stopped") {
        throw new DOMException("stopped", "AbortError");
      }
    }
    throw { message: t("the connection ended before the answer"), hint: t("ask again") };
  } catch (error) {
    const isStopped = error.name === "AbortError";
    turn.replaceChildren(turn.firstElementChild, isStopped
      ? h("p", { class: "notice" }, t("Stopped. The question is not kept; it stands below to be asked again."))
      : errorLine(error));
    if (isStopped) announce(t("Stopped."));
    throw error;
  } finally {
    clearInterval(ticking);
  }
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
