from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.types import Entity, ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.indexing.resolution.entity_resolution import Resolution, resolve
from hoptrail.indexing.resolution.readings import Mention
from hoptrail.stores.records.graph_decisions import Decisions

Item = ExtractedEntity | ExtractedRelation


def mention(doc: str, *items: Item, chunk: str | None = None) -> Mention:
    entities = tuple(item for item in items if isinstance(item, ExtractedEntity))
    relations = tuple(item for item in items if isinstance(item, ExtractedRelation))
    return doc, chunk or f"c-{doc}", "x", Extraction(entities, relations)


def named(resolution: Resolution, name: str) -> list[Entity]:
    return [entity for entity in resolution.entities if entity.name == name]


def test_spellings_of_one_name_are_one_entity() -> None:
    found = resolve(
        [
            mention("a", ExtractedEntity("The Beatles")),
            mention("b", ExtractedEntity("Beatles")),
            mention("c", ExtractedEntity("beatles")),
            mention("d", ExtractedEntity("Beatles")),
        ]
    )
    (entity,) = found.entities
    assert (entity.name, entity.chunk_ids) == ("Beatles", ("c-a", "c-b", "c-c", "c-d"))


def test_relations_with_one_predicate_are_one_with_the_summed_weight() -> None:
    found = resolve(
        [
            mention("a", ExtractedRelation("Ada", "Born in", "London", "One.")),
            mention("b", ExtractedRelation("ada", "born in", "London", "Two.")),
        ]
    )
    (relation,) = found.relations
    assert (relation.weight, relation.description) == (2.0, "One. Two.")
    assert relation.chunk_ids == ("c-a", "c-b")
    assert (relation.subject, relation.object) == ("Ada", "London")


def test_conflicting_types_keep_equal_names_apart() -> None:
    found = resolve(
        [
            mention("a", ExtractedEntity("Paris", "city")),
            mention("b", ExtractedEntity("Paris", "person")),
        ]
    )
    assert len(named(found, "Paris")) == 2


def test_types_of_one_family_do_not_conflict() -> None:
    found = resolve(
        [
            mention("a", ExtractedEntity("Paris", "city")),
            mention("b", ExtractedEntity("Paris", "LOCATION")),
            mention("c", ExtractedEntity("Paris")),
        ]
    )
    assert len(found.entities) == 1


def test_a_house_is_one_thing_however_its_type_is_called() -> None:
    types = ("building", "place", "venue", "theatre")
    found = resolve(
        [mention(str(n), ExtractedEntity("Opera House", t)) for n, t in enumerate(types)]
    )
    assert len(found.entities) == 1


def test_a_value_that_rules_read_is_a_node_of_its_document_alone() -> None:
    parts = [
        Extraction(
            (ExtractedEntity(name), ExtractedEntity("1921", "date")),
            (ExtractedRelation(name, "was founded in", "1921", "It was."),),
        )
        for name in ("Ada Mill", "Blue Mill")
    ]
    found = resolve(
        [(doc, f"c-{doc}", "nlp:2", part) for doc, part in zip("ab", parts, strict=True)]
    )
    assert len(named(found, "1921")) == 2
    found = resolve(
        [(doc, f"c-{doc}", "llm:m", part) for doc, part in zip("ab", parts, strict=True)]
    )
    assert len(named(found, "1921")) == 1


def test_an_untyped_mention_follows_its_own_document() -> None:
    found = resolve(
        [
            mention("a", ExtractedEntity("Paris", "city")),
            mention("b", ExtractedEntity("Paris", "person")),
            mention("b", ExtractedRelation("Paris", "kissed", "Helen"), chunk="c2"),
        ]
    )
    (person,) = (entity for entity in found.entities if entity.type == "person")
    assert found.relations[0].source == person.id


def test_conflicting_birth_years_keep_namesakes_apart() -> None:
    found = resolve(
        [
            mention("a", ExtractedRelation("John Smith", "born in", "1875")),
            mention("b", ExtractedRelation("John Smith", "was born on", "3 May 1950")),
            mention("c", ExtractedRelation("John Smith", "date of birth", "May 1950")),
        ]
    )
    smiths = named(found, "John Smith")
    assert sorted(entity.chunk_ids for entity in smiths) == [("c-a",), ("c-b", "c-c")]


def test_a_document_without_the_fact_joins_the_namesake_with_common_neighbours() -> None:
    found = resolve(
        [
            mention("a", ExtractedRelation("John Smith", "born in", "1875")),
            mention("a", ExtractedRelation("John Smith", "married", "Jane Doe"), chunk="c-a2"),
            mention("b", ExtractedRelation("John Smith", "born in", "1950")),
            mention("c", ExtractedRelation("John Smith", "lived with", "Jane Doe")),
        ]
    )
    (older,) = (e for e in named(found, "John Smith") if "c-a" in e.chunk_ids)
    assert older.chunk_ids == ("c-a", "c-a2", "c-c")


