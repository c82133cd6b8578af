"""Look an answer up in lines: in columns by what they are for, behind labels by words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.line_layout import (
    ColumnLine,
    LabelledPart,
    column_line,
    days_of,
    labelled_parts,
)
from hoptrail.agents.language.reserves import ASKED, unstated
from hoptrail.agents.language.table_rows import cell_text
from hoptrail.agents.language.value_patterns import HOURS, WEEKDAYS
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.offline.told_label import GENERIC, fit_of, groups_above, may_answer
from hoptrail.agents.reading.query import Query, read_query
from hoptrail.core.language.detection import question_language
from hoptrail.core.language.stems import content_stems, stemmer_of
from hoptrail.core.language.stop_words import stop_words
from hoptrail.core.text import contains_answer, flat, name_key
from hoptrail.core.types.draft import BESIDE, Draft, HopClaim

_DAY = re.compile(rf"\b(?P<day>{WEEKDAYS})s?\b")
_OPENING = everyday_groups("open opens opening opened hour hours time times close closed day")
_CLOSED = re.compile(r"closed|shut", re.IGNORECASE)
_HOURS = re.compile(rf"(?:{HOURS})|{_CLOSED.pattern}", re.IGNORECASE)
_PAYING = everyday_groups("price pay paid ticket entry entrance admission")
_STOP = re.compile(r"(?<=\w{3})\.$")  # no part of "7 p.m."
_SURE = 0.5


@dataclass(frozen=True, slots=True)
class _Line:
    """A line in columns with its sentence, and the short line above those it stands among."""

    sentence: Sentence
    columns: ColumnLine
    caption: str

    def cells(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield the text of each cell but the first, and where it stands."""
        for start, end in self.columns.cells:
            yield _STOP.sub("", flat(self.sentence.text[start:end])), (start, end)

    def claim(self, cell: str) -> HopClaim:
        """Return what the line says of a cell."""
        return HopClaim(self.columns.head, BESIDE, cell, self.sentence.chunk.id)


def look_up_line(question: str, index: EvidenceIndex) -> Draft | None:
    """Return what stands in columns beside the day or the thing that a question names, else None.

    Every word of the question must be told by the line's first cell or by what stands above it.
    Where lines give different answers, none is taken.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    query = read_query(question)
    if query.is_doubtful:
        return None
    day = _DAY.search(question)
    is_at_a_time = any(map(str.isdigit, question))  # "Is it open at 5 pm on Friday?"
    if query.asked.answer_type == "yes_no" and (is_at_a_time or not day):
        return None
    find = _hours if day and query.wanted & _OPENING else _beside_thing
    found = list(find(query, index))
    if len({tuple(map(name_key, cells)) for _, cells in found}) != 1:
        return None
    line, cells = found[0]
    hops = tuple(map(line.claim, cells))
    if query.asked.answer_type == "yes_no":
        told = "no" if all(map(_CLOSED.fullmatch, cells)) else "yes"
        return Draft("graph_search", (told,), hops=hops, derived=True, reserve="")
    return Draft("graph_search", cells, hops=hops, reserve="")


def _hours(query: Query, index: EvidenceIndex) -> Iterator[tuple[_Line, tuple[str, ...]]]:
    """Yield the hours of the day that a question names."""
    named = _DAY.search(query.text)
    days = days_of(named["day"]) if named else frozenset()
    wanted = query.wanted - _OPENING - everyday_groups(named.group() if named else "")
    for line in _lines(index):
        above = groups_above(line.sentence)
        caption = everyday_groups(line.caption) - _OPENING
        is_about = wanted <= above | caption and caption <= query.wanted | above
        told = tuple(cell for cell, _ in line.cells())
        is_hours = all(map(_HOURS.fullmatch, told))
        if is_about and is_hours and days <= days_of(line.columns.head):
            yield line, tuple(cell for cell in told if not _CLOSED.fullmatch(cell)) or told[:1]


def _beside_thing(query: Query, index: EvidenceIndex) -> Iterator[tuple[_Line, tuple[str, ...]]]:
    """Yield the amount or date that stands beside what a question names."""
    if not query.asked.is_exact or query.asked.is_identifier:
        return
    wanted = query.wanted - GENERIC - _PAYING
    for line in _lines(index):
        head = everyday_groups(line.columns.head)
        if not head or not head <= query.wanted:
            continue
        if wanted - head - groups_above(line.sentence) - everyday_groups(line.caption):
            continue
        cells = list(line.cells())
        text, span = cells[-1]
        is_fit = fit_of(query.asked, line.sentence.text, span, line.columns.head) >= _SURE
        is_fit = is_fit and may_answer(query, line.sentence.text, span, line.columns.head)
        if len(cells) == 1 and is_fit:
            yield line, (text,)


def _lines(index: EvidenceIndex) -> Iterator[_Line]:
    """Yield the lines in columns of all passages; a sentence between tells of something else."""
    for sentences in index.sentences.values():
        caption = ""
        for sentence in sentences:
            columns = None
            if len(labelled_parts(sentence.text)) < 2:
                columns = column_line(sentence.text)
            if (
                columns is not None
                and any(map(str.isdigit, sentence.text))
                or (columns is not None and days_of(columns.head))
            ):
                yield _Line(sentence, columns, caption)
            elif columns is None:
                caption = "" if sentence.text.endswith(".") else sentence.text


def look_up_labelled(question: str, index: EvidenceIndex) -> Draft | None:
    """Return the one cell whose label a question has, in a row that it names, else None.

    The question spells another cell of the row, and has all words of the label. Where several cells
    fit, none is taken; where it has further words that are not common ones, they may ask for
    something else, and the answer is given with reserve.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    stems = content_stems(question, question_language(question))
    found = {
        (claim.subject, claim.predicate, name_key(claim.object)): claim
        for sentences in index.sentences.values()
        for sentence in sentences
        for claim in _claims(sentence, question, stems)
    }
    if len({name_key(claim.object) for claim in found.values()}) != 1:
        return None
    claim = next(iter(found.values()))
    reserve = unstated(ASKED) if _asks_more(question, claim) else ""
    return Draft("graph_search", (claim.object,), hops=(claim,), reserve=reserve)


def _asks_more(question: str, claim: HopClaim) -> bool:
    """Return whether a question has words that are neither common nor of the row and the label."""
    language = question_language(question)
    told = content_stems(f"{claim.subject} {claim.predicate}", language)
    rest = content_stems(question, language) - told
    common = frozenset(map(stemmer_of(language), stop_words(language)))
    return bool(rest - common)


def _claims(sentence: Sentence, question: str, stems: frozenset[str]) -> Iterator[HopClaim]:
    """Yield what a row says of the cell that a question spells, under the label that it asks."""
    language = question_language(question)
    parts = labelled_parts(sentence.text)
    named = [part for part in parts if _is_spelled(part, sentence.text, question)]
    for part in parts if named else ():
        label = content_stems(part.label, language)
        if part not in named and label and label <= stems:
            subject, told = (cell_text(one, sentence.text) for one in (named[0], part))
            yield HopClaim(subject, part.label, told, sentence.chunk.id)


def _is_spelled(part: LabelledPart, text: str, question: str) -> bool:
    cell = cell_text(part, text)
    return len(name_key(cell)) > 1 and contains_answer(question, cell)
