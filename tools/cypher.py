"""Queries over a base that is published to Neo4j: what they may name, and their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.names import unit_runs
from hoptrail.core.render import relation_line
from hoptrail.core.text import clipped, content_words, flat, longest_apart
from hoptrail.core.types import Entity, Evidence, Hit, Relation
from hoptrail.core.types.graph import CO_OCCURS
from hoptrail.retrievers.anchors import spelled_names
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.protocols import (
    EntityType,
    QueryResult,
    QuerySchema,
    RelationType,
)

if TYPE_CHECKING:
    from hoptrail.stores.neo4j.queries.graph_queries import Neo4jGraphQueries

Type = TypeVar("Type", EntityType, RelationType)

QUERY_GRAPH = "query_graph"
_CHANNEL = "cypher"
_MOST_ENTITY_TYPES = 60
_MOST_RELATION_TYPES = 150
_MOST_NAMES = 12
_LIKE_NAMES = 3  # entities whose name holds one that no entity has
_LONGEST_NAME = 80
_MOST_SHOWN_ROWS = 40
_MOST_SHOWN_RELATIONS = 20
_LONGEST_ROW = 300
_MOST_RELATIONS = 60
_MOST_NODES = 60
_MOST_PASSAGES = 80

_SCHEMA = """Nodes:
(:__Entity__ {name, type, description, aliases}) any person, place, thing, date or number
(:Chunk {title, text}) a passage of a document
(:Document {title, source, uri}) a document
Relationships:
(:Chunk)-[:MENTIONS]->(:__Entity__)
(:Chunk)-[:FROM_DOCUMENT]->(:Document)"""


class GuideArguments(BaseModel):
    """Arguments of `describe_queries`."""

    question: str = Field(description="The question that a query is to answer.")


class QueryArguments(BaseModel):
    """Arguments of `query_graph`."""

    query: str = Field(
        description="One Cypher query that reads: MATCH, WHERE, WITH, RETURN, ORDER BY, LIMIT."
    )


@dataclass(frozen=True, slots=True)
class QueryGuide:
    """Advice to the writer of a query.

    Attributes:
        schema: Labels, relationship types and properties, a line each.
        names: The entities that the question names, a line each.
    """

    schema: str
    names: str


@dataclass(frozen=True, slots=True)
class QueriedGraph:
    """The result of a query, and what it was matched from as evidence."""

    result: QueryResult
    evidence: Evidence


def make_query_tools(kb: KnowledgeSource, queries: Neo4jGraphQueries) -> tuple[BaseTool, ...]:
    """Return the tools `describe_queries` and `query_graph`.

    Their artifacts are a `QueryGuide` and a `QueriedGraph`.

    Args:
        kb: The base.
        queries: Its queries.
    """

    def describe(question: str) -> tuple[str, QueryGuide]:
        schema = queries.schema()
        found = _named(question, kb)
        around = queries.types_around([entity.id for entity in found])
        names = [_name_line(entity, *around.get(entity.id, ([], []))) for entity in found]
        guide = QueryGuide(
            schema_text(schema, question), "\n".join(names) or "The question names none of them."
        )
        return f"{guide.schema}\n\nNamed in the question:\n{guide.names}", guide

    def run(query: str) -> tuple[str, QueriedGraph]:
        result = queries.run(query)
        found = QueriedGraph(result, _evidence(result, kb))
        return result_text(found), found

    return (
        StructuredTool.from_function(
            describe,
            name="describe_queries",
            description="Tell the labels, types and names that a Cypher query may use.",
            args_schema=GuideArguments,
            response_format="content_and_artifact",
        ),
        StructuredTool.from_function(
            run,
            name=QUERY_GRAPH,
            description="Count, list or join what the knowledge graph holds by one Cypher query "
            "that reads. describe_queries tells what it may name.",
            args_schema=QueryArguments,
            response_format="content_and_artifact",
        ),
    )


def schema_text(schema: QuerySchema, question: str) -> str:
    """Return a schema as lines; of many types those come first that share words with a question."""
    wanted = set(content_words(question))
    lines = [_SCHEMA]
    types = [one for one in schema.entity_types if one.label]
    if types:
        lines.append("Entities bear their type as a label too:")
        lines += [_type_line(one) for one in _first(types, wanted, _MOST_ENTITY_TYPES)]
    lines.append(
        "Relationships between entities, with {predicate, description}; how many, and an example:"
    )
    shown = _first(schema.relation_types, wanted, _MOST_RELATION_TYPES)
    labels = {one.type: one.label for one in types}
    lines += [_relation_type_line(one, labels) for one in shown]
    left_out = len(schema.relation_types) - len(shown)
    if left_out:
        lines.append(f"and {left_out:,} rarer ones")
    return "\n".join(lines)


def result_text(found: QueriedGraph) -> str:
    """Return the rows of a result, and the relations that they come from."""
    result = found.result
    if not result.rows:
        return "The query found nothing."
    lines = [clipped(" | ".join(map(flat, result.columns)), _LONGEST_ROW)]
    shown = result.rows[:_MOST_SHOWN_ROWS]
    lines += [clipped(" | ".join(map(value_text, row.values)), _LONGEST_ROW) for row in shown]
    if result.has_more or len(result.rows) > len(shown):
        lines.append("(there are more rows)")
    relations = [hit.item for hit in found.evidence.relations[:_MOST_SHOWN_RELATIONS]]
    if relations:
        lines += ["Found by:", *map(_found_by, relations)]
    return "\n".join(lines)


def _found_by(relation: Relation) -> str:
    passage = f" (passage {relation.chunk_ids[0]})" if relation.chunk_ids else ""
    return relation_line(relation, described=False) + passage


def value_text(value: object) -> str:
    """Return a value of a row as a reader writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return ", ".join(map(value_text, value))
    return flat(str(value))


