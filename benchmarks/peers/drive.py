"""Runs inside a peer's own environment: index, search, change and measure one peer. Uses only the standard library.

`python drive.py PEER NOTES WORK QUESTIONS OUT`: NOTES is a folder of Markdown files, QUESTIONS a JSON list of queries.
With a further argument `speed`, times are taken; otherwise only the answers.
"""

# ruff: noqa: D102 - the methods are described once, in `Peer`
from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

DEPTH = 20
ROUNDS = 30
NEWS = "The quince jelly recipe from Ottilie needs three lemons and a copper pan."
QUESTION = "Ottilie quince jelly recipe"


class Peer:
    """One program: how it takes in a folder of notes, and how it is asked."""

    package = ""
    model = "all-MiniLM-L6-v2, from a registry package"
    follows_files = True  # whether it notices by itself which notes of a folder changed

    def __init__(self, notes: Path, work: Path) -> None:
        self.notes, self.work = notes, work

    def index(self) -> None:
        """Index every note; when called again, only what changed."""
        raise NotImplementedError

    def search(self, query: str, count: int) -> list[str]:
        """The notes found, best first, by file name without its ending."""
        raise NotImplementedError

    def shell(self, query: str) -> list[str]:
        """The command a person types; empty if there is none."""
        return []

    def run(self, *words: str) -> str:
        """Run a command of this environment."""
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words[:3])}: {done.stderr[-600:]}")
        return done.stdout


class VaultMem(Peer):
    """This project: its library, and its command with the daemon that it starts itself."""

    package, model = "vault-mem", "its own, 15 MB, in the package"

    def __init__(self, notes: Path, work: Path) -> None:
        super().__init__(notes, work)
        from vault_mem import Vault

        root = notes.parent
        (Vault(root) if (root / "vault-mem.toml").exists() else Vault.init(root, adopt=True, adopt_ids="never"))
        self.vault = Vault(root)

    def index(self) -> None:
        self.vault.list(n=1)

    def search(self, query: str, count: int) -> list[str]:
        return [Path(found.memory.path).stem for found in self.vault.recall(query, n=count)]

    def shell(self, query: str) -> list[str]:
        return ["vault-mem", "--vault", str(self.notes.parent), "recall", query]


class BasicMemory(Peer):
    """Its command for indexing; its search tool, called as its own command calls it."""

    package = "basic-memory"

    def __init__(self, notes: Path, work: Path) -> None:
        super().__init__(notes, work)
        self.loop = asyncio.new_event_loop()
        self.added = False

    def index(self) -> None:
        if not self.added:
            self.run("basic-memory", "project", "add", "bench", str(self.notes), "--no-wait")
            self.added = True
        self.run("basic-memory", "reindex", "-p", "bench")

    def search(self, query: str, count: int) -> list[str]:
        from basic_memory.mcp.tools import search_notes

        asked = search_notes(query=query, project="bench", page_size=count, search_type="hybrid", output_format="json")
        found = self.loop.run_until_complete(asked)
        return unique(Path(each["file_path"]).stem for each in found["results"])

    def shell(self, query: str) -> list[str]:
        return ["basic-memory", "tool", "search-notes", query, "--project", "bench", "--hybrid", "--plain"]


class Memsearch(Peer):
    """Its library, with its ONNX provider and Milvus Lite."""

    package = "memsearch"
    name = "local/minilm"

    def __init__(self, notes: Path, work: Path) -> None:
        super().__init__(notes, work)
        from memsearch import MemSearch

        self.uri = str(work / "milvus.db")
        self.loop = asyncio.new_event_loop()
        self.memory = MemSearch([notes], embedding_provider="onnx", embedding_model=self.name, milvus_uri=self.uri)

    def index(self) -> None:
        self.loop.run_until_complete(self.memory.index())

    def search(self, query: str, count: int) -> list[str]:
        found = self.loop.run_until_complete(self.memory.search(query, top_k=count))
        return unique(Path(each["source"]).stem for each in found)

    def shell(self, query: str) -> list[str]:
        return ["memsearch", "search", query, "-p", "onnx", "-m", self.name, "--milvus-uri", self.uri]


class McpMemoryService(Peer):
    """Its SQLite storage, a memory for each note; it has no command that searches."""

    package = "mcp-memory-service"
    follows_files = False

    def __init__(self, notes: Path, work: Path) -> None:
        super().__init__(notes, work)
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

        self.loop = asyncio.new_event_loop()
        self.storage = SqliteVecMemoryStorage(str(work / "memories.db"))
        self.loop.run_until_complete(self.storage.initialize())

    def index(self) -> None:
        from mcp_memory_service.models.memory import Memory
        from mcp_memory_service.utils.hashing import generate_content_hash

        memories = []
        for path in sorted(self.notes.glob("*.md")):
            text = body(path)
            memories.append(Memory(text, generate_content_hash(text), metadata={"note": path.stem}))
        self.loop.run_until_complete(self.storage.store_batch(memories))

    def search(self, query: str, count: int) -> list[str]:
        found = self.loop.run_until_complete(self.storage.retrieve_hybrid(query, n_results=count))
        return unique(each.memory.metadata["note"] for each in found)


