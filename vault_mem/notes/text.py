"""The parts of a note: byte-order mark, fences, front matter, body. Joined, they give the same bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vault_mem.notes.yamlish import HANDLER

_ID = re.compile(rb"^id:[ \t]*[\"']?((?:mem|ep)_[0-9a-f]{12})\b", re.MULTILINE)

BOM = b"\xef\xbb\xbf"
_LOOKS_LIKE_KEY = re.compile(r"[A-Za-z_][\w -]*:(\s|$)")


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note cut at its fences. `front` is None if the note has no front matter."""

    bom: bytes
    opening: str
    front: str | None
    closing: str
    body: str

    @property
    def newline(self) -> str:
        """The line ending the note uses: that of its first line, or a plain line feed."""
        match = re.search(r"\r\n|\n|\r", self.opening or self.body)
        return match.group() if match else "\n"

    @property
    def unclosed(self) -> bool:
        """Whether the note opens front matter that never ends."""
        if self.front is not None:
            return False
        opening = HANDLER.FM_BOUNDARY.match(self.body)
        return bool(opening and _LOOKS_LIKE_KEY.match(self.body, opening.end()))

    def join(self) -> bytes:
        """The note's bytes."""
        return self.bom + "".join((self.opening, self.front or "", self.closing, self.body)).encode()


def split(raw: bytes) -> NoteText:
    """Cut a note at its fences; raises UnicodeDecodeError if it is not UTF-8."""
    bom = BOM if raw.startswith(BOM) else b""
    return split_text(raw[len(bom) :].decode(), bom)


def split_text(text: str, bom: bytes = b"") -> NoteText:
    """Cut decoded text at its fences: `---` alone on the first line, and on the line that ends the front matter."""
    parts = HANDLER.parts(text)
    return NoteText(bom, *parts) if parts else NoteText(bom, "", None, "", text)


def id_in(raw: bytes) -> str:
    """The id that a note gives in its front matter, without reading the rest of it."""
    found = _ID.search(raw[:20_000])
    return found.group(1).decode() if found else ""
