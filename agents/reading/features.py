"""Describe how well a candidate answers a question, in numbers that a scorer weighs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.language.word_groups import everyday_group, everyday_groups, nearness
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.query import WORD, Query
from hoptrail.agents.reading.statements import Statement
from hoptrail.agents.reading.values import Value
from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import STOP_WORDS, name_key

FEATURES = (
    "fit",
    "told",
    "told_with_lead",
    "before",
    "like_told",
    "like_told_with_lead",
    "asked_told",
    "similarity",
    "similarity_with_lead",
    "clause_similarity",
    "near",
    "names",
    "names_in_passage",
    "years",
    "denied",
    "past",
    "row",
    "question",
    "superseded",
    "noun_told",
    "rank",
    "single",
)
_ALIKE, _SAME = 0.35, 0.85
_KNOWN_FIT = 0.8
_PART_OF_NAME = 0.5
_PAST = re.compile(
    r"\b(?:used\sto|until\s(?:then|now|last)|formerly|former|previous(?:ly)?|no\slonger|instead\sof|"
    r"in\splace\sof|the\sold|was\sreplaced|turned\sdown|not\sany\slonger|asked\sfor)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:1[0-9]|20)\d{2}(?!\d)")
_ASIDE = re.compile(r"\([^()]{1,80}\)")
_CLAUSE_END = re.compile(r"[;:(]\s|,\s(?:and|but|which|who|whose|so|while|because)\s|\s\(|\)\s")
_MANY_DOCUMENTS = 1 / 3


class FeatureReader:
    """Reads the features of a question's candidates.

    Args:
        query: The question.
        around: The statements that the candidates stand in.
        candidates: All that will be read.
        similarity: Compares texts by meaning; that of the statements without it.
    """

    def __init__(
        self,
        query: Query,
        around: Surroundings,
        candidates: Sequence[Candidate],
        similarity: TextSimilarity | None = None,
    ) -> None:
        self._query = query
        self._around = around
        self._texts = similarity or around.similarity
        places = dict.fromkeys(
            place for one in candidates for place in (one.at, one.lead) if place is not None
        )
        worded = {
            (one.at, one.value): _clause(around.statements[one.at], one.value) for one in candidates
        }
        # Statements that a name leads to may not have been compared before.
        self._texts.to(query.text, [around.statements[place].worded() for place in places])
        near = self._texts.to(query.text, list(worded.values()))
        self._clauses = dict(zip(worded, near, strict=True))
        self._alike = self._likeness(list(places))
        self._alike_by_text: dict[tuple[str, str], float] = {}
        self._names = [name for name in query.names if not self._is_everywhere(name)]
        self._vector = self._texts.vector(query.text)

    def read(self, one: Candidate) -> FloatArray:
        """Return the features of a candidate, shape (len(FEATURES),)."""
        query, around = self._query, self._around
        statement = around.statements[one.at]
        lead = around.statements[one.lead] if one.lead is not None else None
        wanted = query.wanted
        if one.fit >= _KNOWN_FIT and query.asked.is_told_by_value:
            wanted = wanted - everyday_groups(query.asked.noun) or wanted
        part = statement.part_at(one.value.start)
        told = statement.told(part, wanted)
        both = told | lead.own if lead else told
        places = statement.place | lead.place if lead else statement.place
        total = around.rarity.of(wanted) or 1.0
        texts = (statement, lead) if lead else (statement,)
        names, in_passage = self._named(one)
        span = (one.value.start, one.value.end)
        features = {
            "fit": one.fit,
            "told": around.rarity.of(wanted & told) / total,
            "told_with_lead": around.rarity.of(wanted & both) / total,
            "before": around.rarity.of((wanted - both - places) & statement.before) / total,
            "like_told": self._like_told(wanted, told | places, (statement,)),
            "like_told_with_lead": self._like_told(wanted, both | places, texts),
            "asked_told": self._asked_told(wanted, both | places, texts),
            "similarity": self._similarity(one.at),
            "similarity_with_lead": self._similarity(one.at, one.lead),
            "clause_similarity": self._clauses[one.at, one.value],
            "near": nearness(statement.text, *span, told & wanted, everyday_group),
            "names": names,
            "names_in_passage": in_passage,
            "years": self._years(statement, lead, one.value.start),
            "denied": not query.is_doubtful and not is_asserted(statement.text, *span),
            "past": _PAST.search(statement.text) is not None and _PAST.search(query.text) is None,
            "row": statement.is_row,
            "question": statement.text.rstrip().endswith("?"),
            "superseded": statement.sentence.chunk.doc_id in around.superseded,
            "noun_told": self._noun_told(both | places),
            "rank": 1 / (1 + statement.rank),
            "single": self._is_single(one),
        }
        return np.array([float(features[name]) for name in FEATURES], dtype=np.float32)

    def _likeness(self, places: Sequence[int]) -> dict[str, dict[str, float]]:
        """Return how alike the question's words and those of the statements are, above a bound."""
        spelled = dict.fromkeys(
            word for place in places for word in _words_of(self._around.statements[place].text)
        )
        others = list(spelled)
        table: dict[str, dict[str, float]] = {}
        for word, _ in self._query.worded:
            near = self._texts.words_near(word, others)
            table[word] = {
                other: min(1.0, (cosine - _ALIKE) / (_SAME - _ALIKE))
                for other, cosine in near.items()
                if cosine > _ALIKE
            }
        return table

    def _like_told(
        self, wanted: frozenset[str], told: frozenset[str], texts: Sequence[Statement]
    ) -> float:
        """Return the share of the wanted words, by rarity, that are told or alike to one told."""
        total = covered = 0.0
        for word, group in self._query.worded:
            if group not in wanted:
                continue
            weight = self._around.rarity.of([group])
            alike = max(self._alike_in(word, text.text) for text in texts)
            total += weight
            covered += weight * (1.0 if group in told else alike)
        return covered / total if total else 1.0

    def _alike_in(self, word: str, text: str) -> float:
        """Return how alike a word of the question is to the one of a text that is most so."""
        found = self._alike_by_text.get((word, text))
        if found is None:
            alike = self._alike[word]
            found = max((alike.get(one, 0.0) for one in _words_of(text)), default=0.0)
            self._alike_by_text[word, text] = found
        return found

    def _asked_told(
        self, wanted: frozenset[str], told: frozenset[str], texts: Sequence[Statement]
    ) -> float:
        """Return the share of the wanted words told or alike that no name of the question has."""
        names = everyday_groups(" ".join(self._query.spelled_names))
        return self._like_told(wanted - names, told, texts)

    def _similarity(self, at: int, lead: int | None = None) -> float:
        around = self._around
        places = [place for place in (at, lead) if place is not None]
        vectors = [
            vector
            for place in places
            if (vector := self._texts.vector(around.statements[place].worded())) is not None
        ]
        if len(vectors) < len(places) or self._vector is None:
            return 0.0
        joined = np.sum(vectors, axis=0)
        return float(joined @ self._vector / (np.linalg.norm(joined) or 1.0))

    def _named(self, one: Candidate) -> tuple[float, float]:
        """Return the least share of a name of the question that the statements have.

        First of those in the statements, their headings and titles, then with their passages.
        """
        around = self._around
        near: frozenset[str] = frozenset()
        passages = ""
        for place in (one.at, one.lead):
            if place is not None:
                near |= around.words[place] | around.place_words[place]
                passages += around.index.chunk_keys[around.statements[place].sentence.chunk.id]
        if not self._names:
            return 1.0, 1.0
        inside = min(_share(name, near) for name in self._names)
        texts = [around.statements[place].text for place in (one.at, one.lead) if place is not None]
        if any(_has_part_alone(name, text) for name in self._query.spelled_names for text in texts):
            inside = min(inside, _PART_OF_NAME)
        words = near | frozenset(passages.split())
        return inside, min(_share(name, words) for name in self._names)

    def _is_everywhere(self, name: frozenset[str]) -> bool:
        """Return whether a name stands in so many documents that a passage need not repeat it."""
        index = self._around.index
        documents = {chunk.doc_id for chunk in index.chunks.values()}
        holding = {
            index.chunks[id_].doc_id
            for id_, key in index.chunk_keys.items()
            if all(f" {word} " in key for word in name)
        }
        return len(holding) > max(4, _MANY_DOCUMENTS * len(documents))

    def _years(self, statement: Statement, lead: Statement | None, start: int) -> float:
        """Return 1 where a year of the question is told, .5 where none is, 0 where another is.

        An aside that names a year tells that of what is in it: "41 tours (2023: 37)".

        Args:
            statement: The one with the value.
            lead: The one that leads to it, if any.
            start: Where the value begins in its text.
        """
        if not self._query.years:
            return 0.5
        asides = [aside for aside in _ASIDE.finditer(statement.text) if _YEAR.search(aside[0])]
        around = next((one[0] for one in asides if one.start() < start < one.end()), "")
        told = around or " ".join(
            f"{one.text} {one.heading} {one.caption} {one.sentence.chunk.title} "
            f"{one.sentence.chunk.doc_id}"
            for one in (statement, lead)
            if one
        )
        years = frozenset(_YEAR.findall(told))
        if self._query.years & years:
            return 1.0
        return 0.0 if years else 0.5

    def _noun_told(self, told: frozenset[str]) -> bool:
        noun = everyday_groups(self._query.asked.noun)
        return not noun or bool(noun & told)

    def _is_single(self, one: Candidate) -> bool:
        """Return whether the statement has no other value of the same kind, or labels tell them."""
        values = self._around.values_of(one.at)
        statement = self._around.statements[one.at]
        if statement.is_row:
            return True
        key = name_key(one.value.text)
        same = {
            name_key(other.text)
            for other in values
            if (other.kind, other.measure) == (one.value.kind, one.value.measure)
            and not self._query.is_named(other)
            and name_key(other.text) not in key
        }
        return not same - {key}


