"""Mentions that come or go change in a graph what the resolution of all changes."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from hoptrail.core.text import name_key
from hoptrail.core.types import Entity, ExtractedEntity, ExtractedRelation, Extraction, Relation
from hoptrail.core.types.graph import Merge
from hoptrail.indexing.derivation import FindNamed, resolve_change
from hoptrail.indexing.resolution.entity_resolution import resolve
from hoptrail.indexing.resolution.readings import BY_RULES, Mention
from hoptrail.stores.records.graph_decisions import Decisions

NAMES = ("Ada", "ADA", "Ada King", "Paris", "the Paris", "Rex", "Oslo", "1890", "The Mill")
PREDICATES = ("born in", "was born in", "knows", "capital of", "Knows")
NO_ALIASES: st.SearchStrategy[tuple[str, ...]] = st.just(())


def entities(aliases: st.SearchStrategy[tuple[str, ...]]) -> st.SearchStrategy[ExtractedEntity]:
    return st.builds(
        ExtractedEntity,
        st.sampled_from(NAMES),
        st.sampled_from(("", "person", "city", "date")),
        st.sampled_from(("", "Short.", "Other words.")),
        aliases,
    )


relations = st.builds(
    ExtractedRelation,
    st.sampled_from(NAMES),
    st.sampled_from(PREDICATES),
    st.sampled_from((*NAMES, "1901 in Rome")),
    st.sampled_from(("", "Told.")),
)


def extractions(of: st.SearchStrategy[ExtractedEntity]) -> st.SearchStrategy[Extraction]:
    return st.builds(
        Extraction,
        st.lists(of, max_size=3).map(tuple),
        st.lists(relations, max_size=3).map(tuple),
    )


by_model = extractions(entities(st.lists(st.sampled_from(NAMES), max_size=1).map(tuple)))
by_rules = extractions(entities(NO_ALIASES))  # they tell values apart, and know no alias of one
places = st.one_of(st.tuples(by_model, st.just("x")), st.tuples(by_rules, st.just(BY_RULES)))
documents = st.lists(st.lists(places, min_size=1, max_size=2), min_size=1, max_size=7)


def mentions(given: Iterable[list[tuple[Extraction, str]]]) -> list[Mention]:
    return [
        (f"d{doc}", f"c{doc}-{place}", extractor, extraction)
        for doc, places in enumerate(given)
        for place, (extraction, extractor) in enumerate(places)
    ]


def finder(before: list[Mention], decisions: Decisions) -> FindNamed:
    """Look names up as the tables of the graph do."""
    graph = resolve(before, decisions).entities
    names = [{name_key(name) for name in (one.name, *one.aliases)} for one in graph]
    pairs = [{label.partition(" [")[0] for label in pair} for pair in decisions.confirmed]

    def find(keys: Iterable[str]) -> tuple[set[str], list[Mention]]:
        known = set(keys)
        while True:
            met = [own for own in (*names, *pairs) if own & known]
            if all(own <= known for own in met):
                break
            known.update(*met)
        chunks = {
            chunk
            for one, own in zip(graph, names, strict=True)
            for chunk in one.chunk_ids
            if own & known
        }
        return known, [mention for mention in before if mention[1] in chunks]

    return find


@settings(max_examples=150, deadline=None)
@given(documents, st.integers(1, 3), st.booleans(), st.booleans(), st.booleans())
def test_a_changed_graph_is_that_of_all(
    given_documents: list[list[tuple[Extraction, str]]],
    some: int,
    gone: bool,
    vetoed: bool,
    confirmed: bool,
) -> None:
    pair = [("ada", "rex")]
    decisions = Decisions(
        vetoes=(("ada", "ada king"),) if vetoed else (),
        confirmed=tuple(pair) if confirmed else (),
    )
    every = mentions(given_documents)
    ids = sorted({mention[0] for mention in every})[-some:]
    others = [mention for mention in every if mention[0] not in ids]
    own = [mention for mention in every if mention[0] in ids]
    before, after = (every, others) if gone else (others, every)
    here, there = (own, []) if gone else ([], own)
    change = resolve_change(here, there, finder(before, decisions), decisions)
    earlier, wanted = resolve(before, decisions), resolve(after, decisions)
    for old, put, left, all_of in (
        (earlier.entities, change.entities, change.gone.entities, wanted.entities),
        (earlier.relations, change.relations, change.gone.relations, wanted.relations),
        (earlier.merges, change.merges, change.gone_merges, wanted.merges),
    ):
        changed: dict[str, Entity | Relation | Merge] = {one.id: one for one in old}
        for id_ in left:
            del changed[id_]
        changed |= {one.id: one for one in put}
        assert _rows(changed.values()) == _rows(all_of)


def _rows(items: Iterable[Entity | Relation | Merge]) -> dict[str, dict[str, object]]:
    """Return what the tables hold of each item: a relation's names are those of its ends there."""
    found: dict[str, dict[str, object]] = {}
    for item in items:
        row = item.to_json()
        found[item.id] = {name: row[name] for name in row.keys() - {"subject", "object"}}
    return found
