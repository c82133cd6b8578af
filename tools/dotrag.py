"""The stages of a search along judged paths, as tools: anchors, paths of a round, what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.render import path_line
from hoptrail.core.settings import Settings
from hoptrail.core.types import Evidence, Hit, JsonDict, Path
from hoptrail.retrievers.dotrag import DotRetriever
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.tools.retrieval import RERANKER, hydrate, order_fields

Parameters = dict[str, bool | int | float | str]
_JUDGED_PATH_WEIGHT = 0.4
_PARAMETERS = "Parameters of the retriever `dot` by name."


class ConceptArgument(BaseModel):
    """A thing or a theme to start from."""

    text: str = Field(description="Its name.")
    guess: str = Field("", description="What it is.")
    is_span: bool = Field(True, description="Whether it is a name; else a broad topic.")


class AnchorArguments(BaseModel):
    """Arguments of `find_anchors`."""

    question: str = Field("", description="The question, which may name things in full.")
    concepts: list[ConceptArgument] = Field(description="Things and themes of a question.")
    parameters: Parameters = Field(default_factory=dict, description=_PARAMETERS)


class PathArguments(BaseModel):
    """Arguments of `search_paths`."""

    question: str = Field(description="The question that the search is for.")
    anchors: list[str] = Field(description="Ids of the entities where paths start.")
    queries: list[str] = Field(description="What this round looks for.")
    entity_types: list[str] = Field(
        default_factory=list, description="Types that a path may pass; none: all."
    )
    leave_out: list[str] = Field(
        default_factory=list, description="Ids of the entities that paths led to before."
    )
    begun: list[list[Any]] | None = Field(
        None, description="References to paths to go on from; none: from every anchor."
    )
    parameters: Parameters = Field(default_factory=dict, description=_PARAMETERS)


class ReadingArguments(BaseModel):
    """Arguments of `read_paths`."""

    question: str = Field(description="The question that the paths are for.")
    anchors: list[str] = Field(description="Ids of the entities where the paths start.")
    references: dict[str, list[Any]] = Field(description="The paths as ids.")
    queries: list[str] = Field(default_factory=list, description="What was asked on the way.")
    k: int = Field(10, ge=1, le=1000, description="Passages of the ranked list.")
    budget: int = Field(12_000, ge=50, description="Tokens of evidence to collect.")
    parameters: Parameters = Field(default_factory=dict, description=_PARAMETERS)
    reranker: str | None = RERANKER


def make_path_tools(kb: KnowledgeSource, settings: Settings | None = None) -> Sequence[BaseTool]:
    """Return the tools `find_anchors`, `search_paths` and `read_paths`.

    The artifact of the first is a list of `concept` and `anchors`, the ids of its entities:
    concepts with the same entities are one, and where none is a name, those come first that the
    question itself spells. That of the others is Evidence; that of a search holds its paths and
    the entities at their ends.
    """

    def open_retriever(**chosen: Any) -> DotRetriever:
        return cast(DotRetriever, make_retriever("dot", kb, **chosen))

    def find(
        question: str, concepts: list[ConceptArgument], parameters: Parameters
    ) -> tuple[str, list[JsonDict]]:
        retriever = open_retriever(**parameters)
        if not any(one.is_span for one in concepts):
            names = retriever.names_in(question)
            concepts = [
                *(ConceptArgument(text=name, guess="", is_span=True) for name in names),
                *concepts,
            ]
        starts: dict[tuple[str, ...], ConceptArgument] = {}
        for one in concepts:
            anchors = retriever.anchors_of(
                one.text, one.guess, is_topic=not one.is_span, question=question
            )
            starts.setdefault(anchors, one)
        starts.pop((), None)
        lines = [f"{one.text}: {len(anchors)}" for anchors, one in starts.items()]
        found: list[JsonDict] = [
            {"concept": one.model_dump(), "anchors": list(ids)} for ids, one in starts.items()
        ]
        return "\n".join(lines) or "Nothing was found.", found

    def search(
        question: str,
        anchors: list[str],
        queries: list[str],
        entity_types: list[str],
        leave_out: list[str],
        begun: list[list[Any]] | None,
        parameters: Parameters,
    ) -> tuple[str, Evidence]:
        retriever = open_retriever(**parameters)
        dot = retriever.neighbourhood_of(question, anchors, entity_types)
        known = None if begun is None else hydrate(kb, {"paths": begun}).paths
        paths = retriever.search_round(dot, queries, leave_out, known)
        ends = kb.store.entities(list(dict.fromkeys(end_of(hit) for hit in paths)))
        lines = [path_line(hit.item) for hit in paths]
        evidence = Evidence(entities=tuple(Hit(entity) for entity in ends), paths=paths)
        return "\n".join(lines) or "No path was found.", evidence

    def read(
        question: str,
        anchors: list[str],
        references: dict[str, list[Any]],
        queries: list[str],
        k: int,
        budget: int,
        parameters: Parameters,
        reranker: str | None,
    ) -> tuple[str, Evidence]:
        order = order_fields(reranker, settings)
        weight = {"path_weight": _JUDGED_PATH_WEIGHT}
        chosen = {"k": k, "budget": budget, **weight, **order, **parameters}
        retriever = open_retriever(**chosen)
        paths = hydrate(kb, {"paths": references["paths"]}).paths
        evidence = retriever.evidence_of(question, anchors, paths, queries)
        return f"{len(evidence.paths)} paths, {len(evidence.chunks)} passages.", evidence

    return (
        _tool(find, "find_anchors", "Find where a search for things begins.", AnchorArguments),
        _tool(search, "search_paths", "Find paths to what a query looks for.", PathArguments),
        _tool(read, "read_paths", "Read paths with the passages behind them.", ReadingArguments),
    )


def end_of(hit: Hit[Path]) -> str:
    """Return the id of the entity where a path ends; its provenance is where it starts."""
    here = hit.provenance[0]
    for relation in hit.item.relations:
        here = relation.target if relation.source == here else relation.source
    return here


def _tool(function: Any, name: str, description: str, schema: type[BaseModel]) -> BaseTool:
    return StructuredTool.from_function(
        function,
        name=name,
        description=description,
        args_schema=schema,
        response_format="content_and_artifact",
    )