def _clause(statement: Statement, value: Value) -> str:
    """Return the part of a statement that has a value, below its heading, for an embedder.

    Of a row that is its first cell and the value's own with its label.
    """
    text = statement.text
    part = statement.part_at(value.start)
    if statement.is_row and part is not None:
        first = statement.parts[0]
        key = "" if part == first else text[first.start : first.end].strip(" ;")
        told = f"{key} {part.label}: {text[part.start : part.end]}"
        return ". ".join(one for one in (statement.heading, statement.caption, told) if one)
    start = max((one.end() for one in _CLAUSE_END.finditer(text, 0, value.start)), default=0)
    end = next((one.start() for one in _CLAUSE_END.finditer(text, value.end)), len(text))
    return ". ".join(one for one in (statement.caption, text[start:end]) if one)


@lru_cache(maxsize=4096)
def _words_of(text: str) -> tuple[str, ...]:
    found = (match.group().lower() for match in WORD.finditer(text))
    return tuple(word for word in dict.fromkeys(found) if word not in STOP_WORDS)


def _has_part_alone(name: str, text: str) -> bool:
    """Return whether a text has a name without its last word: the Nivo is no Nivo Mini."""
    first, _, last = name.rpartition(" ")
    return bool(first) and first in text and name not in text and last not in text


def _share(name: frozenset[str], words: frozenset[str]) -> float:
    return len(name & words) / len(name)
