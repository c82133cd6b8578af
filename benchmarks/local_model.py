"""How questions are answered with a small model: without it, by it alone, and by both.

    python benchmarks/local_model.py --kbs DIR --out DIR [--sets offices ...] [--ways cascade ...]

asks the questions of the everyday folders, 2WikiMultiHopQA (dev), HotpotQA and MuSiQue (the first
60), LiHua-World (those with an answer of a few words), the passages that `benchmarks/reading`
keeps apart (every fourth) and the simplest questions of every form (`benchmarks/forms`) in four
ways, and prints a table of each set. The model is that of the settings (`HOPTRAIL_MODEL`,
`HOPTRAIL_BASE_URL`). The same command again continues an interrupted run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.data_sets import data_folder  # noqa: E402
from benchmarks.everyday.generate import ORGANISATIONS, write  # noqa: E402
from benchmarks.reading.examples import held_out_passages  # noqa: E402
from hoptrail import Hoptrail  # noqa: E402
from hoptrail.core.text import contains_answer, normalize_answer  # noqa: E402
from hoptrail.core.types import Answer  # noqa: E402
from hoptrail.eval.figures.summary import VERDICTS  # noqa: E402

WAYS: dict[str, dict[str, Any]] = {
    "without a model": {"preset": "offline"},
    "plain vectors": {"preset": "quick", "retriever": "vector"},
    "quick": {"preset": "quick"},
    "cascade": {"preset": "auto"},
}
READING = "reading"
"""The passages of `benchmarks/reading` that nothing is learned from."""
FORMS = "forms"
"""The simplest questions of every form, by somebody who had not seen the code."""
_FIRST = 60
_OF_READING = 4  # every so manieth question of the passages kept apart
_LONGEST_ANSWER = 6  # words
_LONGER = 8  # words more than the accepted answer
_PUBLIC = {
    "2wiki": ("2wiki/dev.jsonl", "2wiki/dev_corpus.jsonl"),
    "hotpotqa": ("hotpotqa/dev98.jsonl", "hotpotqa/corpus.jsonl"),
    "musique": ("musique/dev.jsonl", "musique/dev_corpus.jsonl"),
    "lihua": ("lihua_world/questions.jsonl", "lihua_world/docs.jsonl"),
}
_FORMS = Path(__file__).with_name(FORMS)
_EVERYDAY = {*ORGANISATIONS, FORMS}
_Row = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A question with all accepted answers, none where the documents leave it open."""

    id: str
    text: str
    accepted: tuple[str, ...]


def main() -> None:
    """Index, ask and print."""
    parsed = _parser().parse_args()
    for name in parsed.sets:
        questions = questions_of(name, parsed.kbs)
        with open_base(name, parsed.kbs) as hoptrail:
            for way in parsed.ways:
                rows = ask_all(hoptrail, way, questions, parsed.out / name / f"{way}.jsonl")
                print(_line(name, way, rows), flush=True)


def questions_of(name: str, folder: Path) -> list[Question]:
    """Return the questions of a set; everyday documents are written to the folder."""
    if name == READING:
        return _questions_of_reading(folder / name / "documents")
    if name in ORGANISATIONS:
        write(folder / name, name)
        path = folder / name / "questions.jsonl"
    elif name == FORMS:
        path = _FORMS / "questions.jsonl"
    else:
        path = data_folder() / _PUBLIC[name][0]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    questions = [_question(line) for line in lines]
    if name == "lihua":
        return [one for one in questions if one.accepted and _is_brief(one.accepted[0])]
    return questions[: len(questions) if name in _EVERYDAY else _FIRST + 3 * (name == "2wiki")]


def _questions_of_reading(folder: Path) -> list[Question]:
    """Return some questions on passages that no reader has learned from, and write these."""
    folder.mkdir(parents=True, exist_ok=True)
    passages = held_out_passages()
    for number, passage in enumerate(passages):
        text = f"# {passage['title']}\n\n{passage['text']}\n"
        (folder / f"{number:03}.md").write_text(text, encoding="utf-8")
    asked = [one for passage in passages for one in passage["questions"]]
    return [
        Question(str(number), one["q"], (one["a"],) if one["a"] else ())
        for number, one in enumerate(asked)
        if number % _OF_READING == 0
    ]


