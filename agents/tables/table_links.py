"""Where a question touches a table: the rows that it names, and the columns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from hoptrail.agents.language.number_words import NUMBER_WORDS
from hoptrail.agents.language.value_patterns import Measure
from hoptrail.agents.reading.asked_value import measures_of, unit_of
from hoptrail.agents.tables.asked import COMPARE, Asked, Comparison, TimeBound
from hoptrail.agents.tables.question_words import QuestionWords, cell_groups
from hoptrail.agents.tables.table_query import SECTION, Condition, literal
from hoptrail.core.tables.calendar_span import calendar_span
from hoptrail.core.tables.cell_values import interval_of, is_missing, number_of, time_of
from hoptrail.core.tables.table import Column, Table
from hoptrail.core.text import content_words

_YES = frozenset("yes y x ✓ ✔ true ja oui 1 •".split())
_NO = frozenset({"no", "n", "false", "nein", "non", "0", "✗", "-", "–", ""})
_PLACES = cell_groups("place town location village city")
_AGE = cell_groups("age")
_YEARS = cell_groups("years old aged")
_LIVING = cell_groups("live lives located lies based come from")
_SAMPLE = 200  # rows
_CUT_SHORT = re.compile(r"([^\W\d_]{3,8})\.")
_NOTHING = frozenset("none no nothing nil keine aucun aucune".split())
_ADDED = re.compile(r"\s(?:with|at|in|on|by|for|from)\s|\s?[(:,]|\s[-–—]\s")
_AMOUNT = re.compile(
    r"(?P<sign>[£€$])?\s?\b(?P<number>\d[\d,]{0,12}(?:\.\d{1,4})?)(?:[\s-]?(?P<unit>[^\W\d_]{1,10}\b|%|°))?"
)
_CLOCK = re.compile(
    r"\b(?P<time>\d{1,2}[:.]\d{2}|\d{1,2}\s?[ap]\.?m\.?)\b"
    r"|\b(?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s"
    r"(?:o'clock\s?)?(?:in the (?P<part>morning|afternoon|evening)|o'clock)",
    re.IGNORECASE,
)
# What is asked in these words is told by the unit of a column.
_MEASURE_WORDS: Mapping[str, frozenset[str]] = {
    "money": cell_groups("price pay spend cost charge fee income money earn worth £ € $"),
    "temperature": cell_groups("hot cold warm cool temperature degrees"),
    "length": cell_groups("long tall high deep wide far length height depth width distance"),
    "mass": cell_groups("heavy light weigh weight"),
    "duration": cell_groups("long last lasts duration time"),
    "area": cell_groups("large big area"),
    "share": cell_groups("percent percentage share proportion"),
    "phone": cell_groups("phone ring call dial number reach telephone"),
}
_CLOCK_LIMIT = re.compile(
    r"\b(?:(?P<before>before|until|earlier than|prior to)|(?P<after>after|later than)"
    r"|(?P<since>since))\s$",
    re.IGNORECASE,
)
_LIMITS: Mapping[str, Comparison] = {"before": "<", "after": ">", "since": ">="}
_YEAR_LENGTH = 4  # characters
_DAY_LENGTH = 5  # characters, without the year
_SHORTEST_SPELLED = 4  # characters
_MOST_PARTIAL = 0.5  # of the different cells of a column that a part of a name may mean


def yes_or_no(cell: str) -> str | None:
    """Return "yes" or "no" where a cell says so by a word or a sign, None otherwise."""
    bare = cell.casefold().strip()
    return "yes" if bare in _YES else "no" if bare in _NO and bare else None


def tells_yes_or_no(table: Table, column: Column) -> bool:
    """Return whether the cells of a column are yes and no, or signs for them, and nothing else."""
    bare = {table.text(row, column.index).casefold().strip() for row in table.body}
    return column.kind == "text" and _are_yes_and_no(bare)


def _are_yes_and_no(bare: Set[str]) -> bool:
    return bare <= _YES | _NO and bool(bare & _YES)


@dataclass(frozen=True, slots=True)
class RowLink:
    """Rows that some words of a question mean, by a cell of one column.

    `is_full` is whether the words are the whole cell, or its head; `is_test` whether they ask for a
    quality that any number of rows may have, rather than name a thing.
    """

    column: Column
    rows: frozenset[int]
    told: frozenset[int]
    condition: Condition
    is_full: bool = True
    is_test: bool = False


def sampled_cells(table: Table, column: Column) -> list[str]:
    """Return the cells of a column in the first rows: enough to tell its kind."""
    return [table.text(row, column.index) for row in table.body[:_SAMPLE]]


def told_by(links: Iterable[RowLink]) -> frozenset[int]:
    """Return the words that some links tell."""
    return frozenset(at for link in links for at in link.told)


class TableLinks:
    """The places where a question touches a table.

    Args:
        asked: The question.
        table: The table.
    """

    def __init__(self, asked: Asked, table: Table) -> None:
        self.asked = asked
        self.table = table
        self.words: QuestionWords = asked.words
        self._folded: dict[Column, dict[str, list[int]]] = {}

    @cached_property
    def context_told(self) -> frozenset[int]:
        """The words that tell which table is meant: its names, or what stands above it."""
        return self.title_told | self.words.told_by(cell_groups(self.table.above))

    @cached_property
    def title_told(self) -> frozenset[int]:
        """The words that the names of the table tell: title, sheet or caption, file, year."""
        table = self.table
        file_name = re.sub(r"[\W_]+", " ", table.doc_id.rpartition("/")[2])
        groups = cell_groups(f"{table.title} {table.name} {file_name} {table.headings}")
        sections = {row.row.section for row in table.rows}
        section_groups = [cell_groups(one) for one in sections if len(sections) == 1]
        told = self.words.told_by(groups.union(*section_groups))
        years = calendar_span(f"{table.title} {table.name} {table.above} {table.doc_id}").years
        if self.asked.span.years and self.asked.span.years <= years:
            told |= frozenset(
                at for at in self.asked.span_told if self.words.words[at].text.isdigit()
            )
        return told

    def names_rows(self, thing: frozenset[int]) -> bool:
        """Return whether what a question is about is what the rows are, by head or title."""
        names = {self.table.key, self.table.name_column}
        heads = frozenset().union(*(cell_groups(one.label) for one in names))
        return bool(thing) and thing <= self.title_told | self.words.told_by(heads)

    @cached_property
    def label_told(self) -> Mapping[Column, frozenset[int]]:
        """By column, the words of the question that its head tells."""
        return {column: self._label_told(column) for column in self.table.columns}

    @cached_property
    def label_content(self) -> Mapping[Column, frozenset[int]]:
        """By column, those of these words that a table has to tell."""
        return {column: told & self.words.content for column, told in self.label_told.items()}

    def told_by_heads(self, columns: Iterable[Column]) -> frozenset[int]:
        """Return the words of the question that the heads of some columns tell."""
        return frozenset(at for column in columns for at in self.label_told[column])

    def _label_told(self, column: Column) -> frozenset[int]:
        told = self.words.told_by(cell_groups(column.label))
        told |= self._told_in_full(column.label)
        for measure in measures_in(column) & _MEASURE_WORDS.keys():
            told |= self.words.told_by(_MEASURE_WORDS[measure])
        if cell_groups(column.label) & _PLACES:
            told |= self.words.told_by(_LIVING)
        if cell_groups(column.label) & _AGE:
            told |= self.words.told_by(_YEARS)
        asked, span = self.asked, calendar_span(column.label)
        if not span.is_empty and not asked.span.is_empty:
            fits_months = (span.months <= asked.span.months) or (asked.span.months <= span.months)
            fits_years = not span.years or not asked.span.years or span.years <= asked.span.years
            if span.months and asked.span.months and fits_months and fits_years:
                told |= asked.span_told
        if (interval := interval_of(column.label)) is not None:
            for match, number in _amounts(self.words.text):
                unit = (match["unit"] or "").lower()
                if interval.holds(number) and (not interval.unit or unit[:1] == interval.unit[:1]):
                    told |= self.words.within(*match.span())
        return told

    def _told_in_full(self, label: str) -> frozenset[int]:
        """Return the words that a head cuts short: "Ext." for an extension."""
        begun = tuple(match[1].lower() for match in _CUT_SHORT.finditer(label))
        if not begun:
            return frozenset()
        words = enumerate(self.words.words)
        return frozenset(at for at, word in words if word.text.startswith(begun))

    def contradicts(self, column: Column) -> bool:
        """Return whether a head is of another part of the year than the question."""
        span, asked = calendar_span(column.label), self.asked.span
        is_other_month = bool(span.months and asked.months) and not (span.months & asked.months)
        if self.asked.operation == "difference":
            return False  # it names two parts
        is_other_year = bool(span.years and asked.years) and not (span.years & asked.years)
        return is_other_month or is_other_year

    def is_of_asked_kind(self, column: Column) -> bool:
        """Return whether unit, head or cells of a column are of what is asked for."""
        measures = self.asked.value.measures or measures_of(self.words.text)
        return bool(self.noun_told(column)) or bool(measures & measures_told(column))

    def noun_told(self, column: Column) -> frozenset[int]:
        """Return the asked noun where each cell of a column has it: "Day 1", "Day 5"."""
        noun = cell_groups(self.asked.value.noun)
        cells = [cell for cell in sampled_cells(self.table, column) if cell]
        is_told = bool(noun and cells) and all(noun <= cell_groups(cell) for cell in cells)
        return self.words.told_by(noun) if is_told else frozenset()

    @cached_property
    def row_links(self) -> tuple[RowLink, ...]:
        """The rows that the question names, those by whole cells first, each word used once."""
        found = [link for column in self.table.columns for link in self._links(column)]
        if not any(link.column == self.table.key and not link.is_test for link in found):
            found += self._section_links()
        found = [link for link in found if self._names_rows(link)]
        # The number of "Customer 17" is no price.
        in_names = told_by(one for one in found if one.is_full and one.column.kind == "text")
        found = [one for one in found if one.column.kind != "number" or not one.told & in_names]
        named = told_by(link for link in found if link.column not in self.table.remarks)
        found = [
            link for link in found if link.column not in self.table.remarks or link.told - named
        ]
        whole = [link for link in found if link.is_full]
        known = told_by(whole) | self.context_told
        if self.asked.operation not in {"difference", "choice"}:  # they name two things
            known |= self.told_by_heads(self.table.columns)
        parts = [link for link in found if not link.is_full and link.told - known]
        return tuple(_without_smaller([*whole, *parts]))

    def _names_rows(self, link: RowLink) -> bool:
        """Return whether words that seem to name rows do: others say what is done, or whose it is.

        "The two cheapest" names no "Italian 2", "Ellery Park" no "Parking" in Ellery Park's table.
        A title that lists the rows, as in "Berths of Hull and Leeds", leaves them their names.
        """
        told, column = link.told & self.words.content, link.column
        if not told:
            return True
        if told <= self.asked.told:
            return False
        words = [self.words.words[at] for at in told]
        is_of_title = told <= self.title_told and any(word.is_name for word in words)
        if not is_of_title or self.label_told[column] - self.title_told:
            return True
        if column != self.table.key and any(word.is_owner for word in words):
            return False
        spelled = {word.text for word in words}
        return any(
            spelled.issuperset(content_words(self.table.text(row, column.index)))
            for row in link.rows
        )

    def _links(self, column: Column) -> Iterator[RowLink]:
        cells = self._cells(column)
        if (link := self._yes_or_no(column, cells)) is not None:
            yield link
        elif (link := self._without(column, cells)) is not None:
            yield link
        elif column.kind == "date":
            yield from self._by_day(column, cells)
        elif column.kind == "time":
            yield from self._by_clock(column, cells)
        elif column.kind == "number":
            yield from self._by_number(column, cells)
        else:
            yield from self._by_words(column, cells)
            yield from self._by_interval(column, cells)

    def rows_of(self, column: Column, cells: Iterable[str]) -> frozenset[int]:
        """Return the rows that have one of some cells in a column, in whatever case."""
        if column not in self._folded:
            folded = self._folded[column] = defaultdict(list)
            for text, rows in self._cells(column).items():
                folded[text.casefold()] += rows
        known = self._folded[column]
        return _union(known[cell] for cell in {one.casefold() for one in cells} & known.keys())

    def _cells(self, column: Column) -> dict[str, list[int]]:
        """Return the rows of each text of a column."""
        cells: dict[str, list[int]] = defaultdict(list)
        for row in self.table.body:
            cells[self.table.text(row, column.index)].append(row)
        return cells

    def _by_words(self, column: Column, cells: Mapping[str, list[int]]) -> Iterator[RowLink]:
        content, groups = self.words.content, self.words.groups
        parts: dict[frozenset[int], list[str]] = defaultdict(list)
        whole = self._spelled_cells(cells)
        spelled = {text for texts in whole.values() for text in texts}
        in_spelled = frozenset(at for told in whole for at in told)
        for text in cells:
            own = cell_groups(text)
            if text in spelled or not in_spelled.isdisjoint(self.words.told_by(own)):
                continue  # "Customer 3 on 5 May" is no "Customer 5"
            told = self.words.told_by(own)
            # "Which fee" names the column "Fee" and no row where it is "charge".
            if not (told & content) - (self._spelled_by(column.label) - self._spelled_by(text)):
                continue
            head = cell_groups(_ADDED.split(text, maxsplit=1)[0])
            if own <= groups:
                whole[told].append(text)
            elif head and head <= groups:
                whole[self.words.told_by(head)].append(text)
            else:
                parts[told & content].append(text)
        yield from (self._named(column, cells, texts, told) for told, texts in whole.items())
        if whole and self.asked.operation in {"difference", "choice"}:
            used = frozenset(at for told in whole for at in told)  # the other one's name
            parts = {told - used: texts for told, texts in parts.items() if told - used}
        elif whole:
            return
        if not parts:
            return
        most = max(map(len, parts))
        best = [(told, texts) for told, texts in parts.items() if len(told) == most]
        if len(best) == 1 and len(best[0][1]) <= max(1, _MOST_PARTIAL * len(cells)):
            told, texts = best[0]
            yield self._named(column, cells, texts, told, is_full=False)
        if self.asked.operation in {"difference", "choice"} and len(best) == 2:
            # "Owen or Tom" are two by their first names.
            for told, texts in best if all(len(texts) == 1 for _, texts in best) else ():
                yield self._named(column, cells, texts, told, is_full=False)

    def _spelled_cells(self, cells: Iterable[str]) -> dict[frozenset[int], list[str]]:
        """Return the cells that stand in the question as they are, by the places of their words."""
        found: dict[frozenset[int], list[str]] = defaultdict(list)
        asked = f" {' '.join(self.words.text.casefold().split())} "
        for text in cells:
            if len(text) > _SHORTEST_SPELLED and (at := _spelled(asked, text)) >= 0:
                found[self.words.within(at, at + len(text))].append(text)
        return found

    def _spelled_by(self, text: str) -> frozenset[int]:
        """Return the places of the words that stand in a head or a cell just so."""
        spelled = content_words(text)
        return frozenset(at for at, word in enumerate(self.words.words) if word.text in spelled)

    def _named(
        self,
        column: Column,
        cells: Mapping[str, list[int]],
        texts: list[str],
        told: frozenset[int],
        *,
        is_full: bool = True,
    ) -> RowLink:
        rows = frozenset(row for text in texts for row in cells[text])
        is_test = len(rows) > 1
        values = [self.table.value(cells[text][0], column) for text in texts]
        listed = ", ".join(literal(value) for value in values if value is not None)
        if is_test and self.words.is_denied(told):
            others = frozenset(self.table.body) - rows
            return RowLink(
                column, others, told, Condition(column, f"{{}} NOT IN ({listed})"), is_full, True
            )
        return RowLink(
            column, rows, told, Condition(column, f"{{}} IN ({listed})"), is_full, is_test
        )

    def _by_interval(self, column: Column, cells: Mapping[str, list[int]]) -> Iterator[RowLink]:
        for match, number in _amounts(self.words.text):
            texts = [
                text
                for text in cells
                if (one := interval_of(text)) is not None and one.holds(number)
            ]
            if len(texts) == 1:
                yield self._named(column, cells, texts, self.words.within(*match.span()))

    def _yes_or_no(self, column: Column, cells: Mapping[str, list[int]]) -> RowLink | None:
        """Return the rows that have a quality which a column of yes and no tells."""
        folded = {text: text.casefold().strip() for text in cells}
        if not _are_yes_and_no(set(folded.values())):
            return None
        told = self.label_told[column]
        if not self.label_content[column]:
            return None
        wanted = [text for text, bare in folded.items() if bare in _YES]
        is_denied = self.words.is_denied(told)
        if is_denied:
            wanted = [text for text in cells if text not in wanted]
        rows = frozenset(row for text in wanted for row in cells[text])
        listed = ", ".join(literal(text) for text in wanted if not is_missing(text))
        test = f"{{}} IN ({listed})" if listed else "{} IS NULL"
        if listed and is_denied and any(map(is_missing, wanted)):
            test = f"({{}} IN ({listed}) OR {{}} IS NULL)"
        return RowLink(column, rows, told, Condition(column, test), is_test=True)

    def _without(self, column: Column, cells: Mapping[str, list[int]]) -> RowLink | None:
        """Return the rows that have nothing of what a head names: "no penalty", "none"."""
        told = self.label_content[column]
        if not told or not self.words.is_denied(told):
            return None
        texts = [
            text
            for text, own in cells.items()
            if text.casefold().strip(" .") in _NOTHING or self.table.value(own[0], column) == 0
        ]
        if not texts:
            return None
        rows = frozenset(row for text in texts for row in cells[text])
        listed = ", ".join(map(literal, texts))
        test = f"{{}} IN ({listed})"
        if column.kind != "text":  # "none" is no number, "0 %" is one
            is_zero = [self.table.value(cells[text][0], column) == 0 for text in texts]
            tests = ["{} = 0"] * any(is_zero) + ["{} IS NULL"] * (not all(is_zero))
            test = f"({' OR '.join(tests)})"
        return RowLink(column, rows, told, Condition(column, test), is_test=True)

    def _by_day(self, column: Column, cells: Mapping[str, list[int]]) -> Iterator[RowLink]:
        span, told = self.asked.span, self.asked.span_told
        days = {text: str(self.table.value(rows[0], column) or "") for text, rows in cells.items()}
        for bound in self.asked.times:
            kept = _union(cells[text] for text, day in days.items() if day and _keeps(day, bound))
            # Of days without a year the ends are compared: "after 7 June" is so in every year.
            day = "{}" if bound.has_year else f"substr({{}}, -5, {len(bound.day)})"
            test = f"{day} {bound.comparison} {literal(bound.day)}"
            yield RowLink(column, kept, bound.told, Condition(column, test), is_test=True)
        if span.is_empty or self.asked.times:
            return
        held = [text for text, day in days.items() if day and span.holds(day)]
        if held:
            listed = ", ".join(literal(one) for one in sorted({days[text] for text in held}))
            rows = _union(cells[text] for text in held)
            yield RowLink(
                column, rows, told, Condition(column, f"{{}} IN ({listed})"), is_test=len(rows) > 1
            )

    def _by_clock(self, column: Column, cells: Mapping[str, list[int]]) -> Iterator[RowLink]:
        for match in _CLOCK.finditer(self.words.text):
            minutes = _minutes(match)
            if minutes is None:
                continue
            clock = literal(f"{int(minutes) // 60:02}:{int(minutes) % 60:02}")
            limit = _CLOCK_LIMIT.search(self.words.text, 0, match.start())
            sign: Comparison = "=" if limit is None else _LIMITS[str(limit.lastgroup)]
            rows = _union(
                own
                for text, own in cells.items()
                if (at := time_of(text)) is not None and COMPARE[sign](at, minutes)
            )
            if rows:
                begin = match.start() if limit is None else limit.start()
                told = self.words.within(begin, match.end())
                yield self._kept(column, rows, told, sign, clock)

    def _kept(
        self, column: Column, rows: frozenset[int], told: frozenset[int], sign: str, value: str
    ) -> RowLink:
        """Return a link by the rows whose cells stand so to a value, as SQL writes it."""
        return RowLink(column, rows, told, Condition(column, f"{{}} {sign} {value}"), is_test=True)

    def _by_number(self, column: Column, cells: Mapping[str, list[int]]) -> Iterator[RowLink]:
        """Yield rows by a number that stands for them, behind its head or as a year."""
        if "year" in column.label.casefold() or _are_years(cells):
            for bound in self.asked.times:
                if len(bound.day) == _YEAR_LENGTH:
                    kept = _union(own for text, own in cells.items() if _keeps(text, bound))
                    yield self._kept(column, kept, bound.told, bound.comparison, bound.day)
            years = [text for text in cells if text in self.asked.span.years]
            if years and not self.asked.times:
                yield self._named(column, cells, years, self.asked.span_told)
            return
        taken = self.asked.bounds_told
        measures = measures_in(column)
        for match in _AMOUNT.finditer(self.words.text):
            told = self.words.within(*match.span())
            number = number_of(f"{match['sign'] or ''}{match['number']}")
            if number is None or told & (taken | self.asked.span_told):
                continue
            texts = [
                text
                for text, rows in cells.items()
                if self.table.value(rows[0], column) == number.value
            ]
            unit = unit_of(f"{match['sign'] or ''} {match['unit'] or ''}")
            own = frozenset().union(*(unit_of(text) for text in texts))
            is_measured = bool(unit & (measures | own))
            is_labelled = bool(self.label_content[column])
            has_unit = bool(unit and (measures | own))
            if texts and (is_measured or is_labelled and not has_unit):
                yield self._named(column, cells, texts, told)

    def _section_links(self) -> Iterator[RowLink]:
        """Yield the rows below a line within the table that the question names."""
        sections: dict[str, list[int]] = defaultdict(list)
        for row in self.table.body:
            if section := self.table.rows[row].row.section:
                sections[section].append(row)
        if len(sections) < 2:
            return
        for section, rows in sections.items():
            told = self.words.told_by(cell_groups(section)) & self.words.content
            own = cell_groups(section)
            is_named = told - self.context_told - self.label_told[self.table.columns[0]]
            if is_named and len(own & self.words.groups) * 2 >= len(own):
                column = self.table.columns[0]
                condition = Condition(column, f"{SECTION} = {literal(section)}")
                yield RowLink(column, frozenset(rows), told, condition, is_test=True)


def measures_told(column: Column) -> frozenset[Measure]:
    """Return the measures that the head of a column names, by a unit or a word."""
    return measures_in(column) | measures_of(column.label)


def measures_in(column: Column) -> frozenset[Measure]:
    """Return the measures whose units the head of a column tells."""
    return unit_of(f"{column.label} {column.unit}")


def _spelled(asked: str, text: str) -> int:
    """Return where a question has a cell as it stands, by its offset there; -1 where it has not."""
    at = asked.find(text.casefold())
    if at < 1 or asked[at - 1].isalnum() or asked[at + len(text)].isalnum():
        return -1
    return at - 1


def _keeps(day: str, bound: TimeBound) -> bool:
    if not bound.has_year:
        day = day[-_DAY_LENGTH:]
    # "After 2020" begins with 2021.
    part = day[: len(bound.day)] if bound.comparison == ">" else day
    return COMPARE[bound.comparison](part, bound.day)


def _union(rows: Iterable[Iterable[int]]) -> frozenset[int]:
    return frozenset(row for own in rows for row in own)


def _minutes(match: re.Match[str]) -> float | None:
    if match["time"]:
        return time_of(match["time"])
    hour = NUMBER_WORDS.get(match["hour"].lower()) or int(match["hour"])
    is_late = (match["part"] or "").lower() in {"afternoon", "evening"}
    return (hour % 12 + 12 if is_late else hour) * 60


def _are_years(cells: Iterable[str]) -> bool:
    told = [text for text in cells if text]
    return bool(told) and all(len(text) == 4 and text[:2] in {"18", "19", "20"} for text in told)


def _without_smaller(links: list[RowLink]) -> Iterator[RowLink]:
    """Yield the links but those whose words all belong to a longer name of another link."""
    for link in links:
        if not any(
            link.told < other.told and (other.is_full or not link.is_full) for other in links
        ):
            yield link


def _amounts(text: str) -> Iterator[tuple[re.Match[str], float]]:
    """Yield where a question tells a number, and the number; "1,2.3" is none."""
    for match in _AMOUNT.finditer(text):
        if (number := number_of(match["number"])) is not None:
            yield match, number.value
