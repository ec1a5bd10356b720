"""Removing the traces of a purged memory from this machine's records and from the history.

The memory's own file is gone by then; `.vault-mem/purging/{id}.json` keeps its names until nothing of it is left.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from vault_mem.model import digits_of
from vault_mem.notes import checklist
from vault_mem.vault import files, history, journal, machine_folder, sessions
from vault_mem.vault.files import failures
from vault_mem.vault.folder import JOURNAL, OWN, Folder
from vault_mem.vault.interrupted import PURGING, purges
from vault_mem.vault.journal import Entry
from vault_mem.vault.steps import AppendStep, FileStep, LineStep, MadeStep, Step, read
from vault_mem.vault.steps import from_record as step_from
from vault_mem.vault.tree import TEMPORARY, beside

# What a purge is called in the journal.
COMMAND = "forget --purge"
DELETIONS = f"{OWN}/deletions.jsonl"
_TEMPORARY = f"{TEMPORARY}purge.tmp"


def remove_traces(folder: Folder, rebuild_index: Callable[[], object]) -> None:
    """Remove every trace of what is being purged; the caller holds the vault for writing."""
    for id_ in purges(folder):
        try:
            record = json.loads(machine_folder.read(folder.tree, f"{PURGING}/{id_}.json") or b"")
            stems, private = [str(name) for name in record["names"]], bool(record.get("private"))
        except (ValueError, KeyError, TypeError, AttributeError):
            machine_folder.set_aside(folder.tree, f"{PURGING}/{id_}.json", "not a purge that was begun")
            continue
        names = _Names(id_, stems)
        with failures(folder.shown(OWN)):
            _scrub_own(folder, names, private)
            _scrub_history(folder, names)
            _scrub_sessions(folder)
            _sweep(folder)
            rebuild_index()
            folder.tree.drop(f"{PURGING}/{id_}.json")


class _Names:
    """How to recognise a purged memory in records: by its id anywhere, by its file's names only in links and paths."""

    def __init__(self, id_: str, stems: Iterable[str]) -> None:
        self.id = id_
        digits = digits_of(id_)
        spelled = {unicodedata.normalize(form, stem) for stem in stems for form in ("NFC", "NFD")}
        spelled |= {json.dumps(each, ensure_ascii=False)[1:-1] for each in spelled}  # quotes are escaped in JSON
        stem = "|".join(map(re.escape, sorted(spelled))) or r"(?!)"
        self._link = rf"\[\[(?:[^\[\]\n|#]*{digits}|(?:[^\[\]\n|#]*/)?(?:{stem})(?:\.md)?)(?:[#|][^\[\]\n]*)?\]\]"
        self._mention = re.compile(rf"{digits}|{self._link}|(?:^|[/\"])(?:{stem})\.md", re.IGNORECASE)

    def in_(self, text: str) -> bool:
        """Whether a record mentions it."""
        return bool(self._mention.search(text))

    def out_of(self, text: str) -> str:
        """A note's text without links to it and lines that mirror it."""
        text = re.sub(rf"^[ \t]*-[ \t]*[\"']?{self._link}[\"']?[ \t]*\n", "", text, flags=re.MULTILINE | re.IGNORECASE)
        text = re.sub(rf"^.*\[id:{self.id}\].*\n?", "", text, flags=re.MULTILINE)
        return re.sub(self._link, "(purged)", text, flags=re.IGNORECASE)


def _scrub_own(folder: Folder, names: _Names, private: bool) -> None:
    """This machine's records: entries that mention it are dropped whole, the deletion log keeps the id."""
    tree = folder.tree
    tree.drop(f"{OWN}/trash/{names.id}.json")
    tree.drop(f"{OWN}/edits/{names.id}.md")
    _scrub_journal(folder, names)
    for parent in (f"{OWN}/blocked", machine_folder.ASIDE):
        for name in tree.names(parent):
            if names.in_(_record_text(folder, f"{parent}/{name}")):
                tree.drop(f"{parent}/{name}")
    for name in tree.names(f"{OWN}/trash", ".json"):
        _rewrite(folder, f"{OWN}/trash/{name}", lambda text: _trash_without(text, names), names)
    for name in tree.names(OWN, ".jsonl"):
        if f"{OWN}/{name}" != DELETIONS:
            _rewrite(folder, f"{OWN}/{name}", lambda text: _without_lines(text, names), names)
        elif private:
            _rewrite(folder, DELETIONS, lambda text: _without_reasons(text, names.id), names)
    for key in ("REVIEW.md", f"{folder.settings.private_folder}/REVIEW.md"):
        _rewrite(folder, key, lambda text: checklist.parted(text, [names.id])[0], names)


def _scrub_journal(folder: Folder, names: _Names) -> None:
    """Drop entries that mention it, and files they displaced. The purge's own stays, emptied, to keep its number."""
    tree = folder.tree
    named = sorted(name for name in tree.names(JOURNAL) if names.in_(_record_text(folder, f"{JOURNAL}/{name}")))
    done = [name.rpartition(".") for name in named if name.endswith((".json", ".pending"))]
    loaded = [entry for name, _, ending in done if (entry := journal.load(folder, name, ending))]
    changed = {step.key: step for entry in loaded if entry.command == COMMAND for step in entry.steps}
    kept = {entry.op: left for entry in loaded if (left := _without(entry, names, changed))}
    for op in dict.fromkeys(name.split(".")[0] for name in named):
        if op in kept:
            journal.put(folder, kept[op])
        for name in tree.names(JOURNAL):
            if name.split(".")[0] == op and not (op in kept and name == f"{kept[op].name}.json"):
                tree.drop(f"{JOURNAL}/{name}")


