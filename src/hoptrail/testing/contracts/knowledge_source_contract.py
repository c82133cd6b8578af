"""Tests of a source of answers: everything that retrievers, tools and the server rely on."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from hoptrail.core.settings import Settings
from hoptrail.core.types import Document, Evidence
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import Focus, KnowledgeSource
from hoptrail.stores.protocols import VectorKind
from hoptrail.testing.contracts.sample_bases import (
    QUESTION,
    OverSampleBases,
    SampleBase,
    sample_folder,
)
from hoptrail.testing.embedder import HashingEmbedder

_QUESTIONS = (QUESTION, "Who founded the Alder Yard?", "What is quay bread made of?")
_HOSTILE = (
    "O\"Hara's `yard`",
    "a\\b {c} (d) [e]",
    '+ - && || ! ^ ~ * ? : / "',
    "}) DETACH DELETE n //",
    "x" * 300,
)
_NEAREST = 5
_SAME = 1e-4  # of similarities that a server computes in another order
Reading = Callable[..., AbstractContextManager[tuple[KnowledgeBase, KnowledgeSource]]]


class KnowledgeSourceContract(OverSampleBases):
    """Tests that every source must pass: a subclass says how a base is served.

    Attributes:
        same_retrievers: Those that find the same passages as over the folder itself. A source whose
            ranking differs on purpose, such as a server's full text, leaves some out.
    """

    same_retrievers: ClassVar[frozenset[str]] = frozenset(RETRIEVERS)

    def serving(self, kb: KnowledgeBase) -> AbstractContextManager[KnowledgeSource]:
        """Give a source that answers from what `publish` published of a base; to be overridden."""
        raise NotImplementedError

    def publish(self, kb: KnowledgeBase) -> None:
        """Bring the source in step with the published generation of the base's folder."""

    def withdraw(self, kb: KnowledgeBase) -> None:
        """Take a base from where it was published, if it would stay there after the tests."""

    @staticmethod
    def served_name(kb: KnowledgeBase) -> str:
        """Return a name for a base on a server, which no other folder's has."""
        return f"b{hashlib.sha256(str(kb.path).encode()).hexdigest()[:12]}"

    @pytest.fixture(scope="class")
    @classmethod
    def shared(cls, samples: Path) -> Iterator[Reading]:
        """Return what serves a sample base that the tests of a class share and do not change."""
        with ExitStack() as published:
            bases: dict[SampleBase, KnowledgeBase] = {}

            @contextmanager
            def reading(
                name: SampleBase = "passages",
            ) -> Iterator[tuple[KnowledgeBase, KnowledgeSource]]:
                contract = cls()
                if name not in bases:
                    place = samples / f"{cls.__qualname__}-shared"
                    bases[name] = published.enter_context(contract._published(samples, place, name))
                with contract.serving(bases[name]) as source:
                    yield bases[name], source

            yield reading

    @contextmanager
    def served(self, samples: Path, place: Path) -> Iterator[tuple[KnowledgeBase, KnowledgeSource]]:
        """Yield a base of passages of its own, open for writing, and the source that serves it."""
        with (
            self._published(samples, place, "passages") as kb,
            self.serving(kb) as source,
        ):
            yield kb, source

    @contextmanager
    def _published(self, samples: Path, place: Path, name: SampleBase) -> Iterator[KnowledgeBase]:
        folder = shutil.copytree(sample_folder(samples, name), place / name)
        with KnowledgeBase.open(folder, embedder=HashingEmbedder(), writable=True) as kb:
            self.publish(kb)
            try:
                yield kb
            finally:
                self.withdraw(kb)

    @pytest.mark.parametrize("name", ["passages", "bare_graph", "empty"])
    def test_it_says_how_much_it_holds(self, shared: Reading, name: SampleBase) -> None:
        """Items by kind, and what the graph is about."""
        with shared(name) as (kb, source):
            assert source.size == kb.size
            assert source.generation == kb.generation
            assert source.schema() == kb.schema()
            assert source.description == kb.description

    @pytest.mark.parametrize("name", ["passages", "bare_graph"])
    def test_items_are_those_of_the_records(self, shared: Reading, name: SampleBase) -> None:
        """In the order that is asked for, unknown ids left out."""
        with shared(name) as (kb, source):
            index = kb.index
            ids = [str(one) for one in (*index.doc_ids[::-1], "?")]
            assert source.store.documents(ids) == kb.store.documents(ids)
            assert source.store.passages_of(ids) == kb.store.passages_of(ids)
            ids = [str(one) for one in (*index.chunk_ids[::-1], "?")]
            assert source.store.chunks(ids) == kb.store.chunks(ids)
            ids = [str(one) for one in (*index.entity_ids[::-1], "?")]
            assert source.store.entities(ids) == kb.store.entities(ids)
            ids = [str(one) for one in (*index.relation_ids[::-1], "?")]
            assert source.store.relations(ids) == kb.store.relations(ids)

    def test_entities_are_found_by_their_names(self, shared: Reading) -> None:
        """In any case; a name that nothing has is left out."""
        with shared() as (kb, source):
            names = ["EDDA thorn", "Alder Yard", "nobody", ""]
            found = source.store.find_entities(names)
            assert found == kb.store.find_entities(names)
            assert len(found) == 2

    @pytest.mark.parametrize("text", _HOSTILE)
    def test_no_name_or_question_is_taken_for_a_query(self, shared: Reading, text: str) -> None:
        """Quotes, operators and long runs are text: they find nothing and break nothing."""
        with shared() as (kb, source):
            assert source.store.find_entities([text]) == {}
            make_retriever("bm25", source).retrieve(f"{text} yard")
            make_retriever("dot", source).retrieve(f"{text} yard")
            assert source.size == kb.size

    @pytest.mark.parametrize("kind", ["chunk", "entity", "relation"])
    def test_the_nearest_items_are_found(self, shared: Reading, kind: VectorKind) -> None:
        """By the vectors of the records, best first."""
        with shared() as (kb, source):
            for question in _QUESTIONS:
                vector = source.embed_query(question)
                with source.view(Focus((question,), vector)) as view:
                    ids, scores = view.vectors[kind].search(vector, _NEAREST)
                    own = view.vectors[kind].vectors(ids)
                _, expected = kb.vectors(kind).search(vector, _NEAREST)
                assert np.allclose(scores, expected, atol=_SAME)
                assert np.allclose(kb.vectors(kind).similarities(vector, ids), scores, atol=_SAME)
                assert np.allclose(own, kb.vectors(kind).vectors(ids), atol=_SAME)

    @pytest.mark.parametrize("name", ["passages", "bare_graph"])
    def test_what_lies_around_an_entity_is_seen(self, shared: Reading, name: SampleBase) -> None:
        """Its relations with their ends and predicates, and the passages that mention it."""
        with shared(name) as (kb, source):
            for entity_id in kb.index.entity_ids.tolist():
                with source.view(Focus(entity_ids=(entity_id,))) as view:
                    index = view.index
                    row = int(index.entity_rows([entity_id])[0])
                    rows = index.entity_relations.row(row)
                    seen = {
                        (
                            str(index.relation_ids[at]),
                            str(index.entity_ids[index.relation_source[at]]),
                            str(index.predicates[index.relation_predicate[at]]),
                            str(index.entity_ids[index.relation_target[at]]),
                        )
                        for at in rows.tolist()
                    }
                    chunks = set(index.chunk_ids[index.entity_chunks.row(row)].tolist())
                at = kb.index.entity_rows([entity_id])[0]
                ids = kb.index.relation_ids[kb.index.entity_relations.row(at)].tolist()
                expected = kb.store.relations(ids)
                assert seen == {(r.id, r.source, r.predicate, r.target) for r in expected}
                assert chunks == set(kb.store.entities([entity_id])[0].chunk_ids)

    @pytest.mark.parametrize("retriever", sorted(RETRIEVERS))
    def test_retrievers_find_what_they_find_over_the_folder(
        self, shared: Reading, retriever: str
    ) -> None:
        """The same passages in the same order, whatever serves them."""
        if retriever not in self.same_retrievers:
            pytest.skip("declared to rank otherwise")
        with shared() as (kb, source):
            for question in _QUESTIONS:
                found = make_retriever(retriever, source).retrieve(question)
                expected = make_retriever(retriever, kb).retrieve(question)
                assert _passages(found) == _passages(expected)

    def test_a_new_generation_is_taken_up(self, samples: Path, tmp_path: Path) -> None:
        """Added documents are found, deleted ones are not, once the source is refreshed."""
        with self.served(samples, tmp_path) as (kb, source):
            before = source.generation
            Indexer(kb, settings=Settings()).delete(["t/Edda Thorn"])
            _add(kb, "t/Ulm", "The Ulm is a river that rises near Brackenholm.")
            self.publish(kb)
            assert source.refresh()
            assert source.generation > before
            assert source.size == kb.size
            known = source.store.documents(["t/Edda Thorn", "t/Ulm"])
            assert [document.id for document in known] == ["t/Ulm"]
            found = make_retriever("vector", source).retrieve("Where does the Ulm rise?")
            assert found.chunks[0].item.doc_id == "t/Ulm"
            assert all(hit.item.doc_id != "t/Edda Thorn" for hit in found.chunks)
            assert not source.refresh()

    def test_a_view_shows_one_generation(self, samples: Path, tmp_path: Path) -> None:
        """Whatever is published while it is read."""
        with self.served(samples, tmp_path) as (kb, source):
            vector = source.embed_query(QUESTION)
            with source.view(Focus((QUESTION,), vector)) as view:
                ids = [str(one) for one in view.index.chunk_ids]
                with ThreadPoolExecutor(1) as other:
                    other.submit(self._replace_all, kb).result()
                assert [chunk.id for chunk in view.store.chunks(ids)] == ids
                near, _ = view.vectors["chunk"].search(vector, _NEAREST)
                assert set(near.tolist()) <= set(ids)
            source.refresh()
            with source.view(Focus((QUESTION,), vector)) as view:
                chunks = view.store.chunks(view.index.chunk_ids.tolist())
            assert [chunk.doc_id for chunk in chunks] == ["t/New"]

    def test_what_is_not_published_is_not_shown(self, shared: Reading) -> None:
        """A writer that stops half way changes nothing for readers."""
        with shared() as (kb, source):
            expected = [make_retriever("vector", source).retrieve(one) for one in _QUESTIONS]
            with pytest.raises(KeyboardInterrupt), kb.transaction():
                kb.delete_documents(["t/Edda Thorn"])
                raise KeyboardInterrupt
            source.refresh()
            found = [make_retriever("vector", source).retrieve(one) for one in _QUESTIONS]
            assert found == expected

    def test_threads_may_share_it(self, shared: Reading) -> None:
        """Questions at the same time give what they give one by one."""
        with shared() as (_, source):
            retriever = make_retriever("multistage", source)
            questions = _QUESTIONS * 4
            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(retriever.retrieve, questions))
            assert found == [retriever.retrieve(question) for question in questions]

    def _replace_all(self, kb: KnowledgeBase) -> None:
        gone = [str(one) for one in kb.index.doc_ids]
        _add(kb, "t/New", "The Morning Tern was sold.")
        Indexer(kb, settings=Settings()).delete(gone)
        self.publish(kb)


def _add(kb: KnowledgeBase, doc_id: str, text: str) -> None:
    title = doc_id.partition("/")[2]
    options = IndexOptions(extractor="nlp")
    Indexer(kb, settings=Settings()).index([Document(doc_id, title, text, "t")], options)


def _passages(evidence: Evidence) -> list[str]:
    return [hit.item.id for hit in evidence.chunks]
