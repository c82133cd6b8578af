"""Find values that may answer a question: in one statement, or in one that another leads to."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.table_rows import cell_text, identifying_parts, whole_cell
from hoptrail.agents.language.text_similarity import TextSimilarity, WordRarity
from hoptrail.agents.language.value_patterns import CURRENCY_CODES, RECURRING_DAY, WEEKDAYS
from hoptrail.agents.language.word_groups import everyday_group, everyday_groups
from hoptrail.agents.reading.query import Query, name_words
from hoptrail.agents.reading.statements import Statement, statements_of
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import name_key

_MOST_STATEMENTS = 40
_MOST_LEADING = 15
_MOST_WORDED = 64
_MOST_LINKED = 8
_LONGEST_CELL = 6
_LONGEST_NAME_CELL = 4
_UNFIT = -0.4
_PLACE = 0.7
_FEWEST_GAIN = 0.06
_NEIGHBOURS = 2  # words beside a value
_REACH = 80  # characters that hold them
_MOST_ALIKE = 6
_COMMONEST_LINK = 0.25
_WORD = re.compile(r"\w+")
# "Told the customer.", "GBP": a capital that is no name's.
_NO_NAME = re.compile(
    rf"[A-Z][a-z]{{2,12}}ed|Told|Sent|Got|Made|Put|Re|Fwd|[A-Z]{{2}}|{CURRENCY_CODES}"
)
_TAKES_UP = re.compile(
    r"\W*(?:(?:[Ii]n|[Ff]or|[Bb]y|[Ff]rom|[Tt]o|[Oo]f|[Uu]ntil|[Ss]ince|[Aa]fter|[Bb]efore|[Aa]nd|[Bb]ut|[Aa]lso|"
    r"[Nn]ow|[Tt]hen),?\s)?(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Hh]is|[Hh]er|[Ii]ts|[Tt]heirs?|[Tt]his|[Tt]hese|"
    r"[Tt]hat|[Tt]hose|[Bb]oth|[Oo]ne|[Tt]hen|[Tt]here|[Ss]ince|[Cc]losed|[Hh]olds|[Cc]ame|[Jj]oined)\b"
)
_ASKS_FOR_ONE_TIME = re.compile(r"\bwhen\s(?:did|was|were|had|has|have)\b", re.IGNORECASE)
_RECURRING_DAY = re.compile(RECURRING_DAY)
_PHRASE_END = re.compile(r"[,;:.()]|\b(?:and|or|but)\b")
_WEEKDAY = re.compile(WEEKDAYS)
_REPEATS = re.compile(r"\W*The\s(?:\w+\s)?(?P<noun>[a-z]{3,30})\s(?!of\b)")
_WHOLE_OF_PARTS = re.compile(r"\s(?:of|at)\s")
_FROM = re.compile(r"\b(?:from|between|since)\s(?:the\s)?$", re.IGNORECASE)
_TO = re.compile(r"\s?(?:to|until|till|and|–|-)\s", re.IGNORECASE)
_BEFORE_END = re.compile(r"\b(?:to|until|till|through)\s(?:the\s)?$", re.IGNORECASE)
_ASKS_FOR_END = re.compile(
    r"\b(?:ends?|ended|finish(?:es|ed)?|expires?|expired|runs?\sout|until\swhen|till\swhen|stops?|over)\b",
    re.IGNORECASE,
)
_ASKS_FOR_BEGINNING = re.compile(
    r"\b(?:starts?|started|begins?|began|commences?|since\swhen|from\swhen)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value of a statement that may be the answer.

    `lead` is the statement that leads there, None where one statement is enough, `link` the name
    that both have, empty where they stand side by side. `fit` is how well the value is of the
    asked kind, `at` and `lead` count the statements of `Surroundings`.
    """

    value: Value
    at: int
    fit: float
    lead: int | None = None
    link: str = ""


