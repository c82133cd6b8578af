"""Questions over one passage each, with the words that answer them, to learn reading from.

Three sources: passages and questions that were written for this by a large language model
(`material/`; the files named `folder_` and `near_` are of passages that are alike, and a third of
the questions of the latter ask for what their passage nearly tells), the triples of MuSiQue's
training passages put as questions ("X was founded by whom?"), and the single look-ups of the
training questions of MuSiQue and HotpotQA. Nothing of a set that figures are reported on.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data_sets import data_folder

KINDS = ("words", "none", "yes", "no")
"""Kinds of answers: words of the passage, nothing there, yes or no."""

MATERIAL = Path(__file__).with_name("material")
_HELD_OUT = 12  # every so manieth passage of the material is for reporting
_NEAR = "near_"
_ALIKE = ("folder_", _NEAR)
_OTHER_PASSAGE = 0.08  # share of the questions that are asked of a passage on something else
_LIKE_PASSAGE = 0.5  # share of those of a folder that are asked of its passage most like them
_JOINED = 0.2  # share of the passages that get a part of another one before or behind them
_NEIGHBOURS = 2  # to which a look-up is put besides its own
_YEAR = re.compile(r"\d{4}")
_DATE = re.compile(
    r"(?:in |the )?\d{4}s?|.*\b(?:January|February|March|April|May|June|July|August|September|"
    r"October|November|December)\b.*"
)
_NUMBER = re.compile(r"^\W*[\d.,]+")
_PLACING = re.compile(r"\b(?:in|at|from|to|near|located)$")
_OF_PERSONS = re.compile(
    r"\b(?:by|with|son|daughter|wife|husband|married|director|author|composer|founder|starr)"
)
_LONGEST = 60  # characters of an end of a triple


@dataclass(frozen=True, slots=True)
class ReadingExample:
    """A question over a passage.

    Attributes:
        question: As asked.
        title: Of the passage.
        text: The passage.
        start: First character of the answer in it, -1 where it is of another kind than words.
        end: Behind its last character.
        kind: One of `KINDS`.
    """

    question: str
    title: str
    text: str
    start: int
    end: int
    kind: str


def example(question: str, title: str, text: str, answer: str) -> ReadingExample | None:
    """Return the example of an answer, empty for none; None where the passage lacks its words."""
    if answer in {"", "yes", "no"}:
        return ReadingExample(question, title, text, -1, -1, answer or "none")
    found = re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text)
    if found is None:
        return None
    return ReadingExample(question, title, text, *found.span(), "words")


def written(*, held_out: bool, near: bool | None = None, seed: int = 0) -> list[ReadingExample]:
    """Return the examples of the material, or of the part that is for reporting.

    A question is asked of its passage, some of one of its folder that is like it and some of any
    other; to learn from, some passages are joined with a part of another.

    Args:
        held_out: Which of the two.
        near: Only those with many near misses, or only the earlier ones; None for all.
        seed: Of what differs by chance.
    """
    chance = random.Random(seed)  # noqa: S311  no secret
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in _files()}
    everything = [one for passages in files.values() for one in passages]
    found: list[ReadingExample | None] = []
    for place, (name, passages) in enumerate(files.items()):
        for at, passage in enumerate(passages):
            if ((place + at) % _HELD_OUT == 0) != held_out:
                continue
            if near is not None and name.startswith(_NEAR) != near:
                continue
            for asked in passage["questions"]:
                text = passage["text"]
                if not held_out and chance.random() < _JOINED:
                    text = _joined(text, chance.choice(everything)["text"], chance)
                question = asked["q"]
                found.append(example(question, passage["title"], text, asked["a"]))
                others: list[dict[str, Any]] = []
                if name.startswith(_ALIKE) and chance.random() < _LIKE_PASSAGE:
                    like = _nearest(question, [one for one in passages if one is not passage], 2)
                    others.append(chance.choice(like))
                if chance.random() < _OTHER_PASSAGE:
                    others.append(chance.choice(everything))
                found += [
                    example(question, other["title"], other["text"], "")
                    for other in others
                    if other is not passage
                ]
    return [one for one in found if one is not None]


def held_out_passages() -> list[dict[str, Any]]:
    """Return the passages that are for reporting, each with its questions, but for near misses."""
    found = []
    for place, path in enumerate(_files()):
        if path.stem.startswith(_NEAR):
            break
        passages = json.loads(path.read_text(encoding="utf-8"))
        found += [one for at, one in enumerate(passages) if (place + at) % _HELD_OUT == 0]
    return found


def _files() -> list[Path]:
    """Return the files of the material; later ones stand last, for places tell what is held out."""
    return sorted(MATERIAL.glob("*.json"), key=lambda one: (one.stem.startswith(_NEAR), one.stem))


def _joined(text: str, other: str, chance: random.Random) -> str:
    """Return a text with some sentences of another before or behind it."""
    sentences = re.split(r"(?<=[.!?])\s+", other)
    first = chance.randrange(len(sentences))
    part = " ".join(sentences[first : first + 4])
    return f"{part}\n\n{text}" if chance.random() < 0.5 else f"{text}\n\n{part}"


def _nearest(question: str, passages: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Return those passages that share most words with a question."""
    asked = set(re.findall(r"\w{3,}", question.lower()))

    def shared(passage: dict[str, Any]) -> int:
        return len(
            asked & set(re.findall(r"\w{3,}", f"{passage['title']} {passage['text']}".lower()))
        )

    return sorted(passages, key=shared, reverse=True)[:most]


