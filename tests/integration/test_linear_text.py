"""Every text routine takes time in proportion to its text, whatever the text is made of."""

from __future__ import annotations

import asyncio
import gc
import importlib
import math
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

import hoptrail
from hoptrail.agents.answering import reply_parser
from hoptrail.agents.dagr import split_by_clauses
from hoptrail.agents.evidence.evidence_index import topic_of
from hoptrail.agents.evidence.prompt_injection import is_instruction
from hoptrail.agents.graphrag import report_references
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.capitalised_names import capitalised_spans, proper_names
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.planning.coreference import resolve_follow_up
from hoptrail.agents.planning.question_form import asks_about_whole, mask_names
from hoptrail.agents.planning.turns import Turn
from hoptrail.cli.output import printable
from hoptrail.core import names, reply_conventions, text
from hoptrail.core.errors import HoptrailError, ModelReplyError
from hoptrail.core.question import LONGEST_QUESTION
from hoptrail.core.render import passage_block
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Chunk, Document
from hoptrail.eval.judges.pairwise import shorten
from hoptrail.indexing.extraction.phrases import extract_phrases
from hoptrail.indexing.given_graphs.ms_graphrag import communities
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.readers.content import guess_title
from hoptrail.indexing.loading.readers.raw_bytes import read_rows
from hoptrail.indexing.loading.readers.registry import read_file
from hoptrail.retrievers.anchors import spelled_names

WHOLE = 40_000
FLOOR = 0.1  # seconds of processor time; less is no harm however it grows
MOST_GROWTH = 8  # times, for four times the text: 4 where linear, 16 where quadratic
# What grows 8 times from a quarter to the whole has grown 16/3 times from a sixteenth to a quarter.
LEAST_GROWTH = 5
LITTLE = WHOLE // 16  # characters
_ENDLESS = re.compile(r"(?<!\\)(?:\\\\)*[*+]|\{\d*,\}")
_MOST = re.compile(r"\{(?:\d*,)?(\d+)\}")

# fmt: off
UNITS = (
    ".", "!", "?", "…", "。", "a.b.", "Mr. ", "A. ", ". ", ".\n", " ", "\u00a0", "\t", "\n",
    "\r\n",
    "\n \n", " \n", "\u200b", "[", "]", "(", ")", "((a", "A (", "{", "}", "<", ">", "&", "&nbsp;",
    '"', "'", "“", "’", "«", "-", "–", "—", "_", "*", "#", "`", "```\n", "|", "a | ", "~", "/",
    "=", ":", ";", "; ", ",", "A ", "A", "a ", "a", "The ", "Of The ", "of the ", "A of the ", "A-",
    "A & ", "A's ", "a'b", "1", "1 ", "1,", "1,000 ", "1. ", "$1,", "May 1, ", "é", "e\u0301", "中",
    "中。", "🙂", "\x00", "[P1", "[P1, ", "[P1] ", "(P1, ", "[reports: 1", "[Data: A (1", "?x ",
    "?x = ", "- ", "I don't know", "no ", "not ", "HOP 1: a | b | c\n", "FINAL ANSWER: ", "answer ",
    "final answer ", "the answer is ", "<think>", "<p>", "<b", "<!--", "He ", "born in ", "X and ",
)
# fmt: on

BOUNDED = {
    "hoptrail.agents.offline.name_types._BEFORE": "reads 30 characters",
    "hoptrail.agents.planning.question_form._NAME": "reads a question",
    "hoptrail.agents.language.question_steps._REDUCTIONS": "reads a question",
    "hoptrail.agents.answering.reply_parser._BINDING": "reads lines of 400 characters",
    "hoptrail.agents.answering.reply_parser._PATTERN": "reads lines of 400 characters",
    "hoptrail.eval.planted.sources._WHOLE_PREDICATE": "reads 8 words",
    "hoptrail.eval.datasets.public_sets._TOPIC": "reads the lines of a published question set",
    "hoptrail.indexing.loading.readers.workbooks._TOKEN": "reads 255 characters",
    "hoptrail.indexing.loading.readers.content._MARKDOWN_HEADING": "reads 2,000 characters",
    "hoptrail.indexing.loading.readers.content._MEANINGLESS": "reads 200 characters",
    "hoptrail.indexing.loading.readers.content._FILE_NAME": "reads 200 characters",
}
ANCHORED = {
    "hoptrail.agents.language.answer_types._DOING",
    "hoptrail.agents.language.topics._NAMES_TEXT",
    "hoptrail.agents.offline.stated_value._VALUE",
    "hoptrail.agents.offline.told_reason._BEHIND",
    "hoptrail.agents.offline.told_reason._IN_FRONT",
    "hoptrail.agents.planning.person_names._OF_A_PERSON",
    "hoptrail.agents.reading.candidates._REPEATS",
    "hoptrail.agents.reading.candidates._TAKES_UP",
    "hoptrail.core.reply_conventions._UNKNOWN",
    "hoptrail.core.reply_conventions._UNKNOWN_ALONE",
    "hoptrail.agents.evidence.evidence_index._HEADING",
    "hoptrail.core.text._LABELLED",
    "hoptrail.core.text._LIST_ITEM",
    "hoptrail.core.text._NUMBERED",
    "hoptrail.indexing.loading.readers.text_files._GRID_RULE",
    "hoptrail.indexing.loading.readers.text_files._SIMPLE_RULE",
    "hoptrail.indexing.loading.readers.tables._NUMBER",
    "hoptrail.indexing.given_graphs.ms_graphrag.importing._METADATA",
}
"""Patterns that are only ever matched at one place."""


