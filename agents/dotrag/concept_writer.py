"""Where a search in the graph begins: what the question names, and its themes (source 002)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelError
from hoptrail.core.text import content_words, name_key
from hoptrail.core.types import JsonDict, Record
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.dotrag import Concepts, NamedSpan
from hoptrail.prompts.loader import load_prompt

MAX_SPANS = 3
MAX_TOPICS = 3


@dataclass(frozen=True, slots=True)
class Concept(Record):
    """One thing or theme that a search starts from.

    `guess` says what the thing is and is embedded with its name; a theme is no `span`.
    """

    text: str
    guess: str = ""
    is_span: bool = True


@dataclass(frozen=True, slots=True)
class ConceptList:
    """Concepts in order; `degraded` where a model should have written them and rules did."""

    concepts: tuple[Concept, ...]
    degraded: bool = False


async def write_concepts(
    question: str,
    schema: JsonDict,
    model: RoleModel | None,
    meter: Meter,
    *,
    prompts_dir: Path | None = None,
) -> ConceptList:
    """Return at most 3 named spans, and themes where the spans do not suffice.

    A span that the question does not hold is left out.

    Args:
        question: The standalone question.
        schema: The graph's `description` and its `entity_types` with their definitions.
        model: Model of the role `decomposer`; without one the capitalised names are the spans.
        meter: Account of the call.
        prompts_dir: Folder of prompts that override the shipped ones.

    Raises:
        BudgetExceededError: If a model is given and no call is left.
    """
    if model is None:
        return ConceptList(concepts_by_wording(question))
    messages = load_prompt("write_concepts", prompts_dir).render(
        question=question, **schema_texts(schema)
    )
    try:
        reply = await model.structured(messages, Concepts, meter=meter)
    except ModelError:
        return ConceptList(concepts_by_wording(question), degraded=True)
    spans = _spans_of(question, reply.spans)
    topics = _topics_of(reply.topics) if reply.needs_topics or not spans else ()
    usable = (*spans, *topics)
    return ConceptList(usable or concepts_by_wording(question), degraded=not usable)


def concepts_by_wording(question: str) -> tuple[Concept, ...]:
    """Return the names that the question spells with a capital, else its content words at once."""
    names = proper_names(question)[:MAX_SPANS]
    if names:
        return tuple(Concept(name) for name in names)
    return (Concept(" ".join(content_words(question)) or question, is_span=False),)


def schema_texts(schema: JsonDict) -> dict[str, str]:
    """Return the prompt inputs `graph_description` and `entity_types` of a graph's schema."""
    types: dict[str, str] = schema.get("entity_types") or {}
    lines = [f"- {name}: {text}" if text else f"- {name}" for name, text in types.items()]
    return {
        "graph_description": schema.get("description") or "(not described)",
        "entity_types": "\n".join(lines) or "(not typed)",
    }


def _spans_of(question: str, written: Sequence[NamedSpan]) -> tuple[Concept, ...]:
    asked = f" {name_key(question)} "
    spans = [
        Concept(" ".join(span.text.split()), " ".join(span.guess.split()))
        for span in written
        if name_key(span.text) and f" {name_key(span.text)} " in asked
    ]
    by_name = {name_key(span.text): span for span in reversed(spans)}
    return tuple(span for span in spans if by_name[name_key(span.text)] is span)[:MAX_SPANS]


def _topics_of(written: Sequence[str]) -> tuple[Concept, ...]:
    texts = dict.fromkeys(" ".join(topic.split()) for topic in written if topic.strip())
    return tuple(Concept(text, is_span=False) for text in list(texts)[:MAX_TOPICS])
