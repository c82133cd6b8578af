"""Hoptrail's retrievers as a LlamaIndex retriever."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle

from hoptrail.api import Hoptrail
from hoptrail.core.filter_text import FilterForm
from hoptrail.llama_index.nodes import node_of_document
from hoptrail.retrievers.base.retriever import Retriever


class HoptrailRetriever(BaseRetriever):
    """Finds passages in a knowledge base, best first, by any of Hoptrail's retrievers.

    A node's id is the passage's and stays the same while its text does; `ref_doc_id` is its
    document. Of a graph without passages the nodes are its relations.

    Args:
        hoptrail: The open knowledge base; it has to stay open.
        retriever: Name of a retriever: vector, bm25, ket, ppr and so on.
        k: Passages to return.
        filter: Documents to search, as a text or in JSON form; by default as given to `open`.
        callback_manager: LlamaIndex's.
        **parameters: Further fields of that retriever, such as `theta`.

    Raises:
        UnknownNameError: If there is no retriever of that name, or it has no such field.
        SettingsError: If a field has a value that it cannot have.
    """

    def __init__(
        self,
        hoptrail: Hoptrail,
        retriever: str = "ket",
        *,
        k: int = 10,
        filter: FilterForm | None = None,
        callback_manager: CallbackManager | None = None,
        **parameters: Any,
    ) -> None:
        self._hoptrail = hoptrail
        self._name = retriever
        self._filter = filter
        self._parameters = {"k": k, **parameters}
        self._make()  # a mistake is told here, not at the first question
        super().__init__(callback_manager=callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._make().invoke(query_bundle.query_str)
        return [node_of_document(one) for one in found]

    def _make(self) -> Retriever:
        """Return the retriever over what the knowledge base holds now."""
        return self._hoptrail.retriever(self._name, filter=self._filter, **self._parameters)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)
