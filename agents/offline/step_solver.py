"""Solve one step of a chain: which name does the evidence put in the asked relation to another."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hoptrail.agents.evidence.claims import answer_text, claim_in
from hoptrail.agents.evidence.sentence_graph import Fact, SentenceGraph
from hoptrail.agents.language.answer_types import AnswerType
from hoptrail.agents.language.assertion import has_doubt
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.question_steps import QuestionStep
from hoptrail.agents.language.table_rows import told_of
from hoptrail.agents.language.text_similarity import TextSimilarity, WordRarity
from hoptrail.agents.language.word_groups import nearness, word_groups
from hoptrail.agents.offline.name_types import NameTyper
from hoptrail.core.types.draft import HopClaim

_LIGHT = word_groups(
    "lie lies lay located situated stand stands stood found find come comes came take takes took "
    "place called named name go went get got kind type s"
)
_UNLIKELY = -0.2
_NOT_IT = -0.5
_LIKELY = 0.7
_PREPOSITIONS: dict[AnswerType, re.Pattern[str]] = {
    "place": re.compile(r"\b(?:in|at|near|from|to)\s+(?:the\s+)?$"),
    "person": re.compile(r"\b(?:by|with|to)\s+$"),
    "organization": re.compile(r"\b(?:by|with|for|at)\s+(?:the\s+)?$"),
    "date": re.compile(r"\b(?:in|on|since)\s+$"),
}
_AT_PLACE = re.compile(r"\b(?:in|at|near)\s+(?:the\s+)?$")


def wanted_word_groups(step: QuestionStep) -> frozenset[str]:
    """Return the word groups that a fact should have: what names a mere kind is judged apart."""
    wanted = word_groups(step.wording) - _LIGHT
    return wanted - word_groups(step.noun) if step.asks_for_kind else wanted


def is_variant(key: str, known: str, noun: str) -> bool:
    """Return whether two keys spell the same name, one with more words.

    "Calder Point Lighthouse" is no Calder Point where a lighthouse is looked for.
    """
    if key == known:
        return True
    if noun and noun in key.split() and noun not in known.split():
        return False
    one, other = set(key.split()), set(known.split())
    return min(len(one), len(other)) > 1 and (one <= other or other <= one)


def with_preposition(kind: float, fact: Fact, mention: Mention, answer_type: AnswerType) -> float:
    """Return the fit of a name's kind, raised where it stands as places stand behind "in".

    A name behind "in" is no person's.
    """
    wanted = _PREPOSITIONS.get(answer_type)
    before = fact.text[max(0, mention.start - 12) : mention.start]
    if answer_type == "person" and _AT_PLACE.search(before):
        return min(kind, _NOT_IT)
    if wanted is None or kind < _UNLIKELY or not wanted.search(before):
        return kind
    return max(kind, _LIKELY)


def life_event(fact: Fact, mention: Mention) -> frozenset[str]:
    """Return what a date or place in the brackets behind a topic's name tells: birth, or death."""
    if mention.kind == "number" or fact.sentence is None or not fact.sentence.is_lead:
        return frozenset()
    opening = re.match(r"[^()]{1,80}\(([^()]*)\)", fact.text)
    if opening is None or not opening.start(1) <= mention.start < opening.end(1):
        return frozenset()
    before = fact.text[opening.start(1) : mention.start]
    after = fact.text[mention.end : opening.end(1)]
    if re.search(r"[–—-]|\bto\b|died", before):
        return word_groups("died")
    if re.search(r"[–—-]|\bborn\b", before + after):
        return word_groups("born")
    return frozenset()


def nameable(fact: Fact) -> list[Mention]:
    """Return what a fact may give as a solution: its mentions, and the topic that is spelled."""
    mentions = list(fact.mentions)
    if fact.topic and fact.sentence is not None and fact.spells_topic:
        title = fact.sentence.topic_title
        if not any(mention.key == fact.topic for mention in mentions):
            mentions.append(Mention(fact.topic, title, 0, 0, "entity"))
    return mentions


_WRONG_KIND = -0.5
# Where nothing but a kind is asked for, only the very noun is as good as a matching wording.
_STRICTNESS = 4


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
    step: QuestionStep
    wording: float
    similarity: float
    kind: float
    score: float

    @property
    def told(self) -> str:
        """All that the link tells: its fact, what that is about, and the kind that was found."""
        noun = self.step.noun if self.kind >= 1 else ""
        told = told_of(self.fact.text, [self.mention.end - 1], self.step.wording)
        return f"{self.fact.topic} {told} {noun}"