def _question(line: _Row) -> Question:
    is_open = line.get("type") == "Null" or line.get("answerable") is False
    accepted = (line["answer"], *line.get("answer_aliases", ()))
    return Question(line["id"], line["question"], () if is_open else accepted)


def _is_brief(answer: str) -> bool:
    return len(answer.split()) <= _LONGEST_ANSWER


def open_base(name: str, folder: Path) -> Hoptrail:
    """Return the indexed documents of a set."""
    base = folder / f"kb-{name}"
    is_new = not base.exists()
    hoptrail = Hoptrail.open(base, create=True, writable=is_new)
    if is_new:
        if name in _PUBLIC:
            documents = data_folder() / _PUBLIC[name][1]
        else:
            documents = (_FORMS if name == FORMS else folder / name) / "documents"
        hoptrail.index([documents], source=name, extractor="nlp")
    return hoptrail


def ask_all(hoptrail: Hoptrail, way: str, questions: Sequence[Question], path: Path) -> list[_Row]:
    """Return a row per question; those that a file holds already are not asked again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {row["id"]: row for row in _rows(path)}
    with path.open("a", encoding="utf-8") as file:
        for question in questions:
            if question.id not in known:
                row = row_of(question, hoptrail.ask(question.text, **WAYS[way]))
                known[question.id] = row
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                file.flush()
    return [known[question.id] for question in questions]


def row_of(question: Question, answer: Answer) -> _Row:
    """Return a question with its answer, the verdict on it and what it took."""
    usage = answer.usage
    return {
        "id": question.id,
        "question": question.text,
        "accepted": question.accepted,
        "answer": None if answer.abstained else answer.text,
        "verdict": verdict(question, answer),
        "perhaps_reason": answer.perhaps_reason,
        "strategy": answer.strategy,
        "hops": [[hop.claim, hop.support] for hop in answer.trail.hops],
        "degraded": list(answer.degraded),
        "tokens": usage.prompt_tokens + usage.completion_tokens,
        "seconds": usage.seconds,
    }


def verdict(question: Question, answer: Answer) -> str:
    """Return whether an answer is right and how it is given; a sentence around it does not count.

    An answer to what the documents leave open is wrong, and an abstention is told as such.
    """
    if answer.abstained:
        return "abstained"
    is_right = any(_agrees(answer.text, one) for one in question.accepted)
    return f"{'right' if is_right else 'wrong'} {'perhaps' if answer.perhaps else 'plain'}"


def _agrees(given: str, accepted: str) -> bool:
    if normalize_answer(given) == normalize_answer(accepted):
        return True
    is_brief = len(given.split()) <= len(accepted.split()) + _LONGER
    return is_brief and contains_answer(given, accepted)


def _line(name: str, way: str, rows: Sequence[_Row]) -> str:
    answerable = [row for row in rows if row["accepted"]]
    open_ones = [row for row in rows if not row["accepted"]]
    counts = Counter(row["verdict"] for row in answerable)
    parts = ", ".join(f"{counts[one]} {one}" for one in VERDICTS)
    right = (counts["right plain"] + counts["right perhaps"]) / len(answerable)
    told = f"{name:9} {way:16} {right:.3f} right of {len(answerable)}: {parts}"
    if open_ones:
        honest = Counter(row["verdict"] for row in open_ones)
        told += "; unanswerable " + ", ".join(f"{n} {one}" for one, n in sorted(honest.items()))
    tokens = sum(row["tokens"] for row in rows) / len(rows)
    seconds = sum(row["seconds"] for row in rows) / len(rows)
    return f"{told}; {tokens:,.0f} tokens, {seconds:.1f} s a question"


def _rows(path: Path) -> Iterator[_Row]:
    if path.exists():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _parser() -> argparse.ArgumentParser:
    sets = [*ORGANISATIONS, *_PUBLIC, READING, FORMS]
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--kbs", type=Path, required=True, metavar="DIR", help="knowledge bases")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="rows")
    parser.add_argument("--sets", nargs="*", choices=sets, default=sets)
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS))
    return parser


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    main()
