// Ask: what answers a question, why it was found, and why something else was not.
import { html, say, settle, shared, useDelayed, useEffect, useRef, useState } from "../base.js";
import { NEWEST, get, useAnswer } from "../api.js";
import { Check, Facts, Failure, Field, Head, Meter, Parts, Replaced, Served, Terms, Waiting, Ways, memoryAt, number } from "../parts.js";
import { t } from "../words.js";

const FILTERS = ["kind", "person", "tag", "since", "until", "closed"];

export default function Ask({ query }) {
  const [asked, setAsked] = useState(query);
  useEffect(() => setAsked(query), [JSON.stringify(query)]);
  const set = (what) => setAsked((old) => ({ ...old, ...what }));
  const late = useDelayed(asked, 150);
  useEffect(() => settle("ask", late), [late]);
  const question = (late.q ?? "").trim();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, late[name]]));
  const found = useAnswer(question ? "recall" : "list", question ? { q: question, n: 10, ...filters } : { n: NEWEST, ...filters });
  const field = useRef();
  useEffect(() => {
    const slash = (event) => {
      if (event.key === "/" && !event.target.closest("input, textarea, select")) {
        event.preventDefault();
        field.current.focus();
      }
    };
    addEventListener("keydown", slash);
    return () => removeEventListener("keydown", slash);
  }, []);
  const asks = Boolean(found.data?.results);
  const results = found.data?.results ?? found.data?.memories ?? [];
  const summary = found.data && (asks ? told(found.data) : found.data.total > 0 && t("newest", { n: number(found.data.total) }));
  useEffect(() => {
    if (asks) say(summary);
  }, [found.data]);
  return html`<${Head} title=${t("nav.ask")} lead=${t("ask.lead")} />
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <div class="search">
        <svg viewBox="0 0 18 18" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"><path d="M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3Zm3.7 8.7L16 16" /></svg>
        <input ref=${field} type="search" aria-label=${t("ask.field")} placeholder=${t("ask.placeholder")} value=${asked.q ?? ""} onInput=${(event) => set({ q: event.target.value })} autocomplete="off" spellcheck="false" />
      </div>
      <${Filters} asked=${asked} set=${set} />
    </form>
    <p class="status">${summary || ""}</p>
    ${found.error && html`<${Failure} error=${found.error} />`}
    ${!found.data && found.busy && html`<${Waiting} />`}
    ${found.data && !results.length && html`<p class="empty">${t(question || FILTERS.some((name) => late[name]) ? "ask.nothing" : "vault.empty")}</p>`}
    <ul aria-label=${t("results")}>
      ${results.map((memory) => html`<${Card} key=${memory.id} memory=${memory} set=${set} />`)}
    </ul>
    ${asks && html`<${WhyNot} key=${question} question=${question} filters=${filters} />`}`;
}

function told(answer) {
  if (!answer.results.length) return "";
  const took = t("took", { n: number(answer.seconds * 1000) });
  return `${answer.answered ? t("found", { n: answer.results.length }) : t("nothing.answers")} ${took}${answer.stale ? ` ${t("stale")}` : ""}`;
}

function Filters({ asked, set }) {
  const given = FILTERS.filter((name) => asked[name]);
  const [open, setOpen] = useState(given.length > 0);
  const facets = useAnswer(open ? "facets" : null);
  const pick = (name, label, values, shown = (value) => value) => html`<${Field} label=${label}>${(id) => html`
    <select id=${id} value=${asked[name] ?? ""} onChange=${(event) => set({ [name]: event.target.value })}>
      <option value="">${t("any")}</option>
      ${asked[name] && !values.some(([value]) => value === asked[name]) && html`<option value=${asked[name]}>${shown(asked[name])}</option>`}
      ${values.map(([value, count]) => html`<option key=${value} value=${value}>${shown(value)} (${count})</option>`)}
    </select>`}<//>`;
  const date = (name, label) => html`<${Field} label=${label}>${(id) => html`<input id=${id} type="date" value=${asked[name] ?? ""} onChange=${(event) => set({ [name]: event.target.value })} />`}<//>`;
  const { kinds = [], people = [], tags = [] } = facets.data ?? {};
  return html`<details class="filters disclose" open=${open} onToggle=${(event) => setOpen(event.target.open)}>
    <summary>${t("filters")}${given.length > 0 && ` (${given.length})`}</summary>
    <div class="filter-grid">
      ${pick("kind", t("filter.kind"), kinds, (value) => t(`kind.${value}`))}
      ${pick("person", t("filter.person"), people)}
      ${pick("tag", t("filter.tag"), tags)}
      ${date("since", t("filter.since"))}
      ${date("until", t("filter.until"))}
      <div class="row all"><${Check} label=${t("filter.closed")} checked=${Boolean(asked.closed)} onChange=${(on) => set({ closed: on ? "1" : "" })} />
        ${given.length > 0 && html`<button type="button" class="plain small" onClick=${() => set(Object.fromEntries(FILTERS.map((name) => [name, ""])))}>${t("filter.none")}</button>`}</div>
    </div>
  </details>`;
}

