"""The columns that a question asks for: by their heads, their kinds, or the likeness of wording."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hoptrail.agents.language.name_shapes import ends_in_place
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.language.value_patterns import Measure
from hoptrail.agents.reading.asked_value import measures_of, unit_of
from hoptrail.agents.tables.asked import BRACKETS, Asked, Bound
from hoptrail.agents.tables.column_kinds import (
    AGE,
    BORN,
    OF_EACH,
    PRICE,
    are_alike,
    has_codes,
    has_digits,
    has_full_names,
    has_names,
    has_weekdays,
    is_of_all,
    is_of_each,
    is_price,
    is_when,
    is_year,
    numbers_rows,
    tells_apart,
    tells_person,
    tells_place,
    tells_when,
)
from hoptrail.agents.tables.question_words import cell_groups
from hoptrail.agents.tables.table_links import (
    RowLink,
    TableLinks,
    measures_in,
    measures_told,
    told_by,
)
from hoptrail.core.tables.calendar_span import calendar_span
from hoptrail.core.tables.cell_values import interval_of
from hoptrail.core.tables.table import Column, ColumnKind
from hoptrail.core.text import content_words, name_key

_SAMPLE = 200  # rows
_LATE = 4  # the word of a question behind those that say what is asked for
_OFTEN = 0.8  # different cells a row, below which they come again
_LIKE = 0.25  # cosine from which a head may mean what is asked in other words
_APART = 0.03
_TOTAL = cell_groups("total sum average mean overall")
_PAID = cell_groups("price pay earn come")
_PAID_FOR = frozenset("pay pays paid paying spend spent spending".split())
_HOURS = cell_groups("hours")


class Target(NamedTuple):
    """Columns that are asked for together, the words that their heads tell, and how surely.

    `is_like` is whether a head means what is asked for in other words.
    """

    columns: tuple[Column, ...]
    told: frozenset[int]
    is_sure: bool
    is_like: bool = False


class ColumnChoice:
    """Chooses columns of one table.

    Args:
        links: Where the question touches the table.
        similarity: Compares wordings.
        context_told: Words that are told by what stands above the table, or by another table.
    """

    def __init__(
        self, links: TableLinks, similarity: TextSimilarity, context_told: frozenset[int]
    ) -> None:
        self._links = links
        self._asked: Asked = links.asked
        self._table = links.table
        self._similarity = similarity
        self._context = context_told

    def rows(self, links: Sequence[RowLink]) -> tuple[int, ...]:
        """Return the rows that all columns' links hold; those of one column may take turns."""
        rows = set(self._table.body)
        for column in {link.column for link in links}:
            rows &= frozenset().union(*(link.rows for link in links if link.column == column))
        return tuple(sorted(rows))

    def numeric(self, links: Sequence[RowLink]) -> list[Column]:
        """Return the columns of numbers that no row was found by, of the asked part of the year."""
        used = {link.column for link in links}
        return [
            column
            for column in self._table.columns
            if column.kind == "number"
            and column not in used
            and not self._links.contradicts(column)
            and not numbers_rows(self._table, column)
        ]

    def targets(
        self, links: Sequence[RowLink], columns: Sequence[Column] | None = None
    ) -> Iterator[Target]:
        """Yield the column that is asked for, the words that its head tells, and how surely.

        By its head; else the only one of the asked kind; else by the likeness of wording.

        Args:
            links: The rows that the question names.
            columns: Where it must be one of these.
        """
        used = {link.column for link in links}
        if columns is None and self._gives_amount(links):
            key = self.asked_key(links)
            if key not in used:
                told_of_key = self._links.label_told[key]
                yield Target((key,), told_of_key, bool(told_of_key))
                return
        if columns is None and (spelled := self._spelled(used)) is not None:
            yield Target((spelled,), self._links.label_told[spelled], True)
            return
        candidates = columns if columns is not None else self._fitting(used)
        candidates = [one for one in candidates if not self._links.contradicts(one)]
        if not candidates:
            return
        taken = told_by(links)
        is_named = any(self._links.label_content[one] - taken for one in candidates)
        best = self._narrowed(candidates, taken, links, is_named=is_named)
        if columns is None and self._asks_times() and self._are_ends(best):
            yield Target(tuple(best), self._links.told_by_heads(best), True)
            return
        if columns is None and not is_named and not self._asks_kind():
            # "What is A-10?" asks for the name of the row, not for any of its cells.
            texts = [one for one in self._table.columns if one.kind == "text" and one not in used]
            best = ([one for one in texts if not has_codes(self._table, one)] or texts)[:1]
        if columns is None and not is_named and len(best) == 1 and self._says_more(best[0]):
            rivals = self._filled([*filter(self._links.is_of_asked_kind, candidates)], links)
            if len(rivals) > 1:
                yield Target(tuple(rivals), frozenset(), False)
                return
        if len(best) == 1:
            is_kind = self._links.is_of_asked_kind(best[0]) or self._is_only_cell(best[0], links)
            if is_named or is_kind or columns is not None or not self._asked.value.is_exact:
                is_only = len(candidates) == 1 and self._is_typed(best[0])
                is_sure = is_named or is_kind or is_only
                told = self._links.label_told[best[0]] | self._links.noun_told(best[0])
                if best == self._paid_in_all(links):
                    told |= self._links.words.told_by(_PAID)
                yield Target((best[0],), told, is_sure)
                return
        chosen = self._likest(best, taken)
        if chosen is not None:
            yield Target((chosen,), self._links.label_told[chosen], False, is_like=True)

    def _asks_times(self) -> bool:
        """Return whether the question asks when something is, or for its hours."""
        value = self._asked.value
        asks_when = value.answer_type == "date" and self._asked.words.words[0].text != "since"
        return asks_when or value.is_time_of_day or self._asks_hours()

    def _asks_hours(self) -> bool:
        asked = self._asked
        return bool(cell_groups(asked.value.noun) & _HOURS) and not asked.asks_amount

    def _are_ends(self, columns: Sequence[Column]) -> bool:
        """Return whether two columns tell from when until when something is, each row in order."""
        if [one.kind for one in columns] != ["time", "time"]:
            return False
        first, last = columns
        told = [
            (begin, end)
            for row in self._table.body[:_SAMPLE]
            if isinstance(begin := self._table.value(row, first), int | float)
            and isinstance(end := self._table.value(row, last), int | float)
        ]
        is_beside = last.index - first.index == 1
        return is_beside and bool(told) and all(begin < end for begin, end in told)

    def _says_more(self, column: Column) -> bool:
        """Return whether the head of an amount says more than a price, which is not asked for."""
        said = cell_groups(BRACKETS.sub("", column.label)) - PRICE - cell_groups(column.unit)
        return "money" in self._asked.value.measures and bool(said)

    def _gives_amount(self, links: Sequence[RowLink]) -> bool:
        """Return whether an amount is given, and its thing asked for: "Which costs £5?"."""
        words = self._asked.words.words
        has_number = any(link.column.kind == "number" and not link.is_test for link in links)
        return has_number and bool(words) and words[0].text == "which"

    def _is_only_cell(self, column: Column, links: Sequence[RowLink]) -> bool:
        """Return whether an amount is asked for and the rows have this one alone, of one kind.

        A job that costs the same for every size has its price in the first column alone.
        """
        others = [one for one in self.numeric(links) if one != column]
        return bool(
            self._asked.asks_amount
            and column.kind == "number"
            and others
            and all(one.unit == column.unit for one in others)
            and all(
                self._table.value(row, one) is None for row in self.rows(links) for one in others
            )
        )

    def _spelled(self, used: set[Column]) -> Column | None:
        """Return the column whose head is the first or last word of the question: "Who", "For"."""
        words = self._asked.words.words
        ends = {words[0].text, words[-1].text}
        found = [
            one
            for one in self._table.columns
            if one not in used and one.label.casefold() in ends and not cell_groups(one.label)
        ]
        return found[0] if len(found) == 1 else None

    def _narrowed(
        self,
        candidates: Sequence[Column],
        taken: frozenset[int],
        links: Sequence[RowLink],
        *,
        is_named: bool,
    ) -> list[Column]:
        """Return the columns that fit best: by words, noun, spelling, kind, the shorter head."""
        open_ = {one: len(self._links.label_content[one] - taken) for one in candidates}
        best = [one for one in candidates if open_[one] == max(open_.values())]
        noun = cell_groups(self._asked.value.noun)
        shortest = min(len(cell_groups(one.label)) for one in best)
        is_money = "money" in self._asked.value.measures
        spelled = {word.text for word in self._asked.words.words}
        asked = f" {name_key(self._asked.words.text)} "
        standing = [one for one in best if f" {name_key(one.label)} " in asked]
        longest = max((len(one.label) for one in standing), default=0)
        tests: tuple[Callable[[Column], bool], ...] = (
            # "Off-peak" is not "Peak".
            lambda one: is_named and one in standing and len(one.label) == longest,
            lambda one: bool(noun & cell_groups(one.label)),
            # "price" and "fee" may mean the same, but not where a table has both
            lambda one: is_named and not spelled.isdisjoint(content_words(one.label)),
            self._links.is_of_asked_kind,
            lambda one: is_money and bool(PRICE & cell_groups(one.label)),
            # "How much is it?" asks for one of them, not for what a row comes to.
            lambda one: is_money and one not in self._table.row_totals,
            lambda one: is_named and len(cell_groups(one.label)) == shortest,
        )
        for test in tests:
            if len(best) > 1:
                best = [one for one in best if test(one)] or best
        filled = self._filled(best, links)
        best = filled if len(filled) == 1 else best
        are_prices = all(is_price(one) or is_of_each(one) for one in best)
        return self._paid_in_all(links) or best if are_prices or not is_named else best

    def _paid_in_all(self, links: Sequence[RowLink]) -> list[Column]:
        """Return the column of what was paid for all pieces of a row, where that is asked for."""
        asked, words = self._asked, self._asked.words
        is_paid = any(word.text in _PAID_FOR for word in words.words)
        if "money" not in asked.value.measures or not is_paid or words.groups & OF_EACH:
            return []
        found = self._table.row_totals - {link.column for link in links}
        return list(found) if len(found) == 1 else []

    def _filled(self, columns: Sequence[Column], links: Sequence[RowLink]) -> list[Column]:
        """Return the columns that hold a value in the rows that are named."""
        rows = self.rows(links)
        return [
            one for one in columns if any(self._table.value(row, one) is not None for row in rows)
        ]

    def _is_typed(self, column: Column) -> bool:
        """Return whether the head of a column says that it holds persons, or places, if asked."""
        of_type = {"person": tells_person, "place": tells_place}.get(self._asked.value.answer_type)
        return of_type is None or of_type(column)

    def _asks_kind(self) -> bool:
        """Return whether the question tells of which kind its answer is: a person, an amount."""
        return self._asked.value.is_exact or self._asked.value.answer_type != "other"

    def column_sets(
        self, links: Sequence[RowLink], *, over_columns: bool = False
    ) -> Iterator[Target]:
        """Yield the columns that are taken together, the words told, and how surely."""
        numeric = [
            one
            for one in self.numeric(links)
            if not cell_groups(one.label) & _TOTAL and one not in self._table.summing_columns
        ]
        if len(by_span := self.by_span(links)) > 1:
            yield Target(by_span, self._asked.span_told, True)
            return
        is_named = any(self._links.label_content[one] for one in numeric)
        if over_columns or len(numeric) > 2 and not is_named and len(self.rows(links)) == 1:
            if are_alike(self._table, numeric):
                yield Target(tuple(numeric), frozenset(), len(numeric) > 2)
                return
        alike = self._named_alike(numeric)
        if len(alike) > 1 and len(self.rows(links)) == 1:
            yield Target(alike, self._links.told_by_heads(alike), True)
            return
        summed = self._summed(links)
        yield from self.totals(links, summed) if summed else self.targets(links, numeric)

    def totals(self, links: Sequence[RowLink], columns: Sequence[Column]) -> Iterator[Target]:
        """Yield which of some columns may be added up; what was paid is a total of each row."""
        columns = [one for one in columns if not is_of_each(one) and not is_year(self._table, one)]
        of_all = self._of_all(columns)
        told = self._links.words.told_by(_PAID) if of_all else frozenset()
        for target in self.targets(links, of_all or columns):
            yield target._replace(told=target.told | told)

    def _of_all(self, columns: Sequence[Column]) -> list[Column]:
        """Return the columns that tell what each row comes to, by their numbers, else by a word."""
        counted = [one for one in columns if one in self._table.row_totals]
        return counted or [one for one in columns if is_of_all(self._table, one)]

    def _summed(self, links: Sequence[RowLink]) -> list[Column]:
        """Return the columns whose numbers may be added up, unless another one is named.

        What something costs in total stands in a column of its own, if anywhere: prices of one
        piece and rates of an hour have no sum.
        """
        asked, told = self._asked, self._links.label_content
        numeric = [one for one in self.numeric(links) if not is_year(self._table, one)]
        known = told_by(links) | asked.told
        of_all = self._of_all(numeric)
        named = [one for one in numeric if told[one] - known]
        is_of_prices = bool(of_all) and all(map(is_price, named))
        if asked.operation != "sum" or named and not is_of_prices:
            return []
        if asked.is_count:
            return [one for one in numeric if one not in of_all and not is_price(one)]
        return of_all or [one for one in numeric if not is_of_each(one)]

    def _named_alike(self, columns: Sequence[Column]) -> tuple[Column, ...]:
        """Return the columns whose heads tell as many words of the question, and the most."""
        told = {one: len(self._links.label_content[one]) for one in columns}
        most = max(told.values(), default=0)
        return tuple(one for one in columns if most and told[one] == most)

    def by_degree(self, links: Sequence[RowLink]) -> list[Column]:
        """Return the columns that a superlative or comparative may speak of."""
        degree = self._asked.degree
        word = degree.hint if degree is not None else ""
        if word == "age":
            return self._by_age(links)
        if word == "date":
            for kind in ("date", "time"):
                if dated := [one for one in self._table.columns if one.kind == kind]:
                    return dated
            if self._asked.value.noun in {"day", "date"}:
                return []
            return [one for one in self.numeric(links) if is_when(self._table, one)]
        named = self._links.label_content
        numeric = self.numeric(links)
        numeric = [one for one in numeric if named[one] or not is_year(self._table, one)]
        if word == "price":
            numeric = [one for one in numeric if "money" in measures_in(one)] or numeric
        fitting = [*filter(self.fits_degree, numeric)]
        if word == "size" and any(named[one] for one in numeric):
            return numeric  # "the largest crew"
        if fitting or not measures_of(word):
            return fitting or numeric
        # "Coldest" is none of rain in mm; "to 6 m" is for what, and says nothing of the amount.
        return [
            one for one in numeric if not measures_in(one) or interval_of(one.label) is not None
        ]

    def fits_degree(self, column: Column) -> bool:
        """Return whether the head of a column tells what a superlative compares: the price."""
        word = self._asked.degree.hint if self._asked.degree is not None else ""
        if word in {"age", "date"}:
            is_aged = bool(cell_groups(column.label) & (AGE | BORN)) or tells_when(column)
            return is_aged or column.kind in {"date", "time"} or is_year(self._table, column)
        measures: frozenset[Measure] = frozenset({"area"}) if word == "size" else measures_of(word)
        is_measured = not measures.isdisjoint(measures_told(column))
        return bool(cell_groups(word) & cell_groups(column.label)) or is_measured

    def _by_age(self, links: Sequence[RowLink]) -> list[Column]:
        """Return the columns that tell how old the rows are; a person's is no other day."""
        numeric = self.numeric(links)
        days = [one for one in self._table.columns if one.kind == "date"]
        days += [one for one in numeric if is_year(self._table, one)]
        ages = [one for one in numeric if AGE & cell_groups(one.label)]
        births = [one for one in days if BORN & cell_groups(one.label)]
        is_person = self._asked.value.answer_type == "person"
        return ages or births or ([] if is_person else days)

    def grows_with_age(self, column: Column) -> bool:
        """Return whether the oldest has the most of a column, which is asked for by "oldest"."""
        degree = self._asked.degree
        is_asked = degree is not None and degree.hint == "age"
        return is_asked and bool(AGE & cell_groups(column.label))

    def by_span(self, links: Sequence[RowLink]) -> tuple[Column, ...]:
        """Return the columns of numbers of the part of the year that the question names."""
        told, label_told = self._asked.span_told, self._links.label_told
        if self._asked.span.is_empty:
            return ()
        found = [
            one
            for one in self.numeric(links)
            if told <= label_told[one] | self._context and not calendar_span(one.label).is_empty
        ]
        most = max((len(label_told[one]) for one in found), default=0)
        return tuple(one for one in found if len(label_told[one]) == most)

    def asked_key(self, links: Sequence[RowLink]) -> Column:
        """Return the column that is asked for of the row with the most or least."""
        asked = self._asked
        if asked.value.answer_type == "date" or asked.value.noun in {"day", "date", "month"}:
            dated = [one for one in self._table.columns if one.kind == "date"]
            if dated:
                return dated[0]
        noun = cell_groups(asked.value.noun)
        used = {link.column for link in links}
        is_person = asked.value.answer_type == "person"
        texts = [
            one
            for one in self._table.columns
            if one not in used
            and (one.kind == "text" or not is_person and numbers_rows(self._table, one))
        ]
        free = [one for one in texts if noun & cell_groups(one.label)]
        if not free:  # "Which caretaker looks after ..."
            told = {one: min(self._links.label_told[one], default=_LATE) for one in texts}
            free = sorted((one for one in texts if told[one] < _LATE), key=told.__getitem__)
        if not free and asked.degree is not None:  # "the second longest boat"
            behind = max(asked.degree.told, default=-2) + 1
            free = [one for one in texts if behind in self._links.label_told[one]]
        if is_person:
            persons = [one for one in texts if tells_person(one)]
            named = [one for one in free if has_names(self._table, one)]
            free = named or persons or [one for one in texts if has_names(self._table, one)] or free
        if not free and has_codes(self._table, self._table.key):
            free = [one for one in texts if tells_apart(self._table, one)]
        return free[0] if free else self._table.key

    def counted_by(self, links: Sequence[RowLink]) -> Column | None:
        """Return the column whose cells are counted: "Who looks after the most boats?".

        It is asked for, its cells come again, and no column of numbers is named.
        """
        degree = self._asked.degree
        if degree is None or degree.hint or self._asked.value.is_exact:
            return None
        column = self.asked_key(links)
        cells = [self._table.text(row, column.index) for row in self.rows(links)]
        is_repeated = column != self._table.key and len(set(cells)) < _OFTEN * len(cells)
        is_named = any(self._links.label_content[one] for one in self.numeric(links))
        return column if is_repeated and not is_named else None

    def bounded(self, bound: Bound) -> Column | None:
        """Return the column of numbers that a limit is set to.

        Of several that may be meant it is the one that has numbers on both sides of the limit.
        """
        numeric = [one for one in self._table.columns if one.kind == "number"]
        measure, hint = unit_of(bound.unit) | measures_of(bound.hint), cell_groups(bound.hint)
        if measure or hint:
            fitting = [
                one
                for one in numeric
                if measure & measures_in(one) or hint & cell_groups(one.label)
            ]
            numeric = fitting or numeric
        told = {one: len(self._links.label_content[one]) for one in numeric}
        most = max(told.values(), default=0)
        best = [one for one in numeric if told[one] == most]
        if len(best) > 1:
            best = [one for one in best if self._is_within(bound.number, one)]
        return best[0] if len(best) == 1 else None

    def _is_within(self, number: float, column: Column) -> bool:
        """Return whether some rows have less in a column, and some as much or more."""
        values = [self._table.value(row, column) for row in self._table.body]
        known = [value for value in values if isinstance(value, float)]
        return bool(known) and min(known) < number <= max(known)

    def column_pair(
        self, one: TableLinks, other: TableLinks, links: Sequence[RowLink]
    ) -> tuple[Column, Column] | None:
        """Return the column that each side speaks of, the second as like the first as may be."""
        columns = self.numeric(links)
        first = _most(
            {column: one.label_told[column] for column in columns if not one.contradicts(column)},
            spelled=one.words.text,
        )
        if first is None:
            return None
        others = {
            column: other.label_told[column]
            for column in columns
            if column != first and (other.label_told[column] or calendar_span(column.label).months)
        }
        second = _most(others, like=first, spelled=other.words.text)
        return None if second is None else (first, second)

    def _fitting(self, used: set[Column]) -> list[Column]:
        """Return the columns whose cells may be of the kind that is asked for."""
        asked = self._asked
        free = [one for one in self._table.columns if one not in used]
        noun = cell_groups(asked.value.noun)
        named = [one for one in free if one.kind == "text" and noun & cell_groups(one.label)]
        if named and not asked.asks_amount:  # "which facility"
            return named
        if asked.value.answer_type == "date" or asked.value.is_time_of_day:
            return self._dated(free)
        times = [one for one in free if one.kind == "time"]
        if times and self._asks_hours():  # "the opening hours on Thursday"
            return times
        if asked.value.is_identifier or "phone" in asked.value.measures:
            kind = [one for one in free if self._links.is_of_asked_kind(one)]
            told = [one for one in free if self._links.label_content[one]]
            return kind or [one for one in told if has_digits(self._table, one)]
        if asked.asks_amount:
            free = [one for one in free if not numbers_rows(self._table, one)]
            numeric = [one for one in free if one.kind == "number"]
            money = "money" in asked.value.measures
            if money and any(map(self._links.is_of_asked_kind, numeric)):
                return [one for one in numeric if self._links.is_of_asked_kind(one)]
            undated = [one for one in free if one.kind != "date"]
            return numeric or [one for one in undated if self._links.label_told[one]]
        texts = [one for one in free if one.kind == "text"]
        if asked.value.answer_type == "person":
            named = [one for one in texts if tells_person(one)]
            named = named or [one for one in texts if has_names(self._table, one)]
            # "Who checked it?" by initials below "checked"
            named = named or [one for one in texts if self._links.label_content[one]]
            elsewhere = [one for one in named if not (tells_place(one) or ends_in_place(one.label))]
            in_full = [one for one in elsewhere if has_full_names(self._table, one)]
            return in_full or elsewhere or named
        if asked.value.answer_type == "place" and not asked.value.noun:
            named = [one for one in texts if tells_place(one)]
            told = [one for one in texts if self._links.label_told[one]]
            return told or named or [one for one in texts if not tells_person(one)]
        return free

    def _dated(self, free: Sequence[Column]) -> list[Column]:
        """Return the columns of days and times, as the question asks for them."""
        value = self._asked.value
        if value.is_time_of_day:
            return [one for one in free if one.kind == "time"]
        kinds: set[ColumnKind] = (
            {"date"} if value.noun in {"day", "date", "month", "year"} else {"date", "time"}
        )
        dated = [one for one in free if one.kind in kinds]
        weekly = [one for one in free if has_weekdays(self._table, one)]
        whens = [one for one in free if tells_when(one) or is_year(self._table, one)]
        return dated or weekly or whens

    def _likest(self, columns: Sequence[Column], taken: frozenset[int]) -> Column | None:
        """Return the column whose head is most like the words that are not told yet."""
        words = self._asked.words
        rest = words.rest(taken | self._context | self._asked.told)
        phrase = " ".join(words.words[at].text for at in sorted(rest))
        labels = [one.label for one in columns]
        if not phrase or not labels or not all(labels):
            return None
        ranked = sorted(
            zip(self._similarity.to(phrase, labels), range(len(labels)), strict=True), reverse=True
        )
        if ranked[0][0] < _LIKE or len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _APART:
            return None
        return columns[ranked[0][1]]


def _most(
    told: dict[Column, frozenset[int]], like: Column | None = None, spelled: str = ""
) -> Column | None:
    """Return the column whose head tells most words, None where it tells none or several do.

    Of some that tell as many, one counts that stands in the text `spelled` as it is.
    """
    own = cell_groups(like.label) if like is not None else frozenset()
    text = f" {name_key(spelled)} "
    ranks = {
        column: (
            len(words),
            f" {name_key(column.label)} " in text,
            len(own & cell_groups(column.label)),
        )
        for column, words in told.items()
    }
    best = max(ranks.values(), default=(0, False, 0))
    found = [column for column, rank in ranks.items() if rank == best]
    return found[0] if best[0] and len(found) == 1 else None
