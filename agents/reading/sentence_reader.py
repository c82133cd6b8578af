"""Rank the values of the evidence as answers of a question, by the statements that hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language import currencies
from hoptrail.agents.language.assertion import has_doubt, is_asserted
from hoptrail.agents.language.calendar_words import MONTHS, WEEKDAYS
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.everyday_words import everyday_group, everyday_groups
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.language.word_groups import nearness
from hoptrail.agents.language.word_rarity import WordRarity
from hoptrail.agents.reading.asked_value import AskedValue, asked_value
from hoptrail.agents.reading.statements import Statement, statements_of
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.text import name_key

_MOST_STATEMENTS = 40
_LONGEST_CELL = 6
_PLACE = 0.7
_BEFORE = 0.5
_PASSAGE = 0.3
_FIT = 0.4
_NEARNESS = 0.25
_UNKNOWN_NAME = 0.25
_DENIED = 0.25
_RIVAL = 0.1
_LIGHT = everyday_groups(
    "name named call called kind type sort do does did has have had is are was were get got go "
    "come take took put much many long thing currently now who what which when where how since"
)
_CALENDAR = everyday_groups(f"{WEEKDAYS}|{MONTHS}".replace("|", " "))
_WORD = re.compile(r"\w+")
# "Told the customer.", "GBP": a capital that is no name's.
_NO_NAME = re.compile(
    rf"[A-Z][a-z]{{2,12}}ed|Told|Sent|Got|Made|Put|Re|Fwd|[A-Z]{{2}}|{currencies.CODES}"
)
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d{2}\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """A value as an answer of a question.

    `coverage` is the share of the question's words, rare ones counting more, that the statement has
    or its place adds; `similarity` the cosine of question and statement; `fit` how well the value
    is of the asked kind, 1 at best. `has_rival` is whether another value of the sentence is
    nearly as good.
    """

    value: Value
    statement: Statement
    coverage: float
    similarity: float
    fit: float
    score: float
    wording: float
    names_all: bool
    is_denied: bool
    has_rival: bool = False


class SentenceReader:
    """Reads answers out of the statements of some evidence.

    Args:
        index: The evidence.
        similarity: Compares texts by meaning; without it only words are compared.
    """

    def __init__(self, index: EvidenceIndex, similarity: TextSimilarity | None = None) -> None:
        self._similarity = similarity or TextSimilarity()
        self._statements = statements_of(index)
        self._rarity = WordRarity([one.own | one.place for one in self._statements])
        self._passages = {chunk.id: everyday_groups(chunk.text) for chunk in index.chunks.values()}
        self._values: dict[str, list[Value]] = {}
        self._common = frozenset(
            word
            for statement in self._statements
            for word in _WORD.findall(statement.text)
            if word[0].islower()
        )
        self._labels = frozenset(
            name_key(part.label) for statement in self._statements for part in statement.parts
        )

    def read(self, question: str, excluded: str = "") -> list[Reading]:
        """Return the values that may answer a question, the best first, each once.

        Args:
            question: One question of one step.
            excluded: A text whose names are no answer either: the question that this is a part of.
        """
        query = _query(question, excluded)
        nearest = self._nearest(query.wanted)
        similarities = self._similarity.to(question, [one.worded() for one in nearest])
        best: dict[str, Reading] = {}
        for statement, similarity in zip(nearest, similarities, strict=True):
            for value in self._values_of(statement):
                reading = self._judge(query, statement, value, similarity)
                key = name_key(value.text)
                if reading and (key not in best or reading.score > best[key].score + 1e-5):
                    best[key] = reading
        ranked = sorted(best.values(), key=lambda one: (-round(one.score, 5), one.value.text))
        return [replace(one, has_rival=_has_rival(one, ranked)) for one in ranked]

    def _nearest(self, wanted: frozenset[str]) -> list[Statement]:
        """Return the statements that have most of the question's words, or whose place has."""

        def relevance(statement: Statement) -> float:
            return self._cover(wanted, statement.own, statement) + 0.02 / (1 + statement.rank)

        return sorted(self._statements, key=lambda one: -round(relevance(one), 5))[
            :_MOST_STATEMENTS
        ]

    def _cover(self, wanted: frozenset[str], told: frozenset[str], statement: Statement) -> float:
        """Return the share of the wanted words that are told, less for those of the context."""
        covered, total = 0.0, self._rarity.of(wanted)
        left = wanted
        passage = self._passages[statement.sentence.chunk.id]
        for weight, groups in (
            (1.0, told),
            (_PLACE, statement.place),
            (_BEFORE, statement.before),
            (_PASSAGE, passage),
        ):
            covered += weight * self._rarity.of(left & groups)
            left -= groups
        return covered / total if total else 0.0

    def _values_of(self, statement: Statement) -> list[Value]:
        text = statement.text
        if text not in self._values:
            found = [one for one in find_values(text) if not self._is_common(one)]
            self._values[text] = [*found, *_cells(statement, found)]
        return self._values[text]

    def _is_common(self, value: Value) -> bool:
        """Return whether a name is a label, or a word that has its capital from its place alone."""
        key = name_key(value.text)
        is_no_name = key in self._labels or key in self._common or _NO_NAME.fullmatch(value.text)
        return value.kind == "name" and bool(is_no_name)

    def _judge(
        self, query: _Query, statement: Statement, value: Value, similarity: float
    ) -> Reading | None:
        """Return a value as a reading, None where it cannot be what is asked for."""
        if query.names(value):
            return None
        part = statement.part_at(value.start)
        label = part.label if part else ""
        fit = query.asked.fit(value, statement.text, label)
        if fit <= -0.4:
            return None
        told = statement.told(part, query.wanted)
        wanted = query.wanted
        if fit >= 0.8:  # The value itself says its kind: the noun need not be told.
            wanted = wanted - everyday_groups(query.asked.noun) or wanted
        coverage = self._cover(wanted, told, statement)
        score = (
            coverage
            + similarity
            + _FIT * fit
            + _NEARNESS
            * nearness(statement.text, value.start, value.end, told & wanted, everyday_group)
        )
        names_all = self._names_all(query, statement)
        is_denied = not query.is_doubtful and not is_asserted(
            statement.text, value.start, value.end
        )
        score -= _UNKNOWN_NAME * (not names_all) + _DENIED * is_denied
        asked = wanted - query.name_groups
        wording = self._rarity.share(asked, told | statement.place) if asked else 1.0
        return Reading(
            value,
            statement,
            coverage,
            similarity,
            fit,
            score,
            wording,
            names_all,
            is_denied,
        )

    def _names_all(self, query: _Query, statement: Statement) -> bool:
        """Return whether a statement, its place or its passage has all that the question names.

        One that has no more than a name's beginning is about another thing: "the Nivo" is not the
        Nivo Mini.
        """
        if any(name in statement.text and long not in statement.text for name, long in query.short):
            return False
        sentence = statement.sentence
        near = statement.own | statement.place
        if not (sentence.heading and sentence.leads_with_pronoun):
            near |= self._passages[sentence.chunk.id]
        return query.named <= near