def test_conflicting_birth_places_keep_namesakes_apart_unless_neighbours_are_shared() -> None:
    in_paris = ExtractedRelation("John Smith", "was born in", "Paris")
    in_tokyo = ExtractedRelation("John Smith", "was born in", "Tokyo")
    apart = resolve([mention("a", in_paris), mention("b", in_tokyo)])
    film = ExtractedRelation("John Smith", "played in", "Casablanca")
    together = resolve([mention("a", in_paris, film), mention("b", in_tokyo, film)])
    assert len(named(apart, "John Smith")) == 2
    assert len(named(together, "John Smith")) == 1


def test_an_unambiguous_alias_merges_and_is_recorded() -> None:
    found = resolve(
        [
            mention("a", ExtractedEntity("United Nations", aliases=("UN",))),
            mention("b", ExtractedEntity("UN")),
        ]
    )
    (entity,) = found.entities
    (merge,) = found.merges
    assert (entity.name, entity.aliases) == ("UN", ("United Nations",))
    assert (merge.entity_id, merge.kept, merge.merged) == (entity.id, "united nations", "un")


def test_a_vetoed_merge_is_not_made_again() -> None:
    mentions = [
        mention("a", ExtractedEntity("United Nations", aliases=("UN",))),
        mention("b", ExtractedEntity("UN")),
    ]
    found = resolve(mentions, Decisions(vetoes=(("united nations", "un"),)))
    assert (len(found.entities), found.merges) == (2, [])


def test_unnamed_nodes_join_nothing_by_alias() -> None:
    found = resolve(
        [
            mention("a", ExtractedEntity("Ada", aliases=("m.0abc",))),
            mention("b", ExtractedEntity("m.0abc")),
            mention("c", ExtractedEntity("m.0xyz", aliases=("Ada",))),
        ]
    )
    assert len(found.entities) == 3
    assert found.merges == []


def test_an_alias_that_two_entities_claim_merges_nothing() -> None:
    found = resolve(
        [
            mention("a", ExtractedEntity("American League", aliases=("AL",))),
            mention("b", ExtractedEntity("Arab League", aliases=("AL",))),
            mention("c", ExtractedEntity("AL")),
        ]
    )
    assert len(found.entities) == 3


def test_an_alias_of_a_conflicting_type_merges_nothing() -> None:
    found = resolve(
        [
            mention("a", ExtractedEntity("Mercury Records", "company", aliases=("Mercury",))),
            mention("b", ExtractedEntity("Mercury", "person")),
        ]
    )
    assert len(found.entities) == 2


def test_relations_of_an_entity_with_itself_are_dropped() -> None:
    found = resolve([mention("a", ExtractedRelation("The Ada", "is", "Ada"))])
    assert found.relations == []


def test_an_entity_keeps_its_id_when_other_documents_come() -> None:
    first = mention("a", ExtractedRelation("Ada", "born in", "London"))
    more = mention("b", ExtractedRelation("London", "in", "England"))
    before = {entity.name: entity.id for entity in resolve([first]).entities}
    after = {entity.name: entity.id for entity in resolve([first, more]).entities}
    assert before.items() <= after.items()


NAMES = st.sampled_from(["Ada", "Ben", "the Ada", "UN", "United Nations", "Rome"])
ENTITIES = st.builds(
    ExtractedEntity,
    NAMES,
    st.sampled_from(["", "person", "city"]),
    st.sampled_from(["", "One.", "Two."]),
    st.lists(NAMES, max_size=1).map(tuple),
)
RELATIONS = st.builds(
    ExtractedRelation,
    NAMES,
    st.sampled_from(["born in", "met"]),
    st.one_of(NAMES, st.sampled_from(["1900", "1950"])),
)
MENTIONS = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.lists(ENTITIES, max_size=3),
        st.lists(RELATIONS, max_size=3),
    ),
    max_size=6,
).map(
    lambda rows: [
        mention(doc, *entities, *relations, chunk=f"c{place}")
        for place, (doc, entities, relations) in enumerate(rows)
    ]
)


@given(MENTIONS, st.randoms())
def test_the_order_of_mentions_does_not_matter(mentions: list[Mention], random: object) -> None:
    shuffled = list(mentions)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert resolve(shuffled) == resolve(mentions)


@given(MENTIONS)
def test_every_relation_joins_entities_of_the_graph(mentions: list[Mention]) -> None:
    found = resolve(mentions)
    ids = {entity.id for entity in found.entities}
    assert len(ids) == len(found.entities)
    assert all({relation.source, relation.target} <= ids for relation in found.relations)
