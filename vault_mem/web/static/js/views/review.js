// Review: the proposals that wait for an answer. They are those of REVIEW.md: a tick there and a button here do the same.
import { change, html, shared, toast, useState } from "../base.js";
import { post, useAnswer } from "../api.js";
import { After, Before, Facts, Failure, Head, Waiting, done, memoryAt, trouble } from "../parts.js";
import { t } from "../words.js";

const later = new Set(); // put off, in this tab only; nothing is saved

export default function Review() {
  const [, again] = useState(0);
  const found = useAnswer("review");
  const put = (key) => {
    later.has(key) ? later.delete(key) : later.add(key);
    again((n) => n + 1);
  };
  const open = found.data?.proposals ?? [];
  const now = open.filter((each) => !later.has(each.key));
  const put_off = open.filter((each) => later.has(each.key));
  return html`<${Head} title=${t("nav.review")} lead=${t("review.lead")} />
    ${found.error && html`<${Failure} error=${found.error} />`}
    ${!found.data && found.busy && html`<${Waiting} />`}
    ${found.data && !open.length && html`<p class="empty">${t("review.nothing")}</p>`}
    <p class="status" aria-live="polite">${open.length > 0 && t("review.count", { n: now.length })}</p>
    ${now.map((each) => html`<${Proposal} key=${each.key} proposal=${each} put=${put} />`)}
    ${put_off.length > 0 && html`<h2 class="day">${t("review.later")}</h2>
      <ul class="links">${put_off.map((each) => html`<li key=${each.key}><button type="button" class="btn small" onClick=${() => put(each.key)}>${t("review.now")}</button><span>${t(`proposal.${each.kind}`)}: ${each.memories[0]?.title ?? each.words}</span></li>`)}</ul>`}`;
}

function Proposal({ proposal, put }) {
  const [busy, setBusy] = useState(false);
  const { key, kind, memories, diff, said = [] } = proposal;
  const answer = async (how) => {
    setBusy(true);
    try {
      const { outcome, note, op } = await post(`review/${encodeURIComponent(key)}`, { answer: how });
      done(outcome === "stale" ? note || t("outcome.stale") : t(`outcome.${outcome}`), op);
      change({ changes: shared.changes + 1 });
    } catch (error) {
      toast(trouble(error));
    }
    setBusy(false);
  };
  const [first, second] = memories;
  const name = `p${key}`;
  return html`<article class=${`card ${proposal.private ? "private" : ""}`} aria-labelledby=${name}>
    <div class="meta"><h2 id=${name}>${t(`proposal.${kind}`)}</h2>${proposal.private && html`<span class="badge private">${t("private.badge")}</span>`}</div>
    ${proposal.reason && html`<p class="soft small">${proposal.reason}</p>`}
    <div class="pair">
      ${second && html`<${Side} memory=${second} role=${t(`role.${kind}.second`)}>${diff?.length ? html`<${Before} diff=${diff} />` : html`<p class="words">${second.content}</p>`}<//>`}
      ${first && html`<${Side} memory=${first} role=${t(`role.${kind}.first`)}>${second && diff?.length ? html`<${After} diff=${diff} />` : html`<p class="words">${first.content}</p>`}<//>`}
      ${!first && html`<section><p class="words">${proposal.words}</p></section>`}
    </div>
    ${said.length > 0 && html`<details class="disclose"><summary>${t("review.said")}</summary>${said.map((each) => html`<p class="words"><b>${each.who}</b>: ${each.text}</p>`)}</details>`}
    <p class="small soft">${t(`does.${kind}`)}</p>
    <div class="actions" role="group" aria-labelledby=${name}>
      <button type="button" class="btn main-act" disabled=${busy} onClick=${() => answer("accept")}>${t("accept")}</button>
      <button type="button" class="btn" disabled=${busy} onClick=${() => answer("refuse")}>${t("refuse")}</button>
      <button type="button" class="btn" disabled=${busy} onClick=${() => put(key)}>${t("later")}</button>
    </div>
  </article>`;
}

const Side = ({ memory, role, children }) => html`<section>
  <p class="label">${role}</p><${Facts} memory=${memory} />
  <h3 class="title"><a href=${memoryAt(memory.id)}>${memory.title}</a></h3>${children}</section>`;
