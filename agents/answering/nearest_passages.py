"""The passages that come nearest to a question: what a reader is shown where no answer is sure."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import has_date, has_number
from hoptrail.agents.language.text_similarity import WordRarity
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.reading.asked_value import AskedValue, asked_value, worded_question
from hoptrail.agents.reading.statements import numbered_title
from hoptrail.agents.reading.values import find_values
from hoptrail.core.language.detection import ENGLISH, question_language
from hoptrail.core.language.scripts import UNSPACED, has_other_words
from hoptrail.core.language.stems import content_stems
from hoptrail.core.text import clipped, contains_answer, name_key, normalize_answer
from hoptrail.core.types import Chunk, Evidence, NearestPassage

_MOST = 3
_LONGEST_BESIDE = 240
_RANK_WEIGHT = 0.25
_PASSAGE_WEIGHT = 0.3
_KIND_WEIGHT = 0.15
_BRIDGE_WEIGHT = 0.5
_TOPIC_WEIGHT = 0.5
_BESIDE_WEIGHT = 0.15
_TITLE_SHARE = 0.7
# Two words with capitals: what a person's name looks like.
_PERSON = re.compile(r"\b[A-Z][\w'’.-]{0,20}\s[A-Z][\w'’-]{1,20}")

_UNIT = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+")
_CHARACTERS = 3  # of a script without spaces; two make a common word
_WORDS = 2


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence, and how well it fits the question whatever else is chosen.

    `groups` are its word groups, `above` those of the heading of its section.
    """

    sentence: Sentence
    groups: frozenset[str]
    above: frozenset[str]
    fit: float = 0.0


@dataclass(frozen=True, slots=True)
class _Passage:
    """A passage's rank and sentences, its title's word groups and key, and the key of it all."""

    rank: int
    told: tuple[_Told, ...]
    title_groups: frozenset[str]
    title: str
    key: str


@dataclass(frozen=True, slots=True)
class _Bridges:
    """The names that the chosen passages bring in: in their best sentences, and beside those.

    Each is a key between two spaces.
    """

    told: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()

    def within(self, key: str) -> _Bridges:
        """Return those that stand in a text of this key."""
        return _Bridges(
            frozenset(name for name in self.told if name in key),
            frozenset(name for name in self.beside if name in key),
        )


def nearest_passages(question: str, evidence: Evidence) -> tuple[NearestPassage, ...]:
    """Return the three passages whose best sentence fits the question best, the best one first.

    A sentence fits by the question's words that it, the heading above it and its passage have, rare
    ones counting more, by a date, number or person's name where one is asked for, and by the rank
    of its passage. After the first passage, a sentence about a name that the chosen ones bring in
    fits better, most of all in a passage on that name, and where it has what they left open: the
    second hop of a question shares few words with it.

    Args:
        question: The standalone question.
        evidence: What was retrieved, best passage first.
    """
    language = question_language(question)
    # Question words and kinds of answers are read in English alone.
    asked = asked_value(question if language == ENGLISH else "")
    wanted = left = _groups(worded_question(question, asked), language)
    index = EvidenceIndex(evidence)
    passages = _passages(index, language)
    rarity = WordRarity([told.groups for one in passages for told in one.told], smoothing=1)
    passages = [_rated(one, wanted, question, asked, rarity) for one in passages]
    names = _NamesTold(question, language, [one.title for one in passages])
    chosen: list[tuple[float, _Told]] = []
    bridges = _Bridges()
    while passages and len(chosen) < _MOST:
        best = [_best_of(one, left, bridges, rarity) for one in passages]
        place = max(range(len(best)), key=lambda at: (round(best[at][0], 5), -at))
        score, told = best[place]
        chosen.append((score, told))
        left -= told.groups | passages[place].title_groups
        bridges = names.added_by(told.sentence, bridges)
        del passages[place]
    return tuple(_nearest(one.sentence, score, index) for score, one in chosen)


