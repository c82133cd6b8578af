"""Whether an answer is of the kind that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, topic_of
from hoptrail.agents.language import reserves
from hoptrail.agents.language.answer_types import (
    AnswerType,
    Focus,
    focus_of,
    singular,
    type_of_label,
)
from hoptrail.agents.language.mentions import kind_of
from hoptrail.agents.language.name_shapes import type_by_shape
from hoptrail.agents.language.topics import REPEATING_NOUNS, defining_words
from hoptrail.agents.language.value_patterns import (
    CLOCK,
    CURRENCY_CODES,
    CURRENCY_SIGNS,
    CURRENCY_WORDS,
    HOURS,
    MONTHS,
    WEEKDAYS,
)
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.reading.values import find_values
from hoptrail.agents.verification.claim_ends import holds_several_values
from hoptrail.agents.verification.predicate_sense import acts, read_predicate
from hoptrail.core.text import contains_answer, content_words, name_key, normalize_answer
from hoptrail.core.types import TrailHop

_CALENDAR = re.compile(rf"(?:{MONTHS}|{WEEKDAYS}|spring|summer|autumn|winter)\b")
_CLOCK = re.compile(rf"{CLOCK}|{HOURS}", re.IGNORECASE)
_NUMBER_WORD = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|twenty|"
    r"thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|once|"
    r"twice|half|none|no|zero)\b",
    re.IGNORECASE,
)
_CURRENCY = rf"(?:{CURRENCY_SIGNS}|\b(?:{CURRENCY_CODES}|{CURRENCY_WORDS}|kr)\b)"
_ASKS_FOR_MONEY = re.compile(
    r"\b(?:price|fare|fee)\b|\bhow\s+much\s+(?:\w+\s+){1,15}(?:cost|pay|paid)\b", re.IGNORECASE
)
_PRICE = everyday_groups("price")
_IN_CURRENCY = re.compile(r"\bin (?P<word>euros?|pounds?|dollars?|francs?)\b", re.IGNORECASE)
_SIGNS_OF = {
    "euro": r"€|EUR|euro",
    "pound": r"£|GBP|pound|pence",
    "dollar": r"\$|USD|dollar|cent",
    "franc": r"CHF|franc",
}
_WAS_DONE = re.compile(r"\bwhen (?:was|were|has|have|is)\b.*(?:ed|en|nt|ld)\W*$", re.IGNORECASE)
_RELATIVE = re.compile(r"\s(more|less|fewer|extra|off|later|earlier)\b(?!\sthan)", re.IGNORECASE)
_NOUN_KNOWN = re.compile(
    r"\b(?:his|her|its|their)\s(?P<noun>[\w-]{1,30})\s(?:with|at|in|from|by|on|for|to|under|near)\b",
    re.IGNORECASE,
)
_DATED = re.compile(r"\b(?:dated|written|sent|signed|issued)\b", re.IGNORECASE)
_TWO = re.compile(
    r"\b(?:which|who|what)\b[^?]*, (?P<a>[^,?]{2,60}) or (?P<b>[^,?]{2,60})\?", re.IGNORECASE
)
_LONGER = re.compile(r"\b(?:extend|renew|prolong|terminat|cancel)", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"\d{1,9}\W{0,3}")
_ASKED = {
    "person": "a person",
    "place": "a place",
    "date": "a date",
    "number": "a number",
    "organization": "an organisation",
    "yes_no": "yes or no",
}
_GIVEN = {
    "person": "a person",
    "place": "a place",
    "date": "a date",
    "number": "a number",
    "organization": "an organisation",
    "yes_no": "a yes or no",
    "name": "a name",
}
_VALUES = frozenset({"date", "number", "yes_no"})
_UNFIT: dict[AnswerType, frozenset[str]] = {
    "date": frozenset({"number", "yes_no", "person", "place", "organization", "name"}),
    "number": frozenset({"date", "yes_no", "person", "place", "organization", "name"}),
    "person": _VALUES | {"place"},
    "place": _VALUES | {"person"},
    "organization": _VALUES | {"person"},
    "yes_no": frozenset({"date", "number", "person", "place", "organization", "name", "words"}),
}
"""The kinds that surely are not the asked one; a firm may answer "who", and "where" too."""


def misfit(
    question: str, answer: str, hops: Sequence[TrailHop], index: EvidenceIndex
) -> str | None:
    """Return how an answer's kind differs from what is asked for, None where it may fit.

    Args:
        question: The standalone question.
        answer: An answer that a passage or the graph names.
        hops: Its trail, whose quotes may name the unit of a number.
        index: The evidence, which knows types of entities.
    """
    if other := other_kind(question, answer, index):
        return other
    focus = focus_of(question)
    if hops and _tells_beside(focus.noun, hops[-1].predicate):
        return reserves.other_thing("something else")
    if _is_another_thing(focus.noun, answer, index):
        return reserves.other_thing("something else")
    if focus.answer_type == "place" and not focus.noun and (step := _doing(answer, hops)):
        return reserves.other_kind("a place", f"the doer of step {step}")
    if focus.noun == "year" and not re.search(r"\d{3}", answer):
        return reserves.other_kind("a year", "none")
    if _ASKS_FOR_MONEY.search(question) and not _is_money(answer, hops):
        return reserves.other_kind("a price", "a bare number")
    if _is_relative(question, answer, hops):
        return reserves.other_kind("one amount", "something else")
    if holds_several_values(answer):
        return reserves.other_kind("one amount", "several")
    if currency := _other_currency(question, answer):
        return reserves.other_kind(f"an amount in {currency}", "in another currency")
    if focus.answer_type == "date" and _is_own_date(question, answer, hops):
        return reserves.other_thing(hops[-1].subject)
    if _LONGER.search(" ".join(hop.predicate for hop in hops)) and not _LONGER.search(question):
        return reserves.other_thing("how it may be made longer or ended")
    return None


def neither_of_two(question: str, answer: str) -> str | None:
    """Return that an answer is none of the two that a question names, "..., A or B?", else None."""
    named = _TWO.search(question)
    if named is None or normalize_answer(answer) in {"both", "neither", "same", "equal"}:
        return None
    words = set(normalize_answer(f"{named['a']} {named['b']}").split())
    if words & set(normalize_answer(answer).split()):
        return None
    return reserves.other_kind("one of two", "neither")


def other_kind(question: str, answer: str, index: EvidenceIndex) -> str | None:
    """Return which kind an answer surely is of where another is asked for, else None."""
    focus = focus_of(question)
    given = _kind(answer, index)
    if given not in _UNFIT.get(focus.answer_type, ()) or _fits_by_words(focus, answer, given):
        return None
    told = _GIVEN.get(given, "neither" if focus.answer_type == "yes_no" else "something else")
    return reserves.other_kind(_ASKED[focus.answer_type], told)


def _tells_beside(noun: str, predicate: str) -> bool:
    """Return whether a predicate takes what is asked for as known: "learned his trade with"."""
    nouns = {singular(told["noun"].lower()) for told in _NOUN_KNOWN.finditer(predicate)}
    return bool(noun) and singular(noun) in nouns


def _is_another_thing(noun: str, answer: str, index: EvidenceIndex) -> bool:
    """Return whether an answer's own article says that it is something else than is asked for."""
    asked, key = singular(noun.lower()), name_key(answer)
    if asked not in REPEATING_NOUNS:
        return False
    told = (
        defining_words(chunk.text)
        for chunk in index.chunks.values()
        if name_key(topic_of(chunk.title).partition(", ")[0]) == key
    )
    return any(not REPEATING_NOUNS.isdisjoint(own) and asked not in own for own in told)


