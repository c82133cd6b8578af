"""An oracle's answer in the form that a prompt asks for, hops in their sentences' words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.claims import worded_between
from hoptrail.agents.evidence.evidence_index import topic_of
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import KnownNames, find_mentions
from hoptrail.agents.language.sentence_grammar import SentenceGrammar
from hoptrail.core.reply_conventions import FINAL_MARKER, UNKNOWN_ANSWER
from hoptrail.core.text import content_words, name_key, sentences
from hoptrail.eval.oracle.evidence_text import NO_LABEL, EvidenceText, span_of, spells, words_of
from hoptrail.eval.oracle.presence import AllowedAnswers, GoldSupport, Place
from hoptrail.eval.questions.question import Question

_LONGEST_ANSWER = 390
_MOST_HOPS = 8

_REFERENCE = re.compile(r"#(\d+)")
_MOST_CONTENT_WORDS = 8

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


Hop = tuple[Claim, str]


def short_reply(answers: Sequence[str]) -> str:
    """Return the one line `FINAL ANSWER:`."""
    return f"{FINAL_MARKER} {'; '.join(map(_one_line, answers)) or UNKNOWN_ANSWER}"


def answer_reply(
    prompt: str, question: Question, allowed: AllowedAnswers, evidence: EvidenceText
) -> str:
    """Return answers with the hops behind them, or an abstention with the hop that is missing.

    The prompts `answer_sparql`, `answer_generic` and `answer_growth` ask for hops. Any other prompt
    gets them only with an answer that the evidence does not spell: it could not be checked without
    them.
    """
    final = short_reply(allowed.answers)
    if prompt == "answer_sparql" and not allowed.answers:
        return "\n".join([*_open_query(question, allowed), final])
    is_bare = all(evidence.holds(words_of(answer)) for answer in allowed.answers)
    if prompt not in {"answer_sparql", "answer_generic", "answer_growth"} and is_bare:
        return final
    hops = known_hops(question, allowed)
    lines = [_hop_line(number, hop) for number, hop in enumerate(hops[:_MOST_HOPS], 1)]
    if not allowed.answers:
        if _follows_steps(question, allowed):
            # What a later step builds on is not known while an earlier one is open.
            del lines[allowed.places.index(None) :]
        claim = _first_open(question, allowed)
        lines.append(_hop_line(len(lines) + 1, (claim, NO_LABEL)))
    return "\n".join(["HOPS:", *lines, final]) if lines else final


def known_hops(question: Question, allowed: AllowedAnswers) -> list[Hop]:
    """Return a claim for each support that was found, with the label of its passage."""
    if allowed.walks:
        triples = dict.fromkeys(triple for walk in allowed.walks for triple in walk)
        return [(Claim(t.subject, t.predicate, t.object), NO_LABEL) for t in triples]
    hops: list[Hop] = []
    for number, (support, place) in enumerate(zip(allowed.supports, allowed.places, strict=True)):
        if place is None:
            continue
        claim = (
            step_claim(question, number, place)
            if _follows_steps(question, allowed)
            else support_claim(place, support, question, _titles(allowed, besides=support))
        )
        if claim is not None:
            hops.append((claim, place.label))
    return hops


def _titles(allowed: AllowedAnswers, besides: GoldSupport) -> list[str]:
    others = (support for support in allowed.supports if support != besides)
    return [title for support in others for title, _ in support.passages]


def _follows_steps(question: Question, allowed: AllowedAnswers) -> bool:
    return bool(question.steps and allowed.supports) and all(
        support.answers for support in allowed.supports
    )


def _first_open(question: Question, allowed: AllowedAnswers) -> Claim:
    if _follows_steps(question, allowed):
        return step_claim(question, allowed.places.index(None), None)
    if not allowed.supports and question.topic_entities:
        return Claim(question.topic_entities[0], open_claim(question, (), ()).relation)
    return open_claim(question, allowed.supports, allowed.places)


def _open_query(question: Question, allowed: AllowedAnswers) -> list[str]:
    """Return the lines QUERY and TRACE: the whole question, as far as it is resolved."""
    if not _follows_steps(question, allowed):
        claim = _first_open(question, allowed)
        return ["QUERY:", _pattern(_quoted(claim.subject), claim, 1), "TRACE:", "?a1 = UNRESOLVED"]
    query, trace = [], []
    unresolved: set[int] = set()
    for step, place in enumerate(allowed.places):
        claim = step_claim(question, step, None)
        earlier = [known for known in references(question.steps[step].question) if known < step]
        subject = f"?a{earlier[0] + 1}" if earlier else _quoted(claim.subject)
        query.append(_pattern(subject, claim, step + 1))
        # What a later step builds on is not known while an earlier one is open.
        if place is None or not unresolved.isdisjoint(earlier):
            unresolved.add(step)
            trace.append(f"?a{step + 1} = UNRESOLVED")
        else:
            trace.append(f"?a{step + 1} = {_one_line(question.steps[step].answer)} | {place.label}")
    return ["QUERY:", *query, "TRACE:", *trace]


def _pattern(subject: str, claim: Claim, number: int) -> str:
    return f"{subject} {claim.relation} ?a{number}"


def _hop_line(number: int, hop: Hop) -> str:
    claim, label = hop
    ends = (claim.subject, claim.relation, claim.object or "UNKNOWN")
    return f"HOP {number}: {' | '.join(_one_line(end).replace('|', '/') for end in ends)} | {label}"


def _quoted(name: str) -> str:
    return '"' + _one_line(name).replace('"', "") + '"'


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_ANSWER else flat[:_LONGEST_ANSWER].rsplit(" ", 1)[0]


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
    return " ".join(dict.fromkeys(kept[:_MOST_CONTENT_WORDS])) or "is"


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
