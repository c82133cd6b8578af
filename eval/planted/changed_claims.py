"""False claims about a real passage: one part of a true claim is exchanged."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace

from hoptrail.eval.planted.claims import (
    ClaimCorpus,
    PassageClaim,
    hints_at,
    names_in,
    plain_words,
    sentences_of,
    spells,
    telling_words,
    type_of_mention,
    value_type,
    values_in,
    words_relation,
)
from hoptrail.eval.planted.phrasing import is_directed
from hoptrail.eval.planted.relations import RELATIONS, relation_of

_COMPANION = re.compile(r"(?:\b(?:with|and|or|alongside|by|of|as|like)\b|[,(&])\s*(?:the\s+)?$")
_PERSONAL = re.compile(r"\b(?:he|she|they|his|her|their|who|whom|there|then|that)\b", re.IGNORECASE)
_OTHER_NAMES = re.compile(
    r"\b(?:titles?|known|called|named?|a\.?k\.?a|alias|née|renamed|pen|translat\w+|meaning|literally|English|or)\b"
)
_LARGEST_STEP = 9


def other_object(
    claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random
) -> PassageClaim | None:
    """Put another value of the passage in place of the object: the one nearest to be mistaken.

    It is what the same sentence says of the subject in other words ("directed by A, written by B"),
    else a value of a sentence that does not speak of the predicate.
    """
    if _is_a_kind(claim):
        return None
    beside = [
        other.object
        for other in corpus.in_passage(claim)
        if other.quote == claim.quote and _is_other_fact(other, claim, corpus)
    ]
    rng.shuffle(beside)
    elsewhere = list(_values_apart(claim))
    rng.shuffle(elsewhere)
    for object_ in [*beside, *elsewhere]:
        if not corpus.is_known(claim.subject, claim.predicate, object_):
            return replace(claim, object=object_)
    return None


def _is_other_fact(other: PassageClaim, claim: PassageClaim, corpus: ClaimCorpus) -> bool:
    """Return whether a claim of the same sentence gives an object that is false for this one."""
    mine = relation_of(claim.predicate, claim.object)
    its = relation_of(other.predicate, other.object)
    if mine is None or its is None or mine is its or mine.object_type != its.object_type:
        return False
    same_relation = (
        one.object
        for one in corpus.in_passage(claim)
        if relation_of(one.predicate, one.object) is mine
    )
    return not any(hints_at(known, other.object) for known in same_relation)


def _values_apart(claim: PassageClaim) -> Iterator[str]:
    """Yield values of the object's type from sentences that say nothing of the predicate."""
    wanted = value_type(claim.object)
    known = f"{claim.title} {claim.subject} {claim.object} {claim.quote}"
    for sentence in sentences_of(claim.passage):
        if sentence == claim.quote or words_relation(sentence, claim.predicate, claim.object):
            continue
        for mention in names_in(sentence) if wanted == "name" else values_in(sentence):
            if type_of_mention(mention) == wanted and not hints_at(known, mention.text):
                yield mention.text


def _is_a_kind(claim: PassageClaim) -> bool:
    """Return whether the object is a word that another one may include: novelist and writer."""
    relation = relation_of(claim.predicate, claim.object)
    return relation is not None and relation.object_type in {"occupation", "people"}


def absent_object(
    claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random
) -> PassageClaim | None:
    """Put an object of another passage's like claim in place of the object."""
    if _is_a_kind(claim):
        return None
    context = f"{claim.title} {claim.passage}"
    for other in corpus.alike(claim, rng):
        if value_type(other.object) == value_type(claim.object) and not hints_at(
            context, other.object
        ):
            return replace(claim, object=other.object)
    return None


def other_subject(
    claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random
) -> PassageClaim | None:
    """Put another name of the passage in place of the subject."""
    candidates = list(_names_apart(claim))
    rng.shuffle(candidates)
    for subject in candidates:
        if not corpus.is_known(subject, claim.predicate, claim.object):
            return replace(claim, subject=subject)
    return None


def _names_apart(claim: PassageClaim) -> Iterator[str]:
    """Yield names that no sentence brings together with the claim's object.

    A name of the quote itself is taken only after the object of a known relation, where it is no
    member of a list: in "A was founded by B in Paris" not Paris was founded by B.
    """
    own = f"{claim.title} {claim.subject} {claim.object}"
    for sentence in sentences_of(claim.passage):
        place = sentence.find(claim.object)
        is_quote = sentence == claim.quote
        if is_quote and (place < 0 or not _is_about_a_work(claim)):
            continue
        if (not is_quote and hints_at(sentence, claim.object)) or _OTHER_NAMES.search(sentence):
            continue
        for mention in names_in(sentence):
            after = place + len(claim.object)
            in_list = is_quote and (
                mention.start < after or _COMPANION.search(sentence[: mention.start])
            )
            # In parentheses stands what a name means, or is in another language.
            is_aside = sentence.count("(", 0, mention.start) > sentence.count(")", 0, mention.start)
            if not in_list and not is_aside and not hints_at(own, mention.text):
                yield mention.text


def _is_about_a_work(claim: PassageClaim) -> bool:
    relation = relation_of(claim.predicate, claim.object)
    return relation is not None and relation.object_type in {"person", "date", "occupation"}


