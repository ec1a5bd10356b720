// What the agent sees: the very text it is sent, and what it costs.
import { html, settle, shared, useDelayed, useEffect, useState } from "../base.js";
import { useAnswer } from "../api.js";
import { Choice, Failure, Field, Head, Waiting, number } from "../parts.js";
import { t } from "../words.js";

export default function Agent({ query }) {
  const [what, setWhat] = useState(query.what === "recall" ? "recall" : "wake-up");
  const [budget, setBudget] = useState(Number(query.budget) || 1500);
  const [question, setQuestion] = useState(query.q ?? "");
  const late = useDelayed({ what, budget, q: question.trim() }, 150);
  useEffect(() => settle("agent", { ...late, q: late.what === "recall" ? late.q : "" }), [late]);
  const asks = late.what === "recall";
  const sent = useAnswer(asks && !late.q ? null : `agent/${late.what}`, asks ? { q: late.q, budget: late.budget } : { budget: late.budget });
  return html`<${Head} title=${t("nav.agent")} lead=${t(shared.private ? "agent.lead.private" : "agent.lead")} />
    <div class="stack">
      <${Choice} label=${t("agent.what")} value=${what} options=${[["wake-up", t("agent.wake-up")], ["recall", t("agent.recall")]]} onChange=${setWhat} />
      ${what === "recall" && html`<${Field} label=${t("ask.field")}>${(id) => html`<input id=${id} type="search" value=${question} onInput=${(event) => setQuestion(event.target.value)} />`}<//>`}
      <div class="budget"><${Field} label=${t("agent.budget")}>${(id) => html`<input id=${id} type="range" min="100" max="4000" step="50" value=${budget} aria-valuetext=${t("tokens", { n: budget })} onInput=${(event) => setBudget(Number(event.target.value))} />`}<//>
        <${Spent} sent=${sent.data} budget=${budget} /></div>
    </div>
    ${sent.error && html`<${Failure} error=${sent.error} />`}
    ${!sent.data && sent.busy && html`<${Waiting} />`}
    ${!sent.data && !sent.busy && !sent.error && html`<p class="empty">${t("agent.ask")}</p>`}
    ${sent.data && html`<div class="sheet" role="region" tabindex="0" aria-label=${t("agent.sent")}>${sent.data.text}</div>`}`;
}

function Spent({ sent, budget }) {
  const tokens = sent?.tokens ?? 0;
  return html`<div class="tokens" aria-live="polite"><span><b class="num">${sent ? number(tokens) : "–"}</b> ${t("tokens.of", { n: number(budget) })}</span><span class="soft num">${sent ? `${Math.round((tokens / budget) * 100)} %` : ""}</span></div>
    <div class="bar wide-bar" aria-hidden="true"><i style=${{ width: `${Math.min(100, (tokens / budget) * 100)}%` }}></i></div>`;
}
