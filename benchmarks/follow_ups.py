"""How follow-up questions are understood without a language model.

    python -m benchmarks.follow_ups [OUT] [--data FILE] [--as-texts]

holds the conversations of `follow_ups.jsonl` with the preset `offline`, each in a thread of its
own, and prints how many follow-ups were understood, and how many answered of those that the base
answers when they are asked in whole. The rows are written to OUT/rows.jsonl.

A line of the file is a conversation: the `folder` that it is held over, the `opening` question and
its `follow_ups`, each with the names that its `reference` may have (none where it refers to nothing
that the conversation knows, and is to be asked as typed), a whole `standalone` question, and the
`answers` that are right (none where no document tells).
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from uuid import uuid4

from benchmarks.everyday.generate import write
from benchmarks.rows import is_one_of, read_rows, write_rows
from hoptrail import Hoptrail
from hoptrail.core.text import contains_answer
from hoptrail.core.types import Answer, JsonDict

DATA = Path(__file__).with_suffix(".jsonl")
ARTICLES = "articles"
CLUB = "club"
_EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def measure(held: Iterable[JsonDict], out: Path, *, as_texts: bool = False) -> Iterator[JsonDict]:
    """Yield a row per follow-up.

    Args:
        held: The conversations.
        out: Where documents and knowledge bases are written.
        as_texts: Whether questions and answers are handed over as texts, as a client of the OpenAI
            protocol does, rather than kept in a thread.
    """
    by_folder: dict[str, list[JsonDict]] = {}
    for conversation in held:
        by_folder.setdefault(conversation["folder"], []).append(conversation)
    for folder, own in by_folder.items():
        base = out / "bases" / folder.replace("/", "-")
        with Hoptrail.open(base, create=True, writable=True) as hoptrail:
            hoptrail.index([_documents(folder, out)], extractor="nlp")
            for conversation in own:
                yield from rows_of(conversation, _asker(hoptrail, as_texts=as_texts))


Ask = Callable[[str], Answer]
"""Asks a question, and the next one after it."""


def _asker(hoptrail: Hoptrail, *, as_texts: bool) -> tuple[Ask, Ask]:
    """Return what asks in one conversation, and what asks alone."""
    thread = None if as_texts else uuid4().hex
    history: list[tuple[str, str, bool]] = []

    def ask(question: str) -> Answer:
        answer = hoptrail.ask(question, preset="offline", thread_id=thread, history=history)
        if as_texts:
            history.append((question, answer.text, answer.perhaps))
        return answer

    return ask, lambda question: hoptrail.ask(question, preset="offline")


def rows_of(conversation: JsonDict, asks: tuple[Ask, Ask]) -> Iterator[JsonDict]:
    """Yield a row for each follow-up of a conversation.

    Args:
        conversation: A line of the file.
        asks: Asks in the conversation, and alone.
    """
    ask, ask_alone = asks
    ask(conversation["opening"])
    for number, follow_up in enumerate(conversation["follow_ups"], start=1):
        answer = ask(follow_up["question"])
        yield {
            "id": f"{conversation['id']}.{number}",
            "question": follow_up["question"],
            "understood_as": answer.standalone_question,
            "reference": follow_up["reference"],
            "is_understood": is_understood(follow_up, answer),
            "answer": None if answer.abstained else answer.text,
            "perhaps": answer.perhaps,
            "is_right": is_right(follow_up, answer),
            "is_right_in_whole": is_right(follow_up, ask_alone(follow_up["standalone"])),
        }


def is_understood(follow_up: JsonDict, answer: Answer) -> bool:
    """Return whether the question names what is referred to, or is as typed where nothing is."""
    asked, understood = follow_up["question"], answer.standalone_question
    if not follow_up["reference"]:
        return bool(understood == asked)
    told = re.sub(r"['’]s?\b", "", understood)  # "Farid Nazari's"
    named = any(contains_answer(told, name) for name in follow_up["reference"])
    return named and bool(understood != asked)


def is_right(follow_up: JsonDict, answer: Answer) -> bool:
    """Return whether the answer is one of the right ones; where there is none, it abstains."""
    if answer.abstained or not follow_up["answers"]:
        return answer.abstained and not follow_up["answers"]
    return is_one_of(answer.text, follow_up["answers"])


def summary(rows: Sequence[JsonDict]) -> str:
    """Return the figures as lines of text."""
    answerable = [row for row in rows if row["is_right_in_whole"]]
    given = [row for row in rows if row["answer"] is not None and not row["is_right"]]
    plain = sum(not row["perhaps"] for row in given)
    return (
        f"{sum(row['is_understood'] for row in rows)} of {len(rows)} follow-ups understood; "
        f"{sum(row['is_right'] for row in answerable)} right of {len(answerable)} that are right "
        f"when asked in whole; {len(given)} answers wrong, {plain} of them plain"
    )


def _documents(folder: str, out: Path) -> Path:
    if folder == ARTICLES:
        return _EXAMPLES / ARTICLES
    if folder == CLUB:
        return DATA.with_name("follow_ups_club")
    of_set, _, organisation = folder.partition("/")
    write(out / of_set, of_set)
    return out / of_set / "documents" / organisation


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", help="folder to write to, else temporary")
    parser.add_argument("--data", type=Path, default=DATA, help="conversations of another file")
    parser.add_argument(
        "--as-texts", action="store_true", help="hand questions and answers over as texts"
    )
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        out = parsed.out or Path(temporary)
        rows = list(measure(read_rows(parsed.data), out, as_texts=parsed.as_texts))
        write_rows(out / "rows.jsonl", rows)
    print(summary(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
