"""Evidence: the only thing a retriever returns and a prompt is rendered from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Any, Generic, NamedTuple, TypeVar

from hoptrail.core.text import clipped
from hoptrail.core.types.document import Chunk
from hoptrail.core.types.graph import Community, Entity, Path, Relation
from hoptrail.core.types.record import JsonDict, Record

T = TypeVar("T")

_MOST_IN_SUMMARY = 5
_LONGEST_IN_SUMMARY = 80


@dataclass(frozen=True, slots=True)
class Hit(Record, Generic[T]):
    """One retrieved item: how good, found by which channel, how many hops from a seed, and why.

    `provenance` names what led here (seed entity ids, keywords, relation ids).
    """

    item: T
    score: float = 0.0
    channel: str = ""
    hop: int | None = None
    provenance: tuple[str, ...] = ()


class HitReference(NamedTuple):
    """A hit as graph state carries it, without texts; in JSON a list of its fields in order.

    Fields at the end of the list that say nothing are left out.
    """

    id: str
    score: float
    channel: str = ""
    hop: int | None = None
    provenance: Sequence[str] = ()


class PathReference(NamedTuple):
    """A hit on a path as graph state carries it; in JSON a list of its fields in order."""

    relation_ids: list[str]
    score: float
    channel: str
    hop: int | None
    provenance: list[str]
    verdict: str | None


@dataclass(frozen=True, slots=True)
class Evidence(Record):
    """Retrieved items by kind, each list best first."""

    entities: tuple[Hit[Entity], ...] = ()
    relations: tuple[Hit[Relation], ...] = ()
    chunks: tuple[Hit[Chunk], ...] = ()
    paths: tuple[Hit[Path], ...] = ()
    reports: tuple[Hit[Community], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was found."""
        return not (self.entities or self.relations or self.chunks or self.paths or self.reports)

    def merge(self, other: Evidence) -> Evidence:
        """Return the union; an item found twice keeps its higher score and its place by score."""
        return Evidence(
            _merge_hits(self.entities, other.entities, lambda hit: hit.item.id),
            _merge_hits(self.relations, other.relations, lambda hit: hit.item.id),
            _merge_hits(self.chunks, other.chunks, lambda hit: hit.item.id),
            _merge_hits(
                self.paths, other.paths, lambda hit: tuple(r.id for r in hit.item.relations)
            ),
            _merge_hits(self.reports, other.reports, lambda hit: hit.item.id),
        )

    @classmethod
    def interleave(cls, parts: Sequence[Evidence]) -> Evidence:
        """Return the union in turns: the best item of each part, then each second best, and so on.

        An item found by several parts keeps its first place and its highest score.
        """
        names = tuple(cls.__dataclass_fields__)
        lists = {name: [getattr(part, name) for part in parts] for name in names}
        return cls(**{name: _in_turns(hits) for name, hits in lists.items()})

    def references(self) -> JsonDict:
        """Return the small JSON form that graph state carries: lists of references by kind.

        Each is the list of a `HitReference`'s fields, that of a path those of a `PathReference`:
        `HitReference(*listed)` reads it. What led to relations and passages, which no node asks
        for, is left out: they are most of a state's bytes.
        """
        return {
            "entities": [_reference(hit) for hit in self.entities],
            "relations": [_reference(replace(hit, provenance=())) for hit in self.relations],
            "chunks": [_reference(replace(hit, provenance=())) for hit in self.chunks],
            "paths": [_path_reference(hit) for hit in self.paths],
            "reports": [_reference(hit) for hit in self.reports],
        }

    def summary(self) -> list[str]:
        """Return what it is about, for the reader of a trace: counts, the first titles and names.

        These are at most five of passages and reports, then at most five of entities.
        """
        kinds = {"passages": "chunks", "entities": "entities", "relations": "relations"}
        kinds |= {"paths": "paths", "reports": "reports"}
        sizes = {word: len(getattr(self, kind)) for word, kind in kinds.items()}
        counts = ", ".join(f"{size} {word}" for word, size in sizes.items() if size)
        titles = [hit.item.title for hit in self.chunks]
        titles += [hit.item.title for hit in self.reports]
        names = [hit.item.name for hit in self.entities]
        return [
            counts or "nothing",
            *(
                clipped(text, _LONGEST_IN_SUMMARY)
                for texts in (titles, names)
                for text in islice(dict.fromkeys(filter(None, texts)), _MOST_IN_SUMMARY)
            ),
        ]


def _path_reference(hit: Hit[Path]) -> list[Any]:
    ids = [relation.id for relation in hit.item.relations]
    score, provenance = round(hit.score, 5), list(hit.provenance)
    return list(PathReference(ids, score, hit.channel, hit.hop, provenance, hit.item.verdict))


def _reference(hit: Hit[Any]) -> list[Any]:
    score, provenance = round(hit.score, 5), list(hit.provenance)
    listed = list(HitReference(hit.item.id, score, hit.channel, hit.hop, provenance))
    while listed[-1] in ("", None, []):
        listed.pop()
    return listed


def _in_turns(lists: Sequence[Sequence[Hit[Any]]]) -> tuple[Hit[Any], ...]:
    found: dict[Any, Hit[Any]] = {}
    for hits in zip_longest(*lists):
        for hit in filter(None, hits):
            item = hit.item
            key = tuple(r.id for r in item.relations) if isinstance(item, Path) else item.id
            known = found.setdefault(key, hit)
            if hit.score > known.score:
                found[key] = hit
    return tuple(found.values())


def _merge_hits(
    left: Iterable[Hit[T]], right: Iterable[Hit[T]], key: Callable[[Hit[T]], Any]
) -> tuple[Hit[T], ...]:
    best: dict[Any, Hit[T]] = {}
    for hit in (*left, *right):
        known = best.get(key(hit))
        if known is None:
            best[key(hit)] = hit
            continue
        hops = [hop for hop in (known.hop, hit.hop) if hop is not None]
        winner = hit if hit.score > known.score else known
        provenance = tuple(dict.fromkeys((*known.provenance, *hit.provenance)))
        best[key(hit)] = replace(winner, hop=min(hops, default=None), provenance=provenance)
    return tuple(sorted(best.values(), key=lambda hit: -hit.score))