def absent_subject(
    claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random
) -> PassageClaim | None:
    """Put the subject of another passage's like claim in place of the subject."""
    context = f"{claim.title} {claim.passage}"
    for other in corpus.alike(claim, rng):
        if value_type(other.subject) != "name" or hints_at(context, other.subject):
            continue
        if not corpus.is_known(other.subject, claim.predicate, claim.object):
            return replace(claim, subject=other.subject)
    return None


def other_predicate(
    claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random
) -> PassageClaim | None:
    """Put a relation in place of the predicate that the passage states of something else, or not.

    The harder relations come first: those of which another sentence has a sign, though it cannot
    speak of the object.
    """
    mine = relation_of(claim.predicate, claim.object)
    wanted = mine.object_type if mine else None
    candidates = [
        relation
        for relation in rng.sample(RELATIONS, len(RELATIONS))
        if relation is not mine
        and (relation.object_type == wanted if wanted else _fits(relation.object_type, claim))
    ]
    candidates.sort(key=lambda relation: relation.cues.search(claim.passage) is None)
    for relation in candidates:
        predicate = rng.choice(relation.wordings(claim.object))
        signs = [
            sentence
            for sentence in sentences_of(claim.passage)
            if relation.cues.search(sentence) or hints_at(sentence, predicate)
        ]
        if not any(_may_speak_of(sentence, claim) for sentence in signs):
            return replace(claim, predicate=predicate)
    return None


def _may_speak_of(sentence: str, claim: PassageClaim) -> bool:
    """Return whether a sentence has a word of the object or a pronoun that may stand for it."""
    is_quote = sentence == claim.quote
    return is_quote or hints_at(sentence, claim.object) or _PERSONAL.search(sentence) is not None


def _fits(object_type: str, claim: PassageClaim) -> bool:
    """Return whether an object of unknown kind could be a relation's, by its look."""
    looks = {"date": {"date"}, "number": {"number"}, "name": {"person", "place", "organization"}}
    return object_type in looks.get(value_type(claim.object), set())


def swapped(claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random) -> PassageClaim | None:
    """Exchange the ends of a claim that has a direction."""
    if not is_directed(claim.predicate) or value_type(claim.object) != "name":
        return None
    if corpus.is_known(claim.object, claim.predicate, claim.subject):
        return None
    return replace(claim, subject=claim.object, object=claim.subject)


def wrong_entity(
    claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random
) -> PassageClaim | None:
    """Claim the fact of something else of a similar name, real or made up."""
    real = [
        other.subject
        for other in corpus.others(claim, rng)
        if _is_similar(other.subject, claim.subject) and not spells(claim.passage, other.subject)
    ]
    for subject in [*real, *_namesakes(claim, corpus, rng)]:
        if _is_distinct(subject, claim) and not corpus.is_known(
            subject, claim.predicate, claim.object
        ):
            return replace(claim, subject=subject)
    return None


def _is_similar(name: str, other: str) -> bool:
    """Return whether two names share their last word or all but one word."""
    mine, its = plain_words(name), plain_words(other)
    if "the" in {*mine[:1], *its[:1]} or len(mine) < 2 or len(its) < 2 or mine == its:
        return False
    return mine[-1] == its[-1] or (len(mine) == len(its) and len(set(mine) ^ set(its)) == 2)


def _is_distinct(name: str, claim: PassageClaim) -> bool:
    """Return whether a name has a word that the passage and its title have not."""
    said = telling_words(f"{claim.title} {claim.passage}")
    return not telling_words(name) <= said


def _namesakes(claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random) -> Iterator[str]:
    """Yield the subject with another number or another first name."""
    number = re.search(r"\b\d{1,4}\b", claim.subject)
    if number:
        changed = str(int(number.group()) + rng.choice((1, 2, 3)))
        yield f"{claim.subject[: number.start()]}{changed}{claim.subject[number.end() :]}"
    words = claim.subject.split()
    if not corpus.is_person(claim.subject) or not 2 <= len(words) <= 3:
        return
    for other in corpus.others(claim, rng):
        first, _, rest = other.subject.partition(" ")
        if rest and corpus.is_person(other.subject) and first.isalpha():
            yield f"{first} {words[-1]}"


def changed_number(
    claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random
) -> PassageClaim | None:
    """Change a number of the object to one that the passage does not have."""
    numbers = list(re.finditer(r"\d+", claim.object))
    if not numbers:
        return None
    chosen = rng.choice(numbers)
    said = set(re.findall(r"\d+", f"{claim.title} {claim.passage}"))
    for _ in range(_LARGEST_STEP):
        value = _near(chosen.group(), rng)
        if value not in said and value != chosen.group():
            changed = f"{claim.object[: chosen.start()]}{value}{claim.object[chosen.end() :]}"
            return replace(claim, object=changed)
    return None


def _near(number: str, rng: random.Random) -> str:
    """Return a number of as many digits; a day of the month stays one."""
    step = rng.randint(1, _LARGEST_STEP) * rng.choice((-1, 1))
    value = int(number) + step
    if len(number) <= 2:
        value = (int(number) + step - 1) % 28 + 1
    return str(max(value, 1)).zfill(len(number) if number.startswith("0") else 0)
