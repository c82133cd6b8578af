"""A small trained reader: the words of a passage that answer, and whether given words do.

What it finds is always given with reserve: where no fact, line or sentence words what is asked, and
where the reader is sure that another one answers. `benchmarks/NOTES.md` says how often it is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.assertion import has_doubt, is_asserted
from hoptrail.agents.language.mentions import capitalised_mentions
from hoptrail.agents.language.question_steps import steps_from
from hoptrail.agents.language.reserves import ASKED, OTHER_READING, other_text, unstated
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.claims import claims_of
from hoptrail.agents.reading.query import read_query
from hoptrail.agents.reading.statements import Statement
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.embedding import FloatArray
from hoptrail.core.language.detection import is_english
from hoptrail.core.text import contains_answer, content_words, normalize_answer
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import ANSWERS, BESIDE, LISTS, STANDS_FOR, Draft
from hoptrail.models.passage_reader import PassageReader, PassageReading

# Chosen on the everyday folders practice and trades, and on two sets more: benchmarks/NOTES.md.
GIVEN = 0.5
SURE = 0.8
_DOUBTED = 0.1
# Of answers found by rules, those below were right three times in twenty-five.
_REFUSED = 0.001
# Of small models' answers on practice and trades, those below were right once in ten.
_DENIED = 0.01
_BY_PLACE = frozenset({ANSWERS, STANDS_FOR, LISTS, BESIDE})
_MOST_EXTRACTS = 6
_LONGEST_EXTRACT = 700  # characters
_EDGES = " \t\n.,;:|*_\"'()[]“”"


@dataclass(frozen=True, slots=True)
class ReadWords:
    """Words of a statement that the reader takes for the answer.

    Attributes:
        at: The statement.
        value: The words.
        weight: How likely they are the answer and their passage answers at all, 0 to 1.
    """

    at: int
    value: Value
    weight: float


def answer_or_read(
    draft: Draft,
    question: str,
    index: EvidenceIndex,
    similarity: TextSimilarity,
    reader: PassageReader,
) -> Draft:
    """Return a draft, or what the reader finds where that abstains or tells of something else.

    What follows from several steps, a table, a list or a text that asks the same is not read again.
    A yes or no is none of a passage's words. What asks for something of what it describes by a name
    is answered by a single passage only where the reader is sure. What the reader denies, and has
    no better answer for, is not given.

    Args:
        draft: What was found without the reader.
        question: The standalone question.
        index: The evidence.
        similarity: Compares texts by meaning.
        reader: Reads what stands around the statements nearest to the question.
    """
    if not draft.abstained and _is_settled(draft) or focus_of(question).answer_type == "yes_no":
        return draft
    near = _NearPassages(question, index, similarity)
    read = near.answer(reader)
    is_sure = read is not None and read.score >= SURE
    if draft.abstained:
        return read if read and (is_sure or not _takes_several_steps(question)) else draft
    if read and _is_same_reading(draft.text, read.text):
        return draft
    if draft.reserve == "":  # told outright: of two readings neither is thrown away
        if read is None or not is_sure:
            return draft
        return replace(draft, reserve=other_text(f'"{read.text}"', OTHER_READING))
    likely = near.likelihood(draft.text, reader)
    if read and (is_sure or likely is not None and likely < _DOUBTED):
        return read
    is_refused = likely is not None and likely < _REFUSED
    return Draft("graph_search", reason="no_evidence") if is_refused else draft


def _is_settled(draft: Draft) -> bool:
    """Return whether more than the words of a sentence speaks for an answer."""
    is_told = any(hop.predicate in _BY_PLACE for hop in draft.hops)
    return draft.derived or draft.strategy != "graph_search" or len(draft.hops) > 1 or is_told


def _is_same_reading(one: str, other: str) -> bool:
    """Return whether one of two answers says no more than the other: a part of it, or of a list."""
    if contains_answer(one, other) or contains_answer(other, one):
        return True
    words, other_words = set(content_words(one)), set(content_words(other))
    return bool(other_words) and other_words <= words


def is_denied(question: str, answer: str, passages: Sequence[Chunk], reader: PassageReader) -> bool:
    """Return whether passages have the words of an answer, and none in the place of an answer.

    It says nothing of yes and no, of words that stand in no passage, and of other languages than
    English.

    Args:
        question: The standalone question.
        answer: As a model gave it.
        passages: Those that it may rest on, the best first.
        reader: Reads them.
    """
    if normalize_answer(answer) in {"yes", "no"} or not is_english(question):
        return False
    likely = reader.likelihood(question, [(one.title, one.text) for one in passages], answer)
    return likely is not None and likely < _DENIED


def _takes_several_steps(question: str) -> bool:
    """Return whether a question asks for something of what it describes by a name."""
    names = capitalised_mentions(question)
    return any(
        len(steps_from(question, name, [one for one in names if one is not name])) > 1
        for name in names
    )


class _NearPassages:
    """The extracts nearest to a question, as a reader reads them.

    Args:
        question: The standalone question.
        index: The evidence.
        similarity: Compares texts by meaning.
    """

    def __init__(self, question: str, index: EvidenceIndex, similarity: TextSimilarity) -> None:
        self._question = question
        self._query = read_query(question)
        self._around = Surroundings(index, similarity)
        statements = self._around.statements
        self._extracts = _extracts(statements, self._around.relevance(self._query))
        self._passages = [
            (statements[one.start].sentence.chunk.title, _text(statements, one))
            for one in self._extracts
        ]

    def answer(self, reader: PassageReader) -> Draft | None:
        """Return the likeliest words with reserve, None where no words are likely."""
        best = max(self._words(reader), key=lambda one: round(one.weight, 5), default=None)
        if best is None or best.weight < GIVEN:
            return None
        return Draft(
            "graph_search",
            answers=(best.value.text,),
            hops=claims_of(self._query, Candidate(best.value, best.at, 0.0), self._around),
            score=round(best.weight, 5),
            reserve=unstated(ASKED),
        )

    def likelihood(self, answer: str, reader: PassageReader) -> float | None:
        """Return how likely some words are the answer, None where no extract has them in prose.

        Rows and lines in columns say by their place what they tell, which a reader of prose cannot
        see.
        """
        statements = self._around.statements
        if any(
            one.parts and contains_answer(one.text, answer)
            for run in self._extracts
            for one in statements[run.start : run.stop]
        ):
            return None
        return reader.likelihood(self._question, self._passages, answer)

    def _words(self, reader: PassageReader) -> Iterator[ReadWords]:
        """Yield the likeliest words of each extract, none of what is denied or hoped for."""
        statements = self._around.statements
        read = reader.read(self._question, self._passages)
        for reading, extract in zip(read, self._extracts, strict=True):
            words = _words(reading, extract, statements)
            if words is None:
                continue
            text, value = statements[words.at].text, words.value
            if has_doubt(self._question) or is_asserted(text, value.start, value.end):
                yield words


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
) -> ReadWords | None:
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
            value = _value(one.text, at, at + end - start)
            return ReadWords(place, value, reading.stated * reading.likely)
    return None


def _value(text: str, start: int, end: int) -> Value:
    """Return the value that stands at a place of a text or the whole name there, else its words."""
    for one in find_values(text):
        is_name = one.kind == "name" and all(word[0].isupper() for word in one.text.split())
        if (one.start, one.end) == (start, end) or is_name and one.start <= start < end <= one.end:
            return one
    return Value(" ".join(text[start:end].split()), start, end, "words")
