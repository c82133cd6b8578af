"""Text to Cypher: the query that a model writes, its repair, and the answer that its rows give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hoptrail.agents.answering.graph_answerer import relation_claim
from hoptrail.agents.decision import PromptedModel
from hoptrail.core.types import Chunk, Entity
from hoptrail.core.types.draft import Draft, HopClaim
from hoptrail.prompts.forms.planning import GraphQuery
from hoptrail.tools.cypher import QueriedGraph, QueryGuide, value_text

FOUND_NOTHING = "It ran and found nothing."
_LONGEST_REPLY = 800  # tokens

_MOST_ANSWERS = 50
_MOST_HOPS = 50
_ANSWER = "answer"
_MENTIONS = "mentions"
_IS_A = "is a"


@dataclass(frozen=True, slots=True)
class FailedQuery:
    """A query that gave no answer, and why in one line."""

    query: str
    problem: str


async def write_query(
    question: str, guide: QueryGuide, model: PromptedModel, failed: FailedQuery | None = None
) -> str:
    """Return the query that a model writes, "" where it finds nothing to ask the graph.

    Args:
        question: The standalone question.
        guide: What a query may name.
        model: The model.
        failed: The first query, which is to be mended.

    Raises:
        ModelError: If the model cannot be reached or its reply not be read.
        BudgetExceededError: If nothing is left to spend on it.
    """
    inputs = {"schema": guide.schema, "names": guide.names, "question": question}
    if failed is None:
        reply = await model.structured("write_cypher", GraphQuery, _LONGEST_REPLY, **inputs)
    else:
        reply = await model.structured(
            "mend_cypher",
            GraphQuery,
            _LONGEST_REPLY,
            **inputs,
            query=failed.query,
            problem=failed.problem,
        )
    return _bare(reply.query)


def _bare(text: str) -> str:
    """Return a query without the fence that models put around code."""
    lines = text.strip().splitlines()
    if lines and lines[0].startswith("```"):
        lines = lines[1:]
    if lines and lines[-1].strip() == "```":
        lines = lines[:-1]
    return "\n".join(lines).strip()


def draft_from_rows(found: QueriedGraph) -> Draft:
    """Return the first column of a query's rows as answers, and as hops what they were found by.

    A column named `answer` is taken before the first one. Rows that were matched from nothing, such
    as a count of 0, tell nothing: a graph does not know all that there is. Hops are the relations
    of the rows; where there are none, the passages that mention an entity, else the types of
    entities.

    Args:
        found: Rows and evidence.
    """
    result = found.result
    names = [column.casefold() for column in result.columns]
    place = names.index(_ANSWER) if _ANSWER in names else 0
    rows = [row for row in result.rows if row.node_ids or row.relation_ids]
    answers = dict.fromkeys(
        text for row in rows for value in _flat(row.values[place]) if (text := value_text(value))
    )
    if not answers:
        return Draft("cypher", reason="no_evidence", raw=result.query)
    return Draft(
        "cypher",
        answers=tuple(answers)[:_MOST_ANSWERS],
        hops=tuple(_hops(found))[:_MOST_HOPS],
        raw=result.query,
    )


def _flat(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _hops(found: QueriedGraph) -> dict[HopClaim, None]:
    """Return the claims of all rows in their order, each once."""
    evidence = found.evidence
    relations = {hit.item.id: hit.item for hit in evidence.relations}
    entities = {hit.item.id: hit.item for hit in evidence.entities}
    chunks = {hit.item.id: hit.item for hit in evidence.chunks}
    claims: dict[HopClaim, None] = {}
    for row in found.result.rows:
        known = [relations[id_] for id_ in row.relation_ids if id_ in relations]
        if known:
            claims.update(dict.fromkeys(relation_claim(relation) for relation in known))
        else:
            claims.update(dict.fromkeys(_claims_of_nodes(row.node_ids, entities, chunks)))
    return claims


def _claims_of_nodes(
    ids: Iterable[str], entities: Mapping[str, Entity], chunks: Mapping[str, Chunk]
) -> Iterable[HopClaim]:
    """Yield what nodes without a relation tell: a passage mentions things, a thing has a type."""
    order = list(ids)
    met = [entities[id_] for id_ in order if id_ in entities]
    passages = [chunks[id_] for id_ in order if id_ in chunks]
    for passage in passages:
        for entity in met:
            if passage.id in entity.chunk_ids:
                yield HopClaim(passage.title, _MENTIONS, entity.name, passage.id)
    if not passages:
        for entity in met:
            if entity.type:
                chunk_id = entity.chunk_ids[0] if entity.chunk_ids else None
                yield HopClaim(entity.name, _IS_A, entity.type, chunk_id)
