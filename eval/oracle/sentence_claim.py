"""A fact in the words of the sentence that states it, as the prompts ask of a reader."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hoptrail.agents.evidence.claims import worded_between
from hoptrail.agents.language.sentence_grammar import SentenceGrammar
from hoptrail.eval.oracle.word_spans import span_of

# The thing that a passage is about, where a sentence does not name it.
_STAND_IN = re.compile(
    r"(?:In [^,]{1,40}, )?(?:(?:he|she|it|they|his|her|its|their)\b|the \w+\b)", re.I
)
_NAME = re.compile(r"[A-Z]\w{2,}")
_ASIDE = re.compile(r"^\s*\([^()]{0,200}\)")
_EDGE = " \t\n,;:–—-\"'“”"
_MOST_WORDS = 25


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact; `object` is empty where it is what is looked for."""

    subject: str
    relation: str
    object: str = ""


def claim_in_words(sentence: str, topic: str, other: str) -> Claim | None:
    """Return what a sentence says of two things in its own words, None where these do not join.

    That is the text between the two, without brackets behind the first; the first one is the
    subject. Where the sentence does not name the topic, it is the text from the verb on.

    Args:
        sentence: A sentence of the passage about `topic`.
        topic: The thing that the passage is about; a pronoun may stand for it.
        other: The other thing, which the sentence spells.
    """
    second = span_of(sentence, other)
    if second is None:
        return None
    first = span_of(sentence, topic) or _short_name(sentence[: second[0]], topic)
    if first is None:
        stand_in = _STAND_IN.match(sentence, 0, second[0])
        start = stand_in.end() if stand_in else _first_verb(sentence[: second[0]])
        return None if start is None else _claim(topic, sentence[start : second[0]], other)
    if first[1] <= second[0]:
        told = _claim(topic, sentence[first[1] : second[0]], other)
    else:
        told = _claim(other, sentence[second[1] : first[0]], topic)
    if told is not None:
        return told
    wording = worded_between(sentence, first, second)
    if wording is None:
        return None
    ends = (topic, other) if wording.is_forward else (other, topic)
    return Claim(ends[0], wording.predicate, ends[1])


def _short_name(text: str, topic: str) -> tuple[int, int] | None:
    """Return where a text has the last of the topic's words that it has in capitals."""
    found = (span_of(text, word) for word in reversed(topic.split()) if _NAME.match(word))
    return next((span for span in found if span and text[span[0]].isupper()), None)


def _first_verb(text: str) -> int | None:
    """Return where the first verb begins: what stands before it stands for the topic."""
    grammar = SentenceGrammar(text)
    return next((one.start for at, one in enumerate(grammar.tokens) if grammar.is_verb(at)), None)


def _claim(subject: str, between: str, object_: str) -> Claim | None:
    relation = _ASIDE.sub("", between).strip(_EDGE)
    is_said = any(letter.isalpha() for letter in relation) and "(" not in relation
    if not is_said or len(relation.split()) > _MOST_WORDS:
        return None
    return Claim(subject, " ".join(relation.split()), object_)
