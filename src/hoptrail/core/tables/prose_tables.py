"""Small tables in prose: things with a value each, in brackets or by like sentences, two years."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from hoptrail.core.tables.cell_values import number_of
from hoptrail.core.tables.table import PlacedRow, Table
from hoptrail.core.text import sentence_spans
from hoptrail.core.types import Chunk, TableRow

_FIRST_NUMBER = 100_000
"""Tables that are told as such have lower numbers."""
_ITEM = re.compile(r"(?P<name>[^(),;:\n]{2,80}?)\s\((?P<value>[^()\n]{1,30})\)")
_BETWEEN = re.compile(r"\s?[,;]?\s?(?:and\s|or\s|und\s|et\s|y\s)?")
_NUMBER = r"[£€$]?\d(?:[\d.,]{0,15}\d)?"
_FIGURE = re.compile(
    rf"(?m)(?:^[-*•\s]{{0,4}}|(?<=\)[,;]\s))(?:(?P<number>{_NUMBER})\s(?P<of>[^():\d\n]{{2,50}}?)"
    rf"|(?P<before>[^():\d\n]{{2,50}}?):\s(?P<value>{_NUMBER}))"
    rf"\s?\((?:in\s)?(?P<year>(?:19|20)\d\d):?\s(?P<then>{_NUMBER})\)"
)
_SENTENCE = re.compile(
    r"(?:The\s)?(?P<name>[A-Z][^.!?:;,\d]{1,60}?)\s(?P<verb>is|was|has|had|[a-z]{3,20}s)\s"
    rf"(?P<value>{_NUMBER})(?P<what>(?:\s[^\W\d_]{{1,20}}){{0,3}})\.?\s{{0,3}}"
)
_NO_NAME = re.compile(
    r"\b(?:no|not|never|neither|nor|it|he|she|they|we|you|this|that|these|those)\b|\b(?-i:I)\b",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?<=..)(?:ies|es|s)$")
_CLAUSE = re.compile(r"(?:the\s)?(?!the\s)[^\W\d_A-Z][^()]{0,80}\s[A-Z]")  # "the others were Kern"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def tables_of_prose(chunks: Iterable[Chunk], *, with_sentences: bool = True) -> tuple[Table, ...]:
    """Return the tables that sentences and lists of some passages amount to.

    "Nordsol (£18,400), Vela (£21,900) and Brisk (£16,250)" has a row a name; "41 tours (2023: 37)"
    below "The year 2024" has a row for tours, and a column for each of the years; "The Otter
    carries 40 passengers. The Heron carries 65 passengers." has a row for each of the two.

    Args:
        chunks: The passages.
        with_sentences: Whether whole sentences of one form are rows; without a comparison they
            are better read as they are.
    """
    found: list[Table] = []
    for chunk in chunks:
        if not chunk.tables:
            found += _listed(chunk, _FIRST_NUMBER + len(found))
            found += _figures(chunk, _FIRST_NUMBER + len(found))
            found += _said_alike(chunk, _FIRST_NUMBER + len(found)) if with_sentences else ()
    return tuple(found)


def _listed(chunk: Chunk, number: int) -> Iterator[Table]:
    """Yield a table for each sentence that names things with a number of one unit each.

    Where more such things stand elsewhere, in the passage or behind a lead such as "Bids:" in the
    sentence, the list is only a part of what is told, and no table.
    """
    spans = sentence_spans(chunk.text)
    told = [[*_ITEM.finditer(chunk.text, start, end)] for start, end in spans]
    everywhere = [item for items in told for item in items]
    for (start, _), found in zip(spans, told, strict=True):
        items = _in_turn(found, chunk.text)
        numbers = [number_of(item["value"]) for item in items]
        units = {one.unit for one in numbers if one is not None}
        if len(items) < 2 or None in numbers or len(units) != 1:
            continue
        at = _name_start(items)
        lead = chunk.text[start:at].strip()
        others = (one for one in (found if lead.endswith(":") else everywhere) if one not in items)
        is_part = any(
            (other := number_of(one["value"])) is not None and other.unit in units for one in others
        )
        if is_part or any(_CLAUSE.match(_bare(item["name"])) for item in items[1:]):
            continue
        labels = (lead[:-1].rpartition(" ")[2] if lead.endswith(":") else "", units.pop())
        rows = [
            _row(chunk, first, item.end(), (chunk.text[first : item.end("name")], item["value"]))
            for first, item in zip(
                [at, *(item.start("name") for item in items[1:])], items, strict=True
            )
        ]
        yield _table(chunk, number, labels, rows, lead)
        number += 1


def _in_turn(items: Sequence[re.Match[str]], text: str) -> list[re.Match[str]]:
    """Return the items that follow each other with nothing but a comma or an "and" between."""
    kept: list[re.Match[str]] = []
    for item in items:
        joint = _BETWEEN.match(text, kept[-1].end(), item.end("name")) if kept else None
        if joint is None or not joint.group().strip() or joint.end() < item.start("name"):
            kept.clear()
        kept.append(item)
    return kept


def _name_start(items: Sequence[re.Match[str]]) -> int:
    """Return where the first name begins: before it may stand what the sentence says of them."""
    first = items[0]
    name = first["name"]
    begin = len(name) - len(name.lstrip())
    if all(_bare(item["name"])[:1].isupper() for item in items[1:]):
        for word in re.finditer(r"\S+", name[::-1]):
            told = word.group()[::-1]
            if not (told[:1].isupper() or told[:1].isdigit() or told in {"&", "of", "the", "de"}):
                break
            begin = len(name) - word.end()
    return first.start("name") + begin


def _bare(name: str) -> str:
    joint = _BETWEEN.match(name)
    return name[joint.end() :] if joint is not None else name


def _figures(chunk: Chunk, number: int) -> Iterator[Table]:
    """Yield a table for figures with those of another year behind them, below a heading's year."""
    found = [(_year_above(chunk, match.start()), match) for match in _FIGURE.finditer(chunk.text)]
    told = [(now, match["year"], match) for now, match in found if now and now != match["year"]]
    for (now, then), own in groupby(told, key=lambda one: one[:2]):
        rows = [
            _row(
                chunk,
                match.start(),
                match.end(),
                (
                    (match["of"] or match["before"]).strip(),
                    match["number"] or match["value"],
                    match["then"],
                ),
            )
            for *_, match in own
        ]
        yield _table(chunk, number, ("", now, then), rows, "")
        number += 1


