"""Agents' sessions as memories, one per conversation, if the user asks for it."""

from __future__ import annotations

from datetime import datetime, tzinfo
from pathlib import Path
from types import ModuleType

from vault_mem.errors import VaultMemError
from vault_mem.imports.items import BadItem, Found, Item, conversation
from vault_mem.imports.transcripts.reading import Source
from vault_mem.notes.secrets import masked
from vault_mem.notes.session import USER, Opening, Turn


class Conversations:
    """A reader of transcripts as a reader of memories."""

    def __init__(self, transcripts: ModuleType) -> None:
        self.transcripts, self.NAME = transcripts, transcripts.NAME

    def recognises(self, path: Path) -> bool:
        """Never detected: the user names the format to import sessions."""
        return False

    def read(self, path: Path, zone: tzinfo) -> Found:
        """Every session as one conversation."""
        try:
            for source in self.transcripts.transcripts(path):
                try:
                    yield self._conversation(source)
                except (OSError, VaultMemError) as error:
                    yield BadItem(f"{self.NAME}:{source.id or source.path.name}", str(error))
        except VaultMemError as error:
            yield BadItem(f"{self.NAME}:{path.name}", error.message)

    def _conversation(self, source: Source) -> Item | BadItem:
        id_, title, parts = source.id or source.path.stem, "", list[str]()
        created: datetime | None = None
        for step in self.transcripts.read(source, 0):
            said = step.said
            if isinstance(said, Opening):
                id_, created = said.id or id_, created or said.at
            elif isinstance(said, Turn) and said.text:
                title = title or (" ".join(said.text.split())[:60] if said.role == USER else "")
                created = created or said.at
                parts.append(f"**{'User' if said.role == USER else 'Assistant'}:** {masked(said.text)}")
        return conversation(self.NAME, id_, title, parts, created, f"{self.NAME}:{source.path.name}")
