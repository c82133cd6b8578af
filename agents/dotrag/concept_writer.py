"""Choose the concepts that a search starts from: names and themes (DotRAG, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.core.text import content_words, name_key
from hoptrail.core.types import JsonDict, Record
from hoptrail.prompts.forms.dotrag import Concepts, NamedSpan

MAX_SPANS = 3
MAX_TOPICS = 3
MAX_TYPES = 12


@dataclass(frozen=True, slots=True)
class Concept(Record):
    """One thing or theme that a search starts from.

    `guess` says what the thing is and is embedded with its name; a theme is no `span`.
    """

    text: str
    guess: str = ""
    is_span: bool = True


async def write_concepts(
    question: str, schema: JsonDict, model: PromptedModel | None
) -> tuple[Concept, ...]:
    """Return at most 3 named spans, and themes where the spans do not suffice.

    A span that the question does not hold is left out.

    Args:
        question: The standalone question.
        schema: The graph's `description` and its `entity_types` with their definitions.
        model: Model of the role `decomposer`; without one the capitalised names are the spans.
    """

    async def ask(model: PromptedModel) -> tuple[Concept, ...] | None:
        reply = await model.structured(
            "write_concepts", Concepts, question=question, **schema_texts(schema)
        )
        spans = _spans_of(question, reply.spans)
        topics = _topics_of(reply.topics) if reply.needs_topics or not spans else ()
        return (*spans, *topics) or None

    return await decide(model, ask, lambda: concepts_by_wording(question))


def concepts_by_wording(question: str) -> tuple[Concept, ...]:
    """Return the names that the question spells with a capital, else its content words at once."""
    names = proper_names(question)[:MAX_SPANS]
    if names:
        return tuple(Concept(name) for name in names)
    return (Concept(" ".join(content_words(question)) or question, is_span=False),)


def schema_texts(schema: JsonDict) -> dict[str, str]:
    """Return the prompt inputs `graph_description` and `entity_types` of a graph's schema.

    Of many types only the commonest are shown: rules find a hundred, most of them of a few things,
    and to keep a search to these would leave out nearly everything.
    """
    types: dict[str, str] = schema.get("entity_types") or {}
    shown = list(types.items())[:MAX_TYPES]
    lines = [f"- {name}: {text}" if text else f"- {name}" for name, text in shown]
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