def _said_alike(chunk: Chunk, number: int) -> Iterator[Table]:
    """Yield a table for sentences that say a number of one kind, each of another thing.

    Where another sentence says a number with the same verb, these are only a part: no table.
    """
    said: dict[str, list[re.Match[str]]] = {}
    sentences = sentence_spans(chunk.text)
    for start, end in sentences:
        match = _SENTENCE.fullmatch(chunk.text, start, end)
        if match is not None and _NO_NAME.search(match["name"]) is None:
            said.setdefault(f"{match['verb']}{match['what']}", []).append(match)
    for label, own in said.items():
        verb = re.escape(_ENDING.sub("", own[0]["verb"]))
        alike = re.compile(rf"\b{verb}[^\W\d_]{{0,4}}\b.*\d", re.DOTALL)
        telling = sum(alike.search(chunk.text, *span) is not None for span in sentences)
        if telling == len({match["name"] for match in own}) == len(own) > 1:
            rows = [
                _row(chunk, match.start(), match.end(), (match["name"], match["value"]))
                for match in own
            ]
            yield _table(chunk, number, ("", label), rows, "")
            number += 1


def _year_above(chunk: Chunk, at: int) -> str:
    """Return the last year that stands above a place, in a line of its own or in a heading."""
    lines = chunk.text[:at].splitlines()
    for line in (*reversed(lines), chunk.section, chunk.title):
        years = _YEAR.findall(line) if _FIGURE.match(line) is None else []
        if years:
            return years[-1] if len(set(years)) == 1 else ""
    return ""


def _row(chunk: Chunk, start: int, end: int, cells: tuple[str, ...]) -> PlacedRow:
    clean = tuple(_bare(cell).strip() for cell in cells)
    row = TableRow(chunk.start + start, chunk.start + end, clean)
    return PlacedRow(row, chunk.id, chunk.place_of(row.start, row.end) or "")


def _table(
    chunk: Chunk, number: int, labels: Sequence[str], rows: Sequence[PlacedRow], lead: str
) -> Table:
    headings = f"{chunk.section} {lead}".strip()
    return Table(chunk.doc_id, chunk.title, number, "", labels, rows, headings, headings)