def _has_rival(reading: Reading, ranked: Sequence[Reading]) -> bool:
    """Return whether a sentence has another value nearly as good; labels tell a row's apart."""
    return not reading.statement.is_row and any(
        other.statement is reading.statement and abs(other.score - reading.score) < _RIVAL
        for other in ranked
        if other is not reading
    )


def _cells(statement: Statement, found: Sequence[Value]) -> Iterator[Value]:
    """Yield what stands behind each label in a few words, unless it is a value already."""
    spans = {(value.start, value.end) for value in found}
    for part in statement.parts:
        text = statement.text[part.start : part.end].strip(" *_;.\n")
        start = statement.text.index(text, part.start)
        is_short = 0 < len(text.split()) <= _LONGEST_CELL and any(map(str.isalpha, text))
        if is_short and (start, start + len(text)) not in spans:
            yield Value(text, start, start + len(text), "cell")


@dataclass(frozen=True, slots=True)
class _Query:
    """The things looked for, and what is no answer; read from the question once.

    `spelled`, `spelled_names` and `spelled_groups` are of the question and of the whole one that it
    is a part of: their key, the keys of their names and their word groups.
    """

    asked: AskedValue
    wanted: frozenset[str]
    named: frozenset[str]
    name_groups: frozenset[str]
    short: tuple[tuple[str, str], ...]
    spelled: str
    spelled_names: tuple[str, ...]
    spelled_groups: frozenset[str]
    is_doubtful: bool

    def names(self, value: Value) -> bool:
        """Return whether the question names a value itself."""
        key = f" {name_key(value.digits or value.text)} "
        if key in self.spelled:
            return True
        if value.kind != "name":
            return False
        groups = everyday_groups(value.text)
        return (
            any(name in key or _shortens(key, name) for name in self.spelled_names)
            or bool(groups)
            and groups <= self.spelled_groups
        )


def _shortens(key: str, name: str) -> bool:
    """Return whether a value's key is another form of a name: "Mr Dusin", "Hallam", no namesake.

    Greta Hallam is somebody else than Hallam & Sons.
    """
    last = f" {key.split()[-1]} "
    return name.endswith(last) if " " in key.strip() else last in name


def _query(question: str, excluded: str) -> _Query:
    spelled = f"{question} {excluded}"
    wanted = everyday_groups(question) - _LIGHT
    names = proper_names(question)
    last_words = [name.split()[-1] for name in names]
    known = everyday_groups(" ".join([*last_words, *_YEAR.findall(question)])) - _CALENDAR
    return _Query(
        asked_value(question),
        wanted,
        known & wanted,
        everyday_groups(" ".join(names)),
        tuple((name.rpartition(" ")[0], name) for name in names if " " in name),
        f" {name_key(spelled)} ",
        tuple(f" {name_key(name)} " for name in proper_names(spelled)),
        everyday_groups(spelled),
        has_doubt(spelled),
    )
