// Timeline: what was known when, what has been replaced since, and how it felt.
import { html, settle, shared, useDelayed, useEffect, useState } from "../base.js";
import { useAnswer } from "../api.js";
import { Choice, Failure, Field, Head, Shape, Waiting, clock, day, dayLong, memoryAt, month, number } from "../parts.js";
import { t } from "../words.js";

const DAY_MS = 86400000;
const date = (at) => new Date(at).toISOString().slice(0, 10);
const at = (text) => Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
const STEP = 12; // periods that are shown at once

export default function Timeline({ query }) {
  const [by, setBy] = useState(["day", "month", "year"].includes(query.by) ? query.by : "month");
  const [asOf, setAsOf] = useState(query.as_of ?? "");
  const [shown, setShown] = useState(STEP);
  useEffect(() => {
    if (query.by) setBy(query.by);
    setAsOf(query.as_of ?? "");
  }, [query.by, query.as_of]);
  const late = useDelayed(asOf, 120);
  useEffect(() => settle("timeline", { by, as_of: late }), [by, late]);
  useEffect(() => setShown(STEP), [by]);
  const line = useAnswer("timeline", { by, as_of: late });
  const whole = useAnswer("timeline", { by });
  const all = (line.data?.buckets ?? []).filter((each) => each.count > 0).reverse();
  return html`<${Head} title=${t("nav.timeline")} lead=${t("timeline.lead")}>
      <${Choice} label=${t("timeline.by")} value=${by} options=${["day", "month", "year"].map((each) => [each, t(`by.${each}`)])} onChange=${setBy} /><//>
    ${whole.data?.first && html`<${AsOf} whole=${whole.data} asOf=${asOf} setAsOf=${setAsOf} />`}
    ${line.error && html`<${Failure} error=${line.error} />`}
    ${!line.data && line.busy && html`<${Waiting} />`}
    ${line.data && !all.length && html`<p class="empty">${t(late ? "timeline.nothing" : "vault.empty")}</p>`}
    ${all.slice(0, shown).map((bucket) => html`<${Period} key=${by + bucket.start} by=${by} bucket=${bucket} asOf=${late} />`)}
    ${all.length > shown && html`<p class="row"><button type="button" class="btn" onClick=${() => setShown(shown + STEP)}>${t("older", { n: all.length - shown })}</button></p>`}`;
}

function AsOf({ whole, asOf, setAsOf }) {
  const first = at(whole.first);
  const today = at(shared.status.now);
  const last = Math.max(today, first);
  const days = Math.round((last - first) / DAY_MS);
  const value = asOf ? Math.round((at(asOf) - first) / DAY_MS) : days;
  const said = asOf ? t("asof.on", { day: day(asOf) }) : t("asof.now");
  return html`<section class="asof" aria-label=${t("asof")}>
    <${Curve} buckets=${whole.buckets} from=${first} to=${last + DAY_MS} asOf=${asOf ? at(asOf) : null} />
    <${Field} label=${t("asof")}>${(id) => html`<input id=${id} type="range" min="0" max=${days} value=${value} aria-valuetext=${said} onInput=${(event) => setAsOf(Number(event.target.value) >= days ? "" : date(first + Number(event.target.value) * DAY_MS))} />`}<//>
    <div class="curve-labels"><span>${day(whole.first)}</span><b class="num" aria-live="polite">${said}</b><span>${t("today")}</span></div>
    ${asOf && html`<button type="button" class="plain small" onClick=${() => setAsOf("")}>${t("asof.back")}</button>`}
  </section>`;
}

// How it felt, as a curve: pleasant above the middle line, unpleasant below.
function Curve({ buckets, from, to, asOf }) {
  const felt = buckets.filter((each) => each.valence != null);
  if (felt.length < 2) return null;
  const x = (ms) => ((ms - from) / (to - from)) * 1000;
  const most = Math.max(0.4, ...felt.map((each) => Math.abs(each.valence)));
  const y = (valence) => 46 - (valence / most) * 40;
  const middle = (each) => Math.min(to, (at(each.start) + at(each.end)) / 2);
  const points = felt.map((each) => [x(Math.max(from, middle(each))), y(each.valence)]);
  const path = smooth(points);
  const label = t("curve", { from: day(felt[0].start), to: day(felt.at(-1).end), mean: number(felt.reduce((sum, each) => sum + each.valence, 0) / felt.length, 2) });
  return html`<svg class="curve" viewBox="0 0 1000 92" preserveAspectRatio="none" role="img" aria-label=${label}>
    <line class="zero" x1="0" x2="1000" y1="46" y2="46" />
    <path class="area" d=${`${path} L ${points.at(-1)[0]} 46 L ${points[0][0]} 46 Z`} />
    <path class="line" d=${path} />
    ${asOf && html`<line class="at" x1=${x(asOf)} x2=${x(asOf)} y1="0" y2="92" />`}
  </svg>`;
}

// A smooth curve through all points that does not overshoot.
function smooth(points) {
  return points.reduce((path, [x, y], n) => {
    if (!n) return `M ${x} ${y}`;
    const [before, was] = points[n - 1];
    const half = (before + x) / 2;
    return `${path} C ${half} ${was} ${half} ${y} ${x} ${y}`;
  }, "");
}

const NAMES = { day: dayLong, month, year: (text) => text.slice(0, 4) };

function Period({ by, bucket, asOf }) {
  const found = useAnswer("timeline/memories", { start: bucket.start, end: bucket.end, as_of: asOf, n: 100 });
  const memories = found.data?.memories ?? [];
  const felt = Object.entries(bucket.emotions ?? {}).filter(([name]) => name !== "neutral").sort((a, b) => b[1] - a[1]).slice(0, 3);
  return html`<section class="period">
    <h2>${NAMES[by](bucket.start)}<small>${t("memories", { n: bucket.count })}${felt.length > 0 && html`<br />${felt.map(([name]) => t(`emotion.${name}`)).join(t("comma"))}`}</small></h2>
    <ul class="moments">${memories.map((memory) => html`<${Moment} key=${memory.id} memory=${memory} by=${by} asOf=${asOf} />`)}
      ${found.data && found.data.total > memories.length && html`<li><span></span><span class="soft small">${t("more", { n: found.data.total - memories.length })}</span></li>`}</ul>
  </section>`;
}

// A memory that was closed only after the chosen date is shown as still true.
function Moment({ memory, by, asOf }) {
  const moment = by === "day" ? clock(memory.created) : day(memory.created);
  const over = memory.closed && !(asOf && memory.valid_to?.slice(0, 10) > asOf);
  return html`<li class=${shared.changed.has(memory.id) ? "flash" : ""}><${Shape} kind=${memory.kind} /><div>
    <a class=${over ? "struck" : ""} href=${memoryAt(memory.id)}>${over ? html`<s>${memory.title}</s>` : memory.title}</a>
    <p class="sub"><time datetime=${memory.created}>${moment}</time> · ${t(`kind.${memory.kind}`)}
      ${memory.closed && memory.valid_to && html` · ${t(over ? "closed.on" : "true.until", { day: day(memory.valid_to) })}`}
      ${memory.superseded_by && html` · ${t("replaced.by")} <a class="sub" href=${memoryAt(memory.superseded_by.id)}>${memory.superseded_by.title}</a>`}
      ${memory.private && html` · <span class="badge private">${t("private.badge")}</span>`}</p>
  </div></li>`;
}
