"""The parts of a sheet that the library does not tell of: merged cells, bare formulas."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hoptrail.indexing.loading.readers.tables import LONGEST_REPEATED

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_MERGED = re.compile(rb"<(?:\w{1,20}:)?mergeCell ref=\"([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})\"")
_WITHOUT_VALUE = re.compile(rb"</f>(?:<v ?/>|<v></v>)?</c>")
_MOST_MERGED = 100_000


@dataclass(frozen=True, slots=True)
class SheetPart:
    """The contents of the part of a sheet.

    `merged` has, by the row in which a cell over several rows begins, its column from 0 and its
    last row. `without_value` counts formulas that no program has calculated.
    """

    merged: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    without_value: int = 0


def sheet_parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the name of each sheet's part in an archive that was checked, by the sheet's name."""
    from lxml.etree import XMLParser, fromstring

    names = set(archive.namelist())
    if not {_WORKBOOK, _RELATIONS} <= names:
        return {}
    parser = XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    targets = {
        str(one.get("Id")): str(one.get("Target"))
        for one in fromstring(archive.read(_RELATIONS), parser).iterfind("{*}Relationship")
    }
    parts = {}
    for sheet in fromstring(archive.read(_WORKBOOK), parser).iterfind("{*}sheets/{*}sheet"):
        relation = next((value for key, value in sheet.items() if key.endswith("}id")), "")
        # A target is below the workbook's folder, or begins at the root of the archive.
        part = posixpath.normpath(posixpath.join("/xl", targets.get(relation, "")))[1:]
        if part in names:
            parts[str(sheet.get("name"))] = part
    return parts


def sheet_part(data: bytes) -> SheetPart:
    """Return what the part of a sheet tells."""
    merged: dict[int, list[tuple[int, int]]] = {}
    behind = max(data.rfind(b"</sheetData>"), 0)
    for _, found in zip(range(_MOST_MERGED), _MERGED.finditer(data, behind), strict=False):
        first, last = int(found[2]), int(found[3])
        if last > first:
            merged.setdefault(first, []).append((_column(found[1]), last))
    known = {row: tuple(cells) for row, cells in merged.items()}
    return SheetPart(known, sum(1 for _ in _WITHOUT_VALUE.finditer(data)))


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number - 1


def with_merged(rows: Iterable[list[str]], part: SheetPart) -> Iterator[list[str]]:
    """Yield the rows of a sheet, a short cell over several rows told in each that says more."""
    is_open: dict[int, tuple[str, int]] = {}
    for number, row in enumerate(rows, start=1):
        is_open = {at: cell for at, cell in is_open.items() if cell[1] >= number}
        if is_open and any(row):
            for column, (text, _) in is_open.items():
                if column < len(row) and not row[column]:
                    row[column] = text
        for column, last in part.merged.get(number, ()):
            if column < len(row) and 0 < len(row[column]) <= LONGEST_REPEATED:
                is_open[column] = (row[column], last)
        yield row
