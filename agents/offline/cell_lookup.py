"""Look an answer up in rows of tables: the cell where a row and a column that are named meet.

"What is the price of A-11?" names a row by its code and a column by its label. A question of two
steps looks up a second row by the cell of the first: the supplier of A-11, then its town.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.everyday_words import everyday_groups
from hoptrail.agents.language.labelled_text import LabelledPart, labelled_parts
from hoptrail.agents.language.plural_question import asks_for_several
from hoptrail.agents.language.reserves import PART, other_thing
from hoptrail.agents.language.table_rows import cell_text, identifying_parts, row_name
from hoptrail.agents.offline.listed_answer import is_cut_off
from hoptrail.agents.offline.told_label import (
    GENERIC,
    KIND_LABELS,
    fit_of,
    groups_above,
    is_short,
    may_answer,
)
from hoptrail.agents.reading.candidates import superseded
from hoptrail.agents.reading.query import YEAR, Query, name_words, read_query
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Draft, HopClaim

_ADDED = re.compile(r"\s(?:with|at|in|on|by|for|from)\s|\s?[(:,]|\s[-–—]\s")
# "When is the camp?" asks when it starts.
_FROM_TO = (["start", "end"], ["starts", "ends"], ["from", "to"], ["from", "until"])
# What a column is called that tells how long, old or high something is.
_NOUNS = {
    "long": "length", "old": "age", "high": "height", "tall": "height", "wide": "width",
    "deep": "depth", "heavy": "weight", "fast": "speed", "far": "distance", "large": "size",
    "big": "size",
}  # fmt: skip
_HOW = re.compile(rf"\bhow\s({'|'.join(_NOUNS)})\b", re.IGNORECASE)
_SURE = 0.8
_PRICE = everyday_groups("price")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table: its cells by part, and the word groups of what stands above it."""

    sentence: Sentence
    cells: dict[LabelledPart, str]
    keys: tuple[LabelledPart, ...]
    place: frozenset[str]

    def named_by(self, query: Query) -> tuple[LabelledPart, ...]:
        """Return the cells that a question spells, or has all words of; a number with its label."""
        spelled = f" {_key(query.text)} "
        return tuple(part for part in self.cells if self._is_named(part, query, spelled))

    def _is_named(self, part: LabelledPart, query: Query, spelled: str) -> bool:
        key = _key(self.cells[part])
        if key.isdigit():
            key = f"{_key(part.label)} {key}"
        words = name_words(self.cells[part])
        if f" {key} " in spelled or len(words) > 1 and words <= query.words:
            return True
        # "Workshop weekend with Ann Lowe" is the workshop weekend.
        head = _key(_ADDED.split(self.cells[part], maxsplit=1)[0])
        return part in self.keys and bool(head) and head != key and f" {head} " in spelled

    def is_of_years(self, years: frozenset[str]) -> bool:
        """Return whether a row may be of the years that a question names: it tells of no others."""
        chunk = self.sentence.chunk
        told = YEAR.findall(
            f"{self.sentence.text} {self.sentence.heading} {chunk.title} {chunk.doc_id}"
        )
        return not years or not told or bool(years & frozenset(told))

    def claim(self, named: Sequence[LabelledPart], told: LabelledPart) -> HopClaim:
        """Return what the row says of the cell that it was found by, and of the one that is asked.

        Where only the latter stands for the row, that is what it says of it: Ann's role is chair.
        """
        text, chunk_id = self.sentence.text, self.sentence.chunk.id
        if told in self.keys and not any(part in self.keys for part in named):
            return HopClaim(row_name(told, text), named[0].label, self.cells[named[0]], chunk_id)
        key = next((part for part in (*named, *self.keys) if part in self.keys), named[0])
        return HopClaim(row_name(key, text), told.label, self.cells[told], chunk_id)


@dataclass(frozen=True, slots=True)
class _Step:
    """A row found by some of its cells, the cell that it is asked for, and what is left to ask.

    `is_labelled` is whether the label of that cell says what is asked, or names its kind.
    """

    row: _Row
    named: tuple[LabelledPart, ...]
    told: LabelledPart
    left: frozenset[str]
    is_labelled: bool = True

    @property
    def reserve(self) -> str:
        """Why the cell is given with reserve: its column may tell something else."""
        return "" if self.is_labelled else other_thing(f'"{self.told.label}"')

    @property
    def cell(self) -> str:
        """The text of the cell."""
        return self.row.cells[self.told]

    @property
    def claim(self) -> HopClaim:
        """The claim that the row makes of it."""
        return self.row.claim(self.named, self.told)


