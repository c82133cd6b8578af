"""Answer who holds a role by the name that a text sets beside it: "Ruth Feldman (treasurer)".

So the treasurer's phone number is that of Ruth Feldman.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.roles_beside import RoleBeside, roles_beside
from hoptrail.agents.language.value_patterns import MONTHS
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.core.text import STOP_WORDS, name_key
from hoptrail.core.types.draft import Draft, HopClaim

# The time that a question names says which texts are read.
_TIME = rf"(?:\s(?:in|on)\s(?:\d{{1,2}}\s)?(?:(?:{MONTHS})\b)?\s?(?:(?:19|20)\d\d)?)?"
_ASKS = re.compile(
    r"\W{0,3}who(?:\sis|['’]s|\swas)\s(?:now\s|currently\s)?(?:(?:the|our|your|their)\s)?"
    r"(?P<role>[a-z][a-z-]{1,30}(?: (?!(?:of|for|at|in|on) )[a-z][a-z-]{1,30}){0,3})"
    rf"(?:\s(?:of|for|at)\s(?P<body>[^?]{{2,80}}?))?{_TIME}(?:\snow)?\s?\?{{0,3}}",
    re.IGNORECASE,
)

_DETERMINERS = frozenset({"the", "our", "your", "their"})
_JOINTS = frozenset({"of", "for", "at"})
_WORD = re.compile(r"(?<!['’])\b[^\W\d_][\w-]*")
_LONGEST = 3  # words of a role, and of the body that it is a role in

_Told = tuple[RoleBeside, Sentence]


def find_role_holder(question: str, index: EvidenceIndex) -> Draft | None:
    """Return who holds the role that a question asks for, where the evidence names one such person.

    "Deputy treasurer" is another role than "treasurer". None for any other question, and where
    different persons hold the role in different passages.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    asks = _ASKS.fullmatch(question.strip())
    if asks is None:
        return None
    body = word_groups(asks["body"] or "")
    told = _holder(word_groups(asks["role"]), body, list(_roles_told(index)))
    if told is None:
        return None
    claim = _claim(told)
    return Draft("graph_search", (claim.subject,), hops=(claim,), reserve="")


def answer_for_holder(
    question: str, index: EvidenceIndex, answer: Callable[[str], Draft]
) -> Draft | None:
    """Return what a question asks of the holder of a role, as it is answered for that person.

    Args:
        question: The standalone question, such as "What is the treasurer's phone number?".
        index: The evidence.
        answer: Answers a question that names the person instead.
    """
    told = list(_roles_told(index))
    for phrase, role, body in _roles_in(question) if told else ():
        found = _holder(word_groups(role), word_groups(body), told)
        if found is None:
            continue
        draft = answer(question.replace(phrase, found[0].name, 1))
        if not draft.abstained:
            return replace(draft, hops=(_claim(found), *draft.hops))
    return None


def _claim(told: _Told) -> HopClaim:
    beside, sentence = told
    return HopClaim(beside.name, "is", beside.role.lower(), sentence.chunk.id)


def _roles_in(question: str) -> Iterator[tuple[str, str, str]]:
    """Yield the phrases that may name a role, with its words and those of the body it is one in.

    "The conductor of the autumn concert" is one, and so is "the conductor".
    """
    words = list(_WORD.finditer(question))
    for place, determiner in enumerate(words):
        if determiner.group().lower() not in _DETERMINERS:
            continue
        for size in range(_LONGEST, 0, -1):
            role, rest = words[place + 1 : place + 1 + size], words[place + 1 + size :]
            spelled = [word.group() for word in role]
            if len(role) < size or not all(map(str.islower, spelled)) or STOP_WORDS & {*spelled}:
                continue
            told = question[role[0].start() : role[-1].end()]
            bodies = list(_bodies(rest))
            for body in bodies:
                whole = question[determiner.start() : body[-1].end()]
                yield whole, told, question[body[0].start() : body[-1].end()]
            if not bodies:
                yield question[determiner.start() : role[-1].end()], told, ""


def _bodies(rest: Sequence[re.Match[str]]) -> Iterator[Sequence[re.Match[str]]]:
    """Yield the words behind "of the", the most of them first."""
    opening = [word.group() for word in rest[:2]]
    if len(opening) == 2 and opening[0] in _JOINTS and opening[1] in _DETERMINERS:
        for size in range(min(_LONGEST, len(rest) - 2), 0, -1):
            yield rest[2 : 2 + size]


def _holder(role: frozenset[str], body: frozenset[str], told: Sequence[_Told]) -> _Told | None:
    """Return the one person with a role in passages on its body, None where several have it."""
    found = [
        (beside, sentence)
        for beside, sentence in told
        if word_groups(beside.role) == role
        and body <= word_groups(f"{sentence.chunk.title} {sentence.chunk.text}")
    ]
    return found[0] if len({name_key(beside.name) for beside, _ in found}) == 1 else None


def _roles_told(index: EvidenceIndex) -> Iterator[_Told]:
    """Yield the names with a role beside them, where the sentence says so as a fact."""
    for sentences in index.sentences.values():
        for sentence in sentences:
            for beside in roles_beside(sentence.text):
                if is_asserted(sentence.text, beside.start, beside.end):
                    yield beside, sentence
