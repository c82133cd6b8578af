"""Topics of a question, from which the edge scorer walks, and their features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.name_runs import word_runs
from hoptrail.core.text import STOP_WORDS, longest_apart, name_key
from hoptrail.retrievers.anchors.named_topics import MASK
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.snapshot_view import View

_USUAL_NAME = 20  # characters
_LONGEST_SHARE = 1.5

_STANDS, _IS_INSIDE = 0, 1  # columns of the features

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EdgeTopics:
    """Entities that a question may be about.

    Attributes:
        rows: Distinct rows of entities, shape (t,).
        features: See `topic_features`, shape (t, 9).
        named: Those rows whose name stands in the question.
        masked: The question with its names masked.
    """

    rows: IntArray
    features: FloatArray
    named: IntArray
    masked: str

    @property
    def surely_named(self) -> IntArray:
        """The named rows but those whose name stands only inside a longer one."""
        is_sure = (self.features[:, _STANDS] > 0) & (self.features[:, _IS_INSIDE] == 0)
        rows: IntArray = self.rows[is_sure]
        return rows

    @classmethod
    def of(cls, query: Query, view: View, nearest: int) -> EdgeTopics:
        """Return the entities that the question or its plan names and those nearest to it."""
        spans = name_spans(query.text)
        # In their order: of two names of one entity the last one counts, as it did in training.
        found = view.store.find_entities(dict.fromkeys([*spans, *query.plan.entities]))
        elsewhere = len(query.text) + 1, len(query.text) + 1
        span_of = {id_: spans.get(text, elsewhere) for text in found for id_ in found[text]}
        near, _ = view.vectors["entity"].search(query.unit, nearest)
        ids = [*dict.fromkeys([*span_of, *(str(id_) for id_ in near)])]
        entities = view.store.entities(ids)
        ids = [entity.id for entity in entities]
        rows = view.index.entity_rows(ids)
        features = topic_features(
            query.text,
            [entity.name for entity in entities],
            [span_of.get(id_) for id_ in ids],
            view.vectors["entity"].similarities_at(query.unit, rows),
        )
        is_named = np.array([id_ in span_of for id_ in ids], dtype=np.bool_)
        known = rows >= 0
        masked = mask_spans(query.text, span_of.values())
        return cls(rows[known], features[known], rows[known & is_named], masked)


def name_spans(question: str) -> Mapping[str, Span]:
    """Return every run of words that could be a name, with its place; stop words are none."""
    runs = [(question[start:end], (start, end)) for start, end in word_runs(question)]
    return {text: span for text, span in reversed(runs) if text.lower() not in STOP_WORDS}


def topic_features(
    question: str, names: Sequence[str], spans: Sequence[Span | None], similarities: FloatArray
) -> FloatArray:
    """Return what speaks for entities as the topic of a question, shape (n, 9).

    By column: whether the name stands in the question; whether inside a longer name that does; how
    long it is then; similarity of the name's vector; share of the name's three-letter sequences in
    the question, and of the question's in the name; the same for content words; whether it is one
    word that stands in the question.

    Args:
        question: Natural language.
        names: Of the entities.
        spans: Place of each name in the question, behind its end where the plan alone names the
            entity, None where neither does.
        similarities: Of each name's vector and the question's, shape (n,).
    """
    key = name_key(question)
    sequences, content = _sequences(key), _content(key)
    known = [span for span in spans if span is not None]
    features = np.zeros((len(names), 9), dtype=np.float32)
    for row, (name, span) in enumerate(zip(names, spans, strict=True)):
        of_name = name_key(name)
        own_sequences, own_content = _sequences(of_name), _content(of_name)
        stands = span is not None
        features[row] = (
            stands,
            span is not None and any(_is_inside(span, other) for other in known),
            stands * min(len(of_name) / _USUAL_NAME, _LONGEST_SHARE),
            similarities[row],
            len(own_sequences & sequences) / max(len(own_sequences), 1),
            len(own_sequences & sequences) / max(len(sequences), 1),
            len(own_content & content) / max(len(own_content), 1),
            len(own_content & content) / max(len(content), 1),
            stands and len(of_name.split()) == 1,
        )
    return features


def mask_spans(question: str, spans: Iterable[Span]) -> str:
    """Return the question with the longest of its names masked, none across another."""
    for start, end in reversed(longest_apart(spans)):
        if start < end:
            question = question[:start] + MASK + question[end:]
    return question


def _is_inside(span: Span, other: Span) -> bool:
    return other[0] <= span[0] and span[1] <= other[1] and span != other


def _sequences(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def _content(text: str) -> set[str]:
    return set(text.split()) - STOP_WORDS
