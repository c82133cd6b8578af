"""Doubts about a step that a passage states: a later word on it, another person of its name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.quoted_mail import is_quoted
from hoptrail.agents.language.reserves import other_text, other_thing
from hoptrail.agents.reading.values import find_values
from hoptrail.core.text import name_key
from hoptrail.core.types import TrailHop

_MOST_NAMED = 3
_PERSON = re.compile(r"[A-Z][\w'’-]{1,20}(?:\s[A-Z][\w'’-]{1,20}){1,2}")


def overtaken(hops: Sequence[TrailHop], answer: str, index: EvidenceIndex) -> str | None:
    """Return that a mail answers to what a step quotes, and the other values that it names.

    None is returned where it names no other value of that kind:

    "> They come on 28 September." below "Could they come on 5 October instead?"

    Args:
        hops: The checked trail.
        answer: The answer.
        index: The evidence.
    """
    last = hops[-1]
    chunk = index.chunks.get(last.chunk_id or "")
    if chunk is None or last.start is None:
        return None
    if not is_quoted(chunk.text, last.start - chunk.start):
        return None
    given = next(iter(find_values(answer)), None)
    if given is None or given.kind == "name":
        return None
    reply = (one for one in index.sentences[chunk.id] if not is_quoted(chunk.text, one.start))
    values = (value for one in reply for value in find_values(one.text))
    told = [value.text for value in values if value.kind == given.kind]
    others = list(dict.fromkeys(text for text in told if name_key(text) != name_key(answer)))
    if not others:
        return None
    named = ", ".join(others[:_MOST_NAMED])
    return other_text(named, "the mail that answers it")


def namesake(question: str, hops: Sequence[TrailHop]) -> str | None:
    """Return that a step is about another person of the name that a question has, else None.

    Args:
        question: The standalone question.
        hops: The checked trail.
    """
    told = f" {name_key(' ; '.join(hop.claim for hop in hops))} "
    for name in proper_names(question):
        words = name_key(name).split()
        if not _PERSON.fullmatch(name) or len(words) < 2 or f" {name_key(name)} " in told:
            continue
        for hop in hops:
            subject = name_key(hop.subject).split()
            if len(subject) > 1 and subject[-1] == words[-1] and subject[0] != words[0]:
                return other_thing(hop.subject, name)
    return None
