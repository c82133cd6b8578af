"""Whether a cell of a row is the very one that a question asks for, by its row and its column."""

from __future__ import annotations

from hoptrail.agents.language.everyday_words import everyday_groups
from hoptrail.agents.language.labelled_text import LabelledPart
from hoptrail.agents.language.table_rows import cell_text, identifying_parts
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.query import Query, name_words
from hoptrail.agents.reading.statements import Statement

_PRICE = everyday_groups("price")
_FITS_BY_COLUMN = 0.9
_NAMING_CELLS = 2  # cells that name a row together: the route and the ticket
_LIGHT = everyday_groups("long take takes big size large often high")


def is_asked_cell(query: Query, one: Candidate, around: Surroundings) -> bool:
    """Return whether a question names the row that a value stands in, and its column.

    A row is named by what stands for it, or by two cells, and where its name is asked for by any
    other cell: "who is responsible for keys?". All that the question says must be told by those
    cells, the names of the columns and the headings: a list that speaks of no members has no "price
    of the pump for members". That a column of amounts has prices need not be said.

    Args:
        query: The question.
        one: The value.
        around: The statements.
    """
    statement = around.statements[one.at]
    part = statement.part_at(one.value.start)
    if one.lead is not None or not statement.is_row or part is None:
        return False
    text = statement.text
    keys = identifying_parts(statement.parts, text, statement.sentence.chunk.text)
    named = [
        other
        for other in statement.parts
        if other != part and _is_named(name_words(cell_text(other, text)), other.label, query)
    ]
    if len(named) < _NAMING_CELLS and part not in keys and not set(named) & set(keys):
        return False
    row = everyday_groups(" ".join(f"{cell_text(one, text)} {one.label}" for one in named))
    asked = query.wanted - row - _LIGHT
    is_of_column = bool(asked & everyday_groups(part.label)) or one.fit >= _FITS_BY_COLUMN
    return bool(named) and is_of_column and asked <= _told(part, statement, query, one.fit)


def _told(part: LabelledPart, statement: Statement, query: Query, fit: float) -> frozenset[str]:
    """Return the word groups of a column's name and of the headings above its table."""
    title = statement.sentence.chunk.title
    told = everyday_groups(f"{part.label} {statement.heading} {statement.caption} {title}")
    is_price = "money" in query.asked.measures and fit >= _FITS_BY_COLUMN
    return told | _PRICE if is_price else told


def _is_named(cell: frozenset[str], label: str, query: Query) -> bool:
    """Return whether the question has a cell's words; a bare number needs its column's name."""
    if not cell or not cell <= query.words:
        return False
    is_bare = all(word.isdigit() for word in cell)
    return not is_bare or bool(everyday_groups(label) & query.wanted)
