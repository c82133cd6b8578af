"""Claims with their passages, a set of them looked up so that none is true by accident.

Whether a text can say anything about a name is decided on the safe side.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from hoptrail.agents.language.mentions import KnownNames, Mention, find_mentions, kind_of
from hoptrail.core.text import STOP_WORDS, sentence_spans
from hoptrail.core.types import Record
from hoptrail.eval.json_files import read_json_lines
from hoptrail.eval.planted.relations import relation_of

ValueType = Literal["date", "number", "name", "phrase"]

_AFTER_NAME = "and|or|in|at|on|of|from|with|as|for|to|by|is|was|are|were|has|had|who|which|that|the"
_NO_KNOWN_NAMES = KnownNames(())
_SHORTEST_TELLING_WORD = 3
_SAME_START = 5

Kind = Literal[
    "true",
    "other_subject",
    "absent_subject",
    "other_object",
    "absent_object",
    "other_predicate",
    "swapped",
    "wrong_entity",
    "changed_number",
    "wrong_passage",
    "negated",
    "question",
    "heading",
    "table_header",
    "menu",
    "injected",
    "name_part",
    "number_row",
    "unjoined",
    "overturned",
]
"""`true`, or how a claim or its passage was corrupted; `docs/evaluation.md` describes each."""

KINDS: tuple[Kind, ...] = get_args(Kind)

_OF_PEOPLE = re.compile(r"\b(?:born|died|birth|death|occupation|nationality|spouse)\b")
_LIGHT = frozenset({"date", "place", "year", "was"})  # "date of birth" is not "date of death"
_MOST_PASSAGES = 400

_Pair = tuple[tuple[str, ...], tuple[str, ...]]


@lru_cache(maxsize=65536)
def plain_words(text: str) -> tuple[str, ...]:
    """Return a text's words, without case and accents."""
    split = unicodedata.normalize("NFKD", text.casefold())
    return tuple(re.findall(r"\w+", "".join(c for c in split if not unicodedata.combining(c))))


@lru_cache(maxsize=65536)
def telling_words(text: str) -> frozenset[str]:
    """Return the words that could stand for the whole: no stop words, no single letters."""
    return frozenset(
        word
        for word in plain_words(text)
        if word not in STOP_WORDS and (len(word) >= _SHORTEST_TELLING_WORD or word.isdigit())
    )


def hints_at(text: str, name: str) -> bool:
    """Return whether a text has any word of a name; without one it cannot be about the name.

    Words with the same beginning count as one: "Poland" is hinted at by "Polish".
    """
    wanted = telling_words(name) or frozenset(plain_words(name))
    return not _starts(text).isdisjoint(word[:_SAME_START] for word in wanted) or spells(text, name)


@lru_cache(maxsize=65536)
def _starts(text: str) -> frozenset[str]:
    return frozenset(word[:_SAME_START] for word in telling_words(text))


def spells(text: str, name: str) -> bool:
    """Return whether a text has the words of a name in a row."""
    return f" {' '.join(plain_words(name))} " in _joined(text)


@lru_cache(maxsize=65536)
def _joined(text: str) -> str:
    return f" {' '.join(plain_words(text))} "


def value_type(text: str) -> ValueType:
    """Return whether a claim's end is a date, a number, a name or some other words."""
    kind = kind_of(text)
    if kind in {"date", "number"}:
        return "date" if kind == "date" else "number"
    capitals = [word for word in text.split() if word[:1].isupper()]
    others = [word for word in text.split() if word[:1].islower() and word not in STOP_WORDS]
    return "name" if capitals and len(others) <= 1 and text[:1].isupper() else "phrase"


@lru_cache(maxsize=16384)
def values_in(text: str) -> tuple[Mention, ...]:
    """Return the dates, names and numbers that a text mentions, in order."""
    return tuple(find_mentions(text, _NO_KNOWN_NAMES))


def names_in(sentence: str) -> Iterator[Mention]:
    """Yield the names of a sentence but the first word's and those that describe another word."""
    for mention in values_in(sentence):
        describes = re.match(r"[ -][a-z]", sentence[mention.end :]) and not re.match(
            rf" (?:{_AFTER_NAME})\b", sentence[mention.end :]
        )
        if type_of_mention(mention) == "name" and mention.start > 0 and not describes:
            yield mention


def type_of_mention(mention: Mention) -> ValueType:
    """Return a mention's type in the terms of `value_type`."""
    return mention.kind if mention.kind == "date" or mention.kind == "number" else "name"


