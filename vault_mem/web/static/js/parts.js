// The small parts that views are made of.
import { change, dismiss, html, say, shared, toast, useEffect, useId, address } from "./base.js";
import { post } from "./api.js";
import { t } from "./words.js";

// Kinds differ by colour and by shape; the graph draws the same shapes.
export const SHAPES = {
  event: "M6 .8a5.2 5.2 0 1 0 0 10.4A5.2 5.2 0 0 0 6 .8Z",
  fact: "M1.3 1.3h9.4v9.4H1.3Z",
  relation: "M6 .2 11.8 6 6 11.8 .2 6Z",
  task: "M6 .8 11.6 10.9H.4Z",
  summary: "M3.1 1h5.8L11.8 6 8.9 11H3.1L.2 6Z",
  mood: "M6 .4 7.7 4l4 .5-2.9 2.8.7 4L6 9.4l-3.5 1.9.7-4L.3 4.5l4-.5Z",
  episode: "M6 .8a5.2 5.2 0 1 0 0 10.4A5.2 5.2 0 0 0 6 .8Zm0 2.6a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2Z",
};

export const Shape = ({ kind }) => html`
  <svg viewBox="0 0 12 12" class=${`k-${kind}`} aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d=${SHAPES[kind] ?? SHAPES.event} /></svg>`;

export const Kind = ({ kind }) => html`<span class="kind"><${Shape} kind=${kind} />${t(`kind.${kind}`)}</span>`;

const formats = new Map();
function format(options) {
  const key = shared.lang + JSON.stringify(options);
  if (!formats.has(key)) {
    const zone = shared.status?.zone;
    formats.set(key, new Intl.DateTimeFormat(shared.lang === "ja" ? "ja-JP" : "en-GB", { ...options, ...(zone && options.hour && { timeZone: zone }) }));
  }
  return formats.get(key);
}
const DAY = { year: "numeric", month: "short", day: "numeric" };
// At noon, so that the day stays the same in any browser's time zone.
const noon = (text) => new Date(`${text.slice(0, 10)}T12:00:00`);
export const day = (text) => format(DAY).format(noon(text));
export const dayLong = (text) => format({ ...DAY, month: "long", weekday: "long" }).format(noon(text));
export const month = (text) => format({ year: "numeric", month: "long" }).format(noon(`${text.slice(0, 7)}-15`));
export const clock = (text) => text.slice(11, 16);
// Without Intl, which took a third of the first view's script time; both languages write numbers the same way.
export function number(n, digits = 0) {
  const [whole, ...rest] = Number(n).toFixed(digits).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
}
export const bytes = (n) => (n == null ? "–" : n < 1e6 ? `${number(n / 1e3)} kB` : n < 1e9 ? `${number(n / 1e6, n < 1e7 ? 1 : 0)} MB` : `${number(n / 1e9, 1)} GB`);

export const When = ({ at }) => html`<time datetime=${at} title=${`${dayLong(at)} ${clock(at)}`}>${day(at)}</time>`;

// What a command did; subcommands such as `episode create` and `episode add` are worded the same.
export const did = (command) => t(`command.${command.split(" ")[0]}`, {}, command);

export const memoryAt = (id) => address("memory", {}, id);

export const Head = ({ title, children, lead }) => {
  useEffect(() => {
    document.title = `${shared.private ? `● ${t("private.title")} – ` : ""}${title} – vault-mem`;
  });
  return html`<div class="head"><div class="row"><h1 tabindex="-1">${title}</h1>${children}</div>${lead && html`<div class="lead">${lead}</div>`}</div>`;
};

export const Meter = ({ part, label, over = false }) => html`
  <span class="meter"><span class="meter-bar" aria-hidden="true"><i class=${over ? "over" : ""} style=${{ width: `${Math.max(2, Math.min(1, part) * 100)}%` }}></i></span><span class="num">${label}</span></span>`;

// Which terms made a score, the strongest first.
export function Terms({ explain }) {
  const most = Math.max(...explain.map(([, value]) => Math.abs(value)), 1e-9);
  return html`<dl class="bars">
    ${explain.map(
      ([name, value]) => html`<div class="why" key=${name}>
        <dt title=${t(`term.${name}.why`)}>${t(`term.${name}`)}</dt>
        <dd class="bar" aria-hidden="true"><i class=${value < 0 ? "minus" : ""} style=${{ width: `${(Math.abs(value) / most) * 100}%` }}></i></dd>
        <dd class="num">${value > 0 ? "+" : "−"}${number(Math.abs(value), 2)}</dd>
      </div>`,
    )}
  </dl>`;
}

export const Parts = ({ parts }) => parts.length > 0 && html`<p class="words">${parts.map(([text, answers]) => (answers ? html`<mark>${text}</mark>` : text))}</p>`;

// A diff as one text, with deletions and insertions.
export const Diff = ({ diff }) => diff.map(([op, text]) => (op === "=" ? text : op === "+" ? html`<ins>${text}</ins>` : html`<del>${text}</del>`));
// The two sides of a diff, each with its own words marked.
export const Before = ({ diff }) => html`<p class="words">${diff.filter(([op]) => op !== "+").map(([op, text]) => (op === "=" ? text : html`<del>${text}</del>`))}</p>`;
export const After = ({ diff }) => html`<p class="words">${diff.filter(([op]) => op !== "-").map(([op, text]) => (op === "=" ? text : html`<ins>${text}</ins>`))}</p>`;