class MemPalace(Peer):
    """Its command for mining; its search function, and its search command."""

    package = "mempalace"

    def __init__(self, notes: Path, work: Path) -> None:
        super().__init__(notes, work)
        self.palace = str(work / "palace")
        self.begun = False

    def index(self) -> None:
        if not self.begun:
            self.run("mempalace", "--palace", self.palace, "init", str(self.notes), "--yes", "--no-llm", "--direct")
            self.begun = True
        self.run("mempalace", "--palace", self.palace, "mine", str(self.notes), "--direct")

    def search(self, query: str, count: int) -> list[str]:
        from mempalace.searcher import search_memories

        found = search_memories(query, self.palace, n_results=count)
        return unique(Path(each["source_file"]).stem for each in found["results"])

    def shell(self, query: str) -> list[str]:
        return ["mempalace", "--palace", self.palace, "search", query]


class Qmd(Peer):
    """Its command; keyword search alone, because its vectors need weights that no registry package carries."""

    package, model = "@tobilu/qmd", "none: keyword search alone"

    def __init__(self, notes: Path, work: Path) -> None:
        super().__init__(notes, work)
        self.begun = False

    def index(self) -> None:
        if self.begun:
            self.run("qmd", "update")
        else:
            self.run("qmd", "collection", "add", str(self.notes), "--name", "bench")
            self.begun = True

    def search(self, query: str, count: int) -> list[str]:
        said = self.run("qmd", "search", query, "--json", "-n", str(count))
        found = json.loads(said) if said.lstrip().startswith("[") else []
        return unique(Path(each["file"]).stem for each in found)

    def shell(self, query: str) -> list[str]:
        return ["qmd", "search", query]


PEERS = {
    "vault-mem": VaultMem,
    "basic-memory": BasicMemory,
    "memsearch": Memsearch,
    "mcp-memory-service": McpMemoryService,
    "mempalace": MemPalace,
    "qmd": Qmd,
}


def unique(names: Iterator[str]) -> list[str]:
    """Without duplicates, in order: several passages of a note count as one result."""
    return list(dict.fromkeys(names))


def body(path: Path) -> str:
    """A note without its front matter."""
    return path.read_text(encoding="utf-8").split("---\n", 2)[-1].strip()


def cpu() -> float:
    """CPU seconds so far, of this process and of its children that have ended."""
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


@contextlib.contextmanager
def timed(figures: dict[str, float], name: str) -> Iterator[None]:
    """Wall and CPU seconds of a block."""
    began, spent = time.perf_counter(), cpu()
    yield
    figures[name] = time.perf_counter() - began
    figures[f"{name}, CPU"] = cpu() - spent


def speed(peer: Peer, notes: Path, questions: list[str]) -> dict[str, float]:
    """Times that a person waits for, and what they cost."""
    figures: dict[str, float] = {}
    with timed(figures, "index"):
        peer.index()
    if peer.follows_files:
        with timed(figures, "nothing changed"):
            peer.index()
    peer.search(questions[0], 5)
    walls, spents = [], []
    for query in (questions * ROUNDS)[:ROUNDS]:
        took: dict[str, float] = {}
        with timed(took, "one"):
            peer.search(query, 5)
        walls.append(took["one"])
        spents.append(took["one, CPU"])
    figures |= {"warm search": statistics.median(walls), "warm search, CPU": statistics.median(spents)}
    if peer.follows_files:
        _edit(peer, sorted(notes.glob("*.md"))[0], figures)
    peaks = (resource.getrusage(which).ru_maxrss for which in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    figures["peak memory, MB"] = max(peaks) / 1024
    return figures


def _edit(peer: Peer, path: Path, figures: dict[str, float]) -> None:
    """Change a note and search for its new text; no figure if it is not found."""
    head = path.read_text(encoding="utf-8").rpartition("---\n")
    path.write_text(head[0] + head[1] + NEWS + "\n", encoding="utf-8")
    took: dict[str, float] = {}
    with timed(took, "edit to found"):
        peer.index()
        found = peer.search(QUESTION, 5)
    if path.stem in found:
        figures |= took


def main() -> None:
    """Measure one peer and write the results."""
    name, notes, work, asked, out = sys.argv[1], *(Path(each) for each in sys.argv[2:6])
    questions = json.loads(asked.read_text(encoding="utf-8"))
    kind = PEERS[name]
    version = os.environ.get("PEER_VERSION") or importlib.metadata.version(kind.package)
    peer = kind(notes, work)
    record: dict[str, object] = {"version": version, "model": kind.model, "shell": peer.shell(questions[0])}
    if "speed" in sys.argv[6:]:
        record["figures"] = speed(peer, notes, questions)
    else:
        peer.index()
        record["answers"] = [peer.search(query, DEPTH) for query in questions]
    out.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
