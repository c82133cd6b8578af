"""Hoptrail in LlamaIndex: a retriever, a query engine and tools (the extra `llama-index`)."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.documents import Document
from langchain_core.tools import BaseTool
from pydantic import BaseModel

from hoptrail.api import Hoptrail
from hoptrail.api.open_base import checked_context
from hoptrail.core.filter_text import FilterForm
from hoptrail.core.optional import require
from hoptrail.core.types import Answer, JsonDict, TrailHop
from hoptrail.retrievers.base.retriever import Retriever

require("llama_index.core", extra="llama-index", purpose="hoptrail.llama_index")

# ruff: noqa: E402
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import (
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.tools import FunctionTool

__all__ = ["HoptrailQueryEngine", "HoptrailRetriever", "hoptrail_tools"]

_FOR_READERS = frozenset({"title", "section", "place"})
"""The part of a node's metadata that a prompt or an embedding may show; the rest are ids."""


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
        return [_node_of_document(one) for one in found]

    def _make(self) -> Retriever:
        """Return the retriever over what the knowledge base holds now."""
        return self._hoptrail.retriever(self._name, filter=self._filter, **self._parameters)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class HoptrailQueryEngine(BaseQueryEngine):
    """Answers questions with Hoptrail: the model is Hoptrail's own, or none.

    `response.metadata` is the answer as `hoptrail ask --json` prints it, the `trail` included;
    `response.source_nodes` are the quotes behind its steps, or, where there is no answer, the
    passages nearest to the question. `str(response)` is the answer's text; one that is given with
    reserve ends with a line "perhaps: ..." that says why.

    Args:
        hoptrail: The open knowledge base; it has to stay open.
        callback_manager: LlamaIndex's.
        **context: Fields of `Context` that hold for every question, such as `preset` and `filter`.

    Raises:
        UnknownNameError: If a field, the preset or the retriever does not exist.
        SettingsError: If a field has a value that it cannot have.
    """

    def __init__(
        self,
        hoptrail: Hoptrail,
        *,
        callback_manager: CallbackManager | None = None,
        **context: Any,
    ) -> None:
        # A mistake is told here, not at the first question.
        chosen = checked_context(context)
        if chosen.retriever is not None:
            parameters: dict[str, Any] = dict(chosen.parameters)
            hoptrail.retriever(chosen.retriever, filter=chosen.filter, **parameters)
        self._hoptrail = hoptrail
        self._context = context
        super().__init__(callback_manager=callback_manager)

    def _query(self, query_bundle: QueryBundle) -> Response:
        return _response(self._hoptrail.ask(query_bundle.query_str, **self._context))

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return _response(await self._hoptrail.aask(query_bundle.query_str, **self._context))

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}


def _response(answer: Answer) -> Response:
    reserve = f"\n\nperhaps: {answer.perhaps_reason}" if answer.perhaps else ""
    return Response(
        response=f"{answer.text}{reserve}",
        source_nodes=_nodes_of_answer(answer),
        metadata=answer.to_contract(),
    )


def hoptrail_tools(
    hoptrail: Hoptrail, *names: str, filter: FilterForm | None = None, prefix: str = ""
) -> list[FunctionTool]:
    """Return tools for an agent of LlamaIndex: `ask`, `search`, `explore` and `read`.

    Args:
        hoptrail: The open knowledge base; it has to stay open.
        *names: Other tools by name; see `Hoptrail.tools`.
        filter: Documents that they reach, as a text or in JSON form; by default as given to `open`.
        prefix: Put before the names, to tell the tools of several knowledge bases apart.

    Raises:
        UnknownNameError: If there is no tool of a name.
    """
    return [_function_tool(tool) for tool in hoptrail.tools(*names, filter=filter, prefix=prefix)]


def _function_tool(tool: BaseTool) -> FunctionTool:
    def call(**arguments: Any) -> Any:
        return tool.invoke(arguments)

    async def acall(**arguments: Any) -> Any:
        return await tool.ainvoke(arguments)

    schema = tool.get_input_schema()
    assert issubclass(schema, BaseModel)
    return FunctionTool.from_defaults(
        call, name=tool.name, description=tool.description, fn_schema=schema, async_fn=acall
    )


def _node_of_document(document: Document) -> NodeWithScore:
    """Return what a Hoptrail retriever found as a node: a passage, or a relation of a bare graph.

    Args:
        document: It bears its id, and in its metadata its `score`, and of a passage its place.
    """
    metadata = dict(document.metadata)
    score = float(metadata.pop("score"))
    return NodeWithScore(
        node=_node(document.id or "", document.page_content, metadata), score=score
    )


def _nodes_of_answer(answer: Answer) -> list[NodeWithScore]:
    """Return the quotes of an answer, each once with the claims that it bears, in their order.

    Where there is no answer they are the passages nearest to the question, with their scores.
    """
    if answer.abstained:
        return [
            NodeWithScore(
                node=_quote(near.sentence, near.to_json(), title=near.title), score=near.score
            )
            for near in answer.nearest
        ]
    titles = {citation.doc_id: citation.title for citation in answer.citations}
    titles |= {near.doc_id: near.title for near in answer.nearest}
    by_place: dict[tuple[str | None, int | None, int | None], list[TrailHop]] = {}
    for hop in answer.trail.hops:
        if hop.quote and hop.doc_id is not None:
            by_place.setdefault((hop.chunk_id, hop.start, hop.end), []).append(hop)
    return [
        NodeWithScore(
            node=_quote(
                hops[0].quote or "",
                hops[0].to_json(),
                title=titles.get(hops[0].doc_id or "", ""),
                claims=[hop.claim for hop in hops],
                support=[hop.support for hop in hops],
            )
        )
        for hops in by_place.values()
    ]


def _quote(text: str, place: JsonDict, **metadata: object) -> TextNode:
    where = {name: place[name] for name in ("chunk_id", "doc_id", "start", "end", "place")}
    id_ = f"{where['chunk_id']}:{where['start']}-{where['end']}"
    return _node(id_, text, {**where, **metadata})


def _node(id_: str, text: str, metadata: JsonDict) -> TextNode:
    known = {name: value for name, value in metadata.items() if value is not None}
    hidden = sorted(set(known) - _FOR_READERS)
    doc_id = known.get("doc_id")
    source = {} if doc_id is None else {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc_id)}
    return TextNode(
        id_=id_,
        text=text,
        metadata=known,
        relationships=source,
        start_char_idx=known.get("start"),
        end_char_idx=known.get("end"),
        excluded_embed_metadata_keys=hidden,
        excluded_llm_metadata_keys=hidden,
    )
