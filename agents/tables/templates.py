"""The query, over one table or from one to another, that accounts for most of a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.tables.asked import read_asked
from hoptrail.agents.tables.column_choice import ColumnChoice
from hoptrail.agents.tables.column_kinds import is_code, is_word
from hoptrail.agents.tables.query_template import QueryTemplate, Written
from hoptrail.agents.tables.question_words import cell_groups
from hoptrail.agents.tables.table_links import RowLink, TableLinks, told_by
from hoptrail.agents.tables.table_query import (
    Condition,
    TableQuery,
    literal,
)
from hoptrail.core.tables.table import Column, Table

_LEAST_TOLD = 0.5  # of the words of a question that a query must account for
_MOST_JOINED = 50  # rows


def write_from_template(
    question: str, tables: Sequence[Table], similarity: TextSimilarity
) -> Written | None:
    """Return the query that accounts for most of a question, None where none does well.

    Args:
        question: The standalone question.
        tables: Those that may hold the answer, the likeliest first.
        similarity: Compares the question with heads that name the same in other words.
    """
    asked = read_asked(question)
    if not asked.words.content:
        return None
    found: list[Written] = []
    links = [TableLinks(asked.beside(table.labels), table) for table in tables]
    lone_heads = _lone_heads(tables)
    of_thing = {one.table.id for one in links if one.names_rows(asked.thing)}
    of_other = {table.id for table in tables} - of_thing if of_thing else set()
    for own in links:
        elsewhere = lone_heads - _heads(own.table)
        is_other = own.table.id in of_other
        found += QueryTemplate(own, similarity, elsewhere=elsewhere, is_of_other=is_other).written()
    for first, second in ((one, other) for one in links for other in links if one is not other):
        found += _joined(first, second, similarity, is_of_other=second.table.id in of_other)
    best = max((one.rank for one in found), default=None)
    if best is None or best[0] < _LEAST_TOLD:
        return None
    chosen, *others = [_spelled_out(one, tables) for one in found if one.rank == best]
    for one in others:
        if _cells(one) != _cells(chosen):
            is_other = one.query.table is not chosen.query.table
            return replace(chosen, other=one.query) if is_other else replace(chosen, is_sure=False)
    return chosen


def _heads(table: Table) -> frozenset[str]:
    return frozenset().union(*(cell_groups(label) for label in table.labels))


def _lone_heads(tables: Sequence[Table]) -> frozenset[str]:
    """Return the word groups that are the whole head of some column of words: "Caretaker"."""
    heads = (
        cell_groups(one.label) for table in tables for one in table.columns if one.kind == "text"
    )
    return frozenset().union(*(head for head in heads if len(head) == 1))


def _cells(written: Written) -> object:
    query = written.query
    texts = tuple(
        query.table.text(row, column.index) for row in query.rows for column in query.columns
    )
    return (query.aggregate, texts)


def _joined(
    first: TableLinks, second: TableLinks, similarity: TextSimilarity, *, is_of_other: bool
) -> Iterator[Written]:
    """Yield queries of a second table by what the rows of a first one name there."""
    asked = first.asked
    if not first.row_links or asked.operation in {"difference", "choice"}:
        return
    is_look_up = asked.operation == "look_up"
    rows = ColumnChoice(first, similarity, first.context_told).rows(first.row_links)
    if not rows or len(rows) > (1 if is_look_up else _MOST_JOINED):
        return
    named = {link.column for link in first.row_links}
    is_named_there = told_by(first.row_links) <= told_by(second.row_links)
    if is_named_there and not is_look_up:
        return
    for column in first.table.columns:
        cells = {row: first.table.text(row, column.index) for row in rows}
        if column.kind == "number" or not all(map(is_word, cells.values())):
            continue
        for other in second.table.columns:
            given = None if other.kind == "number" else _given(first, second, column, other, cells)
            is_like = bool(cell_groups(column.label) & cell_groups(other.label))
            # Berth B3 is no room B3; and what both tables name leads from neither to the other.
            if given is None or column in named and (is_named_there or not is_like):
                continue
            is_named_so = column in {first.table.key, first.table.name_column} or is_like
            if not is_look_up and not is_named_so and not all(map(is_code, cells.values())):
                continue
            context = first.context_told | first.told_by_heads(named)
            template = QueryTemplate(second, similarity, given, context, is_of_other=is_of_other)
            queries = template.looked_up([given]) if is_look_up else template.written()
            via = tuple((first.table, row, column) for row in rows)
            yield from (replace(written, via=via) for written in queries)


def _given(
    first: TableLinks,
    second: TableLinks,
    column: Column,
    other: Column,
    cells: Mapping[int, str],
) -> RowLink | None:
    """Return the rows of a second table that have a cell of the first one, None where none has."""
    found = second.rows_of(other, cells.values())
    if not found:
        return None
    listed = ", ".join(literal(cell) for cell in dict.fromkeys(cells.values()))
    return RowLink(
        other,
        found,
        told_by(first.row_links) | first.label_told[column],
        Condition(other, f"{{}} IN ({listed})"),
        all(link.is_full for link in first.row_links),
        is_test=len(found) > 1,
    )


def _spelled_out(written: Written, tables: Sequence[Table]) -> Written:
    """Return what a code stands for in another table, where it is one row's and named alike.

    Of a tour by boat K2 the boat is the one that the list of boats has below K2.
    """
    query = written.query
    if query.aggregate != "cells" or len(query.columns) != 1 or len(query.rows) != 1:
        return written
    (row,), (column,) = query.rows, query.columns
    code = query.table.text(row, column.index)
    if column.kind != "text" or not is_code(code):
        return written
    head = cell_groups(column.label)
    for table in tables:
        if table is query.table:
            continue
        named = [one for one in table.columns if cell_groups(one.label) & head]
        if not named and head & cell_groups(f"{table.title} {table.name}"):
            # The list of books has the book's title below whatever head.
            texts = (one for one in table.columns if one.kind == "text")
            named = [one for one in texts if not is_code(table.text(table.body[0], one.index))][:1]
        for key in table.columns:
            found = [at for at in table.body if table.text(at, key.index) == code]
            names = [one for one in named if one != key]
            if len(found) == 1 and len(names) == 1:
                condition = Condition(key, f"{{}} IN ({literal(code)})")
                told = TableQuery(table, "cells", (found[0],), (names[0],), (condition,))
                return replace(written, query=told, via=(*written.via, (query.table, row, column)))
    return written
