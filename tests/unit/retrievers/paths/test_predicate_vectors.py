from __future__ import annotations

from pathlib import Path

import numpy as np

from hoptrail.core.names import predicate_words
from hoptrail.retrievers.paths.predicate_vectors import first_relations, shared_vectors
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
