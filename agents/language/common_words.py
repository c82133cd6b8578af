"""Common English words: what a capital letter at the beginning of a line says nothing about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import resources

from hoptrail.core.text import STOP_WORDS

_FILE = "common_words.txt"
_SHORTEST_BASE = 3
_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("d", ""),
    ("ing", ""), ("ing", "e"), ("er", ""), ("er", "e"), ("est", ""), ("ly", ""), ("'s", ""),
)  # fmt: skip
_COMMON_ENDINGS = (
    "tion", "tions", "ment", "ments", "ness", "ility", "able", "ible",
    "ously", "fully", "cally", "ively", "ently", "edly",
)  # fmt: skip
_CONTRACTIONS = ("n't", "'m", "'ve", "'ll", "'d", "'re")


def _sections() -> dict[str, frozenset[str]]:
    """Return the words of the file by the name of their section."""
    text = resources.files("hoptrail.agents.language").joinpath(_FILE).read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            words = sections.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            words += line.split()
    return {name: frozenset(found) for name, found in sections.items()}


_WORDS = _sections()
OPENERS = _WORDS["openers"] | STOP_WORDS
"""Words that no name begins with: function words, adverbs, greetings, verbs."""

_NO_NAMES = _WORDS["no names"]
_ALL = OPENERS | _WORDS["others"] | _NO_NAMES


def is_opener(word: str) -> bool:
    """Return whether no name begins with a word; contractions such as "I'm" are among these."""
    low = word.lower().replace("’", "'")
    return low in OPENERS or low.endswith(_CONTRACTIONS)


@lru_cache(maxsize=65536)
def names_nothing_alone(word: str) -> bool:
    """Return whether a word is no name on its own: "Similar", "Required", "Trailing"."""
    low = word.lower()
    return low in _NO_NAMES or any(base in _NO_NAMES for base in _base_forms(low))


@lru_cache(maxsize=65536)
def is_common(word: str) -> bool:
    """Return whether a word is a common one, in its base form or with a regular ending."""
    low = word.lower().replace("’", "'")
    if low in _ALL or low.endswith(_CONTRACTIONS) or low.endswith(_COMMON_ENDINGS):
        return True
    if "-" in low:
        return all(is_common(part) for part in low.split("-") if part)
    return any(base in _ALL for base in _base_forms(low))


def _base_forms(word: str) -> Iterator[str]:
    for ending, instead in _ENDINGS:
        base = word.removesuffix(ending) + instead
        if word.endswith(ending) and len(base) >= _SHORTEST_BASE:
            yield base
            if base[-1] == base[-2]:  # "stopped", "running"
                yield base[:-1]
