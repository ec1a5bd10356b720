"""Pictures of the page, made from the sample vault: docs/pictures/web-*.png. `make pictures` runs this.

The vault is a copy with two facts changed, so that there is something to review and to undo.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
SAMPLE = HERE.parent / "sample_vault"
PICTURES = HERE / "pictures"
# The evening before the boxes leave: the sample vault is of that month.
NOW = "2026-11-17T18:30:00+09:00"
WIDE, NARROW = (1280, 860), (360, 740)

WHY = "document.querySelector('.card details').open = true"
DIFF = "document.querySelector('.ops details').open = true"
SECOND = "[...document.querySelectorAll('article')].at(-3)?.scrollIntoView()"
ORDERED = "mem_9d89c14dd60e"

CLOSED = "document.querySelector('main p.sub a').scrollIntoView({ block: 'center' })"

# name, address, size, language, theme, what is done then
SHOTS = [
    ("ask", "ask?q=which O-ring for the logger cap", WIDE, "en-GB", "light", WHY),
    ("ask-ja", "ask?q=眼鏡はどうなった", WIDE, "ja-JP", "dark", WHY),
    ("agent", "agent?budget=600", WIDE, "en-GB", "dark", ""),
    ("timeline", "timeline", WIDE, "en-GB", "light", CLOSED),
    ("graph", "graph", WIDE, "en-GB", "dark", ""),
    ("review", "review", WIDE, "en-GB", "light", ""),
    ("review-ja", "review", WIDE, "ja-JP", "light", SECOND),
    ("history", "history", WIDE, "en-GB", "light", DIFF),
    ("health", "health", WIDE, "en-GB", "dark", ""),
    ("memory", f"memory/{ORDERED}", WIDE, "en-GB", "light", ""),
    ("small", "ask?q=Bergen", NARROW, "en-GB", "light", ""),
    ("small-ja", "timeline", NARROW, "ja-JP", "dark", ""),
]


def command(root: Path, *arguments: str) -> list[str]:
    """`vault-mem` on the copy."""
    return [sys.executable, "-m", "vault_mem", "--vault", str(root), *arguments]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A copy of the sample vault with its page; the address that opens it."""
    root = folder / "nagi"
    shutil.copytree(SAMPLE, root)
    shutil.move(root / "private.sample", root / "private")
    env = {**os.environ, "VAULT_MEM_DAEMON": "off", "VAULT_MEM_NOW": NOW, "VAULT_MEM_INDEX_DIR": str(folder / "index")}
    changed = "Kaya wants her mails short. No exclamation marks, no pleasantries, two questions per message at most."
    moved = "定例会議は毎週金曜の9時半に変わった。出るのは佳也と井部さんの二人で、場所は工房の二階のまま。"
    for text in (changed, moved):
        subprocess.run(command(root, "remember", text, "--kind", "fact"), env=env, check=True, capture_output=True)
    pipe = subprocess.PIPE
    server = subprocess.Popen(
        command(root, "web", "--no-browser"), env=env, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert server.stdout
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        server.wait(10)


def taken(browser: Any, page: str, kept: Any, shot: tuple[Any, ...]) -> None:
    """One picture."""
    name, address, (width, height), locale, theme, opened = shot
    look = {"viewport": {"width": width, "height": height}, "locale": locale, "color_scheme": theme}
    with browser.new_context(storage_state=kept, reduced_motion="reduce", **look) as context:
        tab = context.new_page()
        tab.goto(f"{page}#/{address}")
        tab.wait_for_selector("main h1")
        tab.wait_for_function("() => !document.querySelector('[aria-busy]')")
        tab.wait_for_timeout(1500)
        if opened:
            tab.evaluate(opened)
            tab.wait_for_timeout(500)
        tab.screenshot(path=PICTURES / f"web-{name}.png")


def main() -> None:
    """All pictures, or those that are named."""
    PICTURES.mkdir(exist_ok=True)
    wanted = [shot for shot in SHOTS if not sys.argv[1:] or shot[0] in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with browser.new_context() as first:
            tab = first.new_page()
            tab.goto(address)
            page, kept = tab.url.partition("#")[0], first.storage_state()
        for shot in wanted:
            taken(browser, page, kept, shot)
        browser.close()


if __name__ == "__main__":
    main()
