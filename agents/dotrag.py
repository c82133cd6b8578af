"""DotRAG's decisions: concepts, rules, paths that fit, and the next query (section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.core.algorithms.path_verdicts import Verdict, path_similarities, verdict_at
from hoptrail.core.embedding import Embed
from hoptrail.core.render import path_line
from hoptrail.core.text import content_words, flat, name_key, normalize_answer
from hoptrail.core.types import JsonDict, Path, Record
from hoptrail.prompts.forms.dotrag import (
    Concepts,
    Constraints,
    NamedSpan,
    NextQuery,
    PathVerdict,
    PathVerdicts,
)

MAX_SPANS = 3
MAX_TOPICS = 3
MAX_TYPES = 12

_LONGEST_QUESTION = 300

_LONGEST_QUERY = 300


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
            "write_concepts", Concepts, question=question, **_schema_texts(schema)
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


def _schema_texts(schema: JsonDict) -> dict[str, str]:
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
        Concept(flat(span.text), flat(span.guess))
        for span in written
        if name_key(span.text) and f" {name_key(span.text)} " in asked
    ]
    by_name = {name_key(span.text): span for span in reversed(spans)}
    return tuple(span for span in spans if by_name[name_key(span.text)] is span)[:MAX_SPANS]


def _topics_of(written: Sequence[str]) -> tuple[Concept, ...]:
    texts = dict.fromkeys(flat(topic) for topic in written if topic.strip())
    return tuple(Concept(text, is_span=False) for text in list(texts)[:MAX_TOPICS])


@dataclass(frozen=True, slots=True)
class Rules(Record):
    """Constraints of a search from one concept; `entity_types` empty keeps every type."""

    query: str = ""
    intermediate: str = ""
    terminal: str = ""
    entity_types: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The rules as a judge reads them."""
        lines = {
            "The question demands": self.query,
            "Intermediate evidence": self.intermediate,
            "Terminal evidence": self.terminal,
        }
        written = [f"{name}: {rule}" for name, rule in lines.items() if rule]
        return "\n".join(written) or "Terminal evidence: what answers the question."


async def write_constraints(
    question: str, concept: str, schema: JsonDict, model: PromptedModel | None
) -> Rules:
    """Return the rules for one concept; without a model none, so that every type is kept.

    Entity types that the schema does not know are left out.

    Args:
        question: The standalone question.
        concept: Where the search starts, with a guess of what it is.
        schema: The graph's `description` and its `entity_types`.
        model: Model of the role `decomposer`.
    """

    async def ask(model: PromptedModel) -> Rules:
        reply = await model.structured(
            "write_constraints",
            Constraints,
            question=question,
            concept=concept,
            **_schema_texts(schema),
        )
        known = {name.casefold(): name for name in schema.get("entity_types") or {}}
        named = (known.get(name.strip().casefold()) for name in reply.entity_types)
        types = tuple(dict.fromkeys(name for name in named if name is not None))
        return Rules(reply.query.strip(), reply.intermediate.strip(), reply.terminal.strip(), types)

    return await decide(model, ask, Rules)


@dataclass(frozen=True, slots=True)
class JudgedPath(Record):
    """The verdict on one path, and for a partial one what to ask next."""

    verdict: Verdict
    confidence: float = 0.5
    next_question: str = ""


_IRRELEVANT = JudgedPath("irrelevant")


async def judge_paths(
    question: str, rules: str, paths: Sequence[Path], model: PromptedModel | None, embed: Embed
) -> list[JudgedPath]:
    """Return one judgement per path, in their order.

    The model names the paths that help; one that it leaves out is irrelevant. Verdicts on paths
    that do not exist are left out, and of two on the same path the first one counts.

    Args:
        question: The standalone question.
        rules: Intermediate and terminal evidence, as a judge reads it.
        paths: The batch.
        model: Model of the role `judge`; without one paths are judged by similarity.
        embed: Unit vectors of texts, shape (n, dim).
    """
    if not paths:
        return []

    async def ask(model: PromptedModel) -> list[JudgedPath]:
        lines = (f"[{number}] {path_line(path)[2:]}" for number, path in enumerate(paths, start=1))
        reply = await model.structured(
            "judge_paths", PathVerdicts, question=question, rules=rules, paths="\n".join(lines)
        )
        given = {verdict.path: _judgement(verdict) for verdict in reversed(reply.verdicts)}
        return [given.get(place, _IRRELEVANT) for place in range(1, len(paths) + 1)]

    return await decide(model, ask, lambda: judge_by_similarity(question, paths, embed))


def judge_by_similarity(question: str, paths: Sequence[Path], embed: Embed) -> list[JudgedPath]:
    """Return verdicts by the similarity of each path to the question."""
    texts = list(dict.fromkeys(relation.text for path in paths for relation in path.relations))
    place = {text: number for number, text in enumerate(texts)}
    vectors = embed([question, *texts])
    places = [[place[relation.text] for relation in path.relations] for path in paths]
    scores = path_similarities(vectors[1:], places, vectors[0])
    return [_by_similarity(float(score)) for score in np.round(scores, 5)]


def _by_similarity(score: float) -> JudgedPath:
    return JudgedPath(verdict_at(score), max(0.0, score))


def _judgement(verdict: PathVerdict) -> JudgedPath:
    asked = flat(verdict.next_question)[:_LONGEST_QUESTION]
    is_partial = verdict.verdict == "partial"
    return JudgedPath(verdict.verdict, verdict.confidence, asked if is_partial else "")


async def write_next_query(
    question: str, searched: Sequence[str], model: PromptedModel | None
) -> str:
    """Return a query that repeats none of those made, empty where there is no other.

    Args:
        question: The standalone question.
        searched: The queries that were made.
        model: Model of the role `decomposer`; without one the question's content words are it.
    """
    made = {normalize_answer(query) for query in searched}

    def if_new(query: str) -> str:
        text = flat(query)[:_LONGEST_QUERY]
        return "" if normalize_answer(text) in made else text

    async def ask(model: PromptedModel) -> str | None:
        listed = "\n".join(f"- {query}" for query in searched)
        reply = await model.structured("write_query", NextQuery, question=question, searched=listed)
        return if_new(reply.query) or None

    return await decide(model, ask, lambda: if_new(" ".join(content_words(question))))