def stating_passages(question: str, answer: str, evidence: Evidence) -> tuple[NearestPassage, ...]:
    """Return three passages at most that have the words of an answer beside words of its question.

    The sentence with the answer, its heading or the title of its document must share a word with
    the question: "1843" alone stands in many a text. "Yes" and "No" are stated by no passage.

    Args:
        question: The standalone question.
        answer: The words to be found, whatever their case and outer marks.
        evidence: What was retrieved, best passage first.
    """
    if normalize_answer(answer) in ("yes", "no"):
        return ()
    language = question_language(question)
    wanted = _groups(question, language) - _groups(answer, language)
    index = EvidenceIndex(evidence)
    found: list[NearestPassage] = []
    for passage in _passages(index, language):
        for told in passage.told:
            has_answer = contains_answer(told.sentence.text, answer)
            if has_answer and wanted & (told.groups | told.above | passage.title_groups):
                found.append(_nearest(told.sentence, 1 / (1 + passage.rank), index))
                break
    return tuple(found[:_MOST])


def _passages(index: EvidenceIndex, language: str) -> list[_Passage]:
    """Return the passages with sentences, of two that say the same the better ranked one."""
    first = {chunk.text: chunk.id for chunk in reversed([*index.chunks.values()])}
    return [
        _Passage(
            rank,
            tuple(
                _Told(
                    sentence,
                    _groups(sentence.text, language),
                    _groups(sentence.section, language),
                )
                for sentence in _without_title(index.sentences[chunk.id])
            ),
            _groups(chunk.title, language),
            f" {name_key(chunk.title)} ",
            index.chunk_keys[chunk.id],
        )
        for rank, chunk in enumerate(index.chunks.values())
        if index.sentences[chunk.id] and first[chunk.text] == chunk.id
    ]


