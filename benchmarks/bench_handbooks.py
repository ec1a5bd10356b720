"""Recall in handbooks that nothing was fitted to, in many languages: questions are headings removed from sections.

The Debian handbook (long sections) and LibreOffice's help (short pages) come from Debian's packages, unpacked into
`handbooks/` of the data folder: `python -m benchmarks.bench_handbooks` does that if there is apt.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.floor import bm25, hybrid, vectors
from benchmarks.harness import DATA, Figure, Setting, Target
from vault_mem.operations.vaults.evaluate import WAYS, Sample, evaluate

NEEDS = ("handbooks/usr/share/doc/debian-handbook/copyright",)
FOLDER = DATA / "handbooks"
HANDBOOK = "usr/share/doc/debian-handbook/html"
HELP = "usr/share/libreoffice/help"
LANGUAGES = ("en-US", "de", "es", "fr", "it", "ja", "ko", "pl", "pt", "ru", "tr", "zh-CN")
PACKAGES_OF_DEBIAN = ("debian-handbook", *(f"libreoffice-help-{language.lower()}" for language in LANGUAGES))
# How many pages of a handbook, and how many questions; pages outside these lengths are left out as unlike notes.
PAGES, QUESTIONS, SHORTEST, LONGEST = 300, 120, 300, 60_000
# A shorter heading says too little to serve as a question.
LEAST = 6
EQUAL = 0.01
FIGURES = ("R@5", "MRR")

_NUMBER = re.compile(r"^[\d.]+\s+")
_NAVIGATION = re.compile(r"^(Prev|Next|Product Site|Documentation Site)")
_SKIPPED = ("script", "style", "nav", "head", "footer")
_BLOCKS = ("p", "li", "tr", "td", "div", "pre", "dt", "dd")


def run(setting: Setting) -> Iterator[Figure]:
    """R@5 and MRR of every handbook and language against BM25, and means over languages against the best other way."""
    ways = {"recall": WAYS["recall"], "BM25": bm25, "vectors": vectors, "hybrid": hybrid(contiguity=False)}
    for book, languages in _handbooks(LANGUAGES[:2] if setting.quick else LANGUAGES).items():
        reports = []
        for language, pages in languages.items():
            reports.append(evaluate([sample(f"{book} {language}", pages)], os.environ, ways=ways))
            setting.progress(f"{book} {language} asked")
            for figure in FIGURES:
                recall, plain = (reports[-1].figures(way)[figure] for way in ("recall", "BM25"))
                yield Figure(f"handbooks: {book}, {language}, {figure}", recall, "", plain, "BM25")
        for figure in FIGURES if reports else ():
            means = {way: fmean(report.figures(way)[figure] for report in reports) for way in ways}
            best = max((way for way in ways if way != "recall"), key=lambda way: means[way])
            target = Target("≥", round(means[best] - EQUAL, 4))
            yield Figure(f"handbooks: {book}, mean {figure}", means["recall"], "", means[best], best, target)


def _handbooks(languages: Sequence[str]) -> dict[str, dict[str, list[Path]]]:
    short = [language[:2] for language in languages]
    folders = {folder.name[:2]: folder for folder in sorted((FOLDER / HANDBOOK).glob("*-*"), reverse=True)}
    handbook = {each: sorted(folders[each].glob("*.html")) for each in short if each in folders}
    help_ = {each[:2]: sorted((FOLDER / HELP / each / "text").rglob("*.html")) for each in languages}
    return {
        "Debian handbook": {each: pages for each, pages in handbook.items() if pages},
        "LibreOffice help": {each: pages for each, pages in help_.items() if pages},
    }


class _Page(HTMLParser):
    """The blocks of a page: each with its heading level, 0 for other text, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.blocks: list[tuple[int, str]] = []
        self._heading, self._skipped, self._said = 0, 0, ""
        self.feed(text)
        self._end_block()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._skipped += tag in _SKIPPED
        if re.fullmatch("h[1-6]", tag):
            self._end_block()
            self._heading = int(tag[1])
        elif tag in _BLOCKS and not self._heading:
            self._end_block()

    def handle_endtag(self, tag: str) -> None:
        self._skipped = max(0, self._skipped - (tag in _SKIPPED))
        if re.fullmatch("h[1-6]", tag) or (tag in _BLOCKS and not self._heading):
            self._end_block()

    def handle_data(self, data: str) -> None:
        self._said += "" if self._skipped else data

    def _end_block(self) -> None:
        said = " ".join(self._said.split())
        if said and not _NAVIGATION.match(said):
            self.blocks.append((self._heading, said))
        self._heading, self._said = 0, ""


def sample(name: str, pages: list[Path]) -> Sample:
    """A vault of some of the pages. Most have a question: one of their headings, which is removed from the text."""
    some = random.Random(5)
    read = [_Page(path.read_text(encoding="utf-8", errors="replace")).blocks for path in pages]
    fitting = [page for page in read if SHORTEST <= sum(len(said) for _, said in page) <= LONGEST]
    by_title = {
        next(said for level, said in page if level): page for page in fitting if any(level for level, _ in page)
    }
    chosen = some.sample(sorted(by_title), min(PAGES, len(by_title)))
    often = Counter(said for title in chosen for said in {said for level, said in by_title[title] if level})
    memories: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for title in chosen:
        page = by_title[title]
        own = [said for level, said in page if level and said != title and often[said] == 1 and len(said) >= LEAST]
        gone = some.choice(own) if own and len(questions) < QUESTIONS else ""
        lines = ["#" * level + " " + said if level else said for level, said in page if said not in (title, gone)]
        memories.append({"key": title, "title": _NUMBER.sub("", title), "text": "\n\n".join(lines)})
        if gone:
            questions.append({"question": _NUMBER.sub("", gone), "evidence": [title]})
    return {"name": name, "memories": memories, "questions": questions}


def fetch() -> None:
    """Download Debian's packages and unpack them into the data folder."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", *PACKAGES_OF_DEBIAN], cwd=folder, check=True
        )
        for package in sorted(Path(folder).glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, FOLDER], check=True)


if __name__ == "__main__":
    fetch()
