"""Merging two versions of a file with their common ancestor (SPEC V-11). Texts in, text out.

Git starts this for every file that both sides changed, so notes are merged with the standard library only; rarer kinds
of files import what they need.
"""

from __future__ import annotations

BOM = "\ufeff"
_BEGIN = "<!-- vault-mem:begin -->"


class Merged:
    """A merged text, and what could not be decided: names of keys, or `text` for the note's text."""

    __slots__ = ("conflicts", "text")

    def __init__(self, text: str, conflicts: list[str]) -> None:
        self.text = text
        self.conflicts = conflicts


def merge(key: str, base: bytes | None, ours: bytes, theirs: bytes, generated: bytes | None = None) -> Merged:
    """Merge a file of a vault by its kind; `base` is None if the two have no common ancestor.

    For files that init writes, `generated` replaces a missing base.
    """
    files = (generated if base is None else base, ours, theirs)
    texts = [(each or b"").decode(errors="surrogateescape") for each in files]
    bom = _wanted(texts, [each.startswith(BOM) for each in texts])
    texts = [each.removeprefix(BOM) for each in texts]
    all_crlf = ["\n" in each and each.count("\n") == each.count("\r\n") for each in texts]
    crlf = _wanted(texts, all_crlf)
    texts = [each.replace("\r\n", "\n") if has else each for each, has in zip(texts, all_crlf, strict=True)]
    found = _merge(key, *texts)
    text = found.text.replace("\n", "\r\n") if crlf else found.text
    return Merged(BOM + text if bom else text, found.conflicts)


def encoded(text: str) -> bytes:
    """The bytes of a text, including those that could not be decoded."""
    return text.encode(errors="surrogateescape")


def kind_of(key: str, text: str = "") -> str:
    """The kind of a file, by its path in the vault; a renamed view is recognised by its text."""
    above, _, name = key.rpartition("/")
    if above == "history" and name.endswith(".jsonl"):
        return "history"
    if key in ("MEMORY.md", "REVIEW.md"):
        return "digest" if key == "MEMORY.md" else "review"
    if above == "memory":
        return "monologue" if name == "inner-monologue-latest.md" else "log"
    if key == "SELF.md":
        return "self"
    if not name.endswith(".md"):
        return "text"
    if text.startswith("---") or not ("[id:mem_" in text or _BEGIN in text):
        return "note"
    if _BEGIN in text:
        return "digest" if "[id:mem_" in text else "monologue"
    return "log"


def _merge(key: str, base: str, ours: str, theirs: str) -> Merged:
    kind = kind_of(key, ours or theirs)
    if kind == "note":
        from vault_mem.merging.note import merge_note

        return merge_note(base, ours, theirs, key.rpartition("/")[2])
    if kind == "history":
        from vault_mem.merging.history import merge_history

        return merge_history(base, ours, theirs)
    if kind == "review":
        from vault_mem.merging.review import merge_review

        return merge_review(base, ours, theirs)
    if kind == "self":
        from vault_mem.merging.self_model import merge_self

        return merge_self(base, ours, theirs)
    if kind == "text":
        from vault_mem.merging.lines import merge_text

        return merge_text(base, ours, theirs)
    from vault_mem.merging.views import merge_view

    return merge_view(key, kind, base, ours, theirs)


def _wanted(texts: list[str], has: list[bool]) -> bool:
    """Whether the merged text should have a trait, such as CRLF, given which of the three texts have it."""
    base, ours, theirs = has
    return theirs if ours == base and texts[0] else ours
