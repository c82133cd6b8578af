"""Solve one step of a chain: which name does the evidence put in the asked relation to another."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.agents.answer_types import AnswerType
from hoptrail.agents.kinds import KindGuesser
from hoptrail.agents.mentions import Mention
from hoptrail.agents.question_steps import Step
from hoptrail.agents.sentence_graph import Fact, SentenceGraph
from hoptrail.agents.wording import concept, concepts
from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import words

_LIGHT = concepts(
    "lie lies lay located situated stand stands stood found find come comes came take takes took "
    "place called named name go went get got kind type s"
)
# Where nothing but a kind is asked for, only the very noun is as good as a matching wording.
_STRICTNESS = 4
_NATIONAL = frozenset({"nationality", "country", "citizenship"})
_NOTHING: frozenset[str] = frozenset()
_WRONG_KIND = -0.5
_UNLIKELY = -0.2
_LIKELY = 0.7
_PREPOSITIONS: dict[AnswerType, re.Pattern[str]] = {
    "place": re.compile(r"\b(?:in|at|near|from|to)\s+(?:the\s+)?$"),
    "person": re.compile(r"\b(?:by|with|to)\s+$"),
    "organization": re.compile(r"\b(?:by|with|for|at)\s+(?:the\s+)?$"),
    "date": re.compile(r"\b(?:in|on|since)\s+$"),
}
_DEMONYM = re.compile(r"^[A-Z]\w+(?:an|ish|ese|ch|ic|ian|wegian|man|ss)$")

Embed = Callable[[Sequence[str]], FloatArray]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign counts for a candidate."""

    wording: float = 1.0
    similarity: float = 1.0
    kind: float = 0.6
    nearness: float = 0.3
    relation: float = 0.15
    topic: float = 0.1
    lead: float = 0.15


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that may solve a step, and the fact that says so.

    `wording` is the weighted share of the step's words that the fact has, 0 to 1; `similarity` the
    cosine between step and fact, 0 without an embedder.
    """

    mention: Mention
    fact: Fact
    step: Step
    wording: float
    similarity: float
    kind: float
    score: float

    @property
    def told(self) -> str:
        """All that the link tells: its fact, what that is about, and the kind that was found."""
        noun = self.step.noun if self.kind >= 1 else ""
        return f"{self.fact.topic} {self.fact.text} {noun}"


class StepSolver:
    """Scores facts about a name against the wording of a step.

    Args:
        graph: The evidence.
        kinds: Judge of what names stand for.
        embed: Unit vectors of texts, shape (n, dim); without it only words are compared.
        weights: Importance of each sign.
    """

    def __init__(
        self,
        graph: SentenceGraph,
        kinds: KindGuesser,
        embed: Embed | None = None,
        weights: Weights | None = None,
    ) -> None:
        self._graph = graph
        self._kinds = kinds
        self._embed = embed
        self._weights = weights or Weights()
        self._vectors: dict[str, FloatArray] = {}
        self._rarity = _rarities(graph.facts)

    def candidates(
        self,
        step: Step,
        known: str,
        excluded: frozenset[str],
        limit: int,
        *,
        strict: bool = False,
    ) -> list[Candidate]:
        """Return the best candidates for a step about a known name, best first, each name once.

        Args:
            step: What is asked about the name.
            known: Key of the name.
            excluded: Keys that cannot be the solution, such as names in the question.
            limit: Most candidates to return.
            strict: Leave out what is surely of another kind than asked for.
        """
        facts = self._graph.facts_about(known)
        if not facts:
            return []
        wanted = _wanted(step)
        near_words = concepts(step.wording)
        similarities = self._similarities(step.phrase(self._graph.name(known)), facts)
        best: dict[str, Candidate] = {}
        for fact, similarity in zip(facts, similarities, strict=True):
            present = concepts(fact.text) | concepts(fact.topic)
            for mention in _objects(fact):
                if any(_is_variant(mention.key, key, step.noun) for key in (known, *excluded)):
                    continue
                noun = step.noun if step.asks_for_kind else ""
                kind = self._kinds.fit(mention, noun, step.answer_type)
                is_wanted = step.noun in _NATIONAL or not _is_modifier(fact, mention)
                if not is_wanted or (strict and kind <= _WRONG_KIND):
                    continue
                told = present | (_life_event(fact, mention) if fact.topic == known else _NOTHING)
                kind = _with_preposition(kind, fact, mention, step.answer_type)
                wording = self._share(wanted, told)
                if not wanted:
                    wording = min(1.0, max(0.0, kind)) ** _STRICTNESS
                score = self._score(known, fact, mention, near_words, (wording, similarity, kind))
                current = best.get(mention.key)
                if current is None or score > current.score + 1e-5:
                    best[mention.key] = Candidate(
                        mention, fact, step, wording, similarity, kind, score
                    )
        ranked = sorted(
            best.values(), key=lambda found: (-round(found.score, 5), found.mention.key)
        )
        return ranked[:limit]

    def coverage(self, wanted: frozenset[str], fact: Fact) -> float:
        """Return the share of the wanted concepts, weighted by rarity, that a fact has."""
        return self.text_coverage(wanted, f"{fact.topic} {fact.text}")

    def text_coverage(self, wanted: frozenset[str], text: str) -> float:
        """Return the share of the wanted concepts, weighted by rarity, that a text has."""
        return self._share(wanted, concepts(text))

    def _share(self, wanted: frozenset[str], present: frozenset[str]) -> float:
        total = sum(self._rarity_of(name) for name in wanted)
        if total == 0:
            return 0.0
        return sum(self._rarity_of(name) for name in wanted & present) / total

    def _rarity_of(self, name: str) -> float:
        return self._rarity.get(name, self._rarity[""])

    def _score(
        self,
        known: str,
        fact: Fact,
        mention: Mention,
        near_words: frozenset[str],
        signs: tuple[float, float, float],
    ) -> float:
        wording, similarity, kind = signs
        weights = self._weights
        return (
            weights.wording * wording
            + weights.similarity * similarity
            + weights.kind * kind
            + weights.nearness * _nearness(fact, mention, near_words)
            + weights.relation * (fact.relation is not None)
            + weights.topic * (fact.topic == known)
            + weights.lead * (fact.sentence is not None and fact.sentence.is_lead)
        )

    def _similarities(self, query: str, facts: Sequence[Fact]) -> list[float]:
        if self._embed is None:
            return [0.0] * len(facts)
        texts = list(dict.fromkeys([query, *(fact.text for fact in facts)]))
        missing = [text for text in texts if text not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self._embed(missing), strict=True))
        vector = self._vectors[query]
        return [float(np.dot(self._vectors[fact.text], vector)) for fact in facts]


def _wanted(step: Step) -> frozenset[str]:
    """Return the concepts that a fact should have: what names a mere kind is judged apart."""
    wanted = concepts(step.wording) - _LIGHT
    return wanted - concepts(step.noun) if step.asks_for_kind else wanted


def _is_variant(key: str, known: str, noun: str) -> bool:
    """Return whether two keys spell the same name, one with more words.

    "Calder Point Lighthouse" is no Calder Point where a lighthouse is looked for.
    """
    if key == known:
        return True
    if noun and noun in key.split() and noun not in known.split():
        return False
    one, other = set(key.split()), set(known.split())
    return min(len(one), len(other)) > 1 and (one <= other or other <= one)


def _with_preposition(kind: float, fact: Fact, mention: Mention, answer_type: AnswerType) -> float:
    """Return the fit of a name's kind, raised where it stands as places stand behind "in"."""
    wanted = _PREPOSITIONS.get(answer_type)
    before = fact.text[max(0, mention.start - 12) : mention.start]
    if wanted is None or kind < _UNLIKELY or not wanted.search(before):
        return kind
    return max(kind, _LIKELY)


