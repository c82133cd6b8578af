"""The page's own words in other languages: each is there, and none says something else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import hoptrail.web

STATIC = Path(hoptrail.web.__file__).parent / "static"
CATALOGUES = {path.name.split(".")[1]: path for path in STATIC.glob("words.*.json")}
SCRIPTS = "\n".join(path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.js")))
PAGE = (STATIC / "index.html").read_text(encoding="utf-8")


def words(code: str) -> dict[str, str]:
    catalogue: dict[str, str] = json.loads(CATALOGUES[code].read_text(encoding="utf-8"))
    return catalogue


def asked_for() -> set[str]:
    """Return the texts that the page asks for in words, by `t`, `counted` and in its HTML."""
    found = set(re.findall(r'\bt\("([^"]+)"', SCRIPTS))
    found |= set(re.findall(r'\bcounted\([^"\n]+, "([^"]+)"\)', SCRIPTS))
    return found | set(re.findall(r"data-words>([^<]+)<", PAGE))


def test_there_are_german_and_french() -> None:
    assert set(CATALOGUES) == {"de", "fr"}


@pytest.mark.parametrize("code", sorted(CATALOGUES))
def test_each_text_of_the_page_is_there(code: str) -> None:
    assert asked_for() - set(words(code)) == set()


@pytest.mark.parametrize("code", sorted(CATALOGUES))
def test_no_text_is_there_that_the_page_does_not_have(code: str) -> None:
    assert [text for text in words(code) if f'"{text}"' not in SCRIPTS and text not in PAGE] == []


@pytest.mark.parametrize("code", sorted(CATALOGUES))
def test_values_stand_in_both(code: str) -> None:
    values = re.compile(r"\{\d\}")
    other = [
        text
        for text, told in words(code).items()
        if sorted(values.findall(text)) != sorted(values.findall(told)) or not told.strip()
    ]
    assert other == []


def test_catalogues_have_the_same_texts() -> None:
    assert set(words("de")) == set(words("fr"))
