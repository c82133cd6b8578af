"""Signs in a fact that speak for or against a name as the solution of a step."""

from __future__ import annotations

import re

from hoptrail.agents.evidence.sentence_graph import Fact
from hoptrail.agents.language.answer_types import AnswerType
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.question_steps import QuestionStep
from hoptrail.agents.language.word_groups import word_groups

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
_DEMONYM = re.compile(r"^[A-Z]\w+(?:an|ish|ese|ch|ic|ian|wegian|man|ss)$")


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


def is_modifier(fact: Fact, mention: Mention) -> bool:
    """Return whether a name only qualifies the noun behind it ("the Norwegian playwright")."""
    return (
        _DEMONYM.search(mention.text) is not None
        and re.match(r"[\s-]+[a-z]", fact.text[mention.end :]) is not None
        and not re.match(
            r"\s+(?:and|or|is|was|in|by|as|who|of|on|at|to)\b", fact.text[mention.end :]
        )
    )


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
