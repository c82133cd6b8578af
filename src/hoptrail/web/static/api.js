// Requests to the server: JSON in and out, errors as one message with a hint, events as they come.

import { language, t } from "./words.js";

const ROOT = new URL("api/v1/", document.baseURI);
const KEY = "hoptrail-key";

export class ApiError extends Error {
  constructor({ code = "error", message, hint = "" }, status = 0, retryAfter = 0) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.status = status;
    this.retryAfter = retryAfter; // seconds
  }
}

export function setKey(key) {
  sessionStorage.setItem(KEY, key);
}

/** Send a request; gives the response, or throws an ApiError. */
export async function send(path, { method = "GET", query = {}, json, body, headers = {}, signal } = {}) {
  const url = new URL(path, ROOT);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, value);
  }
  const sent = { ...headers };
  const key = sessionStorage.getItem(KEY);
  if (key) sent.Authorization = `Bearer ${key}`;
  if (json !== undefined) sent["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(url, { method, headers: sent, body: json === undefined ? body : JSON.stringify(json), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ code: "unreachable", message: t("the server does not answer"), hint: t("is it still running? Then try again") });
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

async function refusal(response) {
  const told = await response.json().catch(() => ({}));
  return new ApiError(told.error ?? { message: `the server refused this with status ${response.status}`, hint: "try again" }, response.status, Number(response.headers.get("Retry-After")));
}

export async function get(path, query = {}, signal = undefined) {
  return (await send(path, { query, signal })).json();
}

/** Ask a question; yields [name, data] of each event. Closing or aborting it stops the run. */
export async function* ask(question, signal) {
  const response = await send("ask", { method: "POST", json: question, headers: { Accept: "text/event-stream" }, signal });
  yield* events(response.body);
}

/** Server-sent events of a body, as the HTML standard parses them (section 9.2.6). */
async function* events(body) {
  let waiting = "";
  for await (const piece of pieces(body)) {
    waiting += piece;
    const blocks = waiting.split(/\r?\n\r?\n/);
    waiting = blocks.pop();
    for (const block of blocks) {
      let name = "message";
      const data = [];
      for (const line of block.split(/\r?\n/)) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (data.length) yield [name, JSON.parse(data.join("\n"))];
    }
  }
}

async function* pieces(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The trail drawn by the server, as an element. */
export async function drawing(trail, answers, width) {
  const response = await send("drawing", { method: "POST", json: { trail, answers, width, language } });
  const parsed = new DOMParser().parseFromString(await response.text(), "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}
