"""The kind of thing that a name stands for, as the graph and its passages tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.answer_types import AnswerType, type_of_noun
from hoptrail.agents.language.mentions import Mention, kind_of
from hoptrail.agents.offline.name_types import NameTyper
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Entity, Evidence, Hit

Sex = Literal["man", "woman"]

_SEX_OF_WORD: dict[str, Sex] = {
    **dict.fromkeys(("mr", "sir", "lord", "he", "his", "him"), "man"),
    **dict.fromkeys(("man", "husband", "father", "son", "brother", "actor", "king"), "man"),
    **dict.fromkeys(("mrs", "ms", "miss", "lady", "dame", "she", "her"), "woman"),
    **dict.fromkeys(("woman", "wife", "mother", "daughter", "sister", "actress", "queen"), "woman"),
}
_OPENING_PRONOUN = re.compile(r"\W{0,3}(he|his|she|her)\b", re.IGNORECASE)


class ThingKinds:
    """Kinds of names by the types of the graph, by "X is a ..." and by "She was born ..."."""

    def __init__(self, chunks: Iterable[Chunk], entities: Iterable[Entity] = ()) -> None:
        found = {chunk.id: Hit(chunk) for chunk in chunks}
        known = {entity.id: Hit(entity) for entity in entities}
        evidence = Evidence(chunks=tuple(found.values()), entities=tuple(known.values()))
        self._graph = SentenceGraph(EvidenceIndex(evidence))
        self._typer = NameTyper(self._graph)

    def nouns(self, name: str) -> frozenset[str]:
        """Return the common nouns that a thing is called by: town, steamer, firm."""
        return frozenset(self._typer.nouns(self._key(name)))

    def type_of(self, name: str) -> AnswerType | None:
        """Return the type of a thing, None where nothing tells."""
        key = self._key(name)
        told = self._typer.type_of(Mention(key, name, 0, len(name), kind_of(name)))
        is_role = any(type_of_noun(noun) == "person" for noun in self._typer.nouns(key))
        return told or ("person" if is_role or self.sex_of(name) else None)

    def sex_of(self, name: str) -> Sex | None:
        """Return whether a name is a man's or a woman's, None where no word tells."""
        key = self._key(name)
        words = [*name_key(name).split()[:1], *self._typer.nouns(key)]
        for fact in self._graph.facts_about(key):
            pronoun = _OPENING_PRONOUN.match(fact.text)
            if pronoun and fact.topic == key:
                words.append(pronoun[1].lower())
        told: set[Sex] = {_SEX_OF_WORD[word] for word in words if word in _SEX_OF_WORD}
        return told.pop() if len(told) == 1 else None

    def _key(self, name: str) -> str:
        return self._graph.canonical(name_key(name))
