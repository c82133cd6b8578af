"""Where the subgraph of each question comes from: its own graph, or one knowledge base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from hoptrail import __version__
from hoptrail.api import Hoptrail
from hoptrail.core.errors import NothingIndexedError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Evidence, JsonDict
from hoptrail.eval.json_files import open_binary
from hoptrail.eval.questions.graphs_file import GraphBases, GraphFile, require_graphs
from hoptrail.eval.questions.question import Question
from hoptrail.eval.runs.run_record import describe_file
from hoptrail.eval.systems.evidence_cache import content_digest
from hoptrail.retrievers.registry import make_retriever


@dataclass(frozen=True, slots=True)
class Retrieving:
    """How a subgraph is found; `parameters` are fields of the retriever."""

    retriever: str = "multistage"
    parameters: Mapping[str, Any] = field(default_factory=dict)


class GraphSource(Protocol):
    """Finds the subgraphs of questions."""

    def identity(self) -> JsonDict:
        """Return what the subgraphs depend on, beside the question."""
        ...

    def find(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        """Yield what is found for each question, in their order."""
        ...


class OwnGraphs:
    """Each question's own graph, of a file of graphs.

    Args:
        graphs: The file (docs/evaluation.md, "Questions").
        questions: Their file, named in errors.
        folder: Keeps the indexed graphs.
        retrieving: How to search them.
        settings: Name the embedder.

    Raises:
        InputError: If there is no such file of graphs.
    """

    def __init__(
        self,
        graphs: Path,
        questions: Path,
        folder: Path,
        retrieving: Retrieving,
        settings: Settings,
    ) -> None:
        open_binary(graphs).close()
        self._graphs, self._questions, self._folder = graphs, questions, folder
        self._retrieving, self._settings = retrieving, settings

    def identity(self) -> JsonDict:
        """Return the hash of the graphs, and how they are searched."""
        return {
            **describe_file("graphs", self._graphs),
            "embedder": self._settings.embedder,
            **_describe(self._retrieving),
        }

    def find(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        """Yield what is found in each question's graph; nothing in one that has no edge.

        Raises:
            InputError: If a question has no graph; names the line.
        """
        with closing(GraphFile(self._graphs)) as file:
            bases = GraphBases(file, self._folder, self._settings)
            require_graphs(bases, questions, self._questions)
            for question in questions:
                yield self._find_one(bases, question)

    def _find_one(self, bases: GraphBases, question: Question) -> Evidence:
        try:
            base = bases.find(question.graph_key)
        except NothingIndexedError:
            return Evidence()
        with Hoptrail.open(base, settings=self._settings) as hoptrail:
            return _retrieve(hoptrail, self._retrieving, question)


class OneBase:
    """One knowledge base for all questions.

    Args:
        knowledge_base: Its folder or name.
        retrieving: How to search it.
        settings: Name the embedder and the known knowledge bases.
    """

    def __init__(self, knowledge_base: str, retrieving: Retrieving, settings: Settings) -> None:
        self._path, self._retrieving, self._settings = knowledge_base, retrieving, settings

    def identity(self) -> JsonDict:
        """Return the hash of what is searched, and how."""
        with Hoptrail.open(self._path, settings=self._settings) as hoptrail:
            digest = content_digest(hoptrail.knowledge_base)
        return {"knowledge_base_sha256": digest, **_describe(self._retrieving)}

    def find(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        """Yield what is found for each question."""
        with Hoptrail.open(self._path, settings=self._settings) as hoptrail:
            for question in questions:
                yield _retrieve(hoptrail, self._retrieving, question)


def _describe(retrieving: Retrieving) -> JsonDict:
    return {
        "retriever": retrieving.retriever,
        "parameters": dict(retrieving.parameters),
        "hoptrail": __version__,
    }


def _retrieve(hoptrail: Hoptrail, retrieving: Retrieving, question: Question) -> Evidence:
    retriever = make_retriever(
        retrieving.retriever, hoptrail.knowledge_base, **retrieving.parameters
    )
    return retriever.retrieve(question.text)