// A file's diff: lines around a change, and a gap for the rest.
export function LineDiff({ diff, around = 2 }) {
  const lines = diff.flatMap(([op, text]) => text.replace(/\n$/, "").split("\n").map((line) => [op, line]));
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - around), at + around + 1).some(([op]) => op !== "="));
  const shown = [];
  lines.forEach(([op, line], at) => {
    if (near[at]) shown.push(html`<div class=${op === "+" ? "plus" : op === "-" ? "minus" : ""}><span class="sr">${op === "+" ? t("diff.added") : op === "-" ? t("diff.removed") : ""}</span>${op === "=" ? "  " : `${op === "-" ? "−" : "+"} `}${line}</div>`);
    else if (near[at - 1] || at === 0) shown.push(html`<div class="skip-lines">  …</div>`);
  });
  return shown;
}

// What went wrong, in the reader's language, followed by the server's English message.
export const trouble = (error) => (error instanceof TypeError ? t("offline") : `${t(`error.${error.code}`, {}, "")} ${error.message}`.trim());

export function Failure({ error }) {
  if (error instanceof TypeError) return html`<div class="note bad" role="alert"><p>${t("offline")}</p></div>`; // fetch throws this if the server does not answer
  return html`<div class="note bad" role="alert"><p><b>${t(`error.${error.code}`, {}, "")}</b> <${Served} text=${error.message} /></p>${error.hint && html`<p class="small"><${Served} text=${error.hint} /></p>`}</div>`;
}

// A text from the server, which is English whatever the language of the page.
export const Served = ({ text }) => html`<span lang="en">${text}</span>`;

export const Waiting = () => html`<p class="empty" aria-busy="true">${t("wait")}</p>`;

// A choice of a few options: radio buttons that look like one control.
export function Choice({ label, value, options, onChange, mini = false }) {
  const name = useId();
  return html`<fieldset class=${`seg ${mini ? "mini" : ""}`}><legend class="sr">${label}</legend>
    ${options.map(([key, text]) => html`<label key=${key}><input type="radio" name=${name} value=${key} checked=${key === value} onChange=${() => onChange(key)} /><span lang=${/^(en|ja)$/.test(key) && mini ? key : null}>${text}</span></label>`)}
  </fieldset>`;
}

export function Command({ text }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast(t("copied"));
    } catch {
      toast(t("copy.failed"));
    }
  };
  return html`<span class="cmd"><code>${text}</code><button type="button" onClick=${copy} aria-label=${t("copy.what", { what: text })}>${t("copy")}</button></span>`;
}

// Tells what was done, with an Undo button.
export function done(text, op) {
  say(text);
  toast(text, op && { text: t("undo"), run: () => undo(op) });
}
export async function undo(op) {
  try {
    await post("undo", { op });
    change({ changes: shared.changes + 1 });
    say(t("undone"));
    toast(t("undone"));
    return true;
  } catch (error) {
    toast(error.hint ? `${trouble(error)} ${error.hint}` : trouble(error));
    return false;
  }
}

export const Toasts = () => html`<div class="toasts" role="region" aria-label=${t("toasts")}>
  ${shared.toasts.map((one) => html`<div class="toast" key=${one.key}><span>${one.text}</span>
    ${one.act && html`<button type="button" onClick=${() => (dismiss(one), one.act.run())}>${one.act.text}</button>`}
    <button type="button" aria-label=${t("close")} onClick=${() => dismiss(one)}>×</button></div>`)}
</div>`;

export const Replaced = ({ memory }) =>
  memory.superseded_by &&
  html`<span>${t("replaced.by")} <a href=${memoryAt(memory.superseded_by.id)}>${memory.superseded_by.title}</a></span>`;

// The line below every memory: its kind, its date, and whether it still holds.
export const Facts = ({ memory, children }) => html`<div class="meta">
  <${Kind} kind=${memory.kind} /><${When} at=${memory.created} />${children}
  ${memory.closed && html`<span class="badge">${t("closed")}${memory.valid_to ? ` ${day(memory.valid_to)}` : ""}</span>`}
  ${memory.private && html`<span class="badge private">${t("private.badge")}</span>`}
</div>`;

export const Ways = ({ memory }) => html`
  <a href=${memoryAt(memory.id)}>${t("open")}<span class="sr">: ${memory.title}</span></a>
  <a href=${address("graph", { around: memory.id })}>${t("in.graph")}<span class="sr">: ${memory.title}</span></a>
  ${memory.obsidian && html`<a href=${memory.obsidian}>Obsidian<span class="sr">: ${memory.title}</span></a>`}`;

export function Check({ label, checked, onChange }) {
  return html`<label class="check"><input type="checkbox" checked=${checked} onChange=${(event) => onChange(event.target.checked)} />${label}</label>`;
}

export function Field({ label, children, hint }) {
  const id = useId();
  return html`<div class="field"><label for=${id}>${label}</label>${children(id)}${hint && html`<span class="small soft">${hint}</span>`}</div>`;
}
