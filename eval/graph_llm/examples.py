"""Examples for the graph language model: questions with the subgraphs found for them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from filelock import FileLock

from hoptrail.core.progress import NoProgress, Progress
from hoptrail.eval.files.jsonl_log import JsonlLog
from hoptrail.eval.files.text_files import make_folder
from hoptrail.eval.graph_llm.sources import GraphSource
from hoptrail.eval.questions.question import Question
from hoptrail.eval.questions.reader import load_questions
from hoptrail.models.graph_llm.evidence_graph import graph_of_evidence
from hoptrail.models.graph_llm.example import GraphExample

_DIGITS = 16

_Key = tuple[str, str]


def load_answerable(path: Path, limit: int | None = None) -> list[Question]:
    """Return the first questions of a file that have an answer to learn, in its order.

    Raises:
        InputError: If the file cannot be used; names the line.
    """
    questions = [
        question
        for question in load_questions(path)
        if not question.is_open and not question.is_unanswerable
    ]
    return questions[:limit]


def graph_examples(
    questions: Sequence[Question],
    source: GraphSource,
    cache: Path,
    *,
    progress: Progress | None = None,
) -> list[GraphExample]:
    """Return an example per question; subgraphs found before come from the cache.

    Every subgraph is kept as soon as it is found, so that stopped work goes on from there. Where
    several processes need the same ones, the first finds them and the others wait.

    Args:
        questions: With gold answers.
        source: Finds the subgraphs.
        cache: Folder of `examples-<hash>.jsonl`, one file for all that subgraphs depend on.
        progress: Told of the questions that are done.

    Raises:
        InputError: If a question has no graph, or the cached file is damaged.
    """
    log = JsonlLog(cache / f"examples-{_digest(source.identity())}.jsonl")
    known = _known(log)
    if _missing(questions, known):
        make_folder(cache)
        with _one_process(log.path.with_suffix(".lock")):
            known = _found(questions, source, log, progress or NoProgress())
    # Their gold may have been corrected since.
    return [replace(known[_key(item)], answers=item.accepted) for item in questions]


def _found(
    questions: Sequence[Question],
    source: GraphSource,
    log: JsonlLog,
    progress: Progress,
) -> dict[_Key, GraphExample]:
    """Return the cached examples after those of the questions were added."""
    known = _known(log)
    # A last line that was cut off would spoil the next.
    log.replace(example.to_json() for example in known.values())
    missing = _missing(questions, known)
    progress.start("retrieve", len(missing))
    for question, evidence in zip(missing, source.find(missing), strict=True):
        graph = graph_of_evidence(evidence)
        example = GraphExample(question.id, question.text, question.accepted, graph)
        log.append(example.to_json())
        known[_key(question)] = example
        progress.advance("retrieve")
    progress.finish("retrieve")
    return known


def _known(log: JsonlLog) -> dict[_Key, GraphExample]:
    examples = map(GraphExample.from_json, log.read())
    return {(example.id, example.question): example for example in examples}


def _missing(questions: Sequence[Question], known: Container[_Key]) -> list[Question]:
    return [question for question in questions if _key(question) not in known]


def _key(question: Question) -> _Key:
    return (question.id, question.text)


@contextmanager
def _one_process(lock: Path) -> Iterator[None]:
    """Wait until no other process is between here and the end."""
    with FileLock(lock):
        yield


def _digest(identity: object) -> str:
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