def passage(content: str, title: str = "Title") -> Chunk:
    return Chunk("c", "s/1", title, content, 0, len(content))


def read_as(suffix: str, content: str, folder: Path) -> None:
    path = folder / f"document{suffix}"
    path.write_text(content, encoding="utf-8", newline="")
    with suppress(HoptrailError):
        read_file(path)


def parse_any_reply(content: str) -> None:
    with suppress(ModelReplyError):
        reply_parser.parse_reply(content, "generic", {})


ROUTINES: dict[str, Callable[[str], object]] = {
    "sentence_spans": text.sentence_spans,
    "normalize_answer": text.normalize_answer,
    "contains_answer": lambda content: text.contains_answer(content, "a b"),
    "name_key": text.name_key.__wrapped__,
    "words": text.words,
    "content_words": text.content_words,
    "estimate_tokens": estimate_tokens,
    "chunk_document": lambda content: chunk_document(Document("s/1", "", content, "s")),
    "guess_title": lambda content: guess_title(content, content),
    "extract_phrases": lambda content: extract_phrases(passage(content)),
    "extract_phrases_of_title": lambda content: extract_phrases(passage("Text.", content)),
    "read_rows": lambda content: list(read_rows([f'{{"text": "{content}'.encode()], "f")),
    "graphrag_references": lambda content: list(communities.references(content)),
    "without_graphrag_references": communities.without_references,
    "predicate_words": names.predicate_words,
    "is_unnamed": names.is_unnamed,
    "printable": printable,
    "passage_block": lambda content: passage_block(passage(content), "P1"),
    "parse_reply": parse_any_reply,
    "parse_answers": lambda content: reply_parser.parse_answers(f"FINAL ANSWER: {content}x"),
    "parse_hops": lambda content: reply_parser.parse_hops(f"HOP 1: {content} | a | b", {}),
    "is_abstention": reply_conventions.is_abstention,
    "is_unknown": reply_conventions.is_unbound,
    "parse_patterns": reply_parser.parse_patterns,
    "parse_bindings": reply_parser.parse_bindings,
    "cited_numbers": report_references.cited_numbers,
    "with_known_references": lambda content: report_references.with_known_references(content, {1}),
    "without_references": report_references.without_references,
    "presenter": lambda content: report_references.presenter({1})(content, False),
    "proper_names": proper_names,
    "capitalised_spans": capitalised_spans,
    "topic_of": topic_of,
    "is_instruction": is_instruction,
    "concepts": word_groups,
    "shorten": lambda content: shorten(content, 50, estimate_tokens),
}
OF_QUESTIONS: dict[str, Callable[[str], object]] = {
    "resolve_follow_up": lambda question: asyncio.run(
        resolve_follow_up(question, [Turn("Who was Edda Thornvale?", "a painter")])
    ),
    "mask_names": mask_names,
    "focus_of": focus_of,
    "asks_about_whole": asks_about_whole,
    "split_by_clauses": split_by_clauses,
    "spelled_names": spelled_names,
}


