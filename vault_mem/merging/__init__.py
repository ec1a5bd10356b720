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
    texts = [_decoded(each) for each in (generated if base is None else base, ours, theirs)]
    texts, bom = _alike(texts, [each.startswith(BOM) for each in texts], _without_bom)
    texts, crlf = _alike(texts, [_is_crlf(each) for each in texts], _without_cr)
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


def _decoded(raw: bytes | None) -> str:
    return (raw or b"").decode(errors="surrogateescape")


def _is_crlf(text: str) -> bool:
    return "\n" in text and text.count("\n") == text.count("\r\n")


def _without_bom(text: str) -> str:
    return text.removeprefix(BOM)


def _without_cr(text: str) -> str:
    return text.replace("\r\n", "\n")


def _alike(texts: list[str], has: list[bool], without: object) -> tuple[list[str], bool]:
    """The three texts without a trait, such as CRLF, and whether the merged text should have it."""
    base, ours, theirs = has
    assert callable(without)
    plain = [without(text) if each else text for text, each in zip(texts, has, strict=True)]
    return plain, (theirs if ours == base and texts[0] else ours)
