"""Which drafts are no answer, be it with reserve: they tell of another thing, or the contrary."""

from __future__ import annotations

import re

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.event_question import read_event_question
from hoptrail.agents.language.everyday_words import everyday_group, everyday_groups
from hoptrail.agents.language.identifiers import identifiers
from hoptrail.agents.language.opposites import tells_opposite
from hoptrail.agents.language.role_rank import is_of_other_rank
from hoptrail.agents.verification.asked_role import asked_verb
from hoptrail.agents.verification.claim_matcher import find_support
from hoptrail.core.text import words
from hoptrail.core.types.draft import Draft, HopClaim

_KIN = re.compile(
    r"\b(?:grand|step|half-)?(?:mothers?|fathers?|parents?|sons?|daughters?|child|children|sisters?"
    r"|brothers?|siblings?)(?:-in-law)?\b|\b(?:wife|wives|husbands?|spouses?|widow(?:er)?s?|uncles?"
    r"|aunts?|cousins?|nephews?|nieces?|twins?|fianc[ée]e?s?)\b",
    re.IGNORECASE,
)
_FAMILY = re.compile(
    r"\b(?:married|marries|wed(?:ded)?|divorced|born\s(?:to|of)|heirs?|dynasty|family|engaged)\b",
    re.IGNORECASE,
)


def is_refused(question: str, draft: Draft, index: EvidenceIndex) -> bool:
    """Return whether the last step of a draft tells what was not asked.

    The day of a birth answers no question for a death, the chair is no vice-chair, and when lunch
    is served does not tell when supper is. What says nothing of kin names no daughter. Nor does
    anything tell of `path.sep` that does not spell it, nor tell who built a ship if another
    sentence tells of its building.

    Args:
        question: The standalone question.
        draft: An answer.
        index: The evidence.
    """
    if draft.abstained or draft.derived or not draft.hops:
        return False
    last = draft.hops[-1]
    support = find_support(last, index)
    quote = support.sentence.text if support.sentence else ""
    if tells_opposite(question, last.claim) or tells_opposite(question, f"{last.claim} {quote}"):
        return True
    if is_of_other_rank(question, f"{last.claim} ; {quote}"):
        return True
    if not _spells_identifiers(question, draft, index):
        return True
    if _KIN.search(question) and not _tells_of_kin(draft, index):
        return True
    if _is_told_elsewhere(question, draft, index):
        return True
    if not quote:  # "Emil Hart | Rosa Vance died on | 9 May 1944"
        return any(name not in question for name in proper_names(last.predicate))
    # The last of two steps is about what the first one leads to.
    return len(draft.hops) == 1 and _is_of_other_thing(question, last, quote)


def _spells_identifiers(question: str, draft: Draft, index: EvidenceIndex) -> bool:
    """Return whether the steps, or headings and documents that they stand in, name what is asked.

    "The default of server.headersTimeout" is no other default of a server.
    """
    asked = identifiers(question)
    if not asked:
        return True
    spelled = " ".join(_told(draft, index)).casefold()
    return all(name.casefold() in spelled for name in asked)


def _tells_of_kin(draft: Draft, index: EvidenceIndex) -> bool:
    """Return whether a step says of anybody whose child, wife or other relative somebody is."""
    return any(_KIN.search(text) or _FAMILY.search(text) for text in _told(draft, index))


def _told(draft: Draft, index: EvidenceIndex) -> list[str]:
    """Return the steps with the sentences behind them, their headings, titles and documents."""
    told = [hop.claim for hop in draft.hops]
    for sentence in _sentences(draft, index):
        chunk = sentence.chunk
        told += [sentence.text, sentence.section, sentence.heading, chunk.title, chunk.doc_id]
    return told


def _is_told_elsewhere(question: str, draft: Draft, index: EvidenceIndex) -> bool:
    """Return whether no step has the deed of a "who" question, and a sentence on its object has.

    "It was built at the yard" tells of the building of a ship, "it is remembered for" does not.
    """
    verb = asked_verb(question)
    if verb is None:
        return False
    deed = everyday_group(verb)
    told = [hop.claim for hop in draft.hops] + [one.text for one in _sentences(draft, index)]
    if deed in everyday_groups(" ".join(told)):
        return False
    names = proper_names(question)
    return any(
        deed in everyday_groups(sentence.text)
        and any(index.implies(sentence, name) or index.mentions(sentence, name) for name in names)
        for sentences in index.sentences.values()
        for sentence in sentences
    )


def _sentences(draft: Draft, index: EvidenceIndex) -> list[Sentence]:
    found = (find_support(hop, index).sentence for hop in draft.hops)
    return [sentence for sentence in found if sentence is not None]


def _is_of_other_thing(question: str, last: HopClaim, quote: str) -> bool:
    """Return whether a step says what is asked of a thing that the question does not name."""
    asked = read_event_question(question)
    if asked is None or not any(map(asked.is_verb, words(last.predicate))):
        return False
    subject = everyday_groups(last.subject)
    is_own = bool(subject) and subject <= everyday_groups(quote)
    return is_own and not asked.things & (subject | everyday_groups(quote))
