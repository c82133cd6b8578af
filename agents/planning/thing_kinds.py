"""Kinds of names by the graph's types and by the sentences about them, and what those tell."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.answer_types import AnswerType, singular, type_of_noun
from hoptrail.agents.language.mentions import Mention, kind_of
from hoptrail.agents.language.topics import REPEATING_NOUNS
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.offline.name_types import NameTyper
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Entity, Evidence, Hit

Sex = Literal["man", "woman"]

SEX_OF_WORD: dict[str, Sex] = {
    **dict.fromkeys(("mr", "sir", "lord", "he", "his", "him"), "man"),
    **dict.fromkeys(("man", "husband", "father", "son", "brother", "actor", "king"), "man"),
    **dict.fromkeys(("mrs", "ms", "miss", "lady", "dame", "she", "her"), "woman"),
    **dict.fromkeys(("woman", "wife", "mother", "daughter", "sister", "actress", "queen"), "woman"),
}

PERSONAL_PRONOUN = re.compile(r"\b(he|his|him|she|her)\b", re.IGNORECASE)
_IS_NAMED = re.compile(r"\b(?:is|was)\s(?P<name>[A-Z][\w'’ -]{1,60})\.?$")
_OPENS = len("The ")  # characters before what a sentence begins with
_TAKES_UP = re.compile(r"The\s([a-z]{2,20})\s(?!of\s)")


class ThingKinds:
    """Kinds of names by the types of the graph, by "X is a ..." and by "She was born ..."."""

    def __init__(self, chunks: Iterable[Chunk], entities: Iterable[Entity] = ()) -> None:
        found = {chunk.id: Hit(chunk) for chunk in chunks}
        known = {entity.id: Hit(entity) for entity in entities}
        evidence = Evidence(chunks=tuple(found.values()), entities=tuple(known.values()))
        self._graph = SentenceGraph(EvidenceIndex(evidence))
        self._typer = NameTyper(self._graph)
        self._owners = dict(self._owners_of_pronouns())
        self._told = self._sentences_told()
        # "She" below such a title is somebody whom the text names.
        self._above_others = {one.topic for one in self._graph.facts if one.text in self._owners}

    def nouns(self, name: str) -> frozenset[str]:
        """Return the common nouns that a thing is called by: town, steamer, firm."""
        key = self._key(name)
        again = (
            match[1].lower()
            for fact in self._graph.facts_about(key)
            if fact.topic == key and (match := _TAKES_UP.match(fact.text))
            if fact.sentence is not None and not fact.sentence.other
        )
        before = rf"\b(?:the|an?)\s([a-z][a-z-]{{1,30}})\s{re.escape(name)}\b"
        beside = (re.search(before, fact.text) for fact in self._graph.facts_about(key))
        called = {singular(match[1]) for match in beside if match}
        return frozenset(self._typer.nouns(key)) | REPEATING_NOUNS.intersection(again) | called

    def type_of(self, name: str) -> AnswerType | None:
        """Return the type of a thing, None where nothing tells."""
        key = self._key(name)
        nouns, sex = self._typer.nouns(key), self.sex_of(name)
        told = self._typer.type_of(Mention(key, name, 0, len(name), kind_of(name)))
        if told in {None, "person"} and _names_organization(name):
            return "organization"
        if told == "person" and key in self._above_others and not nouns and sex is None:
            told = None
        is_role = any(type_of_noun(noun) == "person" for noun in nouns)
        return told or ("person" if is_role or sex else None)

    def sex_of(self, name: str) -> Sex | None:
        """Return whether a name is a man's or a woman's, None where no word tells."""
        if _names_organization(name):
            return None
        key = self._key(name)
        words = {*name_key(name).split()[:1], *self._typer.nouns(key)}
        words |= {
            pronoun[1].lower()
            for fact in self._graph.facts
            if self._owners.get(fact.text, fact.topic) == key
            if (pronoun := PERSONAL_PRONOUN.match(fact.text))
        }
        told: set[Sex] = {SEX_OF_WORD[word] for word in words if word in SEX_OF_WORD}
        return told.pop() if len(told) == 1 else None

    def told_of(self, name: str) -> tuple[frozenset[str], ...]:
        """Return the word groups of each sentence that is about a thing."""
        return tuple(self._told.get(self._key(name), ()))

    def _sentences_told(self) -> dict[str, list[frozenset[str]]]:
        """Return the word groups of sentences by what they begin with, else by their topic.

        "It was opened in 1712" behind "The Otter Inn is a pub." is about the inn.
        """
        told: dict[str, list[frozenset[str]]] = defaultdict(list)
        owner = ""
        for fact in self._graph.facts:
            opening = [one.key for one in fact.mentions if one.start <= _OPENS or not fact.topic]
            goes_on = fact.sentence is not None and fact.sentence.leads_with_pronoun and owner
            owner = (*opening, owner if goes_on else fact.topic)[0]
            told[self._owners.get(fact.text, owner)].append(word_groups(fact.text))
        return told

    def _owners_of_pronouns(self) -> Iterator[tuple[str, str]]:
        """Yield sentences that begin with he or she with the key of whom the one before names.

        "The coach is Bo Reed. He ..." and the next sentences with "he" are about Bo Reed.
        """
        for sentences in self._graph.index.sentences.values():
            owners: dict[Sex, str] = {}
            for before, sentence in pairwise(sentences):
                sex = SEX_OF_WORD.get(sentence.text.partition(" ")[0].lower())
                named = _IS_NAMED.search(before.text)
                if sex and named:
                    owners[sex] = self._key(named["name"])
                if sex in owners:
                    yield sentence.text, owners[sex]

    def _key(self, name: str) -> str:
        return self._graph.canonical(name_key(name))


def _names_organization(name: str) -> bool:
    """Return whether the last word of a name tells an organization: "Quoits League".

    Words for places are surnames too: "Ann Church".
    """
    *_, last = ["", *name_key(name).split()]
    return type_of_noun(singular(last)) == "organization"