def _is_modifier(fact: Fact, mention: Mention) -> bool:
    """Return whether a name only qualifies the noun behind it ("the Norwegian playwright")."""
    return (
        _DEMONYM.search(mention.text) is not None
        and re.match(r"[\s-]+[a-z]", fact.text[mention.end :]) is not None
        and not re.match(
            r"\s+(?:and|or|is|was|in|by|as|who|of|on|at|to)\b", fact.text[mention.end :]
        )
    )


def _life_event(fact: Fact, mention: Mention) -> frozenset[str]:
    """Return what a date or place in the brackets behind a topic's name tells: birth, or death."""
    if mention.kind == "number" or fact.sentence is None or not fact.sentence.is_lead:
        return frozenset()
    opening = re.match(r"[^()]{1,80}\(([^()]*)\)", fact.text)
    if opening is None or not opening.start(1) <= mention.start < opening.end(1):
        return frozenset()
    before = fact.text[opening.start(1) : mention.start]
    after = fact.text[mention.end : opening.end(1)]
    if re.search(r"[–—-]|\bto\b|died", before):
        return concepts("died")
    if re.search(r"[–—-]|\bborn\b", before + after):
        return concepts("born")
    return frozenset()


def _objects(fact: Fact) -> list[Mention]:
    mentions = list(fact.mentions)
    if fact.topic and fact.sentence is not None:
        title = fact.sentence.chunk.title
        if not any(mention.key == fact.topic for mention in mentions):
            mentions.append(Mention(fact.topic, title, 0, 0, "entity"))
    return mentions


def _nearness(fact: Fact, mention: Mention, wanted: frozenset[str]) -> float:
    """Return 1 for a name next to a wanted word, falling with the words in between."""
    before = words(fact.text[: mention.start])
    after = words(fact.text[mention.end :])
    gaps = [place for place, word in enumerate(reversed(before)) if concept(word) in wanted]
    gaps += [place for place, word in enumerate(after) if concept(word) in wanted]
    return 1.0 / (1.0 + 0.3 * min(gaps)) if gaps else 0.0


def _rarities(facts: Sequence[Fact]) -> dict[str, float]:
    counts: dict[str, int] = {}
    for fact in facts:
        for name in concepts(fact.text):
            counts[name] = counts.get(name, 0) + 1
    total = len(facts) + 1
    rarities = {name: math.log(1 + total / count) for name, count in counts.items()}
    rarities[""] = math.log(1 + total)
    return rarities