def look_up_cell(question: str, index: EvidenceIndex) -> Draft | None:
    """Return the cell where the row and the column meet that a question names, None without one.

    Every word of the question must be told: by the cells that the row is found by, their labels,
    the label of the answer, or what stands above the table. Where rows give different answers, all
    are taken by a question for several, else none.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    query = read_query(question)
    rows = [row for row in _rows(index) if row.is_of_years(query.years)]
    if not rows or query.is_doubtful:
        return None
    found = list(_paths(query, rows))
    most = max((len(steps[0].named) for steps in found), default=0)
    best = [steps for steps in found if len(steps[0].named) == most]
    if len({name_key(steps[-1].cell) for steps in best}) != 1:
        return _listed(question, best, index)
    steps = min(best, key=len)
    hops = tuple(step.claim for step in steps)
    return Draft("graph_search", (steps[-1].cell,), hops=hops, reserve=steps[-1].reserve)


def _listed(question: str, found: Sequence[list[_Step]], index: EvidenceIndex) -> Draft | None:
    """Return the cells of one column in several rows, where the question asks for several."""
    columns = {name_key(steps[-1].told.label) for steps in found}
    is_one_step = all(len(steps) == 1 for steps in found)
    if not asks_for_several(question) or len(columns) != 1 or not is_one_step:
        return None
    steps = {step.cell: step for (step,) in found}
    hops = tuple(step.claim for step in steps.values())
    reserve = next(iter(steps.values())).reserve
    if any(is_cut_off(step.row.sentence.chunk, index) for step in steps.values()):
        reserve = reserve or PART
    return Draft("graph_search", tuple(steps), hops=hops, reserve=reserve)


def _rows(index: EvidenceIndex) -> Iterator[_Row]:
    """Yield the rows of all passages, but for lists of which there is a later edition."""
    overtaken = superseded({chunk.doc_id for chunk in index.chunks.values()})
    for id_, chunk in index.chunks.items():
        if chunk.doc_id in overtaken:
            continue
        for sentence in index.sentences[id_]:
            text, parts = sentence.text, labelled_parts(sentence.text)
            if len(parts) < 2:
                continue
            cells = {part: cell for part in parts if (cell := cell_text(part, text))}
            keys = identifying_parts(parts, text, chunk.text)
            yield _Row(sentence, cells, keys, groups_above(sentence))


def _paths(query: Query, rows: Sequence[_Row]) -> Iterator[list[_Step]]:
    """Yield the steps, one or two, that tell every word of the question."""
    for row in rows:
        for step in _steps(query, row, row.named_by(query), query.wanted):
            if not step.left and _may_answer(query, step):
                yield [step]
            elif step.left:
                for second in _second_steps(query, rows, step):
                    yield [step, second]


def _second_steps(query: Query, rows: Sequence[_Row], first: _Step) -> Iterator[_Step]:
    """Yield what another row tells that one cell of the first row names as a whole."""
    link = _key(first.cell)
    if not any(map(str.isalpha, link)):
        return
    for row in rows:
        named = tuple(part for part in row.keys if _key(row.cells.get(part, "")) == link)
        if row is first.row or not named:
            continue
        for step in _steps(query, row, named, first.left, by_kind=False):
            if not step.left and _may_answer(query, step):
                yield step


def _steps(
    query: Query,
    row: _Row,
    named: tuple[LabelledPart, ...],
    wanted: frozenset[str],
    *,
    by_kind: bool = True,
) -> Iterator[_Step]:
    """Yield the cells of a row that a question asks for: by their label, else by their kind.

    Args:
        query: The question.
        row: The row.
        named: The cells that it was found by.
        wanted: The word groups that are to be told.
        by_kind: Whether a cell of the asked kind counts whose label is not named.
    """
    if not named:
        return
    told = _groups_of(row.cells[part] for part in named)
    open_ = wanted - told
    others = [part for part in row.cells if part not in named and is_short(row.cells[part])]
    above = row.place | _groups_of(part.label for part in named)
    adjective, noun = _how_much_of(query)
    asked = {part: _label_groups(part) & (open_ | noun) for part in others}
    labelled = [part for part in others if asked[part]]
    for part in labelled:
        left = open_ - asked[part] - above - GENERIC - _told_by_amount(query, row, part)
        if asked[part] & noun:
            left -= adjective
        yield _Step(row, named, part, left)
    if labelled or not by_kind or open_ - above - GENERIC:
        return
    fitting = [part for part in others if _is_of_asked_kind(query, row, part)]
    if query.asked.answer_type == "other" and not query.asked.is_exact:  # "What is A-11?"
        fitting = [part for part in row.keys if part in others]
    spans_days = [part.label.casefold() for part in fitting] in _FROM_TO
    if len(fitting) == 1 or spans_days:
        label = _label_groups(fitting[0])
        is_asked = fitting[0].label.casefold() == query.text.partition(" ")[0].casefold()  # "Who"
        is_kind = bool(label & KIND_LABELS) or fitting[0] in row.keys or spans_days or is_asked
        yield _Step(row, named, fitting[0], frozenset(), is_kind)


def _how_much_of(query: Query) -> tuple[frozenset[str], frozenset[str]]:
    """Return the word groups of the adjective of "how old" and of its noun: age."""
    if (asked := _HOW.search(query.text)) is None:
        return frozenset(), frozenset()
    adjective = asked[1].lower()
    return everyday_groups(adjective), everyday_groups(_NOUNS[adjective])


def _told_by_amount(query: Query, row: _Row, part: LabelledPart) -> frozenset[str]:
    """Return the words of price where a cell is surely an amount: its column need not name them."""
    is_price = "money" in query.asked.measures and _is_of_asked_kind(query, row, part)
    return _PRICE if is_price else frozenset()


def _key(text: str) -> str:
    """Return the folded words of a text; unlike those of a name with the A of "A-11"."""
    return " ".join(re.findall(r"\w+", text.casefold())).removeprefix("the ")


def _label_groups(part: LabelledPart) -> frozenset[str]:
    return everyday_groups(part.label.replace("_", " "))


def _groups_of(texts: Iterator[str]) -> frozenset[str]:
    return everyday_groups(" ".join(text.replace("_", " ") for text in texts))


def _is_of_asked_kind(query: Query, row: _Row, part: LabelledPart) -> bool:
    """Return whether a cell is surely of the kind that is asked for, whatever its label."""
    return fit_of(query.asked, row.sentence.text, (part.start, part.end), part.label) >= _SURE


def _may_answer(query: Query, step: _Step) -> bool:
    span = step.told.start, step.told.end
    return may_answer(query, step.row.sentence.text, span, step.told.label)
