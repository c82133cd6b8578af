"""Whether a cell of a row is the very one that a question asks for, by its row and its column."""

from __future__ import annotations

from hoptrail.agents.language.everyday_words import everyday_groups
from hoptrail.agents.language.table_rows import cell_text, identifying_parts
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.query import Query, name_words

_PRICE = everyday_groups("price")
_FITS_BY_COLUMN = 0.9
_LIGHT = everyday_groups("long take takes big size large often high")


def is_asked_cell(query: Query, one: Candidate, around: Surroundings) -> bool:
    """Return whether a question names the row that a value stands in, and its column.

    All that the question says must be told by the row, the name of the column and the title: "the
    price of the pump for members" is not in a list of prices that speaks of no members. That a
    column of amounts has a price need not be said.

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
        key
        for key in keys
        if key != part and _is_named(name_words(cell_text(key, text)), key.label, query)
    ]
    if not named:
        return False
    row = everyday_groups(" ".join([cell_text(named[0], text), named[0].label]))
    asked = query.wanted - row
    told = everyday_groups(part.label) | statement.place
    if "money" in query.asked.measures and one.fit >= _FITS_BY_COLUMN:
        told |= _PRICE
    is_of_column = bool(asked & everyday_groups(part.label)) or one.fit >= _FITS_BY_COLUMN
    return is_of_column and asked - _LIGHT <= told


def _is_named(cell: frozenset[str], label: str, query: Query) -> bool:
    """Return whether the question has a cell's words; a bare number needs its column's name."""
    if not cell or not cell <= query.words:
        return False
    is_bare = all(word.isdigit() for word in cell)
    return not is_bare or bool(everyday_groups(label) & query.wanted)
