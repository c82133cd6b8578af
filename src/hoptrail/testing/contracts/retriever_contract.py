"""Tests of a retriever: everything that Hoptrail's graph, tools and evaluation rely on."""

from __future__ import annotations

import asyncio
import json
import math
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Evidence, Hit, Plan
from hoptrail.indexing.pipeline import Indexer
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.contracts.sample_bases import (
    QUESTION,
    OverSampleBases,
    SampleBase,
    open_sample,
    sample_folder,
)
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.tools.retrieval import hydrate

_QUESTIONS = (QUESTION, "Who founded the Alder Yard?", "What is quay bread made of?")
_DECIMALS = 5


class RetrieverContract(OverSampleBases):
    """Tests that every retriever must pass: a subclass names the class under test.

    The questions are about `passages`, a small base about ships; a subclass may override the
    fixture, and `question` with it, where its retriever needs a base of another kind.

    Attributes:
        retriever_class: The class under test.
        parameters: Fields to construct it with.
        question: One that the base has at least two passages for.
    """

    retriever_class: ClassVar[type[Retriever]]
    parameters: ClassVar[Mapping[str, Any]] = {}
    question: ClassVar[str] = QUESTION

    @pytest.fixture
    def passages(self, samples: Path) -> Iterator[KnowledgeBase]:
        """Yield a base of passages and the graph in them."""
        with open_sample(samples, "passages") as kb:
            yield kb

    def retriever(self, kb: KnowledgeBase, **parameters: Any) -> Retriever:
        """Return the retriever under test over a knowledge base."""
        return self.retriever_class(kb=kb, **{**self.parameters, **parameters})

    def test_a_question_that_cannot_be_asked_is_a_clear_error(
        self, passages: KnowledgeBase
    ) -> None:
        """An empty or endless question raises an InputError that says so."""
        for question in ("", "  \n", "?!", "why " * 30_000):
            with pytest.raises(InputError, match="question"):
                self.retriever(passages).retrieve(question)

    def test_an_empty_base_gives_empty_evidence(self, samples: Path) -> None:
        """Nothing indexed is nothing found, and no error."""
        with open_sample(samples, "empty") as kb:
            assert self.retriever(kb).retrieve(self.question).is_empty
            assert self.retriever(kb).invoke(self.question) == []

    @pytest.mark.parametrize("base", ["passages", "bare_graph"])
    def test_the_evidence_is_sound(self, samples: Path, base: SampleBase) -> None:
        """Whatever is asked: items of the base, each once, passages by score, scores finite."""
        with open_sample(samples, base) as kb:
            for question in ("xyzzy plugh?", "北港", "a " * 300, *_QUESTIONS):
                require_sound_evidence(kb, self.retriever(kb).retrieve(question))

    def test_the_question_finds_passages(self, passages: KnowledgeBase) -> None:
        """The base has passages for the question; else the other tests would show nothing."""
        assert len(self.retriever(passages).retrieve(self.question).chunks) > 1

    def test_the_same_question_gives_the_same_evidence(self, passages: KnowledgeBase) -> None:
        """A second time, and from a second retriever."""
        retriever = self.retriever(passages)
        first = retriever.retrieve(self.question)
        assert retriever.retrieve(self.question) == first
        assert self.retriever(passages).retrieve(self.question) == first

    def test_a_plan_is_understood(self, passages: KnowledgeBase) -> None:
        """Names, keywords and sub-questions that others planned give sound evidence."""
        plan = Plan(("Who founded the Alder Yard?",), ("Edda Thorn",), ("founding of yards",))
        require_sound_evidence(passages, self.retriever(passages).retrieve(self.question, plan))

    def test_k_passages_are_found_whatever_the_budget(self, passages: KnowledgeBase) -> None:
        """The budget bounds the passages beyond `k`: without any budget there are `k`."""
        assert len(self.retriever(passages, k=2, budget=0).retrieve(self.question).chunks) == 2

    def test_langchain_is_given_k_documents(self, passages: KnowledgeBase) -> None:
        """As a LangChain retriever it returns the `k` of its field, or of the call."""
        assert len(self.retriever(passages, k=2).invoke(self.question)) == 2
        assert len(self.retriever(passages).invoke(self.question, k=1)) == 1

    def test_langchain_may_await_it(self, passages: KnowledgeBase) -> None:
        """`ainvoke` gives the documents of `invoke`."""
        retriever = self.retriever(passages)
        awaited = asyncio.run(retriever.ainvoke(self.question))
        assert awaited == retriever.invoke(self.question)

    def test_documents_say_where_they_are_from(self, passages: KnowledgeBase) -> None:
        """A document's text stands at the named place of the named source."""
        for document in self.retriever(passages).invoke(self.question):
            place = document.metadata
            [source] = passages.store.documents([place["doc_id"]])
            assert source.text[place["start"] : place["end"]] == document.page_content
            assert document.id == place["chunk_id"]

    def test_evidence_survives_its_json_forms(self, passages: KnowledgeBase) -> None:
        """The whole form, and the references that the graph's state carries.

        They leave out what led to passages and relations.
        """
        evidence = self.retriever(passages).retrieve(self.question)
        assert Evidence.from_json(json.loads(json.dumps(evidence.to_json()))) == evidence
        references = json.loads(json.dumps(evidence.references()))
        carried = replace(
            evidence,
            relations=tuple(replace(hit, provenance=()) for hit in evidence.relations),
            chunks=tuple(replace(hit, provenance=()) for hit in evidence.chunks),
        )
        assert hydrate(passages, references) == carried

    def test_threads_may_share_it(self, passages: KnowledgeBase) -> None:
        """Questions at the same time give what they give one by one."""
        retriever = self.retriever(passages)
        questions = _QUESTIONS * 4
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(retriever.retrieve, questions))
        assert found == [retriever.retrieve(question) for question in questions]

    def test_what_was_deleted_is_not_found_again(self, samples: Path, tmp_path: Path) -> None:
        """A retriever keeps nothing of a generation of the base that is past."""
        folder = shutil.copytree(sample_folder(samples, "passages"), tmp_path / "kb")
        with KnowledgeBase.open(folder, embedder=HashingEmbedder(), writable=True) as kb:
            retriever = self.retriever(kb)
            before = retriever.retrieve(QUESTION)
            Indexer(kb, settings=Settings()).delete(["t/Edda Thorn", "t/Alder Yard"])
            after = retriever.retrieve(QUESTION)
            require_sound_evidence(kb, after)
            gone = {"t/Edda Thorn", "t/Alder Yard"}
            assert gone & {hit.item.doc_id for hit in before.chunks}
            assert not gone & {hit.item.doc_id for hit in after.chunks}


