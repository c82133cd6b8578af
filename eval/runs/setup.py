"""Set-up of a run before its first question: the system, the gold, the floor of chance."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from hoptrail.api import Hoptrail
from hoptrail.core.settings import Settings
from hoptrail.core.types import Document, JsonDict
from hoptrail.eval.questions.graphs_file import GraphBases, GraphFile, require_graphs
from hoptrail.eval.questions.question import Gold, Question, resolve_gold, with_gold_passages
from hoptrail.eval.run_folder import is_oracle
from hoptrail.eval.runs.run_record import chat_models, describe_file, register_oracle
from hoptrail.eval.runs.worker import RandomFloor
from hoptrail.eval.systems.evidence_cache import EvidenceCache, content_digest
from hoptrail.eval.systems.own_systems import PresetSystem, RetrieverSystem
from hoptrail.eval.systems.peer_system import PeerSystem
from hoptrail.eval.systems.system import System, SystemOutput
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import resolve_preset
from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.services.filtered_bases import filtered_base
from hoptrail.stores.knowledge_base import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Setup:
    """A system at work on a source of knowledge; `identity` tells that source from others."""

    system: System
    gold: Mapping[str, Gold]
    floor: RandomFloor | None
    identity: JsonDict


@dataclass(frozen=True, slots=True)
class Opening:
    """How to open a knowledge base and put the system under measurement over it.

    Attributes:
        retriever: The retriever to measure alone; None for the preset of the context.
        peer: File of another system's output, to be measured in place of both.
        reader: The reader's name, where one was given.
        context: The choices of the run; what it leaves unset the preset chooses.
        settings: Models and keys of the machine.
        cache: Folder of the evidence cache; None for none.
    """

    retriever: str | None
    peer: Path | None
    reader: str | None
    context: Context
    settings: Settings
    cache: Path | None

    def prepare_reader(self, questions: Sequence[Question]) -> None:
        """Tell an oracle the gold of the questions."""
        if self.reader is not None and is_oracle(self.reader):
            register_oracle(self.reader, questions, self.context.seed)

    def open(self, path: str | Path) -> Hoptrail:
        """Open a knowledge base with the fields of the context."""
        chosen = self.context.model_dump(exclude_unset=True)
        return Hoptrail.open(path, settings=self.settings, **chosen)

    @contextmanager
    def over_allowed(self, path: str | Path) -> Iterator[tuple[Opening, Hoptrail]]:
        """Yield the knowledge base of the documents that the filter allows, else the whole one.

        With it comes the opening without the filter, for what is to be opened over that base.
        """
        with self.open(path) as whole:
            wanted = self.context.document_filter
            if wanted is None:
                yield self, whole
                return
            part = filtered_base(whole.knowledge_base, wanted).store
            chosen = self.context.model_dump(exclude_unset=True, exclude={"filter"})
            opening = replace(self, context=resolve_context(chosen))
            with opening.open(part.path) as hoptrail:
                yield opening, hoptrail

    def make_system(self, hoptrail: Hoptrail) -> System:
        """Return the system over an opened knowledge base."""
        kb = hoptrail.knowledge_base
        cache = None if self.cache is None else EvidenceCache(self.cache, kb)
        context = resolve_context({"knowledge_base": str(kb.path.resolve())}, self.context)
        if self.retriever is None:
            return PresetSystem(hoptrail, context, cache)
        accepted = RETRIEVERS[self.retriever].model_fields if self.retriever in RETRIEVERS else {}
        parameters = {name: value for name, value in context if name in accepted}
        parameters |= context.parameters
        return RetrieverSystem(hoptrail.retriever(self.retriever, **parameters), cache)


def effective_context(context: Context, settings: Settings) -> Context:
    """Return the context with what its preset chooses where it leaves fields open."""
    has_model = chat_models(context, settings).configured
    return resolve_preset(context.preset, has_model=has_model).complete(context)


@contextmanager
def over_corpus(
    knowledge_base: str | Path,
    questions: Sequence[Question],
    path: Path,
    opening: Opening,
    *,
    allow_missing_gold: bool,
) -> Iterator[Setup]:
    """Yield the setup for questions over one indexed corpus.

    Args:
        knowledge_base: Folder or name.
        questions: Those of the file at `path`.
        path: Named in errors.
        opening: The system.
        allow_missing_gold: Keep questions whose gold is not indexed, or that a peer left out.

    Raises:
        InputError: If the knowledge base lacks gold documents, or the peer's file cannot be used.
    """
    with opening.over_allowed(knowledge_base) as (opened, hoptrail):
        kb = hoptrail.knowledge_base
        gold = resolve_gold(questions, _documents(kb), path, allow_missing=allow_missing_gold)
        opened.prepare_reader(with_gold_passages(questions, gold, kb.store))
        context = effective_context(opened.context, opened.settings)
        identity = {
            "knowledge_base": kb.name,
            "generation": kb.generation,
            "knowledge_base_sha256": content_digest(kb),
        }
        floor = RandomFloor(kb, context.budget, context.seed)
        if opened.peer is None:
            system = opened.make_system(hoptrail)
        else:
            identity |= describe_file("peer", opened.peer)
            system = PeerSystem(
                opened.peer, kb, questions, budget=context.budget, allow_missing=allow_missing_gold
            )
        yield Setup(system, gold, floor, identity)


@contextmanager
def over_graphs(
    graphs: Path, folder: str | Path, questions: Sequence[Question], path: Path, opening: Opening
) -> Iterator[Setup]:
    """Yield the setup for questions with a graph each; graphs are indexed when they are needed.

    Args:
        graphs: File of the graphs (docs/evaluation.md, "Questions").
        folder: Folder for the knowledge bases of the graphs, which later runs use again.
        questions: Those of the file at `path`.
        path: Named in errors.
        opening: The system.

    Raises:
        InputError: If a question has no graph in the file; names the line.
    """
    file = GraphFile(graphs)
    try:
        opening.prepare_reader(questions)
        bases = GraphBases(file, Path(folder), opening.settings)
        system = GraphSystem(bases, questions, path, opening)
        gold = {question.id: Gold() for question in questions}
        identity = {"knowledge_base": Path(folder).name, **describe_file("graphs", graphs)}
        yield Setup(system, gold, None, identity)
    finally:
        file.close()


class GraphSystem:
    """Measures a system on each question's own graph.

    Args:
        bases: The graphs' knowledge bases.
        questions: All that it will be asked.
        path: Their file, named in errors.
        opening: Puts the system over a knowledge base.

    Raises:
        InputError: If a question has no graph; names the line.
    """

    def __init__(
        self, bases: GraphBases, questions: Sequence[Question], path: Path, opening: Opening
    ) -> None:
        require_graphs(bases, questions, path)
        self._bases = bases
        self._opening = opening
        self._building = asyncio.Semaphore(1)
        self._locks: defaultdict[Path, asyncio.Lock] = defaultdict(asyncio.Lock)
        # One is opened before the run: a system that cannot work is an error, not a row.
        with opening.open(bases.find(questions[0].graph_key)) as hoptrail:
            example = opening.make_system(hoptrail)
        self.name = example.name
        self.headline = "accuracy" if example.headline == "accuracy" else "node_recall"
        self._crashed = example.crashed()

    async def run(self, question: Question) -> SystemOutput:
        """Return what the system makes of a question on its graph."""
        async with self._building:
            base = await asyncio.to_thread(self._bases.find, question.graph_key)
        # A name stands for one open knowledge base at a time.
        async with self._locks[base]:
            hoptrail, system = await asyncio.to_thread(self._open, base)
            try:
                return await system.run(question)
            finally:
                await asyncio.to_thread(hoptrail.close)

    def crashed(self) -> SystemOutput:
        """Return the outcome that stands for a crash."""
        return self._crashed

    def _open(self, base: Path) -> tuple[Hoptrail, System]:
        hoptrail = self._opening.open(base)
        try:
            return hoptrail, self._opening.make_system(hoptrail)
        except BaseException:
            hoptrail.close()
            raise


def _documents(kb: KnowledgeBase) -> list[Document]:
    return kb.store.documents([str(doc_id) for doc_id in kb.index.doc_ids])
