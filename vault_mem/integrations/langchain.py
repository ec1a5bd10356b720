"""A LangChain retriever on a vault.

    from vault_mem.integrations.langchain import VaultRetriever

    retriever = VaultRetriever(vault=Vault("my-vault"), k=4)

Needs `pip install "vault-mem[langchain]"`.
"""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from vault_mem.python.vault import Vault
from vault_mem.types import Found


class VaultRetriever(BaseRetriever):
    """Finds memories with `recall`, which gets `search_kwargs`, such as filters and `min_relevance`.

    If nothing is likely to answer, there are no documents; with `nearest=True`, the nearest two.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    vault: Vault
    k: int = 5
    nearest: bool = False
    search_kwargs: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.vault.recall(query, self.k, **self.search_kwargs)
        return [_document(each) for each in found] if found.answered or self.nearest else []


def _document(found: Found) -> Document:
    told = found.to_dict()
    content = told.pop("content", "") or found.passage
    return Document(page_content=content, metadata=told, id=found.memory.id)
