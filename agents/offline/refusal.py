"""Which drafts are no answer, be it with reserve: they tell of another thing, or the contrary."""

from __future__ import annotations

import re

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.name_shapes import ends_in_place
from hoptrail.agents.verification.claim_matcher import find_support
from hoptrail.core.text import name_key, words
from hoptrail.core.types.draft import Draft

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

_IDENTIFIER = re.compile(
    r"(?<![\w@./-])(?:"
    r"--[a-z][\w-]{1,60}"  # an option of a command
    r"|[A-Za-z]\w{1,60}(?:\.[A-Za-z]\w{1,60}){1,6}"
    r"|[A-Za-z]\w{0,60}_\w{1,60}"
    r"|[a-z]{2,40}[A-Z]\w{1,60}"
    r")(?![\w@])"
)
_PROPER_PARTS = re.compile(r"[A-Z]\w{1,60}\.[A-Z]")  # "St.Ives"

_PAIRS = """
born birth | die dies died dying death
open opens opened opening | close closes closed closing shut shuts
start starts started starting begin begins began begun beginning commence commences commenced
| end ends ended ending finish finishes finished expire expires expired stop stops stopped
buy buys bought buying purchase purchased purchases | sell sells sold selling
arrive arrives arrived arriving arrival | depart departs departed departing departure
allow allows allowed permit permits permitted | forbid forbids forbidden prohibited ban banned
found founded founding | dissolve dissolves dissolved disband disbanded
lend lends lent | borrow borrows borrowed
win wins won winner | lose loses lost loser
hire hires hired | dismiss dismissed fired sacked
build builds built | demolish demolished
marry married wedding | divorce divorced
"""
_SIDES = tuple(
    tuple(frozenset(side.split()) for side in line.split("|"))
    for line in _PAIRS.replace("\n|", " |").strip().split("\n")
)

_RANKED = re.compile(
    r"(?<!\w)(?P<rank>vice|deputy|assistant|associate|acting|interim|honorary|former|previous|ex)[\s-]"
    r"(?P<role>[a-z]{3,30})",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\W{0,3}how\smany\b", re.IGNORECASE)
# "The former name" is no role.
_OF_THINGS = frozenset({"former", "previous", "ex", "associate"})
_ROLE = re.compile(
    r"\W{0,3}[Ww]ho\s(?:is|was|are|were)\s(?:now\s|currently\s)?(?:the|our|your|their|its|[A-Z]\S{1,30}['’]s)\s"
    r"(?P<role>[a-z][\w-]{2,30}(?:\s(?!of\b|for\b|at\b|in\b)[a-z][\w-]{2,30}){0,2})",
)


def is_refused(question: str, draft: Draft, index: EvidenceIndex) -> bool:
    """Return whether the last step of a draft tells what was not asked.

    The day of a birth answers no question for a death, and the chair is no vice-chair. Where
    something was done is not who did it. What says
    nothing of kin names no daughter. Nor does anything tell of `path.sep` that does not spell it.

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
    if is_of_other_rank(question, f"{last.claim} ; {quote}") or _is_whereabouts(question, draft):
        return True
    if not _spells_identifiers(question, draft, index):
        return True
    if _KIN.search(question) and not _tells_of_kin(draft, index):
        return True
    # "Emil Hart | Rosa Vance died on | 9 May 1944"
    return not quote and any(name not in question for name in proper_names(last.predicate))


def _is_whereabouts(question: str, draft: Draft) -> bool:
    """Return whether somebody is asked for, and the answer is where it was: "opened it at"."""
    last = draft.hops[-1]
    is_end = name_key(last.object) == name_key(draft.answers[-1])
    return is_end and focus_of(question).answer_type == "person" and ends_in_place(last.predicate)


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


def _sentences(draft: Draft, index: EvidenceIndex) -> list[Sentence]:
    found = (find_support(hop, index).sentence for hop in draft.hops)
    return [sentence for sentence in found if sentence is not None]


def identifiers(text: str) -> list[str]:
    """Return the identifiers of a text in order, without the brackets of a call."""
    found = (match.group() for match in _IDENTIFIER.finditer(text))
    return [name for name in found if not _PROPER_PARTS.match(name)]


def tells_opposite(asked: str, told: str) -> bool:
    """Return whether a text tells the contrary of what is asked, and not what is asked as well.

    Args:
        asked: The question.
        told: The words that answer it.
    """
    return bool(words_of_opposites(asked, told))


def words_of_opposites(asked: str, told: str) -> frozenset[str]:
    """Return the words of a question of whose opposite a text tells, and not of them as well.

    Args:
        asked: The question.
        told: The words that answer it.
    """
    wanted, said = set(words(asked)), set(words(told))
    return frozenset().union(
        *(
            one & wanted
            for pair in _SIDES
            for one, other in (pair, pair[::-1])
            if not other & wanted and other & said and not one & said
        )
    )


def is_of_other_rank(question: str, told: str) -> bool:
    """Return whether a text tells a role of another rank than a question asks for.

    Args:
        question: The question.
        told: The words that answer it.
    """
    role = _ROLE.match(question)
    if _COUNTS.match(question):  # honorary members are counted, not named
        return False
    asked = {one for one in _ranked_in(question) if role or one[1] not in _OF_THINGS}
    if asked:
        return not asked <= set(_ranked_in(told))
    if role is None:
        return False
    noun = role["role"].split()[-1].lower()
    held = len(re.findall(rf"(?<!\w){re.escape(noun)}(?!\w)", told, re.IGNORECASE))
    return 0 < held <= sum(one == noun for one, _ in _ranked_in(told))


def _ranked_in(text: str) -> list[tuple[str, str]]:
    """Return each role of a text with the word of rank before it."""
    return [(one["role"].lower(), one["rank"].lower()) for one in _RANKED.finditer(text)]