def triples(most: int, seed: int = 0) -> list[ReadingExample]:
    """Return questions made of the triples of MuSiQue's training passages.

    A third is asked of a passage that does not tell it: another one, or its own without the
    sentences that do.
    """
    chance = random.Random(seed)  # noqa: S311  no secret
    rows = _rows("musique/train100_openie.jsonl")
    told = [(row, triple) for row in rows for triple in row["triples"] if len(triple) == 3]
    chance.shuffle(told)
    found: list[ReadingExample] = []
    for row, (subject, predicate, object_) in told:
        if len(found) >= most:
            break
        if not _is_askable(row, subject, predicate, object_):
            continue
        question, answer = _asked(row, subject, predicate, object_, chance)
        one = example(question, row["title"], row["text"], answer)
        if one is None:
            continue
        found.append(one)
        if chance.random() < 0.3:
            other = _silent(row, answer, rows, chance)
            found.append(ReadingExample(question, *other, -1, -1, "none"))
    return found


def look_ups(part: str, seed: int = 0) -> list[ReadingExample]:
    """Return the single look-ups of a part of MuSiQue, each with its passage and with others.

    Args:
        part: "train100", or "dev" for reporting.
        seed: Of what differs by chance.
    """
    chance = random.Random(seed)  # noqa: S311  no secret
    found: list[ReadingExample | None] = []
    for row in _rows(f"musique/{part}.jsonl"):
        passages = {one["idx"]: one for one in row["paragraphs"]}
        known: list[str] = []
        for step in row["decomposition"]:
            question, answer = step["question"], step["answer"]
            for number, value in enumerate(known, 1):
                question = question.replace(f"#{number}", value)
            known.append(answer)
            subject, arrow, relation = (one.strip() for one in question.partition(">>"))
            if arrow:
                question = f"What is the {relation} of {subject}?"
            own = passages[step["paragraph_support_idx"]]
            others = [one for one in row["paragraphs"] if answer.lower() not in one["text"].lower()]
            found.append(example(question, own["title"], own["text"], answer))
            found += [
                example(question, other["title"], other["text"], "")
                for other in (chance.choice(others), *_nearest(question, others, _NEIGHBOURS - 1))
            ]
    return [one for one in found if one is not None]


def bridges(seed: int = 0) -> list[ReadingExample]:
    """Return HotpotQA's training questions with the passages that have the answer, and without."""
    chance = random.Random(seed)  # noqa: S311  no secret
    found: list[ReadingExample | None] = []
    for row in _rows("hotpotqa/train100.jsonl"):
        others = []
        for one in row["paragraphs"]:
            text = " ".join(sentence.strip() for sentence in one["sentences"])
            if one["title"] not in row["supporting_titles"]:
                others.append({"title": one["title"], "text": text})
            elif row["answer"].lower() not in {"yes", "no"}:
                found.append(example(row["question"], one["title"], text, row["answer"]))
        found += [
            example(row["question"], other["title"], other["text"], "")
            for other in (
                chance.choice(others),
                *_nearest(row["question"], others, _NEIGHBOURS - 1),
            )
        ]
    return [one for one in found if one is not None]


def _rows(name: str) -> list[dict[str, Any]]:
    lines = (data_folder() / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _is_askable(row: dict[str, Any], subject: str, predicate: str, object_: str) -> bool:
    told = f"{row['title']} {row['text']}".lower()
    return (
        2 <= len(predicate) <= _LONGEST
        and 2 <= len(object_) <= _LONGEST
        and len(subject) <= _LONGEST
        and object_ in row["text"]
        and subject.lower() in told
        and object_.lower() not in f"{predicate} {subject}".lower()
    )


def _asked(
    row: dict[str, Any], subject: str, predicate: str, object_: str, chance: random.Random
) -> tuple[str, str]:
    """Return a question for one end of a triple, and that end."""
    word = chance.choice(list(_question_words(object_, predicate)))
    question, answer = (
        chance.choice(
            (
                f"{subject} {predicate} {word}?",
                f"{word} {subject} {predicate}?",
                f"{word} did {subject} {predicate}?",
                f"{word} is it that {subject} {predicate}?",
            )
        ),
        object_,
    )
    if subject in row["text"] and subject != row["title"] and chance.random() < 0.35:
        is_person = re.match(r"[A-Z][\w.-]+ [A-Z]", subject) is not None
        question, answer = f"{'who' if is_person else 'what'} {predicate} {object_}?", subject
    return (question[0].upper() + question[1:] if chance.random() < 0.5 else question), answer


def _question_words(value: str, predicate: str) -> Iterator[str]:
    if _YEAR.fullmatch(value):
        yield from ("when", "which year", "what year")
    elif _DATE.fullmatch(value):
        yield from ("when", "what date", "what year")
    elif _NUMBER.search(value):
        yield from ("how many", "how much", "what number")
    elif _PLACING.search(predicate):
        yield from ("where", "which place", "what")
    elif value[:1].isupper():
        yield from ("who", "whom") if _OF_PERSONS.search(predicate) else ("what", "who", "which")
    else:
        yield "what"


def _silent(
    row: dict[str, Any], answer: str, rows: list[dict[str, Any]], chance: random.Random
) -> tuple[str, str]:
    """Return title and text of a passage that does not have an answer."""
    left = [one for one in re.split(r"(?<=[.!?])\s+", row["text"]) if answer not in one]
    if len(left) > 1 and chance.random() < 0.6:
        return row["title"], " ".join(left)
    while answer in (other := chance.choice(rows))["text"]:
        pass
    return other["title"], other["text"]
