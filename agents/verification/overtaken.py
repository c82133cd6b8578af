"""Doubts about a step that a passage states: a later word on it, another person of its name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mail_text import is_quoted
from hoptrail.agents.language.reserves import other_text, other_thing
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, TrailHop

# A line of a mail's head: its date is that of the mail.
_HEAD = re.compile(r"(?:from|to|cc|date|sent|subject|content-type)\s?:", re.IGNORECASE)
_MOST_NAMED = 3
_MOST_OF = 0.6
# Words of a quote that tell of nobody who has the title: "Mrs Quill" may be Martha, and not him.
_HE, _SHE = re.compile(r"\b(?:he|his|him)\b", re.I), re.compile(r"\b(?:she|her|hers)\b", re.I)
_TITLES = {
    **dict.fromkeys(("mr", "sir", "lord"), _SHE),
    **dict.fromkeys(("mrs", "ms", "miss", "dame", "lady"), _HE),
}
_PERSON = re.compile(r"[A-Z][\w'’-]{1,20}(?:\s[A-Z][\w'’-]{1,20}){1,2}")


def overtaken(
    question: str, hops: Sequence[TrailHop], answer: str, index: EvidenceIndex
) -> str | None:
    """Return which later text gives another value than a step quotes, None where none does.

    That is the mail above the one that is quoted ("> They come on 28 September." below "Could they
    come on 5 October instead?"), or a newer text on the same that says the same of another value.

    Args:
        question: The standalone question; one that names a time is answered from the text of it.
        hops: The checked trail.
        answer: The answer.
        index: The evidence.
    """
    last = hops[-1]
    chunk = index.chunks.get(last.chunk_id or "")
    if chunk is None or last.start is None:
        return None
    return _by_reply(last, chunk, answer, index) or _by_newer_text(
        question, last, chunk, answer, index
    )


def _by_reply(last: TrailHop, chunk: Chunk, answer: str, index: EvidenceIndex) -> str | None:
    if not is_quoted(chunk.text, (last.start or 0) - chunk.start):
        return None
    given = next(iter(find_values(answer)), None)
    if given is None or given.kind == "name":
        return None
    reply = (one.text for one in index.sentences[chunk.id] if not is_quoted(chunk.text, one.start))
    values = (value for text in reply if not _HEAD.match(text) for value in find_values(text))
    told = [value.text for value in values if _is_alike(value, given)]
    others = list(dict.fromkeys(text for text in told if name_key(text) != name_key(answer)))
    if not others:
        return None
    named = ", ".join(others[:_MOST_NAMED])
    return other_text(named, "the mail that answers it")


def _by_newer_text(
    question: str, last: TrailHop, chunk: Chunk, answer: str, index: EvidenceIndex
) -> str | None:
    newer = index.editions.newer(chunk.doc_id) - index.editions.not_asked(question)
    if not newer:
        return None
    given = _value_of(answer, last.quote or "")
    told = word_groups(last.quote or "") - word_groups(answer)
    claimed = told & word_groups(last.claim)
    said = f" {name_key(answer)} "
    old = f" {name_key(last.quote or '')} "
    for id_, sentences in index.sentences.items():
        doc_id = index.chunks[id_].doc_id
        for one in sentences if doc_id in newer else ():
            values = [value.text for value in find_values(one.text) if _is_alike(value, given)]
            others = [text for text in values if f" {name_key(text)} " not in said]
            new = f" {name_key(one.text)} "
            if given is None and said in new:
                # In a list that has the answer too, names as before stand for other things.
                others = [text for text in others if _count(text, new) > _count(text, old)]
            words = word_groups(one.text)
            is_alike = len(told & words) >= _MOST_OF * len(told)
            if others and is_alike and (claimed & words or not claimed):
                return other_text(others[0], f'the newer text "{index.editions.title(doc_id)}"')
    return None


def _count(name: str, text: str) -> int:
    return text.count(f" {name_key(name)} ")


def _value_of(answer: str, quote: str) -> Value | None:
    """Return the first value of an answer, read where the quote has it."""
    start = quote.find(answer)
    if start < 0:
        return next(iter(find_values(answer)), None)
    within = (one for one in find_values(quote) if start <= one.start < start + len(answer))
    return next((one for one in within if one.kind != "name"), None)


def _is_alike(value: Value, given: Value | None) -> bool:
    """Return whether a value is of the kind of another one; a name is where that is no value."""
    if given is None:
        return value.kind == "name"
    return (value.kind, value.measure) == (given.kind, given.measure)


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
        other = _TITLES.get(words[0])
        for hop in hops:
            subject = name_key(hop.subject).split()
            if other is not None and not other.search(hop.quote or ""):
                continue
            if len(subject) > 1 and subject[-1] == words[-1] and subject[0] != words[0]:
                return other_thing(hop.subject, name)
    return None
