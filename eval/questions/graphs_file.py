"""A file of graphs, one per question, by its `index`; each is a small knowledge base when used."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from hoptrail.api import Hoptrail
from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.core.settings import Settings
from hoptrail.eval.json_files import Fields, open_binary, parse_json_lines, read_json_lines
from hoptrail.eval.questions.question import Question

Triple = tuple[str, str, str]

_KEYS = ("index", "id")

_GRAPH = "graph.csv"
_VECTORS = "vectors.sqlite"  # of all graphs: they have most of their names in common


@dataclass(frozen=True, slots=True)
class QuestionGraph:
    """The graph of one question; its keys are its `index` and its `id`, as far as it has them."""

    keys: tuple[str, ...]
    triples: tuple[Triple, ...]


def read_graphs(path: Path) -> Iterator[QuestionGraph]:
    """Yield the graphs of a JSON Lines file, plain or gzip, one at a time.

    A line holds `nodes` with `edges` as `[node number, predicate, node number]`, or `graph` as
    `[subject, predicate, object]` (the form of RoG).

    Raises:
        InputError: If the file is missing or damaged, or a line cannot be used; names the line.
    """
    for fields in read_json_lines(path):
        yield QuestionGraph(_keys(fields), graph_triples(fields))


def graph_triples(fields: Fields) -> tuple[Triple, ...]:
    """Return the triples of an object with a graph in one of the forms of `read_graphs`.

    Raises:
        InputError: If it holds no such graph.
    """
    _check(fields)
    return _triples(fields)


class GraphFile:
    """Looks up the graphs of a file by key; only their places are kept in memory.

    A gzip file is best asked in its own order: a step back reads it again from the beginning.

    Args:
        path: A file for `read_graphs`; it is read through once.

    Raises:
        InputError: If the file cannot be used, or two lines have one `index`; names the line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places = _places(path)
        self._stream = open_binary(path)
        self._lock = Lock()

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def triples(self, key: str) -> tuple[Triple, ...]:
        """Return the triples of the graph with this `index`, else with this `id`.

        Raises:
            UnknownNameError: If the file has no such graph.
        """
        if key not in self._places:
            raise UnknownNameError(f"graph of {self._path}", key, self._places)
        with self._lock:
            self._stream.seek(self._places[key])
            line = self._stream.readline()
        return _triples(next(parse_json_lines([line], self._path)))

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _keys(fields: Fields) -> tuple[str, ...]:
    keys = tuple(key for name in _KEYS if (key := fields.optional_text(name)))
    if not keys:
        raise fields.error("neither 'index' nor 'id'", "name the question that the graph is for")
    return keys


def _triples(fields: Fields) -> tuple[Triple, ...]:
    if "graph" in fields.row:
        return tuple((head, predicate, tail) for head, predicate, tail in fields.row["graph"])
    nodes = fields.row["nodes"]
    return tuple(
        (nodes[head], predicate, nodes[tail]) for head, predicate, tail in fields.row["edges"]
    )


def _check(fields: Fields) -> None:
    """Check a graph by sets of what stands in it: a graph has thousands of edges."""
    name = "graph" if "graph" in fields.row else "edges"
    triples = fields.items(name)
    if any(not isinstance(item, list) or len(item) != 3 for item in triples):
        raise fields.error(f"the field {name!r} is no list of triples")
    if not _all_of(str, (item[1] for item in triples)):
        raise fields.error(f"a predicate in {name!r} is no text")
    ends = [end for item in triples for end in (item[0], item[2])]
    if name == "graph":
        if not _all_of(str, ends):
            raise fields.error("an end of a triple in 'graph' is no text")
        return
    if "nodes" not in fields.row or "edges" not in fields.row:
        raise fields.error("no graph", "give 'nodes' and 'edges', or 'graph' as a list of triples")
    nodes = fields.items("nodes")
    if not _all_of(str, nodes):
        raise fields.error("the field 'nodes' is no list of texts")
    if not _all_of(int, ends) or not set(ends) <= set(range(len(nodes))):
        raise fields.error(f"an edge joins something else than the nodes 0 to {len(nodes) - 1}")


def _all_of(kind: type, values: Iterable[object]) -> bool:
    return {type(value) for value in values} <= {kind}


def _places(path: Path) -> dict[str, int]:
    """Return the offset of each graph's line by its keys; an `index` goes before an `id`."""
    offsets: list[int] = []
    by_key: dict[str, tuple[int, int]] = {}
    with open_binary(path) as stream:
        for fields in parse_json_lines(_recorded(stream, offsets), path):
            _check(fields)
            for rank, key in enumerate(_keys(fields)):
                known = by_key.get(key)
                if known is None or rank < known[0]:
                    by_key[key] = (rank, offsets[-1])
                elif rank == known[0]:
                    raise fields.error(f"the graph {key!r} stands on an earlier line already")
    if not by_key:
        raise InputError("no graph in it", path=str(path))
    return {key: offset for key, (_, offset) in by_key.items()}


def _recorded(lines: Iterable[bytes], offsets: list[int]) -> Iterator[bytes]:
    """Pass lines on and note where each begins."""
    place = 0
    for line in lines:
        offsets.append(place)
        yield line
        place += len(line)


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
