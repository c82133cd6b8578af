"""Public sets of questions over graphs: MetaQA, and WebQSP and CWQ in the form of RoG."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.datasets.origin import Example, Origin, Part, PublicSet
from hoptrail.eval.files.json_lines import Fields, open_binary
from hoptrail.eval.questions.graphs_file import Triple, graph_triples

_METAQA = Part(files=("?-hop/vanilla/qa_{split}.txt", "vanilla/qa_{split}.txt", "qa_{split}.txt"))
_METAQA_GRAPH = Part(files=("kb.txt", "../kb.txt", "../../kb.txt"), is_whole=True, is_main=False)
_TOPIC = re.compile(r"\[([^\]]+)\]")
_HOPS = re.compile(r"([1-3])-?hop")

_ROG_FILES = (
    "data/{hub_split}-*.parquet",
    "{hub_split}-*.parquet",
    "{hub_split}.json*",
    "{split}.json*",
)


def read_metaqa(origin: Origin) -> PublicSet:
    """Read the questions of every number of hops that is there, and the graph of all of them."""
    examples = (
        example for path in origin.files(_METAQA) for example in _metaqa_examples(path, origin)
    )
    triples = (triple for path in origin.files(_METAQA_GRAPH) for triple in _triples(path))
    return PublicSet(examples, triples=triples)


def _metaqa_examples(path: Path, origin: Origin) -> Iterator[Example]:
    types = _metaqa_types(path)
    named = _HOPS.findall(path.as_posix())
    hops = int(named[-1]) if named else None
    for number, line in _lines(path):
        fields = Fields(str(path), number, {})
        question, tab, answers = line.partition("\t")
        topic = _TOPIC.search(question)
        if not tab or not answers or topic is None:
            raise fields.error(
                "no line of MetaQA", "question with [topic], a tab, answers between |"
            )
        row: JsonDict = {
            "id": f"metaqa-{f'{hops}hop-' if hops else ''}{origin.split}-{number}",
            "question": _TOPIC.sub(r"\1", question).strip(),
            "topic_entity": topic[1],
            "answers": answers.split("|"),
        }
        if types:
            row["qtype"] = _type_of(fields, types)
            row["hops"] = row["qtype"].count("_to_")
        elif hops:
            row["hops"] = hops
        yield Example(row)


def _metaqa_types(path: Path) -> list[str]:
    """Return the types of a file's questions by line, none where their file is not there."""
    name = path.name.replace(".txt", "_qtype.txt")
    beside = [path.with_name(name), path.parent.parent / name]
    found = next((place for place in beside if place.is_file()), None)
    return [] if found is None else [line.strip() for _, line in _lines(found)]


def _type_of(fields: Fields, types: list[str]) -> str:
    line = fields.line or 0
    if line > len(types):
        raise fields.error(f"the file of question types has {len(types)} lines only")
    return types[line - 1]


def _triples(path: Path) -> Iterator[Triple]:
    for number, line in _lines(path):
        parts = line.split("|")
        if len(parts) != 3 or not all(parts):
            raise InputError("not head|relation|tail", path=str(path), line=number)
        yield parts[0], parts[1], parts[2]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with open_binary(path) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                line = raw.decode("utf-8-sig").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError("not text in UTF-8", path=str(path), line=number) from error
            if line.strip():
                yield number, line


def read_rog(name: str) -> Callable[[Origin], PublicSet]:
    """Return what reads a set that RoG published under this name."""
    questions = Part(files=_ROG_FILES, hub=(f"rmanluo/{name}", None))
    return lambda origin: PublicSet(_rog_example(item) for item in origin.records(questions))


def _rog_example(fields: Fields) -> Example | None:
    answers = fields.texts("answer")
    if fields.row.get("answer") == []:
        return None
    name = fields.text("id")
    question: JsonDict = {
        "id": name,
        "index": name,
        "question": fields.text("question"),
        "answers": list(answers) or [fields.text("answer")],
        "topic_entities": list(fields.texts("q_entity")),
    }
    return Example(question, graph=graph_triples(fields))