function Card({ memory, set }) {
  const { relevance, explain, parts, links = [], maybe_replaced_by: newer } = memory;
  return html`<li class=${`card ${memory.private ? "private" : ""} ${memory.closed ? "closed" : ""} ${shared.changed.has(memory.id) ? "flash" : ""}`}>
    <${Facts} memory=${memory}>${relevance != null && html`<${Meter} part=${relevance} label=${t("relevance", { n: Math.round(relevance * 100) })} />`}<//>
    <h2 class="title"><a href=${memoryAt(memory.id)}>${memory.title}</a></h2>
    ${(memory.closed || newer) && html`<p class="small soft"><${Replaced} memory=${memory} />${newer && !memory.superseded_by && html`${t("maybe.replaced")} <a href=${memoryAt(newer.id)}>${newer.title}</a>`}</p>`}
    <${Parts} parts=${trimmed(memory.title, parts ?? [[memory.content, false]])} />
    ${(memory.people?.length > 0 || memory.tags?.length > 0) && html`<div class="chips" role="group" aria-label=${t("people.and.tags")}>
      ${memory.people?.map((name) => html`<button type="button" class="chip" key=${`p${name}`} onClick=${() => set({ person: name })} aria-label=${t("only.person", { name })}>${name}</button>`)}
      ${memory.tags?.map((name) => html`<button type="button" class="chip" key=${`t${name}`} onClick=${() => set({ tag: name })} aria-label=${t("only.tag", { name })}>#${name}</button>`)}
    </div>`}
    <div class="card-foot">
      ${explain?.length > 0 && html`<details class="disclose"><summary>${t("why")}</summary><${Terms} explain=${explain} /><p class="small soft">${t("why.sum", { n: number(memory.score, 2) })}</p></details>`}
      ${links.length > 0 && html`<details class="disclose"><summary>${t("links", { n: links.length })}</summary><${Links} links=${links} /></details>`}
      <${Ways} memory=${memory} />
    </div>
  </li>`;
}

export const Links = ({ links }) => html`<ul class="links">
  ${links.map((link) => html`<li key=${link.id + link.type}><span class="type">${t(`link.${link.type}`)}</span><a href=${memoryAt(link.id)}>${link.title}</a></li>`)}
</ul>`;

// The title is usually the first sentence, so do not show that twice.
function rest(title, text) {
  return text.startsWith(title) ? text.slice(title.length).replace(/^[.。!！?？\s]+/, "") : text;
}
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most).trimEnd()} …` : text);

// Of a long memory, the answer and the text around it.
const AROUND = 220;
function trimmed(title, parts) {
  return parts
    .map(([text, answers], at) => {
      const whole = at === 0 && !answers ? rest(title, text) : text;
      if (answers) return [whole, true];
      if (at === parts.length - 1) return [shortened(whole, parts.length === 1 ? 2 * AROUND : AROUND), false];
      if (whole.length <= AROUND) return [whole, false];
      return [at === 0 ? `… ${whole.slice(-AROUND)}` : `${whole.slice(0, AROUND / 2)} … ${whole.slice(-AROUND / 2)}`, false];
    })
    .filter(([text]) => text);
}

// "Why not this one?": find a memory by its words, and explain where the same recall drops it.
function WhyNot({ question, filters }) {
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(null);
  const [looked, setLooked] = useState(null);
  const look = async (event) => {
    event.preventDefault();
    setChosen(null);
    const given = words.trim();
    if (!given) return;
    if (/^mem_[0-9a-f]+$/.test(given)) setChosen({ id: given });
    else setLooked((await get("recall", { q: given, n: 5, closed: "1" })).results);
  };
  const verdict = useAnswer(chosen && "why-not", { q: question, id: chosen?.id, n: 10, ...filters });
  return html`<section class="card" aria-labelledby="whynot">
    <h2 id="whynot">${t("whynot")}</h2>
    <p class="soft small">${t("whynot.lead")}</p>
    <form class="row" onSubmit=${look}>
      <input class="grow" type="text" aria-label=${t("whynot.field")} placeholder=${t("whynot.field")} value=${words} onInput=${(event) => setWords(event.target.value)} />
      <button class="btn">${t("whynot.look")}</button>
    </form>
    ${looked && !chosen && (looked.length ? html`<ul class="links">${looked.map((each) => html`<li key=${each.id}><button type="button" class="plain" onClick=${() => setChosen(each)}>${each.title}</button></li>`)}</ul>` : html`<p class="soft">${t("ask.nothing")}</p>`)}
    <div aria-live="polite">
      ${chosen && verdict.error && html`<${Failure} error=${verdict.error} />`}
      ${chosen && verdict.data && html`<div class="stack">
        <p class=${`note ${verdict.data.stage === "shown" ? "good" : "warn"}`}><b>${verdict.data.title ?? chosen.title}</b><br />${t(`stage.${verdict.data.stage}`)} <span class="soft"><${Served} text=${verdict.data.reason} /></span>
        ${verdict.data.needed != null && html`<br />${t("whynot.needed", { score: number(verdict.data.score, 2), needed: number(verdict.data.needed, 2) })}`}</p>
        ${verdict.data.explain?.length > 0 && html`<${Terms} explain=${verdict.data.explain} />`}
      </div>`}
    </div>
  </section>`;
}
