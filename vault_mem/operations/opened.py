"""A vault, open: its folder, model and index, each loaded when first needed. Nothing is brought up to date here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING

from vault_mem.index.shelf import Shelf
from vault_mem.vault.folder import Folder

if TYPE_CHECKING:
    from vault_mem.embedding.calibration import Calibration
    from vault_mem.embedding.embedder import Embedder
    from vault_mem.embedding.tokens import TokenVectors
    from vault_mem.index.candidates import Candidates
    from vault_mem.index.catalogue import Catalogue
    from vault_mem.index.graph import Graph
    from vault_mem.index.index import Index
    from vault_mem.index.links import Names
    from vault_mem.index.sync import Progress
    from vault_mem.index.unwritten import Unwritten


@cache
def _built_in_tokens() -> TokenVectors:
    """Shared by all vaults of a process, so that the lengths of 100,000 vectors are computed only once."""
    from vault_mem.embedding.embedder import Embedder
    from vault_mem.embedding.tokens import TokenVectors

    return TokenVectors(Embedder())


class Opened:
    """`notices` are for the user, not part of any answer.

    Used by one thread at a time. A process with many clients keeps several, each made `like` the first: they share the
    model and, through the `shelf`, the memories at hand. `unwritten` is what the running operation has yet to write.
    """

    unwritten: Unwritten | None = None

    def __init__(self, folder: Folder, progress: Progress | None = None, like: Opened | None = None) -> None:
        self.folder = folder
        self.progress = progress
        self.notices = folder.notices
        self.shelf: Shelf = like.shelf if like else Shelf()
        if like is not None:
            self.embedder, self.tokens = like.embedder, like.tokens

    def reuse(self, folder: Folder, progress: Progress | None) -> None:
        """Begin another command: take its clock, settings and progress, and keep our model, index and caches."""
        self.folder = folder
        self.progress = progress
        self.notices = folder.notices
        if "index" in self.__dict__:
            self.index.folder = folder

    def close(self) -> None:
        """Close the index's files."""
        if "index" in self.__dict__:
            self.index.close()

    @cached_property
    def embedder(self) -> Embedder:
        """The configured embedding model."""
        from vault_mem.embedding.embedder import Embedder

        return Embedder(self.folder.settings.model)

    @cached_property
    def tokens(self) -> TokenVectors:
        """The built-in model's word vectors, which the judge uses even if another model is configured."""
        return _built_in_tokens()

    @cached_property
    def index(self) -> Index:
        """The vault's index; not brought up to date by itself."""
        from vault_mem.index.index import Index

        return Index(self.folder, self.embedder, self.shelf.changes)

    @property
    def graph(self) -> Graph:
        """The links of the whole vault, as indexed."""
        return self.index.graph()

    def at_hand(self) -> AbstractContextManager[Catalogue]:
        """All indexed memories, held in memory; other threads wait until the block ends."""
        return self.shelf.lent(self.index)

    @contextmanager
    def candidates(self) -> Iterator[Candidates]:
        """Where candidates come from: the memories at hand, or the table if the vault is large."""
        from vault_mem.index.candidates import AtHand, InTable
        from vault_mem.index.large import keep_facts

        if not self.index.large:
            with self.at_hand() as catalogue:
                yield AtHand(catalogue)
            return
        keep_facts(self.index, self.progress)
        self.index.facts.refresh()
        self.shelf.row_cache.follow(self.index)
        yield InTable(self.index, self.shelf.row_cache)

    @contextmanager
    def candidates_and_unwritten(self) -> Iterator[list[Candidates]]:
        """What a new text is compared with: the indexed memories, and those the same operation is about to write."""
        from vault_mem.index.candidates import AtHand

        with self.candidates() as candidates:
            yield [candidates, AtHand(self.unwritten.catalogue)] if self.unwritten else [candidates]

    @property
    def calibration(self) -> Calibration:
        """What a cosine means in this vault: the model's calibration, refined by a sample of the memories."""
        with self.candidates() as candidates:
            return candidates.calibration(self.index.calibration)

    @property
    def names(self) -> Names:
        """The names by which links reach files: notes as indexed, other files as they are on the disk."""
        return self.index.names()
