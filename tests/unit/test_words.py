"""Words that a reader of the repository cannot follow stand nowhere in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

PLACES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "agents",
    "benchmarks",
    "docs",
    "eval",
    "examples",
    "graphs",
    "prompts",
    "retrievers",
    "src/hoptrail",
    "tests",
    "tools",
)
STORED = ROOT / "tests" / "data" / "version_0_1_0"
UNKNOWN_DOCUMENT = re.compile(r"\bCONTRACT \d|\bsource 0\d\d\b")
"""References to documents that are not part of the repository."""


def files(place: str) -> Iterator[Path]:
    path = ROOT / place
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        if file.suffix in {".py", ".md"} and STORED not in file.parents:
            yield file


def docstrings(file: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every docstring, those of attributes too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield node.lineno, node.value.value


@pytest.mark.parametrize("place", PLACES)
def test_sources_are_cited_by_name(place: str) -> None:
    """A paper is cited by its name and section, a shape or a format by the docs."""
    unknown = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in files(place)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if UNKNOWN_DOCUMENT.search(line)
    ]
    assert unknown == []


@pytest.mark.parametrize("place", PLACES)
def test_a_docstring_names_its_subject(place: str) -> None:
    """`What ...` leaves a reader to guess: a docstring opens with a noun, or a verb."""
    guessed = [
        f"{file.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for file in files(place)
        if file.suffix == ".py"
        for line, text in docstrings(file)
        if text.startswith("What ")
    ]
    assert guessed == []
