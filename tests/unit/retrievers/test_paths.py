from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.names import predicate_words
from hoptrail.core.settings import Settings
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.retrievers.paths import (
    FoundPath,
    first_relations,
    labelled_edges,
    shared_vectors,
    steps_of,
    with_sets,
)
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder
from tests.unit.retrievers.conftest import build
from tests.views import view_of

TRIPLES = "Red Fern|directed_by|Ida Holm\nBlue Moss|directed_by|Ida Holm\nRed Fern|made_in|1931\n"


def opened(folder: Path) -> KnowledgeBase:
    (folder / "triples.txt").write_text(TRIPLES)
    kb = build(folder / "kb", {}, "none", (folder / "triples.txt",))
    return KnowledgeBase.open(kb, embedder=HashingEmbedder())


def test_a_bare_graph_holds_the_vectors_of_its_predicates(tmp_path: Path) -> None:
    with opened(tmp_path) as kb:
        texts = {n: predicate_words(str(name)) for n, name in enumerate(kb.index.predicates)}
        found = shared_vectors(kb, view_of(kb), texts)
        assert sorted(found) == sorted(texts)
        for number, text in texts.items():
            np.testing.assert_allclose(found[number], HashingEmbedder().embed([text])[0], atol=1e-6)


def test_a_predicate_that_is_read_in_other_words_is_left_out(tmp_path: Path) -> None:
    with opened(tmp_path) as kb:
        assert shared_vectors(kb, view_of(kb), {0: "something else"}) == {}


def test_the_first_relation_of_each_predicate_is_known(tmp_path: Path) -> None:
    with opened(tmp_path) as kb:
        predicates = kb.index.relation_predicate
        expected = np.unique(predicates, return_index=True)[1]
        assert first_relations.of(kb, view_of(kb)).tolist() == expected.tolist()


FILMS = """Gale|played in|Ann Orr
Gale|played in|Bo Penn
Calm|played in|Ann Orr
Calm|played in|Cy Rook
Calm|shot in|1950
"""


@pytest.fixture
def films(tmp_path: Path) -> Iterator[KnowledgeBase]:
    facts = tmp_path / "facts.txt"
    facts.write_text(FILMS)
    with KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder(), create=True) as kb:
        options = IndexOptions(extractor="none", triples=(facts,))
        Indexer(kb, settings=Settings()).index([], options)
        yield kb


def path_through(kb: KnowledgeBase, *names: str, verdict: str | None = None) -> FoundPath:
    """Return the path through entities of these names, each joined to the next by one relation."""
    view = view_of(kb)
    index = view.index
    rows = [
        int(index.entity_rows(list(view.store.find_entities([name])[name]))[0]) for name in names
    ]
    relations = [
        next(
            row
            for row in range(len(index.relation_ids))
            if {int(index.relation_source[row]), int(index.relation_target[row])} == {left, right}
        )
        for left, right in zip(rows, rows[1:], strict=False)
    ]
    return FoundPath(tuple(rows), tuple(relations), 0.5, verdict)


def ends(kb: KnowledgeBase, paths: list[FoundPath]) -> list[str]:
    ids = [str(kb.index.entity_ids[path.entities[-1]]) for path in paths]
    names = {entity.id: entity.name for entity in kb.store.entities(ids)}
    return [names[id_] for id_ in ids]


def test_a_complete_path_brings_all_that_take_its_steps(films: KnowledgeBase) -> None:
    path = path_through(films, "Gale", "Ann Orr", verdict="complete")
    found = with_sets(view_of(films), [path], anchors=(), most=10)
    assert found[0] == path
    assert sorted(ends(films, found)) == ["Ann Orr", "Bo Penn"]


def test_a_partial_path_stands_for_itself(films: KnowledgeBase) -> None:
    path = path_through(films, "Gale", "Ann Orr", verdict="partial")
    assert with_sets(view_of(films), [path], anchors=(), most=10) == [path]


def test_a_set_ends_where_the_entities_are_spent(films: KnowledgeBase) -> None:
    path = path_through(films, "Gale", "Ann Orr", verdict="complete")
    assert with_sets(view_of(films), [path], anchors=(), most=2) == [path]


def test_what_goes_on_from_an_answer_adds_nothing(films: KnowledgeBase) -> None:
    answer = path_through(films, "Gale", "Ann Orr", verdict="complete")
    beyond = path_through(films, "Gale", "Ann Orr", "Calm", verdict="complete")
    found = with_sets(view_of(films), [beyond, answer], anchors=(), most=10)
    assert sorted(ends(films, found)) == ["Ann Orr", "Bo Penn"]


def test_what_stops_on_the_way_to_an_answer_adds_nothing(films: KnowledgeBase) -> None:
    half = path_through(films, "Gale", "Bo Penn", verdict="partial")
    whole = path_through(films, "Gale", "Ann Orr", "Calm", verdict="complete")
    assert with_sets(view_of(films), [half, whole], anchors=(), most=10) == [whole]


def test_what_passes_another_anchor_adds_nothing(films: KnowledgeBase) -> None:
    path = path_through(films, "Gale", "Ann Orr", "Calm", verdict="complete")
    assert with_sets(view_of(films), [path], anchors=path.entities[:2], most=10) == []


def test_steps_tell_the_direction(films: KnowledgeBase) -> None:
    graph = labelled_edges(view_of(films))
    there = steps_of(graph, path_through(films, "Gale", "Ann Orr"))
    back = steps_of(graph, path_through(films, "Ann Orr", "Gale"))
    assert back == (there[0] + 1,)