class Surroundings:
    """The statements of some evidence, and how they hang together.

    Args:
        index: The evidence.
        similarity: Compares texts by meaning.
    """

    def __init__(self, index: EvidenceIndex, similarity: TextSimilarity) -> None:
        self.index = index
        self.similarity = similarity
        self.statements = statements_of(index)
        # By passages: a mail's subject is in the place of each of its sentences.
        passages = [f"{one.title} {one.text}" for one in index.chunks.values()]
        self.rarity = WordRarity([everyday_groups(text) for text in passages])
        self.words = [frozenset(_WORD.findall(one.sentence.key)) for one in self.statements]
        self.place_words = [_place_words(one) for one in self.statements]
        self.superseded = superseded(one.sentence.chunk.doc_id for one in self.statements)
        self._counts = Counter(word for words in self.words for word in words)
        self._holding: dict[str, list[int]] = defaultdict(list)
        for place, (own, above) in enumerate(zip(self.words, self.place_words, strict=True)):
            for word in own | above:
                self._holding[word].append(place)
        self._values: dict[int, list[Value]] = {}
        self._common = frozenset(
            word for one in self.statements for word in _WORD.findall(one.text) if word[0].islower()
        )
        labels = Counter(name_key(part.label) for one in self.statements for part in one.parts)
        # "- Reed & Sons: 400 euros" labels one line alone.
        self._labels = frozenset(label for label, count in labels.items() if count > 1)

    def relevance(self, query: Query) -> FloatArray:
        """Return how near each statement is to a question, shape (n,): by words and by meaning."""
        total = self.rarity.of(query.wanted) or 1.0
        told = [
            self.rarity.of(query.wanted & one.own)
            + _PLACE * self.rarity.of((query.wanted - one.own) & one.place)
            for one in self.statements
        ]
        words = np.array(told, dtype=np.float32) / np.float32(total)
        # A base stores vectors of its sentences, not of them with title and heading.
        relevance = words + self.likeness(query, [one.text for one in self.statements])
        first = np.argsort(-relevance.round(5), kind="stable")[:_MOST_WORDED]
        worded = [self.statements[place].worded() for place in first.tolist()]
        rough = np.array(self.similarity.rough().to(query.text, worded), dtype=np.float32)
        relevance[first] = words[first] + rough
        return relevance

    def likeness(self, query: Query, texts: Sequence[str]) -> FloatArray:
        """Return how alike each text is to a question by meaning, shape (len(texts),)."""
        return np.array(self.similarity.to(query.text, texts), dtype=np.float32)

    def candidates(self, query: Query, relevance: FloatArray) -> Iterator[Candidate]:
        """Yield the values of the asked kind, in one statement and in two."""
        order = [int(place) for place in np.argsort(-relevance.round(5), kind="stable")]
        for place in order[:_MOST_STATEMENTS]:
            yield from self._of(query, place)
        for lead in order[:_MOST_LEADING]:
            for place in self._beside(lead):
                yield from self._of(query, place, lead)
            for link in self._names_of(lead):
                yield from self._linked(query, lead, link, relevance)

    def _linked(
        self, query: Query, lead: int, link: str, relevance: FloatArray
    ) -> Iterator[Candidate]:
        words = name_words(link)
        if not words or words <= query.words or all(map(str.isdigit, words)):
            return
        rarity = max(1 / (1 + math.log(self._counts.get(word, 1))) for word in words)
        if rarity < _COMMONEST_LINK:
            return
        rarest = min((self._holding.get(word, []) for word in words), key=len)
        own = self.statements[lead].sentence
        linked = [
            place
            for place in rarest
            if place != lead
            and words <= self.words[place] | self.place_words[place]
            and self._joins(self.statements[place].sentence, words <= self.words[place], link, own)
        ]
        for place in sorted(linked, key=lambda one: -relevance[one])[:_MOST_LINKED]:
            for found in self._of(query, place, lead, link):
                answer = name_words(found.value.text)
                if not (answer <= words or words <= answer):
                    yield found

    def _joins(self, other: Sentence, is_told: bool, link: str, lead: Sentence) -> bool:
        """Return whether a name leads on: a heading that both stand below tells nothing new.

        Args:
            other: The sentence that it leads to.
            is_told: Whether that sentence has the name itself.
            link: The name.
            lead: The sentence that it leads from.
        """
        if other.chunk.id != lead.chunk.id:
            return True
        return is_told and not (link == lead.heading == other.heading)

    def _of(
        self, query: Query, at: int, lead: int | None = None, link: str = ""
    ) -> Iterator[Candidate]:
        statement = self.statements[at]
        if lead is not None:
            own = query.wanted & (statement.own | statement.place)
            gained = self.rarity.of((query.wanted & self.statements[lead].own) - own)
            if gained < _FEWEST_GAIN * self.rarity.of(query.wanted):
                return
        if query.describes and self._is_about(statement, query):
            return
        once = _ASKS_FOR_ONE_TIME.search(query.text) is not None
        values = self.values_of(at)
        for value in values:
            if query.is_named(value) or once and _RECURRING_DAY.fullmatch(value.text):
                continue
            if not _fits_hours(value, values, statement.text, query):
                continue
            if is_other_end(query.text, statement.text, value.start, value.end):
                continue
            if not statement.is_row and _is_of_other_event(value, values, statement.text, query):
                continue
            part = statement.part_at(value.start)
            label = part.label if part else ""
            fit = query.asked.fit(value, statement.text, label)
            if fit > _UNFIT:
                yield Candidate(value, at, fit, lead, link)

    def _is_about(self, statement: Statement, query: Query) -> bool:
        """Return whether a row tells about what the question names to describe another thing.

        "The man who takes over from Joan Pendry" is not Joan Pendry.
        """
        if not statement.is_row:
            return False
        text = statement.text
        parts = identifying_parts(statement.parts, text, statement.sentence.chunk.text)
        return any(name_words(cell_text(part, text)) in query.names for part in parts)

    def _beside(self, place: int) -> Iterator[int]:
        own = self.statements[place]
        for other in (place - 1, place + 1, place + 2):
            if 0 <= other < len(self.statements):
                beside = self.statements[other]
                is_near = (beside.sentence.chunk.id, beside.heading) == (
                    own.sentence.chunk.id,
                    own.heading,
                )
                if is_near and self._hangs_together(min(place, other), max(place, other)):
                    yield other

    def _hangs_together(self, first: int, second: int) -> bool:
        """Return whether the later of two statements takes up what the first one is about."""
        one, other = self.statements[first], self.statements[second]
        if one.is_row or other.is_row:
            return False
        if one.parts or other.parts:
            return True
        if _TAKES_UP.match(other.text):
            return True
        repeated = _REPEATS.match(other.text)
        return repeated is not None and everyday_group(repeated["noun"]) in one.own

    def _names_of(self, place: int) -> list[str]:
        statement = self.statements[place]
        names = [one.text for one in self.values_of(place) if one.kind == "name"]
        for part in statement.parts:
            cell = statement.text[part.start : part.end].strip(" *_;.\n")
            if cell[:1].isupper() and len(cell.split()) <= _LONGEST_NAME_CELL:
                names.append(cell)
        heading = statement.sentence.heading
        if heading and name_key(heading) not in self._common:  # "Boats" is no thing's name.
            names.append(heading)
        return list(dict.fromkeys(names))

    def values_of(self, place: int) -> list[Value]:
        """Return the values of a statement: dates, amounts, names, and short cells of a row."""
        if place not in self._values:
            statement = self.statements[place]
            found = [one for one in find_values(statement.text) if not self._is_common(one)]
            found = [_with_cell(one, statement) for one in found]
            halves = [half for one in found for half in _halves(one)]
            self._values[place] = [*found, *halves, *_cells(statement, found)]
        return self._values[place]

    def _is_common(self, value: Value) -> bool:
        """Return whether a name is a label, or a word that has its capital from its place alone."""
        key = name_key(value.text)
        is_no_name = key in self._labels or key in self._common or _NO_NAME.fullmatch(value.text)
        return value.kind == "name" and bool(is_no_name)


