// One memory: reading it, editing it in place, and its history. Changes that others made meanwhile are never overwritten unseen.
import { address, change, html, shared, useEffect, useRef, useState } from "../base.js";
import { post, useAnswer } from "../api.js";
import { Command, Diff, Facts, Failure, Head, LineDiff, Replaced, Waiting, clock, day, did, done } from "../parts.js";
import { t } from "../words.js";
import { Links } from "./ask.js";

export default function Memory({ rest: [id] }) {
  const found = useAnswer(`memory/${encodeURIComponent(id)}`);
  const [editing, setEditing] = useState(false);
  const memory = found.data;
  if (!memory) return html`<${Head} title=${t("memory")} />${found.error ? html`<${Failure} error=${found.error} />` : html`<${Waiting} />`}`;
  return html`<${Head} title=${memory.title} lead=${html`<${Facts} memory=${memory} />`} />
    ${memory.superseded_by && html`<p class="note"><${Replaced} memory=${memory} /></p>`}
    ${editing ? html`<${Editor} memory=${memory} end=${() => setEditing(false)} />` : html`<${Reading} memory=${memory} edit=${() => setEditing(true)} />`}`;
}

function Reading({ memory, edit }) {
  const rows = [
    ["field.importance", "★".repeat(memory.importance) + "☆".repeat(5 - memory.importance), t("of.five", { n: memory.importance })],
    ["field.people", memory.people?.join(t("comma"))],
    ["field.tags", memory.tags?.map((each) => `#${each}`).join(" ")],
    ["field.category", memory.category],
    ["field.emotion", memory.emotion && memory.emotion !== "neutral" ? t(`emotion.${memory.emotion}`, {}, memory.emotion) : ""],
    ["field.about", memory.about_time],
    ["field.valid_from", memory.valid_from && day(memory.valid_from)],
    ["field.valid_to", memory.valid_to && day(memory.valid_to)],
    ["field.source", memory.source],
    ["field.file", memory.path],
  ].filter(([, value]) => value);
  return html`<div class=${`card ${memory.private ? "private" : ""} ${shared.changed.has(memory.id) ? "flash" : ""}`}><div class="rendered" dangerouslySetInnerHTML=${{ __html: memory.html }}></div></div>
    <div class="actions">
      ${memory.writable && html`<button type="button" class="btn main-act" onClick=${edit}>${t("edit")}</button>`}
      ${memory.obsidian && html`<a class="btn" href=${memory.obsidian}>${t("in.obsidian")}</a>`}
      <a class="btn" href=${address("graph", { around: memory.id })}>${t("in.graph")}</a>
      <span class="small soft">${t("in.editor")}</span> <${Command} text=${memory.editor} />
    </div>
    <dl class="fields">${rows.map(([name, value, spoken]) => html`<div key=${name}><dt>${t(name)}</dt><dd>${spoken ? html`<span aria-hidden="true">${value}</span><span class="sr">${spoken}</span>` : value}</dd></div>`)}</dl>
    ${memory.links?.length > 0 && html`<h2 class="day">${t("memory.links")}</h2><${Links} links=${memory.links} />`}
    ${memory.history?.length > 0 && html`<h2 class="day">${t("memory.history")}</h2>
      <ul class="ops">${memory.history.map((each, n) => html`<li key=${n}><span class="when num">${day(each.at)} ${clock(each.at)}</span><div><b>${did(each.command)}</b>${each.reason && html` <span class="small soft">${each.reason}</span>`}
        ${each.diff?.length > 0 && html`<details class="disclose"><summary>${t("memory.diff")}</summary><div class="diff"><${LineDiff} diff=${each.diff} /></div></details>`}</div></li>`)}</ul>`}`;
}

function Editor({ memory, end }) {
  const [text, setText] = useState(memory.raw);
  const [base, setBase] = useState(memory.hash);
  const [clash, setClash] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const area = useRef();
  useEffect(() => area.current.focus(), []);
  const elsewhere = memory.hash !== base && !clash;
  const save = async (hash) => {
    setBusy(true);
    setError(null);
    try {
      const { status, op } = await post("edit", { id: memory.id, raw: text, hash });
      done(t(status === "unchanged" ? "unchanged" : "saved"), op);
      change({ changes: shared.changes + 1 });
      end();
      return;
    } catch (refused) {
      if (refused.code === "conflict" && refused.body.theirs != null) setClash(refused.body);
      else setError(refused);
    }
    setBusy(false);
  };
  const takeTheirs = () => {
    setText(clash.theirs);
    setBase(clash.hash);
    setClash(null);
    area.current.focus();
  };
  const keys = (event) => {
    if ((event.ctrlKey || event.metaKey) && (event.key === "Enter" || event.key === "s")) {
      event.preventDefault();
      save(base);
    }
  };
  return html`<div class="form" onKeyDown=${keys}>
    <label for="raw" class="label">${t("edit.label", { path: memory.path })}</label>
    <textarea id="raw" class="raw" ref=${area} rows="16" spellcheck="false" value=${text} onInput=${(event) => setText(event.target.value)}></textarea>
    ${elsewhere && html`<p class="note warn" role="status">${t("edit.elsewhere")}</p>`}
    ${error && html`<${Failure} error=${error} />`}
    ${clash && html`<${Clash} clash=${clash} mine=${() => (setClash(null), save(clash.hash))} theirs=${takeTheirs} />`}
    <div class="actions"><button type="button" class="btn main-act" disabled=${busy && !clash} onClick=${() => save(base)}>${t("save")}</button><button type="button" class="btn" onClick=${end}>${t("cancel")}</button><span class="small soft"><kbd>Ctrl</kbd>+<kbd>Enter</kbd></span></div>
  </div>`;
}

function Clash({ clash, mine, theirs }) {
  const box = useRef();
  useEffect(() => box.current.focus(), []);
  return html`<section class="card" role="alert" tabindex="-1" ref=${box} aria-labelledby="clash">
    <h2 id="clash">${t("clash")}</h2><p class="soft">${t("clash.lead")}</p>
    <div class="pair"><section><p class="label">${t("clash.theirs")}</p><div class="words raw-words">${clash.theirs}</div></section>
      <section><p class="label">${t("clash.yours")}</p><div class="words raw-words">${clash.yours}</div></section></div>
    ${clash.diff && html`<details class="disclose" open><summary>${t("clash.diff")}</summary><div class="words raw-words"><${Diff} diff=${clash.diff} /></div></details>`}
    <div class="actions"><button type="button" class="btn" onClick=${theirs}>${t("clash.take")}</button><button type="button" class="btn danger" onClick=${mine}>${t("clash.keep")}</button></div>
  </section>`;
}
