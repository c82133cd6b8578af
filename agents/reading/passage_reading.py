"""A small trained reader: the words of a passage that answer, and whether given words do.

What it finds is always given with reserve: where no fact, line or sentence words what is asked, and
where the reader is sure that another one answers. `benchmarks/NOTES.md` says how often it is right.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.mentions import capitalised_mentions
from hoptrail.agents.language.question_steps import steps_from
from hoptrail.agents.language.reserves import ASKED, unstated
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.claims import claims_of
from hoptrail.agents.reading.query import read_query
from hoptrail.agents.reading.statements import Statement
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.embedding import FloatArray
from hoptrail.core.language.detection import is_english
from hoptrail.core.text import contains_answer, normalize_answer
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import ANSWERS, STANDS_FOR, Draft
from hoptrail.models.reading.passage_reader import PassageReader, PassageReading

# Chosen on the everyday folders practice and trades, and on two sets more: benchmarks/NOTES.md.
GIVEN = 0.5
SURE = 0.8
# Of small models' answers on practice and trades, those below were right once in ten.
_DENIED = 0.02
_MOST_EXTRACTS = 6
_MOST_PASSAGES = 8
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

    What follows from several steps, a table, or a text that asks the same is not read again.
    A yes or no is none of a passage's words. What asks for something of what it describes by a name
    is answered by a single passage only where the reader is sure.

    Args:
        draft: What was found without the reader.
        question: The standalone question.
        index: The evidence.
        similarity: Compares texts by meaning.
        reader: Reads what stands around the statements nearest to the question.
    """
    is_settled = draft.derived or draft.strategy != "graph_search" or len(draft.hops) > 1
    is_settled = is_settled or any(hop.predicate in {ANSWERS, STANDS_FOR} for hop in draft.hops)
    if not draft.abstained and is_settled or focus_of(question).answer_type == "yes_no":
        return draft
    read = answer_by_reading(question, index, similarity, reader)
    if read is None:
        return draft
    is_sure = read.score >= SURE
    if draft.abstained:
        return read if is_sure or not _takes_several_steps(question) else draft
    is_same = contains_answer(draft.text, read.text) or contains_answer(read.text, draft.text)
    return draft if is_same or not is_sure else read


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
    likely = (reader.likelihood(question, (one.title, one.text), answer) for one in passages)
    told = list(islice((one for one in likely if one is not None), _MOST_PASSAGES))
    return bool(told) and max(told) < _DENIED


def _takes_several_steps(question: str) -> bool:
    """Return whether a question asks for something of what it describes by a name."""
    names = capitalised_mentions(question)
    return any(
        len(steps_from(question, name, [one for one in names if one is not name])) > 1
        for name in names
    )


def answer_by_reading(
    question: str, index: EvidenceIndex, similarity: TextSimilarity, reader: PassageReader
) -> Draft | None:
    """Return the likeliest words with reserve, None where no words are likely.

    Args:
        question: The standalone question.
        index: The evidence.
        similarity: Compares texts by meaning.
        reader: Reads what stands around the statements nearest to the question.
    """
    around = Surroundings(index, similarity)
    query = read_query(question)
    found = read_words(question, around.statements, around.relevance(query), reader)
    if not found or found[0].weight < GIVEN:
        return None
    best = found[0]
    return Draft(
        "graph_search",
        answers=(best.value.text,),
        hops=claims_of(query, Candidate(best.value, best.at, 0.0), around),
        score=round(best.weight, 5),
        reserve=unstated(ASKED),
    )


def read_words(
    question: str, statements: Sequence[Statement], relevance: FloatArray, reader: PassageReader
) -> list[ReadWords]:
    """Return the likeliest words of each of the nearest extracts, the likeliest first.

    Args:
        question: The standalone question.
        statements: Those of the evidence, in its order.
        relevance: How near each is to the question, shape (len(statements),).
        reader: Reads the extracts.
    """
    extracts = _extracts(statements, relevance)
    texts = [_text(statements, one) for one in extracts]
    titles = [statements[one.start].sentence.chunk.title for one in extracts]
    read = reader.read(question, list(zip(titles, texts, strict=True)))
    found = [
        words
        for reading, extract in zip(read, extracts, strict=True)
        if (words := _words(reading, extract, statements)) is not None
    ]
    return sorted(found, key=lambda one: -round(one.weight, 5))


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