def _without(entry: Entry, names: _Names, changed: Mapping[str, Step]) -> Entry | None:
    """What may stay of an entry: that it was a purge, or the other notes of an import; None if nothing may."""
    if entry.command == COMMAND:
        return replace(entry, reason="", ids=[], steps=[])
    own_ = [step for step in entry.steps if isinstance(step, MadeStep) and names.in_(f"/{step.key}")]
    if not own_:
        return None
    lines = [step for step in entry.steps if isinstance(step, LineStep) and step.id == names.id]
    logged = [step for step in entry.steps if isinstance(step, AppendStep) and names.in_(step.line)]
    others = [step for step in entry.steps if step not in (*own_, *lines, *logged)]
    steps = [_as_it_is_now(step, names.id, changed.get(step.key)) for step in others]
    left = replace(entry, ids=[id_ for id_ in entry.ids if id_ != names.id], steps=steps)
    return None if names.in_(left.dump().decode()) else left


def _as_it_is_now(step: Step, id_: str, change: Step | None) -> Step:
    """A step of an import, updated now that links to the purged memory and proposals about it are gone."""
    if isinstance(step, FileStep) and step.key.endswith("REVIEW.md"):
        return replace(step, before=_unproposed(step.before, id_), after=_unproposed(step.after, id_))
    if not isinstance(step, MadeStep) or not isinstance(change, FileStep) or not change.before or not change.after:
        return step
    was = MadeStep.of(step.key, change.before, step.mode)
    return MadeStep.of(step.key, change.after, step.mode) if was == step else step


def _unproposed(raw: bytes | None, id_: str) -> bytes | None:
    return raw and checklist.parted(raw.decode(errors="replace"), [id_])[0].encode()


def _scrub_history(folder: Folder, names: _Names) -> None:
    ops = {str(record.get("op")) for _, record, line in history.read_all(folder) if names.in_(line)} - {"", "None"}
    for key in history.history_keys(folder):
        raw = read(folder, key)
        if raw:
            _put_or_remove(folder, key, raw, _history_without(raw.decode(errors="replace"), names, ops))


def _scrub_sessions(folder: Folder) -> None:
    """Drop the table of sessions' words, and the journal's copies of session files: both may still quote it."""
    sessions.sweep(folder)
    if not sessions.keys(folder):
        return
    sessions.drop_table(folder)
    for entry in list(journal.entries(folder)):
        kept = [step for step in entry.steps if not folder.is_session(step.key)]
        if len(kept) < len(entry.steps):
            journal.put(folder, replace(entry, steps=kept))


def _sweep(folder: Folder) -> None:
    """Remove temporary files that a failing disk or a crash left beside the rewritten files: they may mention it."""
    private = folder.settings.private_folder
    for parent in ("", OWN, f"{OWN}/trash", "history", private, f"{private}/.history"):
        folder.tree.drop(f"{parent}/{_TEMPORARY}" if parent else _TEMPORARY)
    journal.sweep(folder)


def _record_text(folder: Folder, key: str) -> str:
    """A record's text, with the content that it stores as base64."""
    text = (read(folder, key) or b"").decode(errors="replace")
    packed = re.findall(r'"base64": "([^"]*)"', text)
    return "\n".join([text, *(base64.b64decode(each).decode(errors="replace") for each in packed)])


def _rewrite(folder: Folder, key: str, change: Callable[[str], str], names: _Names) -> None:
    if names.in_(_record_text(folder, key)):
        before = read(folder, key) or b""
        _put_or_remove(folder, key, before, change(before.decode(errors="replace")))


def _put_or_remove(folder: Folder, key: str, before: bytes, after: str) -> None:
    if not after:
        folder.tree.drop(beside(key, _TEMPORARY))
        files.remove(folder.tree, key, before, _TEMPORARY)
    elif after.encode() != before:
        files.replace(folder.tree, key, before, after.encode(), _TEMPORARY)


def _trash_without(text: str, names: _Names) -> str:
    """Another memory's record in the trash, without the purged one's text among its references."""
    record = json.loads(text)
    kept = [each for each in map(step_from, record["references"]) if not _is_of(each, names.id)]
    record["references"] = [each.record() for each in kept]
    return json.dumps(_scrubbed(record, names), ensure_ascii=False)


def _is_of(step: Step, id_: str) -> bool:
    return isinstance(step, FileStep) and id_ in (history.id_in(step.before or b""), history.id_in(step.after or b""))


def _history_without(text: str, names: _Names, ops: set[str]) -> str:
    """The history without its revisions. Those of others lose links to it, and the reasons of operations on both."""
    lines = []
    for line in text.removesuffix("\n").split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict) and record.get("id") == names.id:
            continue
        if isinstance(record, dict) and record.get("op") in ops:
            line = json.dumps(_scrubbed(record | {"reason": ""}, names), ensure_ascii=False)
        lines.append(line)
    return "".join(line + "\n" for line in lines)


def _scrubbed(value: Any, names: _Names) -> Any:
    """The same record without links to what is purged."""
    if isinstance(value, dict):
        return {key: _scrubbed(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_scrubbed(each, names) for each in value if not (isinstance(each, str) and each == names.id)]
    return names.out_of(value) if isinstance(value, str) else value


def _without_lines(text: str, names: _Names) -> str:
    return "".join(line + "\n" for line in text.splitlines() if not names.in_(line))


def _without_reasons(text: str, id_: str) -> str:
    """Clear earlier reasons, which may quote a private memory; the one given with the purge itself stays."""
    lines = text.splitlines()
    own = [number for number, line in enumerate(lines) if id_ in line]
    for number in own[:-1]:
        with contextlib.suppress(ValueError, TypeError):
            lines[number] = json.dumps(json.loads(lines[number]) | {"reason": ""}, ensure_ascii=False)
    return "".join(line + "\n" for line in lines)
