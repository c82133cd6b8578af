"""The material of a report on a community, and its statements with what they rest on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from threading import RLock

from cachetools import LRUCache, cached

from hoptrail.core.names import is_unnamed, predicate_words
from hoptrail.core.text import clipped, content_words, flat, sentences
from hoptrail.core.types import Chunk, Community, Entity, Relation

MATERIAL_TOKENS = 8_000
"""Default size of the material in a prompt, as in Microsoft GraphRAG."""
_THINGS = 2
_THINGS_OF_PART = 3


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """The most important members of one community and what is known of its parts.

    Attributes:
        community: The community; its report is not read.
        entities: Its entities, those with the most relations in it first.
        relations: Relations inside it, by the combined degree of their end points, highest first.
        chunks: Passages that support these relations, in the order in which they come first.
        children: Its parts that have a report, largest first.
        child_of: Id of the part that a relation lies inside of, by relation id.
        relation_count: Number of the relations inside it, those left out here included.
        graph_relations: Number of the relations of the whole graph.
        common_words: Words that say little because they stand all over the collection.
    """

    community: Community
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    children: tuple[Community, ...] = ()
    child_of: Mapping[str, str] = field(default_factory=dict)
    relation_count: int = 0
    graph_relations: int = 0
    common_words: frozenset[str] = frozenset()

    @property
    def tells_something(self) -> bool:
        """Whether a report says more than what is known of one thing, or than a parent's shows.

        That takes two named things, and three where the community is part of another one: how two
        of them are related stands in the report on that one. Dates and amounts are no such things.
        """
        named = (e for e in self.entities if not (e.is_value or is_unnamed(e.name)))
        least = _THINGS if self.community.parent is None else _THINGS_OF_PART
        return bool(self.relations) and sum(1 for _ in named) >= least


_SHORTEST_WORD = 3
_FEW_WORDS = 10
_MANY_WORDS = 45
_MANY_NUMBERS = 4
_MOST_CHARACTERS = 400
_MOST_NAMES = 4
_SENTENCES_OF_RELATION = 3
_CHILDREN = 60
_FINDINGS_OF_CHILD = 2
_UNCLEAR_OPENING = re.compile(
    r"(?:he|she|it|they|his|her|its|their|this|that|these|those|there|but|and|or|so|then|thus|"
    r"however|such)\b",
    re.IGNORECASE,
)
_CLUTTER = re.compile(r"[_*#|{}\[\]<>=\\]|https?://|www\.|\.{3,}|-{3,}")
# The same passages and sentences come again on every level of the hierarchy.
_CACHED = 1 << 15  # sentences
_CACHED_CHARACTERS = 32_000_000  # of passages; three times as many bytes
_ROW = re.compile(r"[^:;.!?]{1,60}: [^;]{1,200}; [^:;.!?]{1,60}: ")
_NUMBER = re.compile(r"\b\d+")
_QUOTE = re.compile(r"[\"“”]|(?<!\w)['‘]|['’](?!\w)")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, the entities that it is about, and the relations and passages it rests on.

    An entity stands in `entity_ids` as often as something is stated about it. `part` is the id of
    the part of the community that it is about, "" for the community itself; `headline` what it is
    about where that is known already.
    """

    text: str
    entity_ids: tuple[str, ...] = ()
    relation_ids: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    part: str = ""
    headline: str = ""

    @property
    def terms(self) -> frozenset[str]:
        """The content words."""
        return _terms(self.text)

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table: labelled cells, and no sentence."""
        return _ROW.match(self.text) is not None

    @property
    def clarity(self) -> float:
        """How well the sentence reads on its own, from 0 to 1."""
        return _clarity(self.text)


@dataclass(frozen=True, slots=True)
class _Passage:
    """A passage in single spaces; of each sentence also the same in lower case."""

    id: str
    text: str
    sentences: tuple[tuple[str, str], ...]


_passages: LRUCache[tuple[str, str], _Passage] = LRUCache(
    _CACHED_CHARACTERS, getsizeof=lambda passage: len(passage.text)
)


def statements(material: ReportMaterial) -> list[Statement]:
    """Return what the relations state and what the reports of the parts found, without repetition.

    A relation is told by the sentences of its description, else by the sentence of its passage
    that names both ends, else by its own words together with those of like relations.
    """
    told = [*_told(material), *_found(material.children[:_CHILDREN])]
    united: dict[str, list[Statement]] = {}
    for statement in told:
        united.setdefault(statement.text, []).append(statement)
    return [_unite(same) for same in united.values()]


def _told(material: ReportMaterial) -> Iterator[Statement]:
    chunks = {chunk.id: _passage(chunk) for chunk in material.chunks}
    untold: list[Relation] = []
    for relation in material.relations:
        passages = [chunks[id_] for id_ in relation.chunk_ids if id_ in chunks]
        texts = list(_texts(relation, passages))
        for text in texts:
            place = next((p.id for p in passages if text in p.text), None)
            support = relation.chunk_ids[:1] if place is None else (place,)
            yield Statement(
                clipped(text, _MOST_CHARACTERS),
                (relation.source, relation.target),
                (relation.id,),
                support,
                material.child_of.get(relation.id, ""),
            )
        if not texts:
            untold.append(relation)
    yield from _grouped(untold, material)


def _texts(relation: Relation, passages: Sequence[_Passage]) -> Iterator[str]:
    if relation.description:
        yield from map(flat, sentences(relation.description)[:_SENTENCES_OF_RELATION])
        return
    subject, object_ = flat(relation.subject).lower(), flat(relation.object).lower()
    for passage in passages:
        naming = [text for text, low in passage.sentences if subject in low and object_ in low]
        naming = naming or [text for text, low in passage.sentences if object_ in low]
        if naming:
            yield min(naming, key=len)
            return


def _grouped(relations: Sequence[Relation], material: ReportMaterial) -> Iterator[Statement]:
    """Yield one statement for all relations with the same predicate at the same entity."""
    groups: dict[tuple[str, str, bool], list[Relation]] = {}
    for relation in relations:
        for end, is_source in ((relation.source, True), (relation.target, False)):
            groups.setdefault((end, relation.predicate, is_source), []).append(relation)
    told: set[str] = set()
    for (end, predicate, is_source), group in sorted(groups.items(), key=_by_size):
        group = [relation for relation in group if relation.id not in told]
        if not group:
            continue
        told.update(relation.id for relation in group)
        shown = group[:_MOST_NAMES]
        others = tuple(r.target if is_source else r.source for r in shown)
        names = [flat(r.object if is_source else r.subject) for r in shown]
        listed = joined(names, len(group) - len(shown))
        one = flat(group[0].subject if is_source else group[0].object)
        middle = predicate_words(predicate)
        text = f"{one} {middle} {listed}." if is_source else f"{listed} {middle} {one}."
        parts = {material.child_of.get(relation.id, "") for relation in shown}
        yield Statement(
            clipped(text, _MOST_CHARACTERS),
            (*(end for _ in group), *others),
            tuple(relation.id for relation in shown),
            tuple(dict.fromkeys(id_ for relation in shown for id_ in relation.chunk_ids[:1])),
            parts.pop() if len(parts) == 1 else "",
        )


def _by_size(item: tuple[tuple[str, str, bool], list[Relation]]) -> tuple[int, str, str, bool]:
    (end, predicate, is_source), group = item
    return -len(group), end, predicate, not is_source


def _found(children: Iterable[Community]) -> Iterator[Statement]:
    for child in children:
        for finding in child.findings[:_FINDINGS_OF_CHILD]:
            text = finding.explanation or finding.summary
            opening = flat(sentences(text)[0]) if text.strip() else ""
            if opening:
                headline = flat(finding.summary) if finding.explanation else ""
                yield Statement(
                    clipped(opening, _MOST_CHARACTERS),
                    (),
                    finding.relation_ids,
                    finding.chunk_ids,
                    child.id,
                    headline,
                )


@cached(_passages, key=attrgetter("id", "text"), lock=RLock())
def _passage(chunk: Chunk) -> _Passage:
    lines = map(flat, sentences(chunk.text))
    return _Passage(chunk.id, flat(chunk.text), tuple((line, line.lower()) for line in lines))


@lru_cache(maxsize=_CACHED)
def _terms(text: str) -> frozenset[str]:
    return frozenset(word for word in content_words(text) if len(word) >= _SHORTEST_WORD)


@lru_cache(maxsize=_CACHED)
def _clarity(text: str) -> float:
    length = text.count(" ") + 1
    clarity = min(1.0, length / _FEW_WORDS, _MANY_WORDS / length)
    if _UNCLEAR_OPENING.match(text):
        clarity *= 0.5
    if not text[:1].isupper() or text.rstrip("\"'”’)")[-1:] not in (".", "!", "?"):
        clarity *= 0.6
    if _CLUTTER.search(text) or text.isupper():
        clarity *= 0.3
    if len(_NUMBER.findall(text)) > _MANY_NUMBERS:
        clarity *= 0.5
    if len(_QUOTE.findall(text)) % 2:
        clarity *= 0.6
    return clarity


def _unite(same: Sequence[Statement]) -> Statement:
    first = same[0]
    if len(same) == 1:
        return first
    return Statement(
        first.text,
        _union(statement.entity_ids for statement in same),
        _union(statement.relation_ids for statement in same),
        _union(statement.chunk_ids for statement in same),
        next((statement.part for statement in same if statement.part), ""),
        next((statement.headline for statement in same if statement.headline), ""),
    )


def _union(ids: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id_ for some in ids for id_ in some))


def joined(names: Sequence[str], more: int = 0) -> str:
    """Return `A, B and C`, or `A, B and 3 more`."""
    listed = [*names, f"{more} more"] if more else list(names)
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} and {listed[-1]}"
