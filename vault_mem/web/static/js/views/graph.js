// Graph: how memories are linked, around one of them or in the whole vault.
import { address, go, html, say, shared, useEffect, useRef, useState } from "../base.js";
import { get, useAnswer } from "../api.js";
import { Choice, Failure, Head, Kind, Waiting, memoryAt, number } from "../parts.js";
import { Picture } from "../picture.js";
import { t } from "../words.js";

const LISTED = 200;

export default function Graph({ query }) {
  const [around, depth] = [query.around ?? "", query.depth ?? "2"];
  const found = useAnswer("graph", around ? { around, depth } : {});
  const graph = found.data;
  const centre = graph?.centre != null ? graph.nodes.title[graph.centre] : "";
  return html`<${Head} title=${t("nav.graph")} lead=${centre ? t("graph.around", { title: centre }) : t("graph.lead")} />
    <div class="row">
      <${Search} />
      ${around && html`<${Choice} label=${t("graph.depth")} value=${depth} options=${["1", "2", "3"].map((n) => [n, t("graph.steps", { n: Number(n) })])} onChange=${(each) => go(address("graph", { around, depth: each }))} />
        <a class="btn" href=${address("graph")}>${t("graph.whole")}</a>`}
      ${graph && html`<span class="soft small num">${t("graph.count", { nodes: number(graph.nodes.id.length), links: number(graph.edges.length) })}${graph.cut ? ` ${t("graph.cut", { n: number(graph.total) })}` : ""}</span>`}
    </div>
    ${found.error && html`<${Failure} error=${found.error} />`}
    ${!graph && found.busy && html`<${Waiting} />`}
    ${graph && html`<${Canvas} graph=${graph} key=${around} /><${Legend} graph=${graph} /><${Table} graph=${graph} />`}`;
}

function Search() {
  const [words, setWords] = useState("");
  const [found, setFound] = useState(null);
  const look = async (event) => {
    event.preventDefault();
    if (words.trim()) setFound((await get("recall", { q: words.trim(), n: 5, closed: "1" })).results);
  };
  return html`<form class="row find" role="search" onSubmit=${look}>
    <input class="grow" type="search" aria-label=${t("graph.search")} placeholder=${t("graph.search")} value=${words} onInput=${(event) => setWords(event.target.value)} />
    <button class="btn">${t("graph.find")}</button>
    ${found && html`<ul class="links" aria-label=${t("results")}>${found.map((each) => html`<li key=${each.id}><a href=${address("graph", { around: each.id })} onClick=${() => setFound(null)}>${each.title}</a></li>`)}${!found.length && html`<li class="soft">${t("ask.nothing")}</li>`}</ul>`}
  </form>`;
}

function Canvas({ graph }) {
  const canvas = useRef();
  const picture = useRef();
  const [chosen, setChosen] = useState(-1);
  const latest = useRef(graph);
  latest.current = graph;
  useEffect(() => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    picture.current = new Picture(canvas.current, {
      still,
      onChoose: (n) => {
        setChosen(n);
        if (n >= 0) say(described(latest.current, n));
      },
      onOpen: (n) => go(memoryAt(latest.current.nodes.id[n])),
    });
    return () => picture.current.end();
  }, []);
  useEffect(() => {
    setChosen(-1);
    picture.current.show(graph);
  }, [graph]);
  useEffect(() => picture.current.redraw(), [shared.theme, document.documentElement.dataset.theme]);
  const act = (name, label, sign, run) => html`<button type="button" class="btn" aria-label=${label} title=${label} onClick=${run}>${sign}</button>`;
  return html`<div class="graph">
    <canvas ref=${canvas} tabindex="0" role="application" aria-roledescription=${t("graph.role")} aria-label=${t("graph.keys")} aria-describedby="graph-help"></canvas>
    <div class="graph-tools" role="group" aria-label=${t("graph.tools")}>
      ${act("in", t("zoom.in"), "+", () => picture.current.zoom(1.4))}
      ${act("out", t("zoom.out"), "−", () => picture.current.zoom(1 / 1.4))}
      ${act("all", t("zoom.all"), "⤢", () => picture.current.wholeView())}
    </div>
    ${chosen >= 0 && chosen < graph.nodes.id.length && html`<div class="graph-card"><${Kind} kind=${graph.kinds[graph.nodes.kind[chosen]]} /><p class="title">${graph.nodes.title[chosen]}</p>
      <div class="row"><a href=${memoryAt(graph.nodes.id[chosen])}>${t("open")}</a><a href=${address("graph", { around: graph.nodes.id[chosen] })}>${t("graph.centre")}</a><span class="soft">${t("links", { n: graph.nodes.degree[chosen] })}</span></div></div>`}
  </div>
  <p id="graph-help" class="small soft"><kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> ${t("keys.step")} · <kbd>Enter</kbd> ${t("keys.open")} · <kbd>Shift</kbd>+<kbd>←</kbd> ${t("keys.pan")} · <kbd>+</kbd> <kbd>−</kbd> ${t("keys.zoom")} · <kbd>0</kbd> ${t("keys.all")}</p>`;
}

const described = (graph, n) => `${graph.nodes.title[n]}${t("comma")}${t(`kind.${graph.kinds[graph.nodes.kind[n]]}`)}${t("comma")}${t("links", { n: graph.nodes.degree[n] })}`;

const Legend = ({ graph }) => html`<div class="legend" role="group" aria-label=${t("legend")}>${graph.kinds.filter((_, kind) => graph.nodes.kind.includes(kind)).map((kind) => html`<${Kind} key=${kind} kind=${kind} />`)}<span>${t("legend.closed")}</span></div>`;

// The same as a list, for those who cannot see the picture or prefer to read.
function Table({ graph }) {
  const [open, setOpen] = useState(false);
  const order = open ? graph.nodes.id.map((_, n) => n).sort((a, b) => graph.nodes.degree[b] - graph.nodes.degree[a]).slice(0, LISTED) : [];
  return html`<details class="disclose" onToggle=${(event) => setOpen(event.target.open)}><summary>${t("graph.list")}</summary>
    <ul class="moments">${order.map((n) => html`<li key=${graph.nodes.id[n]}><span><${Kind} kind=${graph.kinds[graph.nodes.kind[n]]} /></span><div><a href=${memoryAt(graph.nodes.id[n])}>${graph.nodes.title[n]}</a> <span class="sub">${t("links", { n: graph.nodes.degree[n] })}</span></div></li>`)}</ul></details>`;
}
