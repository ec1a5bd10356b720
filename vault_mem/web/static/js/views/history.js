// History: every operation with its diff, and an Undo button if it can be undone.
import { html, useState } from "../base.js";
import { useAnswer } from "../api.js";
import { Failure, Head, LineDiff, Waiting, clock, dayLong, did, memoryAt, undo } from "../parts.js";
import { t } from "../words.js";

const STEP = 50;
const MOST = 500; // the server lists no more at once; the command shows the rest

export default function History() {
  const [n, setN] = useState(STEP);
  const found = useAnswer("history", { n });
  const operations = found.data?.operations ?? [];
  const days = new Map();
  operations.forEach((each) => days.set(each.at.slice(0, 10), [...(days.get(each.at.slice(0, 10)) ?? []), each]));
  return html`<${Head} title=${t("nav.history")} lead=${t("history.lead")} />
    ${found.error && html`<${Failure} error=${found.error} />`}
    ${!found.data && found.busy && html`<${Waiting} />`}
    ${found.data && !operations.length && html`<p class="empty">${t("history.nothing")}</p>`}
    ${[...days].map(([date, each]) => html`<section key=${date}><h2 class="day">${dayLong(date)}</h2><ul class="ops">${each.map((operation) => html`<${Operation} key=${operation.op} operation=${operation} />`)}</ul></section>`)}
    ${found.data?.more && n < MOST && html`<p class="row"><button type="button" class="btn" onClick=${() => setN(n + STEP)}>${t("history.more")}</button></p>`}`;
}

function Operation({ operation }) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const { op, at, command, reason, ids = [], titles = {}, files = [], undone, unasked, undoable } = operation;
  const named = ids.filter((id) => titles[id]);
  const back = async () => {
    setBusy(true);
    await undo(op);
    setBusy(false);
  };
  return html`<li>
    <span class="when num"><time datetime=${at}>${clock(at)}</time></span>
    <div>
      <div class="row"><b class=${undone ? "struck" : ""}>${did(command)}</b>
        ${unasked && html`<span class="badge">${t("unasked")}</span>`}${undone && html`<span class="badge">${t("is.undone")}</span>`}</div>
      ${named.slice(0, 4).map((id) => html`<p key=${id} class="small"><a href=${memoryAt(id)}>${titles[id]}</a></p>`)}
      ${named.length > 4 && html`<p class="small soft">${t("more", { n: named.length - 4 })}</p>`}
      ${reason && html`<p class="small soft">${reason}</p>`}
      <details class="disclose" open=${open} onToggle=${(event) => setOpen(event.target.open)}><summary>${t("files", { n: files.length })}</summary>${open && html`<${Changes} op=${op} />`}</details>
    </div>
    <div>${undoable && html`<button type="button" class="btn small" disabled=${busy} onClick=${back} aria-label=${t("undo.what", { what: did(command), when: clock(at) })}>${t("undo")}</button>`}</div>
  </li>`;
}

function Changes({ op }) {
  const found = useAnswer(`history/${encodeURIComponent(op)}`);
  if (found.error) return html`<${Failure} error=${found.error} />`;
  if (!found.data) return null;
  return found.data.files.map((file) => html`<div class="diff" key=${file.path} tabindex="0" role="region" aria-label=${file.path}>
    <div class="file">${file.path} ${file.made ? t("file.made") : file.removed ? t("file.removed") : ""}</div><${LineDiff} diff=${file.diff ?? []} />${file.cut && html`<div class="skip-lines">${t("file.cut")}</div>`}</div>`);
}
