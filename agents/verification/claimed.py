"""Whether the claims of a trail themselves tell the deed, event or thing that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.assertion import clause_around
from hoptrail.agents.language.line_layout import labelled_parts
from hoptrail.agents.language.reserves import ASKED, other_thing, silent, unstated
from hoptrail.agents.language.sentence_grammar import SentenceGrammar
from hoptrail.agents.language.topics import REPEATING_NOUNS, topic_nouns
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.verification.predicate_sense import PREPOSITIONS
from hoptrail.core.text import content_words, name_key, words
from hoptrail.core.types import TrailHop
from hoptrail.core.types.draft import BESIDE, LISTS

_WHO_DID = re.compile(
    r"\W{0,3}who\s(?!(?:is|was|are|were|be|been|has|have|had|do|does|did|will|would|can|could|may|"
    r"might|must|should|else)\b)(?:[a-z]{2,15}ly\s)?(?P<verb>[a-z]{3,20})\b",
    re.IGNORECASE,
)
_WHEN_DID = re.compile(
    r"\W{0,3}(?:[Ww]hen|[Ww]here|[Ii]n\s(?:which|what)\s[a-z]{3,15})\s"
    r"(?:did\s(?:[^\s?]{1,30}\s){1,14}?(?P<did>[a-z]{3,20})"
    r"|(?:was|were)\s(?:[^\s?]{1,30}\s){1,14}?(?P<was>[a-z]{2,20}(?:ed|wn|rn|en|lt|ld|nt|ght)))\W{0,3}"
)
_PARTICLES = frozenset("up down out off away back over".split())


def asked_verb(question: str) -> str | None:
    """Return what a question says that somebody did: "who built", None where it says none."""
    asked = _WHO_DID.match(question)
    return asked["verb"].lower() if asked else None


def asked_event(question: str) -> str | None:
    """Return what happened of which a question asks when or where: "when did she die", else None.

    Only a short question ends with its verb.
    """
    asked = _WHEN_DID.fullmatch(question)
    event = asked["did"] or asked["was"] if asked else None
    if event in _PARTICLES:  # "when did it burn down"
        return words(question)[-2]
    return event


_LIGHT = everyday_groups(
    """name named called kind type number amount date day year time place located person people
    thing full now currently must shall should may can need have has had do does did go goes
    take takes took come get give last long much many often big old cost price pay paid charge fee
    address phone mail telephone happen held per each age aged mr mrs ms miss dr"""
)
_WHO_IS = re.compile(r"\W{0,3}who(?:\sis|['’]s|\sare|\swas|\swere)\s", re.I)
# Verbs by which somebody is or gets what he is called; with others he may have been it.
_HOLDS = everyday_groups(
    """is are was were be been becomes became appointed elected chosen named made serves served acts
    works worked joined joins takes took over succeeds succeeded leads runs heads keeps called"""
)
# A light verb that says something of its own with what follows it: "taken off", "given back".
_PHRASAL = re.compile(
    r"\b(?:take|takes|took|taken|give|gives|gave|given|go|goes|went|gone|come|comes|came|get|gets|got)"
    r"\s(?P<particle>off|out|up|down|away|back)\b",
    re.IGNORECASE,
)
_DEGREE = re.compile(r"\b(?:most|least)\b", re.IGNORECASE)
# What came after something is told neither by that thing nor by what is said of it.
_ORDER = re.compile(r"\b(?i:(?P<word>after|before))\s(?:the\s)?(?=[A-Z])")
_RANKED = re.compile(r"\b(?:most|least|[a-z]{2,20}est|record)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE)
# "Edna Wexcombe, a schoolteacher from Pellbridge": said of the object alone.
_ASIDE = re.compile(r",\s(?:an?|the|who|which|whose|where)\s", re.IGNORECASE)


def unclaimed(
    question: str, answer: str, hops: Sequence[TrailHop], index: EvidenceIndex
) -> str | None:
    """Return the doubt that claims read out of sentences leave something of a question untold.

    A sentence tells more than the claim that is made of it: "It burned down in 1962 and was rebuilt
    later" has the words of "When was it rebuilt?", and the clause that has 1962 has not. Titles and
    headings of passages count, but where the claim is about another thing than they are.

    Args:
        question: The standalone question.
        answer: The first answer.
        hops: The checked trail.
        index: The evidence.
    """
    last = hops[-1]
    if last.predicate in {LISTS, BESIDE}:
        return None  # said by its place in the text
    clauses = " ".join(f"{hop.claim} {_clause(hop, index)}" for hop in hops)
    told = everyday_groups(clauses)
    above = everyday_groups(" ".join(_above(hop, index) for hop in hops))
    kind = everyday_groups(focus_of(question).noun)
    asked = {word: everyday_groups(word) for word in content_words(question)}
    if _tells_maker(last.predicate):
        asked.pop(asked_verb(question) or "", None)
    if _only_places(last.predicate, question):
        return unstated(ASKED)
    if (phrase := _untold_phrase(question, clauses)) is not None:
        return silent(phrase)
    if (degree := _DEGREE.search(question)) and not _RANKED.search(clauses):
        return silent(degree.group())
    if (order := _ORDER.search(question)) and not _says(order["word"], clauses):
        return silent(order["word"].lower())
    wanted = {word: groups for word, groups in asked.items() if not groups <= _LIGHT | kind}
    for word, groups in wanted.items():
        if not groups & (told | above):
            return silent(word)
    is_topic = name_key(last.subject) == name_key(answer) or _may_be_topic(last, index)
    subject = frozenset() if is_topic else everyday_groups(last.subject) - _LIGHT
    is_told_above = any(not groups & told for groups in wanted.values())
    if is_told_above and subject and not subject & (above | everyday_groups(question)):
        return other_thing(f'"{last.subject}"')
    if _WHO_IS.match(question) and _is_of_another_verb(last, question):
        return unstated(ASKED)
    return None


def _only_places(predicate: str, question: str) -> bool:
    """Return whether a bare preposition leads to a person, which the question has not.

    "The committee of the club" does not say who is on it; "a novel by" says who wrote it.
    """
    asks_for_person = focus_of(question).answer_type == "person"
    is_bare = predicate in PREPOSITIONS - {"by"}
    return asks_for_person and is_bare and not _says(predicate, question)


def _says(word: str, text: str) -> bool:
    return re.search(rf"\b{word}\b", text, re.IGNORECASE) is not None


def _tells_maker(predicate: str) -> bool:
    """Return whether a predicate leads to who made a thing, whatever the verb: "is a novel by".

    "Was built by" leads to the builder, who need not own it.
    """
    grammar = SentenceGrammar(predicate)
    verbs = [place for place in range(len(grammar.tokens)) if grammar.is_verb(place)]
    return "by" in predicate.split() and len(verbs) <= 1


def _untold_phrase(question: str, clauses: str) -> str | None:
    """Return a phrasal verb of a question whose second word no clause has, None without one."""
    match = _PHRASAL.search(question)
    is_told = match is None or match["particle"].lower() in clauses.lower().split()
    return None if match is None or is_told else match.group()


def _clause(hop: TrailHop, index: EvidenceIndex) -> str:
    """Return the clause of a quote that has the object; of a row, and below a pronoun, more."""
    quote = hop.quote or ""
    sentence = _sentence(hop, index)
    if len(labelled_parts(quote)) > 1:
        return quote
    start = max(quote.find(hop.object), 0)
    end = start + len(hop.object) if hop.object in quote else len(quote)
    left, right = clause_around(quote, start, end)
    aside = _ASIDE.search(quote, end, right)
    told = quote[left : aside.start() if aside else right]
    if sentence is None or not _PRONOUN.search(told):
        return told
    return f"{sentence.before} {quote[:right]}"  # where its thing was named


def _above(hop: TrailHop, index: EvidenceIndex) -> str:
    """Return the title of a quote's passage, and the heading of its section."""
    chunk, sentence = index.chunks.get(hop.chunk_id or ""), _sentence(hop, index)
    title = chunk.title if chunk else ""
    return f"{title} {sentence.section} {sentence.heading}" if sentence else title


def _may_be_topic(hop: TrailHop, index: EvidenceIndex) -> bool:
    """Return whether "the tower" may stand for what the passage is about: a lighthouse."""
    article, _, noun = hop.subject.lower().rpartition(" ")
    chunk = index.chunks.get(hop.chunk_id or "")
    if article != "the" or chunk is None:
        return False
    return noun in REPEATING_NOUNS or noun in topic_nouns(chunk.title, chunk.text)


def _sentence(hop: TrailHop, index: EvidenceIndex) -> Sentence | None:
    chunk = index.chunks.get(hop.chunk_id or "")
    if chunk is None or hop.start is None:
        return None
    offset = hop.start - chunk.start
    return next((one for one in index.sentences[chunk.id] if one.start <= offset < one.end), None)


def _is_of_another_verb(hop: TrailHop, question: str) -> bool:
    """Return whether a claim tells by a verb what somebody did, and not what he is.

    A label names the role itself: "Treasurer: Ann Holt".
    """
    told = everyday_groups(" ".join(content_words(hop.predicate)))
    return bool(told) and not told & (_HOLDS | everyday_groups(question))
