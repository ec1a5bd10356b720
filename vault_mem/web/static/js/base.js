// What every part of the page uses: markup, hooks, and the little state that all of it shares.
import { h, render, Fragment } from "../vendor/preact.mjs";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, useId, useCallback } from "../vendor/hooks.mjs";
import htm from "../vendor/htm.mjs";

export const html = htm.bind(h);
export { render, Fragment, useEffect, useLayoutEffect, useMemo, useRef, useState, useId, useCallback };

const kept = (name) => {
  try {
    return localStorage.getItem(`vault-mem.${name}`);
  } catch {
    return null; // the browser does not allow storage
  }
};
const keep = (name, value) => {
  try {
    localStorage.setItem(`vault-mem.${name}`, value);
  } catch {
    // as above
  }
};

const watchers = new Set();
export const shared = {
  lang: kept("lang") ?? (navigator.languages?.find((each) => /^(en|ja)\b/.test(each))?.startsWith("ja") ? "ja" : "en"),
  theme: kept("theme") ?? "auto",
  status: null, // api/status
  trouble: null, // why there is no status
  changes: 0, // counts changes in the vault, so that views ask again
  changed: new Set(), // ids of the last change, which flash
  private: false,
  live: false,
  over: false, // the session has ended
  toasts: [],
  said: "",
};

export function change(what) {
  Object.assign(shared, what);
  if (what.lang) keep("lang", what.lang);
  if (what.theme) keep("theme", what.theme);
  watchers.forEach((each) => each());
}

export function useShared() {
  const [, again] = useState(0);
  useLayoutEffect(() => {
    const tell = () => again((n) => n + 1);
    watchers.add(tell);
    return () => watchers.delete(tell);
  }, []);
  return shared;
}

// Announces a text to screen readers.
export const say = (text) => change({ said: text });

let toasts = 0;
export function toast(text, act) {
  const one = { key: ++toasts, text, act };
  change({ toasts: [...shared.toasts.slice(-2), one] });
  setTimeout(() => dismiss(one), act ? 20000 : 6000);
}
export const dismiss = (one) => change({ toasts: shared.toasts.filter((each) => each.key !== one.key) });

// Where we are: #/view/rest?a=b, so that Back, bookmarks and reloads work.
export function where() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, ...rest] = path.split("/").map(decodeURIComponent);
  return { view: view || "ask", rest, query: Object.fromEntries(new URLSearchParams(query ?? "")) };
}
export function address(view, query = {}, ...rest) {
  const filled = Object.entries(query).filter(([, value]) => value !== "" && value != null && value !== false);
  const path = [view, ...rest].map(encodeURIComponent).join("/");
  return `#/${path}${filled.length ? `?${new URLSearchParams(filled)}` : ""}`;
}
export const go = (to) => {
  location.hash = to;
};
// Puts what is typed into the address, without a history entry for every letter. Does nothing if the view has changed meanwhile.
export function settle(view, query) {
  const to = address(view, query);
  if (where().view === view && to !== location.hash) history.replaceState(null, "", to);
}

// A debounced value, compared by content and not by identity.
export function useDelayed(value, ms) {
  const now = JSON.stringify(value);
  const [late, set] = useState(now);
  useEffect(() => {
    const timer = setTimeout(() => set(now), ms);
    return () => clearTimeout(timer);
  }, [now, ms]);
  return useMemo(() => JSON.parse(late), [late]);
}
