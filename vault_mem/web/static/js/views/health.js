// Health: whether all is well, and if not, which command fixes it.
import { html, shared } from "../base.js";
import { useAnswer } from "../api.js";
import { Command, Failure, Head, Kind, Served, Waiting, bytes, month, number } from "../parts.js";
import { t } from "../words.js";

const LOOK = { ok: "ok", info: "", warning: "warn", error: "bad" };

export default function Health() {
  const figures = useAnswer("health", { quick: 1 }); // shown first, since doctor looks at every file
  const whole = useAnswer("health");
  const found = whole.data ? whole : figures;
  if (!found.data) return html`<${Head} title=${t("nav.health")} />${found.error ? html`<${Failure} error=${found.error} />` : html`<${Waiting} />`}`;
  const { checks, findings, growth, by_kind: kinds, index_bytes: size, daemon, healthy } = found.data;
  return html`<${Head} title=${t("nav.health")} lead=${healthy === null ? "…" : t(healthy ? "health.good" : "health.bad", { n: findings.length })} />
    <dl class="figures">
      <${Figure} name=${t("figure.memories")} value=${number(shared.status.memories)} more=${t("figure.closed", { n: number(shared.status.closed) })} />
      <${Figure} name=${t("figure.fresh")} value=${t(shared.status.stale ? "fresh.no" : "fresh.yes")} fix=${shared.status.stale && "vault-mem reindex"} />
      <${Figure} name=${t("figure.index")} value=${bytes(size)} more=${html`<code>vault-mem reindex</code>`} />
      <${Figure} name=${t("figure.daemon")} value=${daemon.running ? bytes(daemon.memory) : t("daemon.off")} more=${daemon.running ? t("daemon.pid", { pid: daemon.pid, version: daemon.version }) : html`<code>vault-mem daemon start</code>`} />
    </dl>
    ${findings.length > 0 && html`<section aria-labelledby="findings"><h2 id="findings" class="day">${t("health.findings")}</h2>
      ${findings.map((each, n) => html`<div class="card" key=${n}><div class="meta"><span class=${`badge ${LOOK[each.severity] ?? ""}`}>${t(`severity.${each.severity}`)}</span><b>${t(`finding.${each.check}`, {}, each.check)}</b></div>
        <p><${Served} text=${each.message} /></p>${each.path && html`<p class="small soft"><code>${each.path}</code></p>`}${each.hint && html`<p class="small"><${Hint} text=${each.hint} /></p>`}</div>`)}</section>`}
    <section aria-labelledby="growth"><h2 id="growth" class="day">${t("health.growth")}</h2><${Growth} growth=${growth} /></section>
    <section aria-labelledby="kinds"><h2 id="kinds" class="day">${t("health.kinds")}</h2>
      <dl class="bars">${Object.entries(kinds).map(([kind, n]) => html`<div class="why" key=${kind}><dt><${Kind} kind=${kind} /></dt><dd class="bar" aria-hidden="true"><i style=${{ width: `${(n / Math.max(...Object.values(kinds))) * 100}%` }}></i></dd><dd class="num">${number(n)}</dd></div>`)}</dl></section>
    <section aria-labelledby="checks"><h2 id="checks" class="day">${t("health.checks")}</h2>
      <ul class="checks">${checks.map((each) => html`<li class="row" key=${each.name}><span class=${`badge ${LOOK[each.state] ?? ""}`}>${t(`severity.${each.state}`)}</span><b>${t(`check.${each.name}`, {}, each.name)}</b><span class="soft small grow">${detail(each, found.data)}</span>${each.fix && html`<${Command} text=${each.fix} />`}</li>`)}</ul></section>`;
}

function detail({ name, detail: said }, { daemon, findings }) {
  if (name === "daemon") return daemon.running ? t("daemon.pid", daemon) : t("daemon.off");
  if (name === "fresh") return t(shared.status.stale ? "fresh.no" : "fresh.yes");
  if (name === "doctor") return findings.length > 0 && t("health.bad", { n: findings.length });
  return html`<${Served} text=${said} />`;
}

// A hint that is just a command gets a Copy button.
const Hint = ({ text }) => (/^vault-mem [a-z-]+( --?[\w-]+( [\w.:/]+)?)*$/.test(text) ? html`<${Command} text=${text} />` : html`<${Served} text=${text} />`);

const Figure = ({ name, value, more, fix }) => html`<div class="figure"><dt>${name}</dt><dd>${value}</dd>${more && html`<dd class="sub">${more}</dd>`}${fix && html`<dd class="sub"><${Command} text=${fix} /></dd>`}</div>`;

function Growth({ growth }) {
  if (!growth.length) return html`<p class="soft">–</p>`;
  const most = Math.max(...growth.map(([, n]) => n), 1);
  return html`<div class="growth-box" style=${{ maxWidth: `${growth.length * 3.4}rem` }}><ol class="growth">${growth.map(([at, n]) => html`<li key=${at} title=${`${month(at)}: ${n}`} style=${{ height: `${(n / most) * 100}%` }}><span class="sr">${month(at)}: ${t("memories", { n })}</span></li>`)}</ol>
    <div class="growth-labels" aria-hidden="true"><span>${month(growth[0][0])}</span><span>${growth.length > 1 ? month(growth.at(-1)[0]) : ""}</span></div></div>`;
}
