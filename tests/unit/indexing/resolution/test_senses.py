from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.types import ExtractedRelation, Extraction
from hoptrail.indexing.resolution.functional_facts import (
    Facts,
    contradicting_places,
    contradicting_years,
    merge_facts,
)
from hoptrail.indexing.resolution.readings import Mention, read_mentions
from hoptrail.indexing.resolution.senses import Senses

Stated = tuple[str | None, str | None, str | None]
"""Year and place of birth that a document states of Ada, and whom she knew."""

STATED = st.tuples(
    st.sampled_from([None, "1815", "1816", "1817"]),
    st.sampled_from([None, "London", "East London", "Paris"]),
    st.sampled_from([None, "Babbage", "Byron", "Somerville"]),
)


def mention(doc: str, stated: Stated) -> Mention:
    year, place, friend = stated
    relations = [
        ExtractedRelation("Ada", predicate, other)
        for predicate, other in (("born in", year), ("place of birth", place), ("knew", friend))
        if other is not None
    ]
    return doc, f"c-{doc}", "x", Extraction(relations=tuple(relations))


def facts_of(stated: Stated) -> Facts:
    year, place, _ = stated
    facts: Facts = {}
    if year is not None:
        facts["birth year"] = {year}
    if place is not None:
        facts["birth place"] = {place.lower()}
    return facts


def compared_one_by_one(documents: dict[str, Stated]) -> list[set[str]]:
    """Return which documents speak of one Ada: each joins the first that it may be."""
    groups: list[tuple[set[str], Facts, set[str]]] = []
    for doc, stated in documents.items():
        facts, near = facts_of(stated), {one.lower() for one in stated if one is not None}
        for docs, known, neighbours in groups:
            if contradicting_years(facts, known):
                continue
            if neighbours.isdisjoint(near) and contradicting_places(facts, known):
                continue
            docs.add(doc)
            merge_facts(known, facts)
            neighbours |= near
            break
        else:
            own: Facts = {}
            merge_facts(own, facts)
            groups.append(({doc}, own, near))
    return sorted((docs for docs, _, _ in groups), key=min)


@given(st.lists(STATED.filter(lambda one: one[:2] != (None, None)), min_size=1, max_size=12))
def test_documents_that_state_facts_join_the_first_sense_that_they_do_not_contradict(
    stated: list[Stated],
) -> None:
    documents = {f"d{place:02}": one for place, one in enumerate(stated)}
    readings = read_mentions(mention(doc, one) for doc, one in documents.items())
    senses, ada = Senses(readings), readings.keys.index("ada")
    groups: dict[int, set[str]] = {}
    for number, doc in enumerate(readings.documents):
        groups.setdefault(id(senses.of(ada, number)), set()).add(doc)
    assert sorted(groups.values(), key=min) == compared_one_by_one(documents)