def _is_relative(question: str, answer: str, hops: Sequence[TrailHop]) -> bool:
    """Return whether an amount is one that comes on top of another: "costs 40 more"."""
    quote = hops[-1].quote or "" if hops else ""
    behind = quote.partition(answer)[2]
    relation = _RELATIVE.match(behind) if answer[-1:].isalnum() else None
    return relation is not None and relation[1].lower() not in question.lower().split()


def _other_currency(question: str, answer: str) -> str | None:
    """Return the currency that a question asks for where an amount is given in another one."""
    asked = _IN_CURRENCY.search(question)
    if asked is None or re.search(_CURRENCY, answer) is None:
        return None
    word = asked["word"].lower()
    is_same = re.search(_SIGNS_OF.get(word.rstrip("s"), word), answer, re.IGNORECASE) is not None
    return None if is_same else word


def _is_own_date(question: str, answer: str, hops: Sequence[TrailHop]) -> bool:
    """Return whether "your letter of 2 May" is all that dates what was done with the letter."""
    last = hops[-1] if hops else None
    if last is None or last.object != answer or last.predicate.lower() not in {"of", "dated"}:
        return False
    return _WAS_DONE.search(question) is not None and _DATED.search(question) is None


def _doing(answer: str, hops: Sequence[TrailHop]) -> int:
    """Return the step that tells of the answer as its doer, 0 for none: a founder is no place."""
    for hop in hops:
        sense = read_predicate(hop.predicate)[0]
        ends = {sense.subject: hop.subject, sense.object: hop.object}
        doer = ends.get("agent") or ends.get("bearer") or ""
        is_doing = acts(sense.noun or sense.head)
        if is_doing and normalize_answer(doer) == normalize_answer(answer):
            return hop.hop
    return 0


