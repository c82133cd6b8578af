"""The kinds of columns that their heads and cells tell: years, prices, totals, rates, names."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.agents.language.common_words import is_common
from hoptrail.agents.reading.asked_value import measures_of
from hoptrail.agents.tables.question_words import WEEKDAY_GROUPS, cell_groups
from hoptrail.agents.tables.table_links import measures_in, sampled_cells
from hoptrail.core.tables.calendar_span import calendar_span
from hoptrail.core.tables.table import Column, Table
from hoptrail.core.text import content_words

_OFTEN = 0.8  # different cells a row, below which they come again
_OF_ALL = cell_groups("total sum overall amount value")
OF_EACH = cell_groups("rate unit per each single hourly daily")
PRICE = cell_groups("price")
WHEN = cell_groups("date day time start begin year since month")
_PERSON = cell_groups(
    "name person contact owner manager tutor teacher member staff president chair head keeper "
    "initials"
)
_PLACE = cell_groups("place town room location venue city village building address")
BORN = cell_groups("born birth birthday")
AGE = cell_groups("age aged old")


def are_alike(table: Table, columns: Sequence[Column]) -> bool:
    """Return whether numbers of several columns may be added: parts of a year, or of a whole.

    Quantity, price and amount stand for unlike things, and so do people and square miles.
    """
    if len({one.unit for one in columns}) > 1 or any(map(is_of_each, columns)):
        return False
    if all(not calendar_span(one.label).is_empty for one in columns):
        return True
    if table.summing_columns or table.row_totals:
        return bool(table.summing_columns)
    heads = [cell_groups(one.label) for one in columns]
    return bool(frozenset.intersection(*heads)) or all(may_be_name(one.label) for one in columns)


def is_of_all(table: Table, column: Column) -> bool:
    """Return whether a column tells what there is in total of each row."""
    return column in table.row_totals or bool(cell_groups(column.label) & _OF_ALL)


def is_of_each(column: Column) -> bool:
    """Return whether a head is that of a rate: "Unit price", "€ per hour", "£ / day"."""
    return bool(cell_groups(column.label) & OF_EACH) or "/" in column.label


def is_when(table: Table, column: Column) -> bool:
    """Return whether numbers are years, months or days: "Days a week" is a count of them."""
    own = cell_groups(column.label)
    return is_year(table, column) or bool(own) and own <= WHEN


def tells_when(column: Column) -> bool:
    """Return whether a head is that of days or times: "Start", "When"."""
    return bool(cell_groups(column.label) & WHEN) or _ends_in(column, "when")


def tells_person(column: Column) -> bool:
    """Return whether a head is that of persons: "Teacher", "With whom"."""
    return bool(cell_groups(column.label) & _PERSON) or _ends_in(column, "who", "whom")


def tells_place(column: Column) -> bool:
    """Return whether a head is that of places: "Venue", "Where"."""
    return bool(cell_groups(column.label) & _PLACE) or _ends_in(column, "where")


def _ends_in(column: Column, *words: str) -> bool:
    """Return whether a head is one of some question words, or ends in it: "With whom"."""
    return column.label.casefold().rpartition(" ")[2] in words


def is_year(table: Table, column: Column) -> bool:
    """Return whether the numbers of a column are years."""
    cells = [cell for cell in sampled_cells(table, column) if cell]
    of_year = [cell for cell in cells if cell.isdigit() and "1000" <= cell <= "2100"]
    is_alike = column.kind == "number" and not column.unit and len(of_year) == len(cells) > 0
    words = content_words(column.label)
    is_told = bool(cell_groups(column.label) & (WHEN | BORN))
    is_past = any(word.endswith("ed") for word in words)  # "Founded", "Opened"
    return is_alike and (is_told or is_past or all("1800" <= cell for cell in of_year))


def numbers_rows(table: Table, column: Column) -> bool:
    """Return whether the numbers of a column are names of the rows: of plots, rooms, versions.

    They stand first, bare and each once, below the name of a single thing: "Seats" counts, and
    "Age" and "Year" measure.
    """
    head = column.label.casefold()
    is_first = column.kind == "number" and column.index == 0 and not column.unit
    if not is_first or head.endswith("s") and not head.endswith("ss"):
        return False
    cells = [*filter(None, sampled_cells(table, column))]
    is_bare = all(cell.replace(".", "").isdigit() for cell in cells)
    if not is_bare or len(set(cells)) < len(cells) or is_year(table, column):
        return False
    return not measures_of(head) and not cell_groups(head) & (WHEN | AGE | _OF_ALL)


def has_codes(table: Table, column: Column) -> bool:
    """Return whether all cells of a column are short forms with a digit: "E103", "A4"."""
    return all(map(is_code, sampled_cells(table, column)))


def tells_apart(table: Table, column: Column) -> bool:
    """Return whether the cells of a column are words, another one in nearly each row."""
    cells = sampled_cells(table, column)
    return len(set(cells)) >= _OFTEN * len(cells) and not has_codes(table, column)


def has_digits(table: Table, column: Column) -> bool:
    """Return whether the cells of a column may be numbers of something: each has a digit."""
    return all(any(map(str.isdigit, cell)) for cell in sampled_cells(table, column) if cell)


def has_weekdays(table: Table, column: Column) -> bool:
    """Return whether all cells of a column are weekdays."""
    groups = [cell_groups(cell) for cell in set(sampled_cells(table, column)) if cell]
    return bool(groups) and all(own and own <= WEEKDAY_GROUPS for own in groups)


def has_names(table: Table, column: Column) -> bool:
    """Return whether the cells of a column may name persons or firms: capitals, no signs."""
    if has_weekdays(table, column):
        return False
    filled = list(filter(None, sampled_cells(table, column)))
    named = sum(
        len(cell) > 2 and cell[0].isupper() and not any(map(str.isdigit, cell)) for cell in filled
    )
    return bool(filled) and named >= _OFTEN * len(filled)


def has_full_names(table: Table, column: Column) -> bool:
    """Return whether most cells of a column are two or three words, as names of persons are."""
    filled = list(filter(None, sampled_cells(table, column)))
    return sum(len(cell.split()) in {2, 3} for cell in filled) >= _OFTEN * len(filled)


def is_code(cell: str) -> bool:
    """Return whether a cell is a short form with a digit: "E103", "A4"."""
    return any(map(str.isdigit, cell)) and " " not in cell


def may_be_name(head: str) -> bool:
    """Return whether a head may name a thing: no common word alone, else all with capitals."""
    words = head.split()
    if len(words) == 1:
        return not is_common(head)
    return all(word[:1].isupper() for word in words)


def is_word(cell: str) -> bool:
    """Return whether a cell holds a letter or a digit."""
    return any(map(str.isalnum, cell))


def is_price(column: Column) -> bool:
    """Return whether a head is that of an amount of money."""
    return "money" in measures_in(column) or bool(PRICE & cell_groups(column.label))
