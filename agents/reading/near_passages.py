"""The passages nearest to a question as a trained reader reads them, and what it finds there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.assertion import has_doubt, is_asserted
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.candidates import Surroundings
from hoptrail.agents.reading.query import read_query
from hoptrail.agents.reading.statements import Statement
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import contains_answer
from hoptrail.models.passage_reader import PassageReader, PassageReading

BIAS = -0.14
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"stated": 0.15, "likely": 0.41, "nearness": 0.98, "rank": -0.76, "turn": -1.08}
)
"""By sign: the reader's log-odds that the passage answers and that these words do; how much less
near to the question their statement is than the nearest one; and the logarithms of the places, from
1, of their passage among those found and of their extract among those read. A reader trained on
passages one by one does not compare them (Clark and Gardner 2018, arXiv:1710.10723, section 3).
`python -m benchmarks.train_readings` learns the weights."""

_MOST_EXTRACTS = 6
_LONGEST_EXTRACT = 700  # characters
_EDGES = " \t\n.,;:|*_\"'()[]“”"
_SURE = 1e-6  # the reader is never surer than that, either way


def log_odds(likely: float) -> float:
    """Return the logarithm of what the reader says for something against what it says against."""
    bounded = min(max(likely, _SURE), 1 - _SURE)
    return math.log(bounded / (1 - bounded))


@dataclass(frozen=True, slots=True)
class ReadWords:
    """Words of a statement that the reader takes for the answer.

    Attributes:
        at: The statement.
        value: The words.
        signs: The value of each sign of `WEIGHTS`, in their order.
    """

    at: int
    value: Value
    signs: tuple[float, ...]

    @property
    def likelihood(self) -> float:
        """How likely they are the answer, 0 to 1."""
        weighed = sum(map(math.prod, zip(WEIGHTS.values(), self.signs, strict=True)))
        return 1 / (1 + math.exp(-BIAS - weighed))


class NearPassages:
    """The extracts nearest to a question, as a reader reads them.

    Args:
        question: The standalone question.
        index: The evidence.
        similarity: Compares texts by meaning.
    """

    def __init__(self, question: str, index: EvidenceIndex, similarity: TextSimilarity) -> None:
        self.query = read_query(question)
        self.around = Surroundings(index, similarity)
        self._relevance = self.around.relevance(self.query)
        self._ranks = {chunk_id: rank for rank, chunk_id in enumerate(index.chunks)}
        statements = self.around.statements
        self._extracts = _extracts(statements, self._relevance)
        self._passages = [
            (statements[one.start].sentence.chunk.title, _text(statements, one))
            for one in self._extracts
        ]

    def likelihood(self, answer: str, reader: PassageReader) -> float | None:
        """Return how likely some words are the answer, None where no extract has them in prose.

        Rows and lines in columns say by their place what they tell, which a reader of prose cannot
        see.
        """
        statements = self.around.statements
        if any(
            one.parts and contains_answer(one.text, answer)
            for run in self._extracts
            for one in statements[run.start : run.stop]
        ):
            return None
        return reader.likelihood(self.query.text, self._passages, answer)

    def words(self, reader: PassageReader) -> Iterator[ReadWords]:
        """Yield the likeliest words of each extract, none of what is denied or hoped for."""
        statements = self.around.statements
        read = reader.read(self.query.text, self._passages)
        for turn, (reading, extract) in enumerate(zip(read, self._extracts, strict=True)):
            words = _words(reading, extract, statements)
            if words is None:
                continue
            at, value = words
            text = statements[at].text
            if has_doubt(self.query.text) or is_asserted(text, value.start, value.end):
                yield ReadWords(at, value, self._signs(reading, at, turn))

    def _signs(self, reading: PassageReading, at: int, turn: int) -> tuple[float, ...]:
        """Return the signs of `WEIGHTS` that words of a statement have, in their order."""
        rank = self._ranks[self.around.statements[at].sentence.chunk.id]
        return (
            log_odds(reading.stated),
            log_odds(reading.likely),
            float(self._relevance[at] - self._relevance.max()),
            math.log1p(rank),
            math.log1p(turn),
        )


def _extracts(statements: Sequence[Statement], relevance: FloatArray) -> list[range]:
    """Return runs of statements of a passage, each grown from the nearest that is in none yet."""
    found: list[range] = []
    taken: set[int] = set()
    for place in np.argsort(-relevance.round(5), kind="stable").tolist():
        if place in taken:
            continue
        found.append(_grown(statements, place, taken))
        taken.update(found[-1])
        if len(found) == _MOST_EXTRACTS:
            break
    return found


def _grown(statements: Sequence[Statement], place: int, taken: Set[int]) -> range:
    """Return the statements around one, as far as an extract may reach, the one before it first."""
    run = range(place, place + 1)
    is_open = [True, True]
    while any(is_open):
        for side, new in ((0, run.start - 1), (1, run.stop)):
            wider = range(min(run.start, new), max(run.stop, new + 1))
            is_open[side] = (
                is_open[side]
                and 0 <= new < len(statements)
                and new not in taken
                and statements[new].sentence.chunk.id == statements[place].sentence.chunk.id
                and len(_text(statements, wider)) <= _LONGEST_EXTRACT
            )
            if is_open[side]:
                run = wider
    return run


def _text(statements: Sequence[Statement], run: range) -> str:
    first, last = statements[run.start].sentence, statements[run.stop - 1].sentence
    return first.chunk.text[first.start : last.end]


def _words(
    reading: PassageReading, extract: range, statements: Sequence[Statement]
) -> tuple[int, Value] | None:
    """Return the statement that has the words of a reading, and the words as a value of it."""
    text, lead = _text(statements, extract), statements[extract.start].sentence.start
    start, end = reading.start, reading.end
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    for place in extract:
        one = statements[place]
        own_start = one.sentence.start - lead
        if not own_start <= start < end <= one.sentence.end - lead:
            continue
        at = one.text.find(text[start:end], max(0, start - own_start - 2))
        if at >= 0:
            return place, _value(one.text, at, at + end - start)
    return None


def _value(text: str, start: int, end: int) -> Value:
    """Return the value that stands at a place of a text or the whole name there, else its words."""
    for one in find_values(text):
        is_name = one.kind == "name" and all(word[0].isupper() for word in one.text.split())
        if (one.start, one.end) == (start, end) or is_name and one.start <= start < end <= one.end:
            return one
    return Value(" ".join(text[start:end].split()), start, end, "words")