def require_sound_evidence(kb: KnowledgeBase, evidence: Evidence) -> None:
    """Assert what holds for all evidence over a knowledge base, whatever the question."""
    steps = [relation.id for hit in evidence.paths for relation in hit.item.relations]
    known = {
        "chunks": {chunk.id for chunk in kb.store.chunks(_ids(evidence.chunks))},
        "entities": {entity.id for entity in kb.store.entities(_ids(evidence.entities))},
        "relations": {relation.id for relation in kb.store.relations(_ids(evidence.relations))},
        "reports": {report.id for report in kb.store.communities(_ids(evidence.reports))},
    }
    for name, ids in known.items():
        hits: tuple[Hit[Any], ...] = getattr(evidence, name)
        _require_sound_hits(name, hits)
        found = _ids(hits)
        assert len(set(found)) == len(found), f"{name}: an item stands there twice"
        assert set(found) == ids, f"{name}: an item is not in the knowledge base"
    _require_sound_hits("paths", evidence.paths)
    assert len(kb.store.relations(sorted(set(steps)))) == len(set(steps)), "paths: unknown steps"
    for name in ("chunks", "entities", "relations", "paths", "reports"):
        scores = [hit.score for hit in getattr(evidence, name)]
        assert scores == sorted(scores, reverse=True), f"{name}: not sorted by score"


def _require_sound_hits(name: str, hits: tuple[Hit[Any], ...]) -> None:
    for hit in hits:
        assert math.isfinite(hit.score), f"{name}: the score {hit.score} is no number"
        assert hit.score == round(hit.score, _DECIMALS), f"{name}: {hit.score} is not rounded"
        assert hit.channel, f"{name}: an item does not say which channel found it"


def _ids(hits: tuple[Hit[Any], ...]) -> list[str]:
    return [hit.item.id for hit in hits]
