"""A small trained reader: the words of a passage that answer, and whether given words do.

What it finds is always given with reserve: where no fact, line or sentence words what is asked, and
where it reads another answer than the words of one sentence. `benchmarks/NOTES.md` says how often
it is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.reserves import ASKED, OTHER_READING, other_text, unstated
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.candidates import Candidate
from hoptrail.agents.reading.claims import claims_of
from hoptrail.agents.reading.near_passages import NearPassages, ReadWords
from hoptrail.core.language.detection import is_english
from hoptrail.core.text import contains_answer, content_words, normalize_answer
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import ANSWERS, BESIDE, LISTS, STANDS_FOR, Draft
from hoptrail.models.passage_reader import PassageReader

# Chosen on the everyday folders practice and trades and the passages of benchmarks/reading that are
# kept apart: benchmarks/NOTES.md.
GIVEN = 0.4
# Of answers found by rules, and of small models' answers, hardly one below is right.
_DENIED = 0.01
_BY_PLACE = frozenset({ANSWERS, STANDS_FOR, LISTS, BESIDE})


def answer_or_read(
    draft: Draft,
    question: str,
    index: EvidenceIndex,
    similarity: TextSimilarity,
    reader: PassageReader,
) -> Draft:
    """Return a draft, or what the reader finds where that abstains or tells of something else.

    What follows from several steps, a table, a list or a text that asks the same is not read again.
    A yes or no is none of a passage's words. What the reader denies, and has no better answer for,
    is not given.

    Args:
        draft: What was found without the reader.
        question: The standalone question.
        index: The evidence.
        similarity: Compares texts by meaning.
        reader: Reads what stands around the statements nearest to the question.
    """
    if not draft.abstained and _is_settled(draft) or focus_of(question).answer_type == "yes_no":
        return draft
    near = NearPassages(question, index, similarity)
    read = _readings(near, reader)
    if draft.abstained:
        return _answer(read[0], near) if read else draft
    others = [one for one in read if not _is_same_reading(draft.text, one.value.text)]
    if draft.reserve == "":  # told outright: of two readings neither is thrown away
        told = (other_text(f'"{one.value.text}"', OTHER_READING) for one in others)
        return replace(draft, reserve=next(told, ""))
    if read:
        return _answer(read[0], near) if read[0] in others else draft
    likely = near.likelihood(draft.text, reader)
    is_denied = likely is not None and likely < _DENIED
    return Draft("graph_search", reason="no_evidence") if is_denied else draft


def _readings(near: NearPassages, reader: PassageReader) -> list[ReadWords]:
    """Return the words that are likely enough to be given, the likeliest first."""
    likely = (one for one in near.words(reader) if one.likelihood >= GIVEN)
    return sorted(likely, key=lambda one: -round(one.likelihood, 5))


def _answer(words: ReadWords, near: NearPassages) -> Draft:
    """Return some words as an answer with reserve."""
    return Draft(
        "graph_search",
        answers=(words.value.text,),
        hops=claims_of(near.query, Candidate(words.value, words.at, 0.0), near.around),
        score=round(words.likelihood, 5),
        reserve=unstated(ASKED),
    )


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
