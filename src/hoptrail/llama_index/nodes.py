"""Passages and quotes as LlamaIndex nodes."""

from __future__ import annotations

from langchain_core.documents import Document
from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

from hoptrail.core.types import Answer, JsonDict, TrailHop

_FOR_READERS = frozenset({"title", "section", "place"})
"""The part of a node's metadata that a prompt or an embedding may show; the rest are ids."""


def node_of_document(document: Document) -> NodeWithScore:
    """Return what a Hoptrail retriever found as a node: a passage, or a relation of a bare graph.

    Args:
        document: It bears its id, and in its metadata its `score`, and of a passage its place.
    """
    metadata = dict(document.metadata)
    score = float(metadata.pop("score"))
    return NodeWithScore(
        node=_node(document.id or "", document.page_content, metadata), score=score
    )


def nodes_of_answer(answer: Answer) -> list[NodeWithScore]:
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
