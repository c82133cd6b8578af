"""How questions over tables are answered, without a language model or with one.

    python -m benchmarks.tables.measure [--set SET] [--model gguf:FILE] [--preset tables] [OUT]

writes the documents of a set, indexes them by rules, asks each question, with the preset `auto`
unless another one is named, and prints for each kind of table how many answers are right
and wrong, plainly and with reserve, and how many are withheld. The rows go to OUT/rows.jsonl.
A number counts as right with or without its unit.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rows import counted, is_one_of, read_rows, verdict_on
from benchmarks.tables.build import build
from hoptrail import Hoptrail
from hoptrail.core.text import normalize_answer
from hoptrail.core.types import Answer, JsonDict

HERE = Path(__file__).parent
SETS = {
    "dev": ("dev", "questions.jsonl"),
    "more": ("dev", "more_questions.jsonl"),
    "held": ("held", "questions.jsonl"),
    "asked-dev": ("asked", "dev_questions.jsonl"),
    "asked": ("asked", "questions.jsonl"),
}
"""The folder of documents of each set, and its questions."""
_NUMBER = re.compile(r"[£€$]?\s?(-?\d[\d,]*(?:\.\d+)?)(?:\s?[^\d\s]\S{0,12})?")
_ORDER = ("right plain", "right perhaps", "wrong plain", "wrong perhaps", "abstained", "withheld")


def measure(of_set: str, out: Path, model: str | None, preset: str) -> list[JsonDict]:
    """Return a row per question of a set.

    Args:
        of_set: One of `SETS`.
        out: Where documents, knowledge base and `rows.jsonl` are written.
        model: Name of a model; None asks without one.
        preset: The way of answering.
    """
    folder, questions = SETS[of_set]
    documents = HERE / folder / "documents"  # files as they are, else texts to make them of
    if not documents.exists():
        documents = out / "documents"
        build(HERE / folder / "tables.json", documents)
    with Hoptrail.open(out / "kb", create=True, writable=True, model=model) as hoptrail:
        hoptrail.index([documents], source=folder, extractor="nlp")
        rows = []
        with (out / "rows.jsonl").open("w", encoding="utf-8") as file:
            for question in read_rows(HERE / folder / questions):
                rows.append(_row(question, hoptrail.ask(question["question"], preset=preset)))
                file.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
                file.flush()  # with a model a set takes half an hour
    return rows


def _row(question: JsonDict, answer: Answer) -> JsonDict:
    return {
        **{name: question[name] for name in ("id", "kind", "type", "question")},
        "gold": question["answer"],
        "answer": None if answer.abstained else answer.text,
        "verdict": _verdict(question, answer),
        "perhaps_reason": answer.perhaps_reason,
        "query": answer.query,
        "calls": answer.usage.llm_calls,
        "seconds": answer.usage.seconds,
    }


def _verdict(question: JsonDict, answer: Answer) -> str:
    accepted = [question["answer"], *question["aliases"]] if question["answerable"] else []
    return verdict_of(answer, accepted, is_list=question["type"] == "list")


def verdict_of(answer: Answer, accepted: Sequence[str], *, is_list: bool) -> str:
    """Return whether an answer is right and plain; of a list all has to be there, in any order.

    Args:
        answer: The answer.
        accepted: What is right; none where the documents leave it open.
        is_list: Whether several things are asked for.
    """
    if not accepted and answer.abstained:
        return "withheld"
    if is_list:
        is_whole = any(_parts(answer.text) == _parts(one) for one in accepted)
        return verdict_on(answer, is_right=is_whole)
    return verdict_on(answer, is_right=is_right(answer.text, accepted))


def _parts(text: str) -> set[str]:
    """Return what a list names, in any order."""
    return {normalize_answer(part) for part in re.split(r"[,;]|\sand\s", text)}


def is_right(given: str, accepted: Sequence[str]) -> bool:
    """Return whether an answer is one of the accepted ones, or the same number."""
    if is_one_of(given, accepted):
        return True
    number = _number(given)
    return number is not None and number in [_number(one) for one in accepted]


def _number(text: str) -> float | None:
    match = _NUMBER.fullmatch(text.strip())
    return None if match is None else float(match[1].replace(",", ""))


def summary(rows: Sequence[JsonDict]) -> str:
    """Return the figures as lines of text: each kind of table, and all."""
    lines = []
    for kind in [*sorted({row["kind"] for row in rows}), None]:
        own = [row for row in rows if kind is None or row["kind"] == kind]
        lines.append(
            f"{'all' if kind is None else kind:>4} {len(own):3} questions: {counted(own, _ORDER)}"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", help="folder to write to, else temporary")
    parser.add_argument("--set", choices=SETS, default="dev", help="of which set")
    parser.add_argument("--model", help="answers what is not found without it")
    parser.add_argument("--preset", default="auto", help="the way of answering")
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        rows = measure(parsed.set, parsed.out or Path(temporary), parsed.model, parsed.preset)
    print(summary(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
