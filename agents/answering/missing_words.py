"""The words of a question that what was read does not have: what an abstention calls missing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.core.language.detection import ENGLISH
from hoptrail.core.language.scripts import UNSPACED
from hoptrail.core.language.stems import content_stems
from hoptrail.core.types import Evidence

_MOST = 3
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_ASKS_FOR_AMOUNT = re.compile(r"\bhow\s\w+", re.IGNORECASE)
_UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class MissingWords:
    """Words and names of a question, as typed and in its order.

    Attributes:
        everywhere: Those that no passage read has.
        nearest: Those that the nearest passage lacks, others have them.
    """

    everywhere: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


def missing_words(
    question: str, evidence: Evidence, nearest: str | None, language: str
) -> MissingWords:
    """Return the words of a question that the passages read do not have, forms of a word as one.

    A name is one word, missing where one of its words is. Where no word is found anywhere, there is
    nothing to tell apart and none is returned; so with a script that parts no words. The first word
    of a question in another language than English is taken for one that asks: "Wann".

    Args:
        question: The standalone question.
        evidence: What was read.
        nearest: The `id` of the passage that comes nearest, None without one.
        language: Of the question, ISO 639 code.
    """
    if _UNSPACED_LETTER.search(question):
        return MissingWords()
    told = _ASKS_FOR_AMOUNT.sub("", question) if language == ENGLISH else question
    asked = {word: groups for word in _units(told) if (groups := _groups(word, language))}
    if language != ENGLISH:
        asked = {word: groups for word, groups in asked.items() if not told.startswith(word)}
    texts = {hit.item.id: f"{hit.item.title}\n{hit.item.text}" for hit in evidence.chunks}
    read = {one: _groups(text, language) for one, text in texts.items()}
    everywhere = _lacking(asked, frozenset().union(*read.values()))
    if len(everywhere) == len(asked):
        return MissingWords()
    here = _lacking(asked, read[nearest]) if nearest in read else ()
    return MissingWords(everywhere[:_MOST], () if everywhere else here[:_MOST])


def _lacking(asked: dict[str, frozenset[str]], found: frozenset[str]) -> tuple[str, ...]:
    return tuple(word for word, groups in asked.items() if not groups <= found)


def _units(question: str) -> Iterable[str]:
    """Return the names and other words of a question in its order."""
    names = sorted(proper_names(question), key=len, reverse=True)
    pattern = "|".join([*map(re.escape, names), _WORD.pattern])
    return (match.group() for match in re.finditer(pattern, question))


def _groups(text: str, language: str) -> frozenset[str]:
    return everyday_groups(text) if language == ENGLISH else content_stems(text, language)