@dataclass(frozen=True, slots=True)
class _Query:
    step: QuestionStep
    known: str
    excluded: frozenset[str]
    strict: bool
    wanted: frozenset[str]
    near_words: frozenset[str]
    is_doubtful: bool


class StepSolver:
    """Scores facts about a name against the wording of a step.

    Args:
        graph: The evidence.
        kinds: Judge of what names stand for.
        similarity: Compares texts by meaning; without it only words are compared.
        weights: Importance of each sign.
    """

    def __init__(
        self,
        graph: SentenceGraph,
        kinds: NameTyper,
        similarity: TextSimilarity | None = None,
        weights: Weights | None = None,
    ) -> None:
        self._graph = graph
        self._kinds = kinds
        self._similarity = similarity or TextSimilarity()
        self._weights = weights or Weights()
        self._rarity = WordRarity([word_groups(fact.text) for fact in graph.facts])

    def candidates(
        self,
        step: QuestionStep,
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
        near_words = word_groups(step.wording)
        query = _Query(
            step,
            known,
            excluded | {known},
            strict,
            wanted_word_groups(step),
            near_words,
            has_doubt(step.wording),
        )
        phrase = step.phrase(self._graph.name(known))
        similarities = self._similarity.to(phrase, [fact.text for fact in facts])
        best: dict[str, Candidate] = {}
        for fact, similarity in zip(facts, similarities, strict=True):
            for mention in nameable(fact):
                found = self._judge(query, fact, mention, similarity)
                current = best.get(mention.key)
                if found and (current is None or found.score > current.score + 1e-5):
                    best[mention.key] = found
        ranked = sorted(
            best.values(), key=lambda found: (-round(found.score, 5), found.mention.key)
        )
        return ranked[:limit]

    def coverage(self, wanted: frozenset[str], fact: Fact) -> float:
        """Return the share of the wanted word groups, weighted by rarity, that a fact has."""
        return self.text_coverage(wanted, f"{fact.topic} {fact.text}")

    def text_coverage(self, wanted: frozenset[str], text: str) -> float:
        """Return the share of the wanted word groups, weighted by rarity, that a text has."""
        return self._rarity.share(wanted, word_groups(text))

    def _judge(
        self, query: _Query, fact: Fact, mention: Mention, similarity: float
    ) -> Candidate | None:
        """Return a name of a fact as a candidate, None where it cannot be what is looked for."""
        step, known = query.step, query.known
        if any(is_variant(mention.key, key, step.noun) for key in query.excluded):
            return None
        if not query.is_doubtful and not fact.asserts(known, mention):
            return None
        kind = self._kinds.fit(mention, step.kind_noun, step.answer_type)
        kind = with_preposition(kind, fact, mention, step.answer_type)
        if query.strict and kind <= _WRONG_KIND:
            return None
        told = word_groups(_told(fact, query, mention)) | word_groups(fact.topic)
        if fact.topic == known:
            told |= life_event(fact, mention)
        wording = _clamped(kind) ** _STRICTNESS
        if query.wanted:
            wording = self._rarity.share(query.wanted, told)
        weights = self._weights
        score = (
            weights.wording * wording
            + weights.similarity * similarity
            + weights.kind * kind
            + weights.nearness * nearness(fact.text, mention.start, mention.end, query.near_words)
            + weights.relation * (fact.relation is not None)
            + weights.topic * (fact.topic == known)
            + weights.lead * (fact.sentence is not None and fact.sentence.is_lead)
        )
        return Candidate(mention, fact, step, wording, similarity, kind, score)


def _told(fact: Fact, query: _Query, mention: Mention) -> str:
    """Return what a fact says of two names: a row says nothing by the names of other columns."""
    ends = [one.end - 1 for one in fact.mentions if one.key == query.known]
    return told_of(fact.text, [*ends, mention.end - 1], query.step.wording)


def _clamped(value: float) -> float:
    return min(1.0, max(0.0, value))


def claim_of(origin: str, link: Candidate, graph: SentenceGraph) -> HopClaim:
    """Return a link from a name's key to what it found as a claim in the words of its fact."""
    target = link.mention
    return claim_in(link.fact, origin, target, answer_text("", target, graph), graph)
