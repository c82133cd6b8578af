"""The query behind a question: the kind of value that it looks for, its words, its names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hoptrail.agents.language.assertion import has_doubt
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.value_patterns import MONTHS, WEEKDAYS
from hoptrail.agents.language.word_groups import everyday_group, everyday_groups
from hoptrail.agents.reading.asked_value import AskedValue, asked_value, worded_question
from hoptrail.agents.reading.values import Value
from hoptrail.core.text import STOP_WORDS, name_key

_LIGHT = everyday_groups(
    "name named call called kind type sort do does did has have had is are was were get got go "
    "come take took put much many long thing currently now who what which when where how since"
)
_CALENDAR = everyday_groups(f"{WEEKDAYS}|{MONTHS}".replace("|", " "))
YEAR = re.compile(r"\b(?:1[0-9]|20)\d{2}\b")
_TITLES = frozenset(
    "mr mrs ms dr prof capt captain sir the revd dame messrs a an of and or ltd limited plc".split()
)
_DESCRIBES = re.compile(
    r"\b(?:man|woman|person|colleague|member|lady|one|boss|teacher|driver|author|head|[a-z]{3,20}er|[a-z]{3,20}or)"
    r"\s(?:who|whom|whose|that)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W\d_]{3,30}")


def name_words(text: str) -> frozenset[str]:
    """Return the words of a name, folded, without titles and articles."""
    return frozenset(re.findall(r"\w+", name_key(text))) - _TITLES


@dataclass(frozen=True, slots=True)
class Query:
    """A question as the reader looks at it.

    `wanted` are the word groups of its content words, `worded` those words with their group,
    `names` the words of each proper name, and `years` those that it names. `describes` is whether
    it asks for a person by what that person does: "the man who takes over".
    """

    text: str
    asked: AskedValue
    wanted: frozenset[str]
    worded: tuple[tuple[str, str], ...]
    names: tuple[frozenset[str], ...]
    spelled_names: tuple[str, ...]
    years: frozenset[str]
    spelled: str
    words: frozenset[str]
    is_doubtful: bool
    describes: bool

    def is_named(self, value: Value) -> bool:
        """Return whether the question names a value itself, in full or by a part of its name.

        "The choir" is a choir of any name.
        """
        if f" {name_key(value.digits or value.text)} " in self.spelled:
            return True
        if value.kind != "name":
            return False
        head, _, last = name_key(value.text).rpartition(" ")
        if head and f" the {last} " in self.spelled:
            return True
        words = name_words(value.text)
        groups = everyday_groups(value.text)
        return (
            any(words <= name or name <= words for name in self.names)
            or bool(groups)
            and groups <= self.wanted
        )


def read_query(question: str) -> Query:
    """Return what a standalone question looks for."""
    asked = asked_value(question)
    worded_as = worded_question(question, asked)
    wanted = everyday_groups(worded_as) - _LIGHT
    spelled = dict.fromkeys(match.group().lower() for match in WORD.finditer(worded_as))
    worded = tuple(
        (word, everyday_group(word))
        for word in spelled
        if word not in STOP_WORDS and everyday_group(word) in wanted
    )
    spelled_names = tuple(proper_names(question))
    names = (name_words(name) for name in spelled_names)
    return Query(
        question,
        asked,
        wanted,
        worded,
        tuple(name for name in names if name and not everyday_groups(" ".join(name)) <= _CALENDAR),
        spelled_names,
        frozenset(YEAR.findall(question)),
        f" {name_key(question)} ",
        name_words(question),
        has_doubt(question),
        _DESCRIBES.search(question) is not None,
    )
