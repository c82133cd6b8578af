"""The queries that a question may mean of one table, one for each form of question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from hoptrail.agents.language.answer_types import asks_for_several
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.tables.asked import COMPARE, Asked, read_asked
from hoptrail.agents.tables.column_choice import ColumnChoice, Target
from hoptrail.agents.tables.column_kinds import is_of_all, numbers_rows, tells_apart
from hoptrail.agents.tables.question_words import cell_groups
from hoptrail.agents.tables.table_links import RowLink, TableLinks, tells_yes_or_no, told_by
from hoptrail.agents.tables.table_query import (
    GROUPED,
    Aggregate,
    Condition,
    TableQuery,
    literal,
)
from hoptrail.core.tables.calendar_span import calendar_span
from hoptrail.core.tables.table import Column, Table

_ORDINAL_WORDS = "first second third fourth last".split()
_ORDINALS = cell_groups(" ".join(_ORDINAL_WORDS))
_AMOUNTS = cell_groups("number amount figure value total")
_MOST_OF_ALL = frozenset("most least fewest".split())
_MOST_UNASKED = 3
_OTHER_END: Mapping[Aggregate, Aggregate] = {"most": "least", "least": "most"}
_PART_OF_YEAR = re.compile(r"\b(quarter|half)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Written:
    """A query, and how well it accounts for the question.

    `untold` are words of the question that nothing in it stands for, `is_sure` whether each part
    of it was named as the table spells it. `named` is how many words cells and heads tell, rather
    than what stands above the table. `via` are cells of other tables that led to its rows, `other`
    is a query of another table that accounts for as much and gives something else.
    """

    query: TableQuery
    untold: tuple[str, ...]
    share: float
    is_sure: bool
    named: int
    via: tuple[tuple[Table, int, Column], ...] = ()
    other: TableQuery | None = None

    @property
    def rank(self) -> tuple[float, bool, int, int]:
        """The better one comes last."""
        return (self.share, self.is_sure, -len(self.via), self.named)


class QueryTemplate:
    """Writes the queries that a question may mean of one table.

    Args:
        links: Where the question touches the table.
        similarity: Compares wordings.
        given: Rows that were found by another table.
        given_context: The words that the other table told.
        elsewhere: Word groups that are the head of a column of another table.
        is_of_other: Whether the rows of another table are the things that are asked about.
    """

    def __init__(
        self,
        links: TableLinks,
        similarity: TextSimilarity,
        given: RowLink | None = None,
        given_context: frozenset[int] = frozenset(),
        elsewhere: frozenset[str] = frozenset(),
        *,
        is_of_other: bool = False,
    ) -> None:
        self._elsewhere = elsewhere
        self._rows_are_other = is_of_other
        self._links = links
        self._asked: Asked = links.asked
        self._table = links.table
        self._given = given
        self._context = given_context | links.context_told
        self._strong_context = given_context | links.title_told
        self._columns = ColumnChoice(links, similarity, self._context)

    def written(self) -> Iterator[Written]:
        """Yield the queries."""
        operation = self._asked.operation
        if operation in {"difference", "choice"}:
            yield from self._compared()
            return
        bounds = self._bound_links()
        if bounds is None:
            return
        links = [*self._row_links(), *bounds]
        judgements = list(self._judgements(links))
        if judgements:
            yield from judgements
        elif operation in {"most", "least"}:
            yield from self._extremes(links)
        elif operation == "count":
            yield from self._counted(links)
        elif operation in {"sum", "mean"}:
            yield from self._aggregated(links)
        else:
            yield from self.looked_up(links)

    def _row_links(self) -> list[RowLink]:
        given = [self._given] if self._given is not None else []
        return [*given, *self._links.row_links]

    def _judgements(self, links: Sequence[RowLink]) -> Iterator[Written]:
        """Yield the look-ups of a cell with yes or no of the one row that the question names."""
        names = [link for link in links if not link.is_test]
        is_asked = self._asked.value.answer_type == "yes_no" and not self._asked.words.denials
        rows = self._columns.rows(names) if names and is_asked else ()
        if len(rows) != 1:
            return
        for column in self._table.columns:
            told = self._links.label_told[column]
            if self._links.label_content[column] and tells_yes_or_no(self._table, column):
                yield self._judged("cells", rows, Target((column,), told, True), names)

    def looked_up(self, links: Sequence[RowLink]) -> Iterator[Written]:
        """Yield the look-ups of a cell, or of several, in the rows of some links."""
        rows = self._columns.rows(links)
        if not links or not rows:
            return
        for target in self._columns.targets(links):
            cells = {
                tuple(self._table.text(row, column.index) for column in target.columns)
                for row in rows
            }
            written = self._judged("cells", rows, target, links)
            if len(cells) == 1 or self._may_be_several(links):
                yield written
            elif written.untold or not all(link.is_full for link in links):
                continue  # what is left over may tell which of them is meant
            elif self._asked.names_several and any(link.is_test for link in links):
                yield written
            elif len(cells) <= _MOST_UNASKED and target.columns[0].kind == "text":
                # "Who skippered the Gannet?" of two who did
                yield replace(written, is_sure=False)

    def _may_be_several(self, links: Sequence[RowLink]) -> bool:
        return asks_for_several(self._asked.words.text) and any(link.is_test for link in links)

    def _counted(self, links: Sequence[RowLink]) -> Iterator[Written]:
        noun = cell_groups(self._asked.value.noun)
        columns = [
            column
            for column in self._columns.numeric(links)
            if noun & cell_groups(f"{column.label} {column.unit}")
        ]
        rows = self._columns.rows(links)
        if rows and len(by_span := self._columns.by_span(links)) > 1:
            yield self._judged("sum", rows, Target(by_span, self._asked.span_told, True), links)
        elif columns and rows and links:
            for target in self._columns.targets(links, columns):
                yield self._judged("cells" if len(rows) == 1 else "sum", rows, target, links)
        elif not columns and (any(link.is_test for link in links) or self._counts_rows(links)):
            yield self._judged("count", rows, Target((self._table.key,), frozenset(), True), links)
        elif not columns:
            yield from self.looked_up(links)

    def _counts_rows(self, links: Sequence[RowLink]) -> bool:
        """Return whether the rows themselves are counted, none of which is named."""
        first = self._table.columns[0]
        if self._asked.thing <= self._links.label_told[first] and numbers_rows(self._table, first):
            return bool(self._asked.thing) and all(link.column != first for link in links)
        is_named = any(link.column == self._table.key for link in links)
        return self._links.names_rows(self._asked.thing) and not is_named

    def _aggregated(self, links: Sequence[RowLink]) -> Iterator[Written]:
        rows = self._columns.rows(links)
        if not rows:
            return
        aggregate: Aggregate = "mean" if self._asked.operation == "mean" else "sum"
        for target in self._columns.column_sets(links):
            is_whole = len(rows) * len(target.columns) > 1
            # What a row has in total is its cell of what there is in total, or its only number.
            is_cell = self._asked.is_count or is_of_all(self._table, target.columns[0])
            if is_whole or is_cell and aggregate == "sum":
                yield self._judged(aggregate if is_whole else "cells", rows, target, links)

    def _extremes(self, links: Sequence[RowLink]) -> Iterator[Written]:
        rows = self._columns.rows(links)
        aggregate: Aggregate = "most" if self._asked.operation == "most" else "least"
        if len(rows) == 1 and any(not link.is_test for link in links):
            for target in self._columns.column_sets(links, over_columns=True):
                if len(target.columns) > 1 and self._may_be_heads(target.columns):
                    yield self._judged(aggregate, rows, target, links)
            return
        if len(rows) < 2:
            return
        if (counted := self._columns.counted_by(links)) is not None:
            by_rows: Aggregate = "most_rows" if aggregate == "most" else "least_rows"
            told = self._links.label_told[counted]
            yield self._judged(by_rows, rows, Target((counted,), told, False), links, key=counted)
            return
        columns, key = self._columns.by_degree(links), self._columns.asked_key(links)
        if self._is_summed(key, rows):
            by_sum: Aggregate = "most_sum" if aggregate == "most" else "least_sum"
            sums = [*self._columns.totals(links, columns)]
            yield from (self._judged(by_sum, rows, one, links, key=key) for one in sums)
            if sums:
                return
        targets = [*self._columns.targets(links, columns)]
        for target in targets or self._agreeing(aggregate, rows, columns):
            measured = target.columns[0]
            is_turned = self._columns.grows_with_age(measured)
            end = _OTHER_END[aggregate] if is_turned else aggregate
            named = measured if self._asks_value(measured) else key
            yield self._judged(end, rows, target, links, key=named)

    def _may_be_heads(self, columns: Sequence[Column]) -> bool:
        """Return whether heads of columns may be what is asked for: days are parts of a year."""
        value = self._asked.value
        is_when = value.answer_type == "date" or value.noun in {"day", "date", "month"}
        return not is_when or all(not calendar_span(one.label).is_empty for one in columns)

    def _agreeing(
        self, aggregate: Aggregate, rows: Sequence[int], columns: Sequence[Column]
    ) -> list[Target]:
        """Return the first of some columns where one row has the most or least of each of them."""
        sign = 1 if aggregate == "most" else -1
        ends = set()
        for column in columns:
            values = {
                row: sign * value
                for row in rows
                if isinstance(value := self._table.value(row, column), float)
            }
            best = max(values.values(), default=0.0)
            ends.add(frozenset(row for row, value in values.items() if value == best))
        return [Target((columns[0],), frozenset(), False)] if len(ends) == 1 else []

    def _is_summed(self, key: Column, rows: Sequence[int]) -> bool:
        """Return whether what is asked for comes again and has the most of several rows together.

        "Who ordered most?" adds up the orders of each; "the largest order" is one of them.
        """
        degree, words = self._asked.degree, self._asked.words.words
        if degree is None or degree.hint:
            return False
        names = [self._table.text(row, key.index) for row in rows]
        is_most = any(words[at].text in _MOST_OF_ALL for at in degree.told)
        return is_most and key.kind == "text" and len(set(names)) < len(names)

    def _asks_value(self, column: Column) -> bool:
        """Return whether the most or least itself is asked for, rather than what has it."""
        value = self._asked.value
        if self._asked.asks_which_more:
            return False
        if column.kind != "number" or value.answer_type in {"person", "date", "place"}:
            return False
        head, words = cell_groups(column.label), self._asked.words.words
        if words[0].text == "which":  # "Which boat costs least?" asks for the boat
            return len(words) > 1 and words[1].group in head
        # "the highest number of loans" asks for the number, not for the month that has it
        degree = {*self._asked.told, max(self._asked.told, default=-1) + 1}
        is_amount = any(words[at].group in _AMOUNTS for at in degree if at < len(words))
        told = self._links.label_told[column]
        noun = self._asked.words.told_by(cell_groups(value.noun))
        # "The highest temperature" is asked for, but not where "in which room" it was.
        is_amount = is_amount or bool(self._asked.thing & told) and noun <= told
        return is_amount or bool(cell_groups(value.noun) & head) or words[0].text == "how"

    def _compared(self) -> Iterator[Written]:
        """Yield differences and choices: two rows in one column, or two columns of one row."""
        links = self._row_links()
        sides = _pairs(links)
        if not sides:  # two days that the question names together
            links = [side for link in links for side in _sides(link)]
            sides = _pairs(links)
        is_choice = self._asked.operation == "choice"
        sign = self._asked.degree.sign if self._asked.degree is not None else 1
        aggregate: Aggregate = ("most" if sign > 0 else "least") if is_choice else "difference"
        for one, other in sides:
            others = [link for link in links if link.column != one.column]
            kept = frozenset(self._columns.rows(others))
            first, second = sorted(one.rows & kept), sorted(other.rows & kept)
            if not first or not second or not is_choice and len(first) + len(second) > 2:
                continue
            own = [one, other, *others]
            columns, key = self._columns.by_degree(links), one.column if is_choice else None
            if len(first) + len(second) > 2:  # "Who spent more?" of several orders each
                by_sum: Aggregate = "most_sum" if aggregate == "most" else "least_sum"
                for target in self._columns.totals(own, columns):
                    yield self._judged(by_sum, (*first, *second), target, own, key=key)
                continue
            for target in self._columns.targets(own, columns):
                is_turned = is_choice and self._columns.grows_with_age(target.columns[0])
                end = _OTHER_END[aggregate] if is_turned else aggregate
                yield self._judged(end, (first[0], second[0]), target, own, key=key)
        if not sides and not is_choice:
            yield from self._columns_compared(links)

    def _columns_compared(self, links: Sequence[RowLink]) -> Iterator[Written]:
        """Yield the difference of two columns in one row, or of two parts of the year."""
        words = self._asked.words
        than = next((word.start for word in words.words if word.text in {"than", "and"}), 0)
        if not than:
            return
        first, second = _two_questions(words.text, than)
        one = TableLinks(read_asked(first), self._table)
        other = TableLinks(read_asked(second), self._table)
        rows = self._columns.rows([link for link in links if link.column.kind != "date"])
        pair = self._columns.column_pair(one, other, links) if len(rows) == 1 else None
        if pair is not None:
            told = self._links.told_by_heads(pair)
            told |= words.within(than, len(words.text)) & words.told_by(_ORDINALS)
            yield self._judged("difference", rows, Target(pair, told, True), links)

    def _bound_links(self) -> list[RowLink] | None:
        """Return the rows that keep to each limit of the question, None where one fits nothing."""
        found = []
        for bound in self._asked.bounds:
            content = bound.told & self._asked.words.content
            if any(content <= told for told in self._links.label_told.values()):
                continue
            column = self._columns.bounded(bound)
            if column is None:
                return None
            rows = frozenset(
                row
                for row in self._table.body
                if isinstance(value := self._table.value(row, column), float)
                and COMPARE[bound.comparison](value, bound.number)
            )
            test = f"{{}} {bound.comparison} {literal(bound.number)}"
            told = bound.told | self._links.label_told[column]
            found.append(RowLink(column, rows, told, Condition(column, test), is_test=True))
        return found

    def _is_of_other(
        self,
        aggregate: Aggregate,
        rest: frozenset[int],
        target: Target,
        links: Sequence[RowLink],
    ) -> bool:
        """Return whether the words that are left say that something else is asked for.

        That is what "how many" counts, the head of another table's column, what comes before or
        after the row that is named, or something denied: a number of another thing is no answer,
        nor one that counts what was to be left out.
        """
        asked, words = self._asked, self._asked.words
        if any(words.is_passed(link.told) for link in links if not link.is_test):
            return True
        is_compared = asked.operation in {"difference", "choice"}  # "more visitors" is an amount
        by_cells = told_by(links) - self._links.told_by_heads(self._table.columns) - self._context
        if self._rows_are_other and not is_compared and asked.thing <= rest | by_cells:
            return True
        is_unnamed = aggregate == "cells" and not target.told & words.content
        if is_unnamed and any(words.words[at].group in self._elsewhere for at in rest):
            return True
        if asked.operation not in {"count", "sum"}:
            return False
        noun = words.told_by(cell_groups(asked.value.noun)) & words.content
        if is_unnamed and asked.is_count and noun & rest:
            return True
        return bool(words.denials) and not any(words.is_denied(link.told) for link in links)

    def _judged(
        self,
        aggregate: Aggregate,
        rows: tuple[int, ...],
        target: Target,
        links: Sequence[RowLink],
        *,
        key: Column | None = None,
    ) -> Written:
        """Return a query with how much of the question it accounts for."""
        is_ranked = aggregate in {"most", "least"} | GROUPED
        degree = self._asked.degree if is_ranked else None
        query = TableQuery(
            self._table,
            aggregate,
            rows,
            target.columns,
            _conditions(links),
            key,
            degree.skipped if degree is not None else 0,
            degree.count if degree is not None else 1,
        )
        words = self._asked.words
        heads = [*target.columns, self._table.key, *(link.column for link in links)]
        heads += [key] if key is not None else []
        named = told_by(links) | target.told
        if aggregate == "count":  # rows with another tool each are tools
            apart = [one for one in self._table.columns if tells_apart(self._table, one)]
            named |= self._asked.thing & self._links.told_by_heads(apart)
        by_heads = self._links.told_by_heads(heads)
        rest = words.rest(named | by_heads | self._context | self._asked.told)
        share = 1 - len(rest) / len(words.content)
        is_fitting = is_ranked and self._columns.fits_degree(target.columns[0])
        is_named = bool(words.content - rest - self._asked.told)
        is_touched = bool(links) or target.is_like or is_fitting or is_named
        if (
            not is_touched
            or any(words.words[at].is_name for at in rest)
            or self._is_of_other(aggregate, rest, target, links)
        ):
            share = 0.0  # it is about something that the table does not name
        in_names = named | by_heads | self._strong_context | self._asked.told
        is_sure = (
            target.is_sure
            # "Which was dearest?" may be asked of any list.
            and bool(words.content & (in_names - self._asked.told))
            and not words.rest(in_names)
            and all(link.is_full for link in links)
            # What a question denies, a condition has to leave out.
            and (not words.denials or any(words.is_denied(link.told) for link in links))
        )
        untold = tuple(words.words[at].text for at in sorted(rest))
        return Written(query, untold, share, is_sure, len(words.content & (named | by_heads)))


def _pairs(links: Sequence[RowLink]) -> list[tuple[RowLink, RowLink]]:
    """Return the links that may be the two sides of a comparison."""
    return [
        (one, other)
        for one, other in combinations(links, 2)
        if one.column == other.column
        and not one.rows & other.rows
        and (one.told != other.told or one.column.kind == "date")
    ]


def _sides(link: RowLink) -> list[RowLink]:
    """Return a link by two days, or months, as one for each of them."""
    if link.column.kind != "date" or len(link.rows) != 2:
        return [link]
    return [replace(link, rows=frozenset({row}), is_test=False) for row in sorted(link.rows)]


def _conditions(links: Sequence[RowLink]) -> tuple[Condition, ...]:
    """Return the tests of some links, those of one column joined by "or"."""
    tests: dict[Column, list[str]] = {}
    for link in links:
        tests.setdefault(link.column, []).append(link.condition.test)
    return tuple(
        Condition(column, own[0] if len(own) == 1 else f"({' OR '.join(own)})")
        for column, own in tests.items()
    )


def _two_questions(text: str, than: int) -> tuple[str, str]:
    """Return the two sides of a difference as texts; "than in the first" means what is before."""
    first, second = text[:than], text[than:]
    noun = _PART_OF_YEAR.search(first)
    if noun is not None and _PART_OF_YEAR.search(second) is None:
        second = re.sub(rf"\b({'|'.join(_ORDINAL_WORDS)})\b", rf"\1 {noun[1]}", second)
    return first, second
