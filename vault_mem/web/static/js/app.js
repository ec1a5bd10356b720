// The frame: navigation, language, the private switch, and the view that the address names.
import { address, change, html, render, say, shared, toast, useEffect, useLayoutEffect, useRef, useShared, useState, where } from "./base.js";
import { forgetSent, listen, refreshStatus, switchPrivate } from "./api.js";
import { Choice, Failure, Toasts, trouble } from "./parts.js";
import { t } from "./words.js";
import Agent from "./views/agent.js";
import Ask from "./views/ask.js";
import Graph from "./views/graph.js";
import Health from "./views/health.js";
import History from "./views/history.js";
import Memory from "./views/memory.js";
import New from "./views/new.js";
import Review from "./views/review.js";
import Timeline from "./views/timeline.js";

const VIEWS = { ask: Ask, agent: Agent, timeline: Timeline, graph: Graph, review: Review, history: History, health: Health, new: New, memory: Memory };

const ICONS = {
  ask: "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3Zm3.7 8.7L16 16",
  agent: "M2 9s2.6-4.5 7-4.5S16 9 16 9s-2.6 4.5-7 4.5S2 9 2 9Zm7-1.8a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6Z",
  timeline: "M4 2v14M4 5h4M4 9h9M4 13h6",
  graph: "M5 13 9 5l4 8H5Zm0 0m-1.6 0a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0M7.4 5a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0M11.4 13a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0",
  review: "M2.5 4h5v10h-5ZM10.5 4h5v10h-5ZM5 9h0M13 9h0",
  history: "M3.5 6.5A6 6 0 1 1 3 10M3 3v4h4M9 6v3.5l2.5 1.5",
  health: "M2 9h3.5L7 5l3 8 1.7-4H16",
  new: "M9 3.5v11M3.5 9h11",
};

const Icon = ({ name }) => html`<svg viewBox="0 0 18 18" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"><path d=${ICONS[name]} /></svg>`;

function Navigation({ view }) {
  const proposals = shared.status?.proposals;
  const list = useRef();
  // On a narrow screen the row is too long, so scroll to the current view.
  useEffect(() => {
    const [row, current] = [list.current, list.current.querySelector("[aria-current]")];
    if (current) row.scrollLeft = current.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
  }, [view]);
  return html`<nav class="nav" ref=${list} aria-label=${t("nav")}><ul>
    ${Object.keys(ICONS).map(
      (name) => html`<li key=${name}><a href=${address(name)} aria-current=${view === name ? "page" : null}>
        <${Icon} name=${name} /><span>${t(`nav.${name}`)}</span>
        ${name === "review" && proposals > 0 && html`<span class="count">${proposals}<span class="sr"> ${t("waiting")}</span></span>`}
      </a></li>`,
    )}
  </ul></nav>`;
}

async function flip(on) {
  try {
    await switchPrivate(on);
    say(t(on ? "private.on" : "private.off"));
  } catch (error) {
    toast(trouble(error));
  }
}

const Side = ({ view }) => html`<header class="side">
  <a class="brand" href=${address("ask")}><img src="static/icon.svg" alt="" /><div><b>vault-mem</b><span>${shared.status?.vault}</span></div></a>
  <${Navigation} view=${view} />
</header>`;

const Foot = () => html`<footer class="foot">
  <label class="switch"><input type="checkbox" role="switch" checked=${shared.private} onChange=${(event) => flip(event.target.checked)} />${t("private.switch")}</label>
  <div class="row">
    <${Choice} mini label=${t("language")} value=${shared.lang} options=${[["en", "English"], ["ja", "日本語"]]} onChange=${(lang) => change({ lang })} />
    <${Choice} mini label=${t("theme")} value=${theme()} options=${[["light", t("theme.light")], ["dark", t("theme.dark")]]} onChange=${(each) => change({ theme: each })} />
  </div>
  <p class="soft small"><span class=${`lamp ${shared.live ? "on" : ""}`} aria-hidden="true"></span>${shared.live ? t("live") : t("not.live")}</p>
</footer>`;

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => (shared.theme === "auto" ? (dark.matches ? "dark" : "light") : shared.theme);
dark.addEventListener("change", () => change({}));

function useWhere() {
  const [, set] = useState(location.hash);
  useLayoutEffect(() => {
    const moved = () => set(location.hash);
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return where();
}

function View({ at }) {
  const name = at.view in VIEWS ? at.view : "ask";
  // The key makes a new view when the private switch is turned, so that nothing private stays in it.
  return html`<${VIEWS[name]} key=${`${name}/${at.rest.join("/")}/${shared.private}`} query=${at.query} rest=${at.rest} />`;
}

// After a change of view, moves the focus to its heading.
function useFocus(at) {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return undefined;
    }
    scrollTo(0, 0);
    let tries = 0;
    const timer = setInterval(() => {
      const heading = document.querySelector("main h1");
      if (heading || ++tries > 40) clearInterval(timer);
      if (heading && document.activeElement === document.body) heading.focus({ preventScroll: true });
      else if (heading && document.activeElement?.closest("main, nav")) heading.focus({ preventScroll: true });
    }, 25);
    return () => clearInterval(timer);
  }, [at.view, at.rest.join("/")]);
}

function App() {
  useShared();
  const at = useWhere();
  const look = theme();
  useFocus(at);
  document.documentElement.lang = shared.lang;
  document.documentElement.dataset.theme = look;
  if (shared.over) return html`<main class="main"><h1>${t("over.title")}</h1><p class="words">${t("over.text")}</p></main>`;
  if (!shared.status) return html`<main class="main"><h1>vault-mem</h1><${Failure} error=${shared.trouble} /></main>`;
  return html`<a class="skip" href="#main" onClick=${(event) => (event.preventDefault(), document.getElementById("main").focus())}>${t("skip")}</a>
    <div class=${`frame ${shared.private ? "private-on" : ""}`}>
      ${shared.private && html`<div class="private-bar" role="region" aria-label=${t("private.title")}><span>● ${t("private.on")}</span><button type="button" onClick=${() => flip(false)}>${t("private.hide")}</button></div>`}
      <${Side} view=${at.view === "memory" ? "" : at.view} />
      <main id="main" tabindex="-1" class=${`main ${at.view === "graph" ? "wide" : ""}`}><${View} at=${at} /></main>
      <${Foot} />
    </div>
    <div class="sr" role="status" aria-live="polite">${shared.said}</div>
    <${Toasts} />`;
}

// Links between memories in rendered text have no href, just an id.
addEventListener("click", (event) => {
  const link = event.target.closest?.("a.wikilink[data-id]");
  if (link) location.hash = address("memory", {}, link.dataset.id);
});

refreshStatus()
  .catch((trouble) => change({ trouble }))
  .then(() => {
    render(html`<${App} />`, document.getElementById("app"));
    forgetSent();
    listen();
  });
