"""The vault as the page sees it: only public memories, unless the tab shows private ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Concatenate, ParamSpec, TypeVar

from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.workspace import Workspace
from vault_mem.python.vault import Vault
from vault_mem.vault.folder import Folder

P = ParamSpec("P")
T = TypeVar("T")
# Whether the running request may see private memories.
_private: ContextVar[bool] = ContextVar("private", default=False)


@contextmanager
def seeing(*, private: bool) -> Iterator[None]:
    """Sets whether calls in this block see private memories."""
    before = _private.set(private)
    try:
        yield
    finally:
        _private.reset(before)


class SeenVault(Vault):
    """The library's vault; `seeing` decides what every call sees."""

    @property
    def folder(self) -> Folder:
        """The vault's folder, with the settings that were last seen."""
        return self._folder

    @contextmanager
    def _lent(self) -> Iterator[Workspace]:
        with super()._lent() as workspace:
            workspace.folder.public = not _private.get()
            try:
                yield workspace
            finally:
                workspace.folder.public = False

    def look(self, operation: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs) -> T:
        """Run an operation that reads and has no method in the library."""
        return self._reading(operation, *args, **options)

    def change(self, operation: Callable[Concatenate[Workspace, P], T], *args: P.args, **options: P.kwargs) -> T:
        """Run an operation that writes, in turn with others."""
        return self._writing(operation, *args, **options)

    def chosen(self, filters: Filters, **times: str) -> Filters:
        """Filters with times as a person writes them."""
        return self._chosen(filters, **times)  # type: ignore[arg-type]

    def told_to_an_agent(self, tool: str, **arguments: Any) -> str:
        """What an agent reads when it calls a tool of the MCP server."""
        tools = {each.__name__: each for each in self.as_tools("core", public_only=not _private.get())}
        return tools[tool](**arguments)
