"""A graph per question: each a small knowledge base, indexed on first use and kept."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hoptrail.api import Hoptrail
from hoptrail.core.errors import InputError
from hoptrail.core.settings import Settings
from hoptrail.eval.questions.graphs_file import GraphFile, Triple
from hoptrail.eval.questions.question import Question

_GRAPH = "graph.csv"
_VECTORS = "vectors.sqlite"  # of all graphs: they have most of their names in common


class GraphBases:
    """The knowledge bases of a file of graphs, by content: equal graphs share one.

    Args:
        file: The graphs.
        folder: Where their knowledge bases lie.
        settings: Name the embedder.
    """

    def __init__(self, file: GraphFile, folder: Path, settings: Settings) -> None:
        self._file = file
        self._folder = folder
        self._settings = settings

    def __contains__(self, key: str) -> bool:
        return key in self._file

    def find(self, key: str) -> Path:
        """Return the folder of a graph's knowledge base; indexes the graph where it is new.

        Raises:
            UnknownNameError: If the file has no graph of that key.
        """
        triples = self._file.triples(key)
        content = json.dumps(triples, ensure_ascii=False).encode()
        target = self._folder / hashlib.sha256(content).hexdigest()[:24]
        if not target.exists():
            self._build(triples, target)
        return target

    def _build(self, triples: Sequence[Triple], target: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".building-", dir=self._folder) as scratch:
            table = Path(scratch) / _GRAPH
            with table.open("w", encoding="utf-8", newline="") as stream:
                csv.writer(stream).writerows([("head", "relation", "tail"), *triples])
            built = Path(scratch) / target.name
            with Hoptrail.open(built, create=True, settings=self._settings) as hoptrail:
                hoptrail.index(
                    triples=[table], extractor="none", embeddings=self._folder / _VECTORS
                )
            try:
                built.rename(target)
            except OSError:
                # Another process has built the same graph meanwhile.
                if not target.exists():
                    raise
                shutil.rmtree(built)


def require_graphs(bases: GraphBases, questions: Sequence[Question], path: Path) -> None:
    """Check that every question has a graph.

    Args:
        bases: The graphs.
        questions: All that will be asked.
        path: Their file.

    Raises:
        InputError: If one has no graph; names the line.
    """
    for question in questions:
        if question.graph_key not in bases:
            raise InputError(
                f"the question {question.id!r} has no graph in the file of graphs",
                path=str(path),
                line=question.line,
                hint="graphs are joined on the field 'index', else on 'id'",
            )