def _evidence(result: QueryResult, kb: KnowledgeSource) -> Evidence:
    """Return the entities, relations and passages that the rows were matched from."""
    store = kb.store
    node_ids = _first_ids((row.node_ids for row in result.rows), _MOST_NODES)
    relation_ids = _first_ids((row.relation_ids for row in result.rows), _MOST_RELATIONS)
    relations = store.relations(relation_ids)
    entities = store.entities(node_ids)
    behind = [*(one.chunk_ids for one in relations), node_ids]
    if not relations:
        behind += [one.chunk_ids[:1] for one in entities]
    chunks = store.chunks(_first_ids(behind, _MOST_PASSAGES))
    return Evidence(
        entities=tuple(Hit(one, channel=_CHANNEL) for one in entities),
        relations=tuple(Hit(one, channel=_CHANNEL) for one in relations),
        chunks=tuple(Hit(one, channel=_CHANNEL) for one in chunks),
    )


def _first_ids(lists: Iterable[Sequence[str]], most: int) -> list[str]:
    return list(dict.fromkeys(id_ for ids in lists for id_ in ids))[:most]


def _named(question: str, kb: KnowledgeSource) -> list[Entity]:
    """Return the entities that a question names, those of the longest names first.

    A name that no entity has stands for those whose name holds it.
    """
    spans = {span: question[slice(*span)] for span in unit_runs(question)}
    found = kb.store.find_entities(set(spans.values()))
    named = [spans[span] for span in longest_apart(span for span in spans if spans[span] in found)]
    ids = [id_ for name in sorted(named, key=len, reverse=True) for id_ in found[name]]
    for name in spelled_names(question):
        if not any(name in one or one in name for one in named):
            ids += kb.store.match_entities(name, _LIKE_NAMES)
    return kb.store.entities(list(dict.fromkeys(ids))[:_MOST_NAMES])


def _name_line(entity: Entity, begin: Sequence[str], end: Sequence[str]) -> str:
    type_ = f" ({flat(entity.type)})" if entity.type else ""
    around = [*(f"-[:{one}]->" for one in begin), *(f"<-[:{one}]-" for one in end)]
    return f'- "{_name(entity.name)}"{type_}: {" ".join(around) or "no relationship"}'


def _type_line(type_: EntityType) -> str:
    return f":{type_.label} {type_.count:,}, such as {_name(type_.example)}"


def _relation_type_line(type_: RelationType, labels: Mapping[str, str]) -> str:
    subject, subject_type, object_, object_type = type_.example
    ends = [
        f"({_name(name)}{f' :{labels[kind]}' if kind in labels else ''})"
        for name, kind in ((subject, subject_type), (object_, object_type))
    ]
    shared = f", predicate {type_.predicate!r}" if type_.is_shared else ""
    vague = ", which says no more than that a sentence names both"
    told = vague if type_.predicate == CO_OCCURS else shared
    others = [
        f":{labels[one]}" for one in type_.object_types if one != object_type and one in labels
    ]
    if others and not told:
        told = f", also -> {' '.join(others)}"
    return f"{ends[0]}-[:{type_.type}]->{ends[1]} {type_.count:,}{told}"


def _first(types: Sequence[Type], wanted: set[str], most: int) -> list[Type]:
    """Return the types with words of the question first, then the commonest."""
    return sorted(types, key=lambda one: -_shared(one, wanted))[:most]


def _shared(type_: EntityType | RelationType, wanted: set[str]) -> int:
    text = type_.type if isinstance(type_, EntityType) else type_.predicate
    return len(wanted.intersection(content_words(text)))


def _name(name: str) -> str:
    return clipped(flat(name), _LONGEST_NAME)