@dataclass(frozen=True, slots=True)
class PassageClaim(Record):
    """A claim, the passage that it rests on and the sentence of it that states the claim.

    `quote` stands in `passage` letter for letter. `title` is the passage's, empty for none.
    `beside` is a second passage that is read with it: with the step before this one, or, where its
    ends are empty, as evidence alone.
    """

    id: str
    doc_id: str
    title: str
    passage: str
    quote: str
    subject: str
    predicate: str
    object: str
    beside: PassageClaim | None = None

    @property
    def ends(self) -> tuple[str, str, str]:
        """Subject, predicate and object."""
        return self.subject, self.predicate, self.object


@dataclass(frozen=True, slots=True)
class PlantedClaim(Record):
    """A claim and its kind: `true` claims are stated by their passage, all others are not."""

    kind: Kind
    claim: PassageClaim


def read_claims(path: Path) -> list[PassageClaim]:
    """Return the claims of a JSON Lines file with the fields of `PassageClaim`.

    Raises:
        InputError: If a line lacks a field, or its quote does not stand in its passage.
    """
    claims = []
    for fields in read_json_lines(path):
        texts: dict[str, Any] = {name: fields.text(name) for name in _REQUIRED}
        if texts["quote"] not in texts["passage"]:
            raise fields.error(
                "the quote does not stand in the passage", "copy it letter by letter"
            )
        title = fields.optional_text("title") or ""
        claims.append(PassageClaim(title=title, **texts))
    return claims


_REQUIRED = ("id", "doc_id", "passage", "quote", "subject", "predicate", "object")


class ClaimCorpus:
    """True claims and their passages, by passage, by predicate and by type of object."""

    def __init__(self, claims: Sequence[PassageClaim]) -> None:
        self.passages: dict[str, PassageClaim] = {}
        self._by_passage: dict[str, list[PassageClaim]] = defaultdict(list)
        self._by_predicate: dict[str, list[PassageClaim]] = defaultdict(list)
        self._by_type: dict[ValueType, list[PassageClaim]] = defaultdict(list)
        self._predicates: dict[_Pair, list[str]] = defaultdict(list)
        self._people: set[str] = set()
        for claim in claims:
            self.passages.setdefault(claim.passage, claim)
            self._predicates[_pair(claim)].append(claim.predicate)
            if _OF_PEOPLE.search(claim.predicate):
                self._people.add(claim.subject)
            self._by_passage[claim.passage].append(claim)
            self._by_predicate[claim.predicate].append(claim)
            self._by_type[value_type(claim.object)].append(claim)

    def in_passage(self, claim: PassageClaim) -> tuple[PassageClaim, ...]:
        """Return all claims of a claim's passage, itself included."""
        return tuple(self._by_passage[claim.passage])

    def alike(self, claim: PassageClaim, rng: random.Random) -> list[PassageClaim]:
        """Return claims of other passages in random order.

        Those of the same predicate come first, then those with an object of the same type.
        """
        same = [one for one in self._by_predicate[claim.predicate] if one.passage != claim.passage]
        typed = self._by_type[value_type(claim.object)]
        rest = [one for one in rng.sample(typed, min(len(typed), 40)) if one not in same]
        rng.shuffle(same)
        return [*same[:40], *(one for one in rest if one.passage != claim.passage)]

    def others(self, claim: PassageClaim, rng: random.Random) -> list[PassageClaim]:
        """Return one claim each of other passages, in random order."""
        others = [one for text, one in self.passages.items() if text != claim.passage]
        return rng.sample(others, min(len(others), _MOST_PASSAGES))

    def is_known(self, subject: str, predicate: str, object_: str) -> bool:
        """Return whether any claim of the set relates these ends with a predicate of like words."""
        words = telling_words(predicate) - _LIGHT
        known = self._predicates.get((plain_words(subject), plain_words(object_)), ())
        return any(not words or words & telling_words(other) for other in known)

    def is_person(self, name: str) -> bool:
        """Return whether a claim of the set is one that is made of people only."""
        return name in self._people


def _pair(claim: PassageClaim) -> _Pair:
    return plain_words(claim.subject), plain_words(claim.object)


def rest_of(claim: PassageClaim) -> str:
    """Return a claim's passage without its quote."""
    before, _, after = claim.passage.partition(claim.quote)
    return f"{before} {after}".strip()


def tells_only_in_quote(claim: PassageClaim) -> bool:
    """Return whether nothing but the quote has any word of the claim's object."""
    return not hints_at(f"{claim.title} {rest_of(claim)}", claim.object)


def words_relation(text: str, predicate: str, object_: str) -> bool:
    """Return whether a text may state a relation: it has a cue of it or a word of the predicate."""
    relation = relation_of(predicate, object_)
    if relation is not None and relation.cues.search(text):
        return True
    return hints_at(text, predicate)


def sentences_of(passage: str) -> Iterable[str]:
    """Yield the sentences of a passage."""
    for start, end in sentence_spans(passage):
        yield passage[start:end]
