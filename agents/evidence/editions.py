"""Which texts take the place of which: editions of a policy, versions of a contract, minutes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations, takewhile

from hoptrail.agents.language.topics import names_text
from hoptrail.agents.language.value_patterns import MONTHS
from hoptrail.core.conversation import is_conversation
from hoptrail.core.text import content_words
from hoptrail.core.types import Chunk, Evidence

_MONTH_NUMBERS = {name.lower()[:3]: number for number, name in enumerate(MONTHS.split("|"), 1)}
_MONTH = rf"(?P<name>{MONTHS}|{'|'.join(name[:3] for name in MONTHS.split('|'))})\.?"
_BEGINS, _ENDS = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z])"
_YEAR = r"(?P<year>(?:19|20)\d{2})"
# The finest mark of a label counts.
_MARKS = tuple(
    re.compile(f"{_BEGINS}{pattern}{_ENDS}", re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}[-_. ](?P<month>\d{{1,2}})[-_. ](?P<day>\d{{1,2}})",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[ _]{_MONTH}[ _]{_YEAR}",
        rf"{_MONTH}[ _](?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?[ _]{_YEAR}",
        r"(?:version|ver|revision|rev|edition|issue|v)[ ._-]?"
        r"(?P<version>\d{1,3}(?:\.\d{1,3})*|[A-Z])",
        rf"{_YEAR}[-_](?P<month>\d{{2}})",
        rf"{_MONTH}[ _]{_YEAR}",
        rf"{_YEAR}(?:[-/]\d{{2,4}})?",
    )
)
# In a question, of any year: "in March", "the March minutes", "on 12 March".
_MONTH_ALONE = re.compile(rf"(?<=[a-z0-9] )(?P<name>{MONTHS})\b(?!,? \d)")
_DAY_BEFORE = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)? $")
_REPLACES = re.compile(
    r"\b(?:(?P<whole>replac(?:es?|ing)|supersed(?:es?|ing)|takes\sthe\splace\sof)"
    r"|amend(?:s|ing|ment\sto|ed\sversion\sof))\b(?P<what>[^.\n]{3,160})",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*\)")
_SUFFIX = re.compile(r"\.[A-Za-z]\w{0,7}$")
_MOST_OF = 2 / 3
_LEAD = 400  # characters in which a text says what it replaces
# A field of a front matter, as it stands above the text: "version: 2", "date: 2024-03-01".
_FIELD = re.compile(r"([A-Za-z][\w -]{0,30}):[ \t]+(\S[^\n]{0,80})")


@dataclass(frozen=True, slots=True)
class _Mark:
    """A day, month, year or version that tells a text from others of its name.

    A question may name a month, or its day, of any year.
    """

    kind: str
    order: tuple[int, ...]

    def is_within(self, other: _Mark) -> bool:
        """Return whether this is the other one, or a day of that month or year."""
        is_same = (self.kind == "version") == (other.kind == "version")
        start = 1 if other.kind == "month" else 0  # behind the year
        return is_same and self.order[start : start + len(other.order)] == other.order


@dataclass(frozen=True, slots=True)
class _Text:
    doc_id: str
    title: str
    lead: str


class Editions:
    """The texts of some evidence of which others take the place.

    Two texts belong together where their names (paths and titles) differ in a year, day or version
    alone, where their names are the same and the fields above them (front matter) differ so, or
    where the later one, of a like title, says that it replaces or amends the other. The days of a
    chat do not take each other's place.

    Args:
        evidence: What was retrieved; a text is known by its passages.
    """

    def __init__(self, evidence: Evidence) -> None:
        chunks = [hit.item for hit in evidence.chunks if not is_conversation(hit.item.text)]
        texts = list(_texts(chunks))
        self._titles = {text.doc_id: text.title for text in texts}
        self._marks: dict[str, set[_Mark]] = {}
        self._families: list[frozenset[str]] = []
        self._newer: dict[str, set[str]] = {}
        self._whole: set[tuple[str, str]] = set()
        self._add_series(texts)
        for newer in texts:
            told = list(_REPLACES.finditer(f"{newer.title}\n{newer.lead}"))
            for older in texts if told else ():
                is_whole = _replaces(newer, told, older)
                if is_whole is not None and newer is not older:
                    self._add(newer.doc_id, older.doc_id, is_whole=is_whole)

    def __bool__(self) -> bool:
        return bool(self._newer)

    def newer(self, doc_id: str) -> frozenset[str]:
        """Return the texts that are newer than one."""
        return frozenset(self._newer.get(doc_id, ()))

    def older(self, doc_id: str) -> frozenset[str]:
        """Return the texts that are older than one."""
        return frozenset(old for old, newer in self._newer.items() if doc_id in newer)

    def is_replaced(self, doc_id: str) -> bool:
        """Return whether a newer text stands for all of a text, as an edition of a policy does.

        Minutes and amendments only take the place of what they speak of.
        """
        return any((newer, doc_id) in self._whole for newer in self.newer(doc_id))

    def title(self, doc_id: str) -> str:
        """Return the title of a text, its file name where others have the same title."""
        title = self._titles[doc_id]
        is_shared = list(self._titles.values()).count(title) > 1
        return doc_id.rpartition("/")[2] if is_shared else title

    def not_asked(self, question: str) -> frozenset[str]:
        """Return the texts of another time than a question names, where texts of that time exist.

        Args:
            question: Such as "What was the fee in 2023?" or "... under version 1?".
        """
        asked = list(_marks_in(question)) or list(_months_in(question))
        left_out: set[str] = set()
        for family in self._families:
            marked = {doc_id for doc_id in family if doc_id in self._marks}
            meant = {
                one
                for one in marked
                if any(mark.is_within(time) for mark in self._marks[one] for time in asked)
            }
            left_out |= family - meant if meant else set()
        return frozenset(left_out)

    def asks_by_month(self, question: str) -> bool:
        """Return whether a question names its time by a month alone, which may be another time."""
        return not any(_marks_in(question)) and any(_months_in(question))

    def _add_series(self, texts: list[_Text]) -> None:
        families: dict[tuple[str, str, str], dict[str, _Mark]] = {}
        for text in texts:
            fields = (("front", label) for label in _labels_above(text))
            for where, label in (("path", text.doc_id), ("title", text.title), *fields):
                found = _labelled(label, is_path=where == "path")
                if found is None:
                    continue
                name, mark = found
                # Tournaments of two years are two things, price lists of two years one.
                if where == "path" or mark.kind != "year" or names_text(text.title):
                    families.setdefault((where, name, mark.kind), {})[text.doc_id] = mark
        for marks in families.values():
            for doc_id, mark in marks.items():
                self._marks.setdefault(doc_id, set()).add(mark)
            for newer, older in permutations(marks, 2):
                if marks[newer].order > marks[older].order:
                    self._add(newer, older, is_whole=marks[newer].kind != "day")

    def _add(self, newer: str, older: str, *, is_whole: bool) -> None:
        if newer in self._newer and older in self._newer[newer]:
            return  # the marks have told which is the newer one
        self._newer.setdefault(older, set()).add(newer)
        if is_whole:
            self._whole.add((newer, older))
        joined = [family for family in self._families if family & {newer, older}]
        self._families = [family for family in self._families if family not in joined]
        self._families.append(frozenset({newer, older}).union(*joined))


def without_texts(evidence: Evidence, doc_ids: Iterable[str]) -> Evidence:
    """Return evidence without the passages of some texts, and without what rests on them alone."""
    left_out = set(doc_ids)
    kept = tuple(hit for hit in evidence.chunks if hit.item.doc_id not in left_out)
    gone = {hit.item.id for hit in evidence.chunks} - {hit.item.id for hit in kept}

    def rests(chunk_ids: Iterable[str]) -> bool:
        behind = set(chunk_ids)
        return not behind or bool(behind - gone)

    return Evidence(
        chunks=kept,
        relations=tuple(hit for hit in evidence.relations if rests(hit.item.chunk_ids)),
        entities=evidence.entities,
        paths=tuple(
            hit
            for hit in evidence.paths
            if all(rests(relation.chunk_ids) for relation in hit.item.relations)
        ),
        reports=evidence.reports,
    )


def _texts(chunks: Iterable[Chunk]) -> Iterator[_Text]:
    by_document: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.doc_id, []).append(chunk)
    for doc_id, own in by_document.items():
        lead = next((chunk.text[:_LEAD] for chunk in own if chunk.start < _LEAD), "")
        yield _Text(doc_id, own[0].title, lead)


def _labels_above(text: _Text) -> Iterator[str]:
    """Yield the title with each marked field that a text opens with, and what else is said there.

    Fields without a digit name what the text is about: "owner: Ada Koss".
    """
    lines = (line for line in text.lead.split("\n") if line.strip())
    fields = (_FIELD.fullmatch(line) for line in lines)
    told = [" ".join(field.groups()) for field in takewhile(bool, fields) if field]
    names = [one for one in told if not any(map(str.isdigit, one))]
    for one in told:
        if one not in names:
            yield " ".join([text.title, one, *names])


def _labelled(label: str, *, is_path: bool) -> tuple[str, _Mark] | None:
    """Return what a name has beside its mark, and the mark; None where it lacks one of them."""
    text = _BRACKETS.sub("", label)
    text = _SUFFIX.sub("", text) if is_path else text  # the next year's may be of another format
    for pattern in _MARKS:
        for found in reversed(list(pattern.finditer(text))):
            rest = f"{text[: found.start()]} {text[found.end() :]}"
            base = " ".join(re.findall(r"[^\W\d_]+|\d+", rest.lower()))
            name = rest.rpartition("/")[2] if is_path else rest
            if re.search(r"[^\W\d_]{2}", name) or is_path and "/" in rest:
                return base, _mark(found)
    return None


def _marks_in(text: str) -> Iterator[_Mark]:
    """Yield the marks of a text: a day is not its month and its year as well."""
    for pattern in _MARKS:
        yield from map(_mark, pattern.finditer(text))
        text = pattern.sub(" ", text)


def _months_in(text: str) -> Iterator[_Mark]:
    """Yield the months that a question names without their year, with the day before them."""
    for found in _MONTH_ALONE.finditer(text):
        day = _DAY_BEFORE.search(text, 0, found.start())
        month = _MONTH_NUMBERS[found["name"].lower()[:3]]
        yield _Mark("month", (month, int(day[1])) if day else (month,))


def _mark(found: re.Match[str]) -> _Mark:
    groups: Mapping[str, str | None] = found.groupdict()
    version = groups.get("version")
    if version:
        parts = version.split(".")
        order = (int(part) if part.isdigit() else ord(part.upper()) for part in parts)
        return _Mark("version", tuple(order))
    name, month, day = (groups.get(part) for part in ("name", "month", "day"))
    numbers = [int(groups["year"] or 0)]
    if name or month:
        numbers.append(_MONTH_NUMBERS[name.lower()[:3]] if name else int(month or 0))
    if day:
        numbers.append(int(day))
    return _Mark(("year", "year", "day")[len(numbers) - 1], tuple(numbers))


def _replaces(newer: _Text, sayings: list[re.Match[str]], older: _Text) -> bool | None:
    """Return whether a text says that it stands for all of another, None where it says neither.

    Args:
        newer: The text.
        sayings: Where it says that it replaces or amends something.
        older: The other one.
    """
    for told in sayings:
        named = set(content_words(newer.title))  # a successor in office is no newer text
        own = set(content_words(_without_marks(_BRACKETS.sub("", older.title))))
        marks, its = list(_marks_in(told["what"])), list(_marks_in(f"{older.title} {older.doc_id}"))
        is_other_time = bool(marks and its) and not any(
            one.is_within(mark) or mark.is_within(one) for one in its for mark in marks
        )
        if own and len(own & named) >= _MOST_OF * len(own) and not is_other_time:
            return told["whole"] is not None
    return None


def _without_marks(text: str) -> str:
    for pattern in _MARKS:
        text = pattern.sub(" ", text)
    return text
