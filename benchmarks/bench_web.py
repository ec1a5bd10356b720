"""The page at 10,000 memories: time and bytes of the first view and of a search, in a browser and without one.

With playwright and a chromium on the machine (`make test-web` installs both) the first view and the frames of a moving
graph are measured in that browser; otherwise the first view is the sum of its requests, one after the other.
"""

from __future__ import annotations

import http.client
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from benchmarks.harness import Figure, Setting, Target, interleaved
from benchmarks.vaults import memories, questions, write_vault
from vault_mem import Vault
from vault_mem.web.files import files

ROUNDS = 30
NODES = 5_000
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
# How long each frame takes, in milliseconds, while the pointer drags the graph in circles, so that every frame differs.
FRAMES = """([x, y, count]) => new Promise((done) => {
  const canvas = document.querySelector('canvas'), took = []; let last = performance.now();
  const next = (now) => {
    took.push(now - last); last = now;
    if (took.length > count) return done(took.slice(1));
    const at = took.length / 8, place = { clientX: x + 150 * Math.sin(at), clientY: y + 100 * Math.cos(at) };
    canvas.dispatchEvent(new PointerEvent('pointermove', { pointerId: 1, bubbles: true, ...place }));
    requestAnimationFrame(next) };
  requestAnimationFrame(next) })"""
# When the page has shown its content and is no longer busy, in milliseconds since it was requested.
SHOWN = """{ const look = () => {
  if (!window.shown_ && document.querySelector('main h1') && !document.querySelector('[aria-busy]'))
    requestAnimationFrame(() => { window.shown_ ||= performance.now() }) };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true }) }"""
SENT = """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .reduce((sum, each) => sum + each.transferSize, 0)"""
PICTURE = "() => document.querySelector('canvas').toDataURL()"
EMPTY = "data:text/html,<canvas width=1000 height=700 style='background:white'></canvas>"


class Server:
    """`vault-mem web` on a vault, and one browser's cookie."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout and process.stdin
        self._process = process
        self._line = process.stdout.readline().strip()
        self.port = int(self._line.split(":")[2].split("/")[0])
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        opened = self._get(self._line.partition(str(self.port))[2], {})
        self.folder = opened.headers["location"]
        self._cookie = {"cookie": opened.headers["set-cookie"].partition(";")[0], "accept-encoding": "gzip"}

    def address(self) -> str:
        """A new address: each works only once."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def _get(self, path: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        try:
            self._connection.request("GET", path, headers=headers)
            answer = self._connection.getresponse()
        except http.client.RemoteDisconnected:  # the server closed it after an idle minute
            self._connection.request("GET", path, headers=headers)
            answer = self._connection.getresponse()
        self.body = answer.read()
        return answer

    def get(self, path: str) -> bytes:
        """The body of an answer, which must have status 200."""
        answer = self._get(self.folder + path, self._cookie)
        assert answer.status == 200, (path, answer.status, self.body)
        return self.body


def run(setting: Setting) -> Iterator[Figure]:
    """First view and search with targets, the rest for information."""
    os.environ["VAULT_MEM_DAEMON"] = "off"
    size = 1_000 if setting.quick else 10_000
    written = write_vault(setting.folder / "vault", memories(size, seed=9))
    written.reindex()
    setting.progress(f"{size:,} memories indexed")
    with _serving(written.root) as server:
        server.get("api/recall?q=warm")
        random, asked = Random(7), questions(500)
        own = Vault(written.root, watch=True)
        own.recall("warm")
        taken = interleaved(
            ROUNDS,
            lambda: own.recall(random.choice(asked), 10),
            lambda: server.get(f"api/recall?n=10&q={quote(random.choice(asked))}"),
        )
        library, page = (statistics.median(each) * 1000 for each in taken)
        yield Figure(f"web: search at {size:,}", page, "ms", library, "the library, in process", Target("≤", 100))
        for path in ("status", "facets", "timeline?by=day", "graph", "history", "health"):
            seconds = interleaved(5, partial(server.get, f"api/{path}"))[0]
            yield Figure(f"web: {path.partition('?')[0]} at {size:,}", statistics.median(seconds) * 1000, "ms")
        with _browser() as browser:
            if browser is None:
                yield from _by_requests(server, size)
            else:
                yield from _in_browser(server, browser, size)


@contextmanager
def _serving(root: Path) -> Iterator[Server]:
    command = [sys.executable, "-m", "vault_mem", "--vault", str(root), "web", "--no-browser"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
    try:
        yield Server(process)
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def _browser() -> Iterator[Any]:
    """A browser, or None if there is none."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        found = None
    if found is None:
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def _by_requests(server: Server, size: int) -> Iterator[Figure]:
    """The first view without a browser: the files of the page and its first requests, one after the other."""
    names = ["", *(f"static/{name}" for name in files() if not name.endswith(".html"))]
    paths = [*names, "api/status", "api/list?n=10"]
    seconds = interleaved(ROUNDS // 3, lambda: [server.get(path) for path in paths])[0]
    yield Figure(f"web: first view at {size:,}", statistics.median(seconds) * 1000, "ms", target=Target("≤", 300))
    sent = sum(len(server.get(path)) for path in paths)
    yield Figure("web: bytes of the first view", sent / 1000, "kB", target=Target("≤", 500))


def _in_browser(server: Server, browser: Any, size: int) -> Iterator[Figure]:
    times, empty, sent = [], [], []
    for _ in range(ROUNDS // 3):
        with browser.new_context(viewport={"width": 1280, "height": 900}) as context:  # with an empty cache
            tab = context.new_page()
            tab.goto(f"http://127.0.0.1:{server.port}/")  # without a valid address: one line of text
            empty.append(tab.evaluate("() => performance.getEntriesByType('navigation')[0].duration"))
            tab.add_init_script(SHOWN)
            tab.goto(server.address())
            times.append(tab.wait_for_function("() => window.shown_").json_value())
            sent.append(tab.evaluate(SENT))
    shown, line = statistics.median(times), statistics.median(empty)
    yield Figure(f"web: first view at {size:,}", shown, "ms", line, "a page of one line", Target("≤", 300))
    yield Figure("web: bytes of the first view", max(sent) / 1000, "kB", target=Target("≤", 500))
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        yield _pan(server, context.new_page(), size)


def _pan(server: Server, tab: Any, size: int) -> Figure:
    tab.goto(server.address())
    tab.goto(f"{tab.url.partition('#')[0]}#/graph")
    tab.wait_for_function("() => document.querySelector('main canvas') && !document.querySelector('[aria-busy]')")
    time.sleep(5)  # until the graph has come to rest
    before = tab.evaluate(PICTURE)
    moving = _frames(tab)
    assert tab.evaluate(PICTURE) != before, "nothing moved"
    tab.goto(EMPTY)
    still = _frames(tab)
    limit = Target("≤", 33)
    beyond = statistics.median(moving) - statistics.median(still)
    return Figure(f"web: frame of a graph of {min(size, NODES):,}, beyond an empty one", beyond, "ms", target=limit)


def _frames(tab: Any) -> list[float]:
    """Frame times while the pointer drags what is under it."""
    box = tab.locator("canvas").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    found = tab.evaluate(FRAMES, [x, y, 120])
    tab.mouse.up()
    return [float(each) for each in found]