def _place_words(statement: Statement) -> frozenset[str]:
    places = f"{statement.heading} {statement.caption} {statement.sentence.chunk.title}"
    return name_words(places)


def superseded(doc_ids: Iterable[str]) -> frozenset[str]:
    """Return the documents of which there is a later edition: names that differ in digits alone."""
    editions: dict[str, set[str]] = defaultdict(set)
    for doc_id in doc_ids:
        editions[re.sub(r"\d+", "#", doc_id)].add(doc_id)
    return frozenset(one for same in editions.values() for one in same - {max(same)})


def _fits_hours(value: Value, values: Sequence[Value], text: str, query: Query) -> bool:
    """Return whether a day or time among opening hours may be given without the others.

    Who asks when a shop is open wants all days with their hours; who names a day wants its hours,
    and who asks for a day one of them.
    """
    if query.asked.noun == "day":
        return value.kind != "hours"
    day = _WEEKDAY.search(query.text)
    if value.kind == "hours":
        return day is None
    around = [
        one
        for one in values
        if one.kind == "hours" and one.start <= value.start and value.end <= one.end
    ]
    if not around or day is None:
        return not around
    said = [one.group() for one in _WEEKDAY.finditer(text, around[0].start, value.end)]
    return said[-1:] == [day.group()]