def _kind(answer: str, index: EvidenceIndex) -> AnswerType | str:
    """Return an answer's type where something tells it, else "name" or "words"."""
    if re.match(r"(?:yes|no)\b", normalize_answer(answer)):
        return "yes_no"
    if _CALENDAR.fullmatch(answer.strip()) or _CLOCK.fullmatch(answer.strip()):
        return "date"
    if _is_all_time(answer):
        return "date"
    if (kind := kind_of(answer)) in {"date", "number"}:
        return kind
    entity = index.entities.get(index.entity_id(answer) or "")
    told = type_of_label(entity.type) if entity else None
    if told is None:
        told = type_by_shape(answer)
    return told or ("name" if answer != answer.lower() else "words")


def _is_all_time(answer: str) -> bool:
    """Return whether an answer is days and times and small words: "on 4 September at 19:30"."""
    values = find_values(answer)
    if not values or any(one.kind not in {"date", "time", "hours"} for one in values):
        return False
    rest = list(answer)
    for one in values:
        rest[one.start : one.end] = " " * (one.end - one.start)
    return not content_words(_CALENDAR.sub(" ", "".join(rest)))


def _fits_by_words(focus: Focus, answer: str, given: str) -> bool:
    """Return whether a value stands in an answer of another kind: "in the year 1921", "Room 12"."""
    has_digit = re.search(r"\d", answer) is not None
    if focus.answer_type == "date":
        return bool(re.search(r"\d{3}", answer)) or (given != "number" and has_digit)
    if focus.answer_type == "number":
        is_year_alone = re.fullmatch(r"\d{4}", answer.strip()) is not None
        return is_year_alone or given != "date" and bool(has_digit or _NUMBER_WORD.search(answer))
    return False


def _is_money(answer: str, hops: Sequence[TrailHop]) -> bool:
    """Return whether a number is told as a price: with pence, beside a currency, or labelled so."""
    if not _BARE_NUMBER.fullmatch(answer.strip()):
        return True
    if any(hop.object == answer and everyday_groups(hop.predicate) & _PRICE for hop in hops):
        return True
    digits = re.escape(answer.strip(" ,.;"))
    # The label of a column may have the unit: "deposit GBP: 120".
    beside = rf"{_CURRENCY}[ )]{{0,2}}:\*{{0,2}}\s{{1,3}}{digits}(?!\w)|"
    beside += rf"{_CURRENCY}\s?{digits}(?!\w)|(?<!\w){digits}\s?{_CURRENCY}"
    # A column may be named "cost_eur".
    quotes = [(hop.quote or "").replace("_", " ") for hop in hops]
    return any(
        contains_answer(quote, answer) and re.search(beside, quote, re.IGNORECASE)
        for quote in quotes
    )
