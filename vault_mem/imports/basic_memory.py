"""Notes of basic-memory: a memory for the note's prose and one for each observation; relations become links."""

from __future__ import annotations

import re
from datetime import tzinfo
from pathlib import Path

from vault_mem.imports.items import BadItem, Found, Item, line, markdown_files, moment, short_hash, words
from vault_mem.imports.markdown import notes
from vault_mem.model import LINK_TYPES
from vault_mem.notes.links import link_name, stem_of
from vault_mem.notes.parse import Note

NAME = "basic-memory"
_OBSERVATION = re.compile(r"\s*[-*]\s+\[(?P<category>[^\[\]()]{2,40})\]\s+(?P<text>\S.*)")
_RELATION = re.compile(r"\s*[-*]\s+(?P<type>[\w -]*?)\s*\[\[(?P<target>[^\[\]]+)\]\](?:\s*\([^()]*\))?\s*$")
_TAG = re.compile(r"(?:^|(?<=\s))#([\w/-]+)")
_SECTION = re.compile(r"#{1,6}\s+(?:Observations|Relations)\s*$", re.IGNORECASE)


def recognises(path: Path) -> bool:
    """A note, or a folder with one, that has a permalink and a type."""
    for number, (_, file) in enumerate(markdown_files(path) if path.is_dir() or path.suffix == ".md" else ()):
        if number == 20:
            break
        try:
            head = file.read_bytes()[:2000].decode(errors="replace")
        except OSError:
            continue
        if re.match(r"---\s*\n(?:.*\n)*?permalink:", head) and re.search(r"^type:", head, re.MULTILINE):
            return True
    return False


def read(path: Path, zone: tzinfo) -> Found:
    """Every note's prose, then its observations."""
    for name, note in notes(path, zone, NAME):
        if isinstance(note, BadItem):
            yield note
        elif not note.memory.content.strip():
            yield BadItem(f"{NAME}:{name}", "it has no text")
        else:
            yield from _items(name, note)


def _items(name: str, note: Note) -> Found:
    memory = note.memory
    title = line(note.fields.get("title")) or memory.title
    permalink = line(note.fields.get("permalink")) or name.removesuffix(".md")
    source = f"{NAME}:{permalink}"
    stem = stem_of(name)
    # Only a time that the note itself states; basic-memory keeps its own in a database.
    created = moment(str(note.fields["created"])) if note.fields.get("created") else None
    prose, observations, links = [], [], []
    for row in memory.content.splitlines():
        if match := _OBSERVATION.match(row):
            observations.append((match["category"].strip(), match["text"].strip()))
        elif match := _RELATION.match(row):
            kind = match["type"].strip().replace(" ", "_").replace("-", "_")
            links.append((kind if kind in LINK_TYPES else "related", link_name(match["target"].partition("|")[0])))
        elif not _SECTION.match(row):
            prose.append(row)
    text = "\n".join(prose).strip()
    if not text.startswith("#"):
        text = f"# {title}\n\n{text}".strip()
    kind = line(note.fields.get("type"))
    category = {"category": kind.casefold()} if kind not in ("", "note") else {}
    whole = bool(links) or "\n" in text or not observations
    if whole:
        yield Item(
            source, text, created, {"tags": memory.tags, **category}, memory.private,
            names=(title, permalink, stem), links=tuple(links),
        )  # fmt: skip
    for kind, text in observations:
        tags = words([*memory.tags, *_TAG.findall(text)])
        content = f"{title}: {_TAG.sub('', text).strip()}"
        yield Item(
            f"{source}#{short_hash(kind + text)}", content, created, {"kind": "fact", "category": kind, "tags": tags},
            memory.private, links=(("related", title),) if whole else (),
        )  # fmt: skip
