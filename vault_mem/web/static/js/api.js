// Talks to the server. Only requests with the tab's key see private memories; the key is kept in this module alone.
import { change, shared, useLayoutEffect, useState } from "./base.js";

export const NEWEST = 12; // how many memories the page begins with

let csrf = "";
let key = "";

export class Refused extends Error {
  constructor(status, body) {
    super(body?.error?.message ?? `${status}`);
    Object.assign(this, { status, code: body?.error?.code ?? "", hint: body?.error?.hint ?? "", body: body ?? {} });
  }
}

// The answers to the first requests, which came with the page; used only for its first rendering.
const sent = new Map(Object.entries(JSON.parse(document.getElementById("sent").textContent)));
export const forgetSent = () => sent.clear();

async function ask(path, options = {}) {
  if (sent.has(path)) return sent.get(path);
  const headers = { ...options.headers, ...(key && { "X-Private": key }) };
  const answer = await fetch(path, { ...options, headers, credentials: "same-origin" });
  const body = await answer.json().catch(() => null);
  if (answer.status === 401) change({ over: true });
  if (!answer.ok) throw new Refused(answer.status, body);
  return body;
}

export function full(path, query = {}) {
  const filled = Object.entries(query).filter(([, value]) => value !== "" && value != null && value !== false);
  return `api/${path}${filled.length ? `?${new URLSearchParams(filled)}` : ""}`;
}

export const get = (path, query, signal) => ask(full(path, query), { signal });

export const post = (path, body, signal) =>
  ask(`api/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF": csrf },
    body: JSON.stringify(body),
    signal,
  });

export async function refreshStatus() {
  const status = await get("status");
  csrf = status.csrf;
  change({ status });
}

export async function switchPrivate(on) {
  const answer = await post("private", { on });
  key = answer.on ? answer.key : "";
  change({ private: answer.on, changed: new Set() });
  listen();
  await refreshStatus();
}

// The server's answer to a request, which is repeated after every change in the vault.
export function useAnswer(path, query = {}, { live = true } = {}) {
  const [state, set] = useState({ data: null, error: null, busy: true });
  const asked = path && full(path, query);
  const changes = live ? shared.changes : 0;
  // a layout effect, so that the request is sent before the browser paints
  useLayoutEffect(() => {
    if (!asked) {
      set({ data: null, error: null, busy: false });
      return undefined;
    }
    const stop = new AbortController();
    set((old) => ({ ...old, busy: true }));
    ask(asked, { signal: stop.signal }).then(
      (data) => !stop.signal.aborted && set({ data, error: null, busy: false }),
      (error) => !stop.signal.aborted && set({ data: null, error, busy: false }),
    );
    return () => stop.abort();
  }, [asked, changes]);
  return state;
}

// Server-sent events, read with fetch because EventSource cannot send the tab's key.
let listening = null;
export async function listen() {
  listening?.abort();
  const stop = (listening = new AbortController());
  while (!stop.signal.aborted && !shared.over) {
    try {
      const headers = key ? { "X-Private": key } : {};
      const answer = await fetch("api/events", { headers, signal: stop.signal, credentials: "same-origin" });
      if (answer.status === 401) change({ over: true });
      if (!answer.ok) throw new Error(`${answer.status}`);
      await follow(answer.body.pipeThrough(new TextDecoderStream()).getReader(), stop.signal);
    } catch {
      // the server is gone: try again below
    }
    if (stop.signal.aborted) return;
    change({ live: false });
    await new Promise((done) => setTimeout(done, 1000));
  }
}

async function follow(reader, signal) {
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done || signal.aborted) return;
    const events = (rest + value).split(/\r?\n\r?\n/);
    rest = events.pop();
    events.forEach(take);
  }
}

function take(text) {
  const lines = text.split(/\r?\n/);
  const field = (name) => lines.find((each) => each.startsWith(`${name}:`))?.slice(name.length + 1).trim();
  const event = field("event");
  if (event === "hello") {
    // after a reconnection, views ask again, because events may have been missed
    const missed = !shared.live && shared.changes > 0;
    change({ live: true, changes: shared.changes + (missed ? 1 : 0) });
  }
  if (event === "change") {
    const what = JSON.parse(field("data"));
    change({ changes: shared.changes + 1, changed: new Set(what.ids ?? []) });
    refreshStatus().catch(() => {});
  }
}
