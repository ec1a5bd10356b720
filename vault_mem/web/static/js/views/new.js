// A new memory, with the guard's verdict as you type.
import { change, go, html, shared, useDelayed, useEffect, useState } from "../base.js";
import { post } from "../api.js";
import { Check, Diff, Failure, Field, Head, done, memoryAt } from "../parts.js";
import { t } from "../words.js";
import { Links } from "./ask.js";

const KINDS = ["event", "fact", "relation", "task", "summary", "mood"];
const listed = (text) => text.split(/[,、，]/).map((each) => each.trim().replace(/^#/, "")).filter(Boolean);
const EMPTY = { content: "", kind: "event", importance: 3, category: "", tags: "", people: "", private: false };

export default function New() {
  const [draft, setDraft] = useState(EMPTY);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const set = (what) => setDraft((old) => ({ ...old, ...what }));
  const body = () => ({
    content: draft.content.trim(),
    kind: draft.kind,
    importance: draft.importance,
    ...(draft.category.trim() && { category: draft.category.trim() }),
    tags: listed(draft.tags),
    people: listed(draft.people),
    ...(shared.private && draft.private && { private: true }),
  });
  const save = async (more = {}) => {
    setBusy(true);
    setError(null);
    try {
      const { memory, op } = await post("remember", { ...body(), ...more });
      change({ changes: shared.changes + 1 });
      done(t("saved"), op);
      go(memoryAt(memory.id));
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  const verdict = useVerdict(draft);
  const input = (name, label, hint) => html`<${Field} label=${label} hint=${hint}>${(id) => html`<input id=${id} type="text" value=${draft[name]} onInput=${(event) => set({ [name]: event.target.value })} />`}<//>`;
  return html`<${Head} title=${t("nav.new")} lead=${t("new.lead")} />
    <form class="form" onSubmit=${(event) => (event.preventDefault(), save())}>
      <${Field} label=${t("new.text")}>${(id) => html`<textarea id=${id} rows="5" value=${draft.content} onInput=${(event) => set({ content: event.target.value })} aria-describedby="verdict"></textarea>`}<//>
      <div id="verdict" class="verdict" role="status" aria-live="polite"><${Verdict} verdict=${verdict} replace=${(id) => save({ supersedes: [id] })} /></div>
      <div class="half">
        <${Field} label=${t("filter.kind")}>${(id) => html`<select id=${id} value=${draft.kind} onChange=${(event) => set({ kind: event.target.value })}>${KINDS.map((kind) => html`<option key=${kind} value=${kind}>${t(`kind.${kind}`)}</option>`)}</select>`}<//>
        <${Field} label=${t("field.importance")}>${(id) => html`<select id=${id} value=${draft.importance} onChange=${(event) => set({ importance: Number(event.target.value) })}>${[1, 2, 3, 4, 5].map((n) => html`<option key=${n} value=${n}>${n}</option>`)}</select>`}<//>
        ${input("people", t("field.people"), t("new.commas"))}
        ${input("tags", t("field.tags"), t("new.commas"))}
      </div>
      ${shared.private && html`<${Check} label=${t("new.private")} checked=${draft.private} onChange=${(on) => set({ private: on })} />`}
      ${error && html`<${Failure} error=${error} />`}
      <div class="actions"><button class="btn main-act" disabled=${busy || !draft.content.trim()}>${t("save")}</button>
        ${error?.code === "duplicate" && html`<button type="button" class="btn" onClick=${() => save({ force: true })}>${t("new.force")}</button>`}</div>
    </form>`;
}

function useVerdict(draft) {
  const [verdict, set] = useState(null);
  const content = useDelayed(draft.content.trim(), 250);
  useEffect(() => {
    if (!content) {
      set(null);
      return undefined;
    }
    const stop = new AbortController();
    const hidden = shared.private && draft.private;
    post("check", { content, kind: draft.kind, ...(hidden && { private: true }) }, stop.signal).then(set, (error) => !stop.signal.aborted && set({ error }));
    return () => stop.abort();
  }, [content, draft.kind, draft.private]);
  return verdict;
}

function Verdict({ verdict, replace }) {
  if (!verdict) return html`<p class="soft small">${t("verdict.waiting")}</p>`;
  if (verdict.error) return html`<${Failure} error=${verdict.error} />`;
  const { verdict: name, would_save: saves, message, hint, near, grows, may_replace: old = [], may_finish: tasks = [], links = [] } = verdict;
  const about = near ?? grows;
  return html`<div class=${`note ${!saves ? "bad" : name === "new" ? "good" : "warn"}`}>
      <p><b>${t(`verdict.${name}`, {}, message)}</b>${about && html` <a href=${memoryAt(about.id)}>${about.title}</a>`}</p>
      ${message && html`<p class="small">${message}${hint && ` ${hint}`}</p>`}
    </div>
    ${near?.diff && html`<p class="words"><${Diff} diff=${near.diff} /></p>`}
    ${old.length > 0 && html`<p class="small">${t("may.replace")}</p><ul class="links">${old.map((each) => html`<li key=${each.id}><a href=${memoryAt(each.id)}>${each.title}</a> <button type="button" class="btn small" onClick=${() => replace(each.id)}>${t("new.replace")}</button></li>`)}</ul>`}
    ${tasks.length > 0 && html`<p class="small">${t("may.finish")} ${tasks.map((each) => html`<a href=${memoryAt(each.id)}>${each.title}</a> `)}</p>`}
    ${links.length > 0 && html`<details class="disclose"><summary>${t("would.link", { n: links.length })}</summary><${Links} links=${links} /></details>`}`;
}
