"""The catalogues lack no message: what the source words is found in each, with its fields."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from types import ModuleType

import pytest

from hoptrail.agents.language import reserves
from hoptrail.agents.verification import answer_kind, reserve
from hoptrail.core.language.messages import in_language, languages, messages_of
from tests.conftest import ROOT

COMPLETE = ("ar", "de", "es", "fr", "it", "ja", "nl", "pl", "ru", "zh")
MODULES = (
    "hoptrail.agents.answering.abstention",
    "hoptrail.cli.answer_view",
)
"""Those that word messages by constants."""
LINES = ("agents", "graphs")
"""Folders whose modules word reserves."""


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from texts(one)
    elif isinstance(value, dict):
        yield from texts(list(value.values()))


def worded_names(module: ModuleType) -> set[str]:
    """Return the constants that a module sets."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    assigned = [target for node in tree.body for target in getattr(node, "targets", ())]
    return {target.id for target in assigned if isinstance(target, ast.Name)}


def constant_messages() -> set[str]:
    found: set[str] = set()
    for name in MODULES:
        module = importlib.import_module(name)
        for constant in worded_names(module) - {"_MARKS"}:
            found.update(texts(getattr(module, constant)))
    return found


def sample(node: ast.expr) -> str | None:
    """Return an argument as a text, other than literal parts as a word; None for no literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [one.value if isinstance(one, ast.Constant) else "7" for one in node.values]
        return "".join(map(str, parts))
    return None


def phrases() -> set[str]:
    """Return the phrases that the source gives to reserves, but for words of documents."""
    functions = {"unstated", "other_kind", "other_thing", "other_text", "silent"}
    found: set[str] = set()
    for folder in LINES:
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
                name = called.id if isinstance(called, ast.Name) else called
                if name in functions:
                    found.update(filter(None, map(sample, node.args)))
    named = {text for text in found if any(map(str.isalpha, text.replace('"7"', "")))}
    steps = {
        reserve._steps(numbers, total)
        for numbers, total in (([], 1), ([2], 3), ([1, 2], 3), ([1, 2, 3, 4], 4), ([1, 2, 3, 4], 5))
    }
    return named | steps | {*answer_kind._ASKED.values(), *answer_kind._GIVEN.values()}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", COMPLETE)
def test_no_message_of_a_constant_is_lacking(language: str) -> None:
    assert constant_messages() - messages_of(language).keys() == set()


@pytest.mark.parametrize("language", COMPLETE)
def test_no_reserve_is_lacking(language: str) -> None:
    told = [
        reserves.unstated(),
        reserves.other_kind("Ada", "Bo"),
        reserves.other_thing("Ada"),
        reserves.other_thing("Ada", "Bo"),
        reserves.other_text("Ada", "Bo"),
        reserves.silent("Ada"),
        reserves.unclear("Ada"),
        reserves.PART,
    ]
    assert [one for one in told if in_language(one, language) == one] == []


@pytest.mark.parametrize("language", COMPLETE)
def test_no_phrase_of_a_reserve_is_lacking(language: str) -> None:
    assert [one for one in phrases() if in_language(one, language) == one] == []


@pytest.mark.parametrize("language", sorted(languages()))
def test_a_message_has_the_fields_of_its_english_text(language: str) -> None:
    messages = messages_of(language)
    assert [one for one, text in messages.items() if text and fields(one) != fields(text)] == []


@pytest.mark.parametrize("language", sorted(languages() & set(COMPLETE)))
def test_every_message_is_worded(language: str) -> None:
    assert [one for one, text in messages_of(language).items() if not text] == []


@pytest.mark.parametrize("language", sorted(languages()))
def test_catalogues_have_the_same_messages(language: str) -> None:
    assert messages_of(language).keys() == messages_of("de").keys()
