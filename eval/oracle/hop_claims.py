"""The hops of an oracle's answer as claims that can be checked, and the first one left open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hoptrail.agents.evidence.evidence_index import topic_of
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import KnownNames, find_mentions
from hoptrail.core.text import content_words, name_key, sentences
from hoptrail.eval.oracle.presence import Place
from hoptrail.eval.oracle.sentence_claim import Claim, claim_in_words
from hoptrail.eval.oracle.supports import GoldSupport
from hoptrail.eval.oracle.word_spans import spells, words_of
from hoptrail.eval.questions.question import Question

_REFERENCE = re.compile(r"#(\d+)")
_MOST_WORDS = 8


def step_claim(question: Question, step: int, place: Place | None) -> Claim:
    """Return a gold step as a claim: in its passage's words, else in those of its question.

    The subject is what the step asks about, if it names anything: of several things the first one
    that the passage names. Without a place the claim is open.
    """
    asked = question.steps[step].question
    named = _subjects(question, step)
    relation = _wording(asked, named)
    if place is None:
        return Claim(named[0] if named else _wording(asked, ()), relation)
    about = f"{place.title} {place.text}"
    subject = next((name for name in named if spells(about, name)), next(iter(named), None))
    answer, subject = question.steps[step].answer, subject or topic_of(place.title)
    told = _told(sentences(place.text), subject, answer, asked)
    return told or Claim(subject, relation, answer)


def support_claim(
    place: Place, support: GoldSupport, question: Question, others: Iterable[str]
) -> Claim | None:
    """Return what a gold sentence says about its passage's topic, None if it names nothing else.

    A gold triple about the topic comes first.

    Args:
        place: Where the support was found.
        support: With its gold sentences, if it has any.
        question: Its answers are what a sentence had best name.
        others: Titles of the other supports, the next best.
    """
    topic = topic_of(place.title)
    told = support.sentences or tuple(sentences(place.text))
    for subject, predicate, object_ in question.facts:
        if name_key(subject) == name_key(topic) and any(spells(one, object_) for one in told):
            return _told(told, topic, object_, predicate) or Claim(topic, predicate, object_)
    for target in (*question.accepted, *map(topic_of, others)):
        naming = [one for one in told if spells(one, target)]
        if naming and name_key(target) != name_key(topic):
            wording = _wording(naming[0], (topic, target))
            return _told(naming, topic, target, question.text) or Claim(topic, wording, target)
    if not support.sentences:
        return None
    aside = _aside(told[0], topic)
    if not aside:
        return None
    return _told(told, topic, aside, question.text) or Claim(
        topic, _wording(told[0], (topic, aside)), aside
    )


def _told(told: Iterable[str], topic: str, other: str, asked: str) -> Claim | None:
    """Return what the sentence that joins both, and has most of the asked words, says of them."""
    wanted = set(content_words(asked))
    likely = sorted(told, key=lambda one: -len(wanted & set(content_words(one))))
    found = (claim_in_words(sentence, topic, other) for sentence in likely)
    return next((claim for claim in found if claim is not None), None)


def _aside(sentence: str, topic: str) -> str:
    """Return a date, else a name, that a sentence mentions beside its topic, empty if none."""
    own = set(words_of(topic))
    mentions = [
        mention
        for mention in find_mentions(sentence, KnownNames(()))
        if mention.kind != "number" and not own & set(words_of(mention.text))
    ]
    dates = [mention for mention in mentions if mention.kind == "date"]
    return next((mention.text for mention in dates + mentions), "")


def open_claim(
    question: Question, supports: Sequence[GoldSupport], places: Sequence[Place | None]
) -> Claim:
    """Return what to look for where there are no steps: the question about the first thing unread.

    That thing is the topic of an absent support if the question or a support that is present names
    it, else the first name of the question: nothing that the prompt does not say.
    """
    told = " ".join([question.text, *(place.text for place in places if place is not None)])
    absent = (s.passages for s, place in zip(supports, places, strict=True) if place is None)
    topics = [topic_of(title) for passages in absent for title, _ in passages]
    named = next((topic for topic in topics if spells(told, topic)), None)
    names = [named] if named else proper_names(question.text)[:1]
    subject = names[0] if names else _wording(question.text, ())
    return Claim(subject, _wording(question.text, names))


def references(asked: str) -> list[int]:
    """Return the places, from 0, of the steps whose answers a step's question refers to."""
    return [int(number) - 1 for number in _REFERENCE.findall(asked)]


def _subjects(question: Question, step: int) -> list[str]:
    """Return what a step asks about: answers that it refers to, then names."""
    asked = question.steps[step].question
    known = [question.steps[place].answer for place in references(asked) if 0 <= place < step]
    head, arrow, _ = asked.partition(">>")
    names = [head.strip()] if arrow else proper_names(asked)
    return [name for name in [*known, *names] if name and not _REFERENCE.fullmatch(name)]


def _wording(text: str, without: Sequence[str]) -> str:
    """Return the content words of a text that are not in these names, in order."""
    left_out = {word for name in without for word in content_words(name)}
    plain = _REFERENCE.sub(" ", text)
    kept = [word for word in content_words(plain) if word.isalpha() and word not in left_out]
    return " ".join(dict.fromkeys(kept[:_MOST_WORDS])) or "is"