def text_of(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def seconds(routine: Callable[[str], object], content: str) -> float:
    """Return the processor time of a call; garbage of other tests is none of it."""
    gc.disable()
    try:
        begin = time.process_time()
        routine(content)
        return time.process_time() - begin
    finally:
        gc.enable()


def slow_units(routine: Callable[[str], object], size: int = WHOLE) -> list[str]:
    """Return units of which long texts take more than their share: two of them tell enough."""
    return list(islice(_slow_units(routine, size), 2))


def _slow_units(routine: Callable[[str], object], size: int) -> Iterator[str]:
    routine("x")  # what only the first call takes is no growth
    fixed = min(seconds(routine, "x") for _ in range(3))
    for unit in UNITS:
        # The last letter is what a pattern finds where it hoped for another end.
        little = text_of(unit, size // 16) + "x"
        # Most are told by a sixteenth of the text: not even quadratic growth would reach the floor.
        sixteenth = seconds(routine, little)
        if sixteenth * 256 < FLOOR:
            continue
        part, text = text_of(unit, size // 4) + "x", text_of(unit, size) + "x"
        quarter = seconds(routine, part)
        if quarter * 16 < FLOOR:
            continue
        sixteenth = min(sixteenth, seconds(routine, little))
        if quarter - fixed < LEAST_GROWTH * (sixteenth - fixed):
            continue
        whole = seconds(routine, text)
        if whole > FLOOR and whole > MOST_GROWTH * quarter:
            # Once more: the machine may have been busy.
            quarter, whole = seconds(routine, part), seconds(routine, text)
        if whole > FLOOR and whole > MOST_GROWTH * quarter:
            yield f"{unit!r}: {quarter:.2f} s, {whole:.2f} s"


@pytest.mark.slow
@pytest.mark.parametrize("name", ROUTINES)
def test_a_routine_takes_time_in_proportion_to_its_text(name: str) -> None:
    assert slow_units(ROUTINES[name]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_QUESTIONS)
def test_the_longest_question_is_read_at_once(name: str) -> None:
    assert slow_units(OF_QUESTIONS[name], LONGEST_QUESTION) == []


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".eml", ".html", ".json", ".md", ".rst", ".txt"])
def test_a_file_takes_time_in_proportion_to_its_text(suffix: str, tmp_path: Path) -> None:
    assert slow_units(lambda content: read_as(suffix, content, tmp_path)) == []


def patterns() -> dict[str, re.Pattern[str]]:
    """Return every pattern that a module of the package holds by name."""
    found: dict[str, re.Pattern[str]] = {}
    for module in pkgutil.walk_packages(hoptrail.__path__, "hoptrail."):
        if ".testing" in module.name or "graph_llm" in module.name:  # stubs; need torch
            continue
        values = vars(importlib.import_module(module.name))
        for name, value in values.items():
            for pattern in value if isinstance(value, tuple | list) else (value,):
                if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
                    found.setdefault(f"{module.name}.{name}:{pattern.pattern[:9]}", pattern)
    return found


def reads_far(pattern: re.Pattern[str]) -> bool:
    """Return whether a pattern may read on from a place without end, or for longer than LITTLE.

    What does not takes time in proportion to the text, whatever that is made of. A repeat is known
    by its sign, wherever it stands: a sign in a class or comment says yes where it need not.
    """
    if _ENDLESS.search(pattern.pattern):
        return True
    return math.prod(max(int(most), 1) for most in _MOST.findall(pattern.pattern)) > LITTLE


def slow_patterns(named: dict[str, re.Pattern[str]]) -> dict[str, list[str]]:
    """Return the units that patterns are slow on; one that modules share is tried once."""
    uses: dict[tuple[re.Pattern[str], bool], str] = {}
    for name, pattern in named.items():
        place = name.partition(":")[0]
        if place not in BOUNDED and reads_far(pattern):
            uses.setdefault((pattern, place in ANCHORED), name)
    slow: dict[str, list[str]] = {}
    for (pattern, is_anchored), name in uses.items():
        if units := slow_units(pattern.match if is_anchored else pattern.findall):
            slow[name] = units
    return slow


@pytest.mark.slow
def test_every_pattern_of_the_package_is_linear_or_reads_little() -> None:
    assert slow_patterns(patterns()) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "unit"), [("a+b", "a"), (r"[ \t]+\n", " "), ("<[^>]*>", "<")])
def test_a_planted_pattern_of_quadratic_time_is_found(pattern: str, unit: str) -> None:
    planted = re.compile(pattern)
    assert reads_far(planted)
    assert any(told.startswith(repr(unit)) for told in slow_units(planted.findall, WHOLE // 2))


@pytest.mark.parametrize(
    ("pattern", "is_far"),
    [
        (r"\w{1,60}\s{0,9}\+", False),
        (r"(?:\w{1,60} ){0,60}", True),
        (r"\w{3,}", True),
        (r"\\\\+", True),
        (r"(?=\w*:)a", True),
    ],
)
def test_a_pattern_reads_far_where_a_repeat_has_no_end(pattern: str, is_far: bool) -> None:
    assert reads_far(re.compile(pattern)) is is_far
