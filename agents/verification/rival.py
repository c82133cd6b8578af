"""Whether the clause that states an answer holds another value that it may as well have been."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.language.assertion import clause_around
from hoptrail.agents.language.line_layout import labelled_parts
from hoptrail.agents.language.reserves import OTHER_READING, other_text
from hoptrail.agents.language.value_patterns import MONTHS, WEEKDAYS
from hoptrail.agents.language.word_groups import everyday_groups, word_group
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.agents.verification.claimed import asked_event, asked_verb
from hoptrail.core.text import contains_answer, content_words, name_key, words
from hoptrail.core.types import TrailHop

_KINDS = frozenset({"date", "time", "number", "name"})
_MOST_BETWEEN = 3  # words between a verb and what it governs
_LIGHT = everyday_groups("year month week day time number people")
# What follows a number without a unit.
_BARE = re.compile(r"\W{0,3}(?:to|and|or|at|for|if|$)(?!\w)|\s?[.;,)]")
_CALENDAR = re.compile(f"{MONTHS}|{WEEKDAYS}")


def rival(question: str, answers: Sequence[str], hop: TrailHop) -> str | None:
    """Return the doubt that the clause of the last step has a second value of the answer's kind.

    "The concert on 12 October has been moved to 9 November" answers when the concert is with either
    day. A value that the question names is no rival, nor is one that another verb governs: "born in
    1901, died in 1950".

    Args:
        question: The standalone question.
        answers: All answers.
        hop: The last step of the checked trail.
    """
    quote = hop.quote or ""
    at = quote.find(answers[0])
    if at < 0 or len(labelled_parts(quote)) > 1 or name_key(hop.subject) == name_key(answers[0]):
        return None
    end = at + len(answers[0])
    left, right = clause_around(quote, at, end)
    values = [
        value
        for value in find_values(quote)
        if left <= value.start and value.end <= right and value.kind in _KINDS
    ]
    own = next((one for one in values if one.start < end and at < one.end), None)
    if own is None or _is_governed(question, quote[:at], hop.predicate):
        return None
    for value in values:
        if _is_of_a_kind(value, own, quote) and not _is_named(value, question, answers):
            return other_text(f'"{value.text}"', OTHER_READING)
    return None


def _is_of_a_kind(value: Value, own: Value, quote: str) -> bool:
    if value is own or value.kind != own.kind:
        return False
    if value.kind == "name":  # persons have two names, towns one
        is_full = [len(one.text.split()) > 1 for one in (value, own)]
        return is_full[0] == is_full[1] and not _CALENDAR.fullmatch(value.text)
    if value.measure != own.measure:  # "from 3.80 to 4.20 euros", "14 euros, at the door 17"
        return value.measure is None and _BARE.match(quote, value.end) is not None
    return True


def _is_named(value: Value, question: str, answers: Sequence[str]) -> bool:
    told = set(content_words(" ".join(answers)))  # of a list, "Bo Reed and Cy Dale" is a part
    is_part = told.issuperset(content_words(value.text))
    return is_part or any(contains_answer(text, value.text) for text in (question, *answers))


def _is_governed(question: str, before: str, predicate: str) -> bool:
    """Return whether what stands right before the answer is what the question asks of it.

    That is its own verb, or a predicate with a word of it. A predicate that is not there was read
    out of the sentence by its form: "(18 May 1866 - 9 July 1939)". A label may head several values.
    """
    if before.rstrip().endswith(":"):
        return False
    if not name_key(before).endswith(name_key(predicate)):
        return True
    told = everyday_groups(" ".join(content_words(predicate))) - _LIGHT
    if told & everyday_groups(question):
        return True
    verb = asked_event(question) or asked_verb(question)
    last = words(before)[-_MOST_BETWEEN - 1 :]
    return verb is not None and any(word_group(word) == word_group(verb) for word in last)
