"""Look a number up in a table whose columns are years: "How many members were there in 2023?"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.everyday_words import everyday_groups
from hoptrail.agents.language.labelled_text import LabelledPart, labelled_parts
from hoptrail.agents.language.table_rows import cell_text, row_name
from hoptrail.agents.offline.told_label import GENERIC, groups_above, is_short
from hoptrail.agents.reading.query import Query, read_query
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Draft, HopClaim

_TOTAL = re.compile(r"(?:grand |in )?total|sum|altogether|all", re.IGNORECASE)
_BRACKETS = re.compile(r"\s?\([^()]{1,40}\)")
_UNITS = everyday_groups("kg kilo kilos litre litres tonne tonnes euro euros pound pounds")


def look_up_year(question: str, index: EvidenceIndex) -> Draft | None:
    """Return the cell where a row that is named meets the column of the year that is, else None.

    A question that names no row but what the table is about asks for the row of the total.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    query = read_query(question)
    if query.is_doubtful or len(query.years) != 1 or query.asked.answer_type != "number":
        return None
    (year,) = query.years
    found = list(_cells(query, year, index))
    if len({name_key(claim.object) for claim in found}) != 1:
        return None
    return Draft("graph_search", (found[0].object,), hops=(found[0],), reserve="")


def _cells(query: Query, year: str, index: EvidenceIndex) -> Iterator[HopClaim]:
    """Yield what the rows that a question asks for say of a year."""
    for sentences in index.sentences.values():
        for sentence in sentences:
            text, parts = sentence.text, labelled_parts(sentence.text)
            told = next((part for part in parts if part.label == year), None)
            if told is None or not _is_asked(query, year, parts, sentence):
                continue
            cell = cell_text(told, text)
            if is_short(cell) and any(map(str.isdigit, cell)):
                yield HopClaim(row_name(parts[0], text), year, cell, sentence.chunk.id)


def _is_asked(query: Query, year: str, parts: tuple[LabelledPart, ...], sentence: Sentence) -> bool:
    """Return whether a question names a row by its first cell, or its table where that sums up."""
    cell = cell_text(parts[0], sentence.text)
    name = everyday_groups(_BRACKETS.sub("", cell))
    above = groups_above(sentence) | everyday_groups(parts[0].label) | everyday_groups(cell)
    rest = query.wanted - everyday_groups(year) - GENERIC - _UNITS
    if _TOTAL.fullmatch(cell.strip()):
        return bool(rest) and rest <= above
    return bool(name) and name <= query.wanted and rest <= above
