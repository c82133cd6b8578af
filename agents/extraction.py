"""Read entities and relations out of one passage with a chat model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from hoptrail.core.budget import Meter
from hoptrail.core.text import flat
from hoptrail.core.types import Chunk, ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.indexing import ExtractedGraph
from hoptrail.prompts.loader import SHIPPED, Prompts

MAX_EXTRACTION_TOKENS = 2000
_ANY_TYPE = "whatever fits (person, place, organisation, work, event, date, ...)"
_ANY_PURPOSE = "answering questions that need facts from several passages"


async def extract(
    chunk: Chunk,
    model: RoleModel,
    meter: Meter,
    *,
    entity_types: Sequence[str] = (),
    graph_description: str = "",
    prompts: Prompts = SHIPPED,
) -> Extraction:
    """Return the entities and relations that the model reads in a passage.

    Args:
        chunk: The passage; its text is given to the model as data between tags.
        model: The model of role `extractor`.
        meter: Account of the calls.
        entity_types: Types to use; the model chooses where empty.
        graph_description: What the graph is for.
        prompts: Shipped prompts and their overrides.

    Raises:
        ModelReplyError: If no reply could be read, even after repair and a second try.
        ModelUnavailableError: If the model cannot be reached.
        BudgetExceededError: If no call is left.
    """
    messages = extraction_prompt(chunk, entity_types, graph_description, prompts)
    graph = await model.structured(
        messages, ExtractedGraph, meter=meter, max_tokens=MAX_EXTRACTION_TOKENS
    )
    return Extraction(
        tuple(
            ExtractedEntity(
                flat(item.name),
                flat(item.type),
                flat(item.description),
                tuple(sorted({flat(alias) for alias in item.aliases if alias.strip()})),
            )
            for item in graph.entities
        ),
        tuple(
            ExtractedRelation(
                flat(item.subject),
                flat(item.predicate),
                flat(item.object),
                flat(item.description),
            )
            for item in graph.relations
        ),
    )


def extraction_prompt(
    chunk: Chunk,
    entity_types: Sequence[str] = (),
    graph_description: str = "",
    prompts: Prompts = SHIPPED,
) -> list[BaseMessage]:
    """Return the messages that `extract` sends."""
    return prompts.load("extract").render(
        graph_description=graph_description.strip() or _ANY_PURPOSE,
        entity_types=", ".join(entity_types) or _ANY_TYPE,
        title=chunk.title,
        passage=chunk.text,
    )


def extractor_key(
    model: str,
    entity_types: Sequence[str] = (),
    graph_description: str = "",
    prompts: Prompts = SHIPPED,
) -> str:
    """Return the name under which results are stored: they are reused only under the same name."""
    prompt = prompts.load("extract").hash
    guide = "\0".join((prompt, graph_description.strip(), *entity_types))
    return f"llm:{model}:{hashlib.sha256(guide.encode()).hexdigest()[:12]}"
