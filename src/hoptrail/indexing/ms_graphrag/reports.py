"""Communities and reports of an imported index, their references resolved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hoptrail.core.types import Finding
from hoptrail.indexing.ms_graphrag.folder import GivenIndex
from hoptrail.indexing.ms_graphrag.graph import relation_id
from hoptrail.indexing.ms_graphrag.records import GivenReport

_REFERENCES = re.compile(r"(?<!\s)\s*+\[Data:([^\[\]]*+)\]")
_GROUP = re.compile(r"(?<!\w)(\w++)\s*+\(([^()]*+)\)")
_NUMBER = re.compile(r"\d+")


def without_references(text: str) -> str:
    """Return a text of a report without its `[Data: Entities (1, 2); Relationships (3)]`."""
    return _REFERENCES.sub("", text).strip()


def references(text: str) -> Iterator[tuple[str, int]]:
    """Yield the references of a text as kind (`entities`, `relationships`, ...) and number."""
    for found in _REFERENCES.finditer(text):
        for kind, listed in _GROUP.findall(found[1]):
            yield from ((kind.lower(), int(number)) for number in _NUMBER.findall(listed))


@dataclass(frozen=True, slots=True)
class _Support:
    """The relation (or none) and the passages that a number of an index stands for."""

    relation_id: str | None
    chunk_ids: tuple[str, ...]


class References:
    """Resolves the numbers that reports refer by to relation and chunk ids.

    Args:
        index: The index; its human-readable ids are the numbers.
        chunk_ids: Ids of the chunks by id of the text unit.
    """

    def __init__(self, index: GivenIndex, chunk_ids: Mapping[str, str]) -> None:
        def known(units: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(chunk_ids[unit] for unit in units if unit in chunk_ids)

        self._supports: dict[tuple[str, int], _Support] = {}
        for entity in index.entities:
            self._supports["entities", entity.number] = _Support(None, known(entity.units))
        for unit in index.units:
            self._supports["sources", unit.number] = _Support(None, known((unit.id,)))
        for one in index.relationships:
            if not one.is_usable:
                continue
            id_ = relation_id(one.source, one.target)
            self._supports["relationships", one.number] = _Support(id_, known(one.units))

    def findings(self, report: GivenReport) -> tuple[Finding, ...]:
        """Return the findings with what they rest on; references to nothing are left out."""
        return tuple(self._finding(*finding) for finding in report.findings)

    def _finding(self, summary: str, explanation: str) -> Finding:
        """Return a finding; passages of entities count only where it names no relation or source.

        An entity's passages are all that mention it, those of a relation are what supports it.
        """
        named = [
            (kind, self._supports[kind, number])
            for kind, number in references(f"{summary} {explanation}")
            if (kind, number) in self._supports
        ]
        exact = [support for kind, support in named if kind != "entities" and support.chunk_ids]
        chosen = exact or [support for _, support in named]
        relations = [support.relation_id for _, support in named if support.relation_id]
        return Finding(
            without_references(summary),
            without_references(explanation),
            tuple(dict.fromkeys(relations)),
            tuple(dict.fromkeys(id_ for support in chosen for id_ in support.chunk_ids)),
        )