def _without_title(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Leave out titles of sections, and a first line that repeats the passage's title."""
    first = sentences[0]
    repeats = len(sentences) > 1 and name_key(first.text) == name_key(first.chunk.title)
    rest = sentences[1:] if repeats else sentences
    return tuple(one for one in rest if not numbered_title(one.text)) or rest


@lru_cache(maxsize=16384)
def _groups(text: str, language: str) -> frozenset[str]:
    """Return the word groups of a text, in other languages than English the stems."""
    if language != ENGLISH:
        return content_stems(text, language)
    return word_groups(text)


def _rated(
    passage: _Passage,
    wanted: frozenset[str],
    question: str,
    asked: AskedValue,
    rarity: WordRarity,
) -> _Passage:
    """Return a passage with how well each sentence fits whatever else is chosen."""
    title = passage.title_groups
    whole = title.union(*(told.groups for told in passage.told))
    shared = _PASSAGE_WEIGHT * rarity.share(wanted, whole)
    shared += _RANK_WEIGHT / math.sqrt(1 + passage.rank)
    rated = []
    for told in passage.told:
        fit = rarity.share(wanted, told.groups)
        fit += _TITLE_SHARE * rarity.share(wanted, (title | told.above) - told.groups)
        fit += shared + _KIND_WEIGHT * _has_kind(told.sentence, asked, question)
        rated.append(replace(told, fit=fit))
    return replace(passage, told=tuple(rated))


def _has_kind(sentence: Sentence, asked: AskedValue, question: str) -> bool:
    if asked.measures:  # "3. Rent" has a number, and no amount of money.
        return any(one.measure in asked.measures for one in find_values(sentence.text))
    if asked.answer_type == "date":
        return has_date(sentence.text)
    if asked.answer_type == "number":
        return has_number(sentence.text)
    if asked.answer_type != "person":
        return False
    return any(found.group() not in question for found in _PERSON.finditer(sentence.text))


def _best_of(
    passage: _Passage, left: frozenset[str], bridges: _Bridges, rarity: WordRarity
) -> tuple[float, _Told]:
    """Return the best sentence of a passage with its score, the first one of equals."""
    here = bridges.within(passage.key)
    if not here.told and not here.beside:
        best = max(passage.told, key=lambda told: round(told.fit, 5))
        return best.fit, best
    rated = [
        (told.fit + _bridging(told, passage, left, here, rarity), told) for told in passage.told
    ]
    return max(rated, key=lambda pair: round(pair[0], 5))


def _bridging(
    told: _Told, passage: _Passage, left: frozenset[str], bridges: _Bridges, rarity: WordRarity
) -> float:
    """Return what a sentence gains by telling of a name that the chosen passages bring in."""
    if _names(told, passage, bridges.told):
        weight = _BRIDGE_WEIGHT
    elif _names(told, passage, bridges.beside):
        weight = _BESIDE_WEIGHT
    else:
        return 0.0
    on_topic = _TOPIC_WEIGHT * (passage.title in bridges.told)
    return on_topic + weight * (0.5 + rarity.share(left, told.groups | passage.title_groups))


def _names(told: _Told, passage: _Passage, names: frozenset[str]) -> bool:
    return any(name in told.sentence.key or name in passage.title for name in names)


class _NamesTold:
    """The names in passages that a question does not have.

    Args:
        question: The standalone question.
        language: Its language.
        titles: Keys of the titles of the evidence, each between two spaces.
    """

    def __init__(self, question: str, language: str, titles: list[str]) -> None:
        self._known = {name_key(name) for name in proper_names(question)}
        self._question = name_key(question)
        # Where no capital shows a name, a title that stands in a passage does.
        self._titles = [] if language == ENGLISH else [title.strip() for title in titles]

    def added_by(self, sentence: Sentence, bridges: _Bridges) -> _Bridges:
        """Return the bridges with the names of one more sentence and of its passage."""
        return _Bridges(
            bridges.told | self._names(sentence.text),
            bridges.beside | self._names(sentence.chunk.text),
        )

    def _names(self, text: str) -> frozenset[str]:
        keys = (name_key(name) for name in proper_names(text))
        found = {f" {key} " for key in keys if len(key) > 2 and key not in self._known}
        if self._titles and has_other_words(text):
            found |= {
                shared
                for title in self._titles
                if (shared := shared_run(title, name_key(text))) and shared not in self._question
            }
        return frozenset(found)


def _nearest(sentence: Sentence, score: float, index: EvidenceIndex) -> NearestPassage:
    chunk = sentence.chunk
    before, after = _beside(sentence, index.sentences[chunk.id])
    start, end = chunk.start + sentence.start, chunk.start + sentence.end
    return NearestPassage(
        chunk.doc_id,
        chunk.id,
        chunk.title,
        start,
        end,
        sentence.text,
        round(score, 5),
        chunk.place_of(start, end),
        before,
        after,
        _also_in(chunk, index),
        chunk.unsure_of(start, end),
    )


def _also_in(chunk: Chunk, index: EvidenceIndex) -> tuple[str, ...]:
    """Return the other documents of the evidence that have the same passage."""
    same = (one.doc_id for one in index.chunks.values() if one.text == chunk.text)
    return tuple(dict.fromkeys(doc_id for doc_id in same if doc_id != chunk.doc_id))


def _beside(sentence: Sentence, sentences: tuple[Sentence, ...]) -> tuple[str, str]:
    """Return what stands before a sentence, the heading where it opens a section, and behind it."""
    at = next(place for place, one in enumerate(sentences) if one.start == sentence.start)
    previous = sentences[at - 1] if at else None
    following = sentences[at + 1] if at + 1 < len(sentences) else None
    is_title = name_key(sentence.section.lstrip("# ")) == name_key(sentence.chunk.title)
    heading = "" if is_title else sentence.section.lstrip("# ")
    before = previous.text if previous and previous.section == sentence.section else ""
    after = following.text if following and following.section == sentence.section else ""
    return (
        clipped(before or heading, _LONGEST_BESIDE),
        clipped(after, _LONGEST_BESIDE),
    )


def shared_run(title: str, text: str) -> str:
    """Return the longest run of a title that stands in a text, "" where it may be no name.

    Args:
        title: The `name_key` of a title.
        text: The `name_key` of a text.
    """
    units = [match.span() for match in _UNIT.finditer(title)]
    for length in range(len(units), 0, -1):
        for first in range(len(units) - length + 1):
            run = title[units[first][0] : units[first + length - 1][1]]
            is_unspaced = len(run) == length  # each unit is a character
            if length >= (_CHARACTERS if is_unspaced else _WORDS) and run in text:
                return run
    return ""