def _is_of_other_event(value: Value, values: Sequence[Value], text: str, query: Query) -> bool:
    """Return whether another value of its kind is beside a word of the question, and it is not.

    "When does it end?" is answered by the second date of "begins on 1 May and ends on 3 June".
    """
    if value.kind not in {"date", "number"}:
        return False
    alike = [
        other
        for other in values
        if (other.kind, other.measure) == (value.kind, value.measure)
        and (other.end <= value.start or value.end <= other.start)
    ]
    if not 0 < len(alike) <= _MOST_ALIKE:  # a long list tells nothing by the words beside
        return False
    own = _beside(text, value) & query.wanted
    return any(own < _beside(text, other) & query.wanted for other in alike)


def _beside(text: str, value: Value) -> frozenset[str]:
    """Return the word groups of the two words on either side of a value, within its phrase."""
    left = text[max(0, value.start - _REACH) : value.start]
    right = text[value.end : value.end + _REACH]
    before = _PHRASE_END.split(left)[-1].split()[-_NEIGHBOURS:]
    after = _PHRASE_END.split(right, maxsplit=1)[0].split()[:_NEIGHBOURS]
    return everyday_groups(" ".join([*before, *after]))


def _halves(value: Value) -> Iterator[Value]:
    """Yield the parts of "Ann Holt of Reed Mills", which are names as well."""
    if value.kind != "name" or (joint := _WHOLE_OF_PARTS.search(value.text)) is None:
        return
    first, second = value.text[: joint.start()], value.text[joint.end() :]
    if " " in first:
        yield Value(first, value.start, value.start + len(first), "name")
        yield Value(second, value.end - len(second), value.end, "name")


def _with_cell(value: Value, statement: Statement) -> Value:
    """Return a name with all words of the cell of a row that it opens."""
    if value.kind != "name" or not statement.is_row:
        return value
    start, end = whole_cell(statement.parts, statement.text, (value.start, value.end))
    return Value(statement.text[start:end], start, end, "name")


def _cells(statement: Statement, found: Sequence[Value]) -> Iterator[Value]:
    """Yield what stands behind each label in a few words, unless it is a value already."""
    spans = {(value.start, value.end) for value in found}
    for part in statement.parts:
        text = statement.text[part.start : part.end].strip(" *_;.\n")
        start = statement.text.index(text, part.start)
        is_short = 0 < len(text.split()) <= _LONGEST_CELL and any(map(str.isalnum, text))
        if is_short and (start, start + len(text)) not in spans:
            yield Value(text, start, start + len(text), "cell")


def is_other_end(question: str, text: str, start: int, end: int) -> bool:
    """Return whether a day is the end of a stretch that a question does not ask for.

    Args:
        question: The question.
        text: The sentence that has the day.
        start: Where the day begins.
        end: Where it ends.
    """
    before, behind = text[max(0, start - 30) : start], text[end : end + 10]
    if _FROM.search(before) and _TO.match(behind):
        return _ASKS_FOR_END.search(question) is not None
    if _BEFORE_END.search(before):
        return _ASKS_FOR_BEGINNING.search(question) is not None
    return False
