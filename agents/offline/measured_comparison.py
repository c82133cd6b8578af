"""Compare two things by an amount of each that is asked for on its own.

"Which costs more, the kettle or the pan?" is "How much does the kettle cost?" and the same of the
pan; so whatever answers these (a row, a sentence, two steps) serves the comparison.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hoptrail.agents.language.mentions import Mention, kind_of
from hoptrail.agents.language.quantities import Quantity, quantity_of, value_of
from hoptrail.agents.offline.difference import difference_of
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.types.draft import Draft

_MORE, _LESS = 1, -1
_ADJECTIVES: dict[str, tuple[int, str]] = {
    r"longer": (_MORE, "How long {is} {thing}?"),
    r"shorter": (_LESS, "How long {is} {thing}?"),
    r"taller": (_MORE, "How tall {is} {thing}?"),
    r"higher": (_MORE, "How high {is} {thing}?"),
    r"lower": (_LESS, "How high {is} {thing}?"),
    r"wider": (_MORE, "How wide {is} {thing}?"),
    r"narrower": (_LESS, "How wide {is} {thing}?"),
    r"deeper": (_MORE, "How deep {is} {thing}?"),
    r"shallower": (_LESS, "How deep {is} {thing}?"),
    r"heavier": (_MORE, "How heavy {is} {thing}?"),
    r"lighter": (_LESS, "How heavy {is} {thing}?"),
    r"faster": (_MORE, "How fast {is} {thing}?"),
    r"slower": (_LESS, "How fast {is} {thing}?"),
    r"bigger|larger": (_MORE, "How large {is} {thing}?"),
    r"smaller": (_LESS, "How large {is} {thing}?"),
    r"older": (_MORE, "How old {is} {thing}?"),
    r"younger|newer": (_LESS, "How old {is} {thing}?"),
    r"dearer|pricier|more\s(?:expensive|costly)": (_MORE, "How much {does} {thing} cost?"),
    r"cheaper|less\s(?:expensive|costly)": (_LESS, "How much {does} {thing} cost?"),
}
_ADJECTIVE = "|".join(_ADJECTIVES)
_OF_TWO = r"(?:\s(?:one|of\sthe\stwo|of\sboth))?"
_NOUN = r"[a-z][\w -]{2,40}?"
_DEGREES = (
    re.compile(rf"\b(?P<is>is|are|was|were)\s(?:the\s)?(?P<adjective>{_ADJECTIVE}){_OF_TWO}$"),
    re.compile(
        r"\b[a-z]{3,20}\s(?:the|an?)\s(?P<rank>higher|lower|larger|smaller|greater|bigger|longer"
        r"|shorter)\s(?P<property>[a-z][\w -]{2,40})$"
    ),
    re.compile(
        rf"\b(?P<verb>[a-z]{{3,20}})\s(?P<amount>more|less|fewer)(?:\s(?P<noun>{_NOUN}))?{_OF_TWO}$"
    ),
)
_IS = r"(?P<is>is|are|was|were)"
_DOES = r"(?P<does>does|do|did)"
_HAS = r"(?P<has>has|have)"
_ONE = r"(?P<one>[^,;:?]{2,60}?)"
_OTHER = r"(?P<other>[^,;:?]{2,60}?)(?:\s(?:does|do|did|is|are|was|has|have))?\s?\?"
_MORE_OF = rf"(?:more|less|fewer)\s{_NOUN}"
_FORMS = (
    ("choice", rf"(?:which|who|what)\b(?P<told>[^,:?]{{3,80}})[,:]\s{_ONE}\sor\s{_OTHER}"),
    (
        "choice",
        rf"{_IS}\s{_ONE}\sor\s(?P<other>[^,;:?]{{2,60}}?)\s(?P<told>(?:the\s)?(?:{_ADJECTIVE}))\s?\?",
    ),
    ("than", rf"{_IS}\s{_ONE}\s(?P<told>{_ADJECTIVE})\sthan\s{_OTHER}"),
    (
        "than",
        rf"{_DOES}\s{_ONE}\s(?P<told>[a-z]{{3,20}}\s(?:{_MORE_OF}|more|less))\sthan\s{_OTHER}",
    ),
    ("than", rf"{_HAS}\s{_ONE}\s(?P<told>{_MORE_OF})\sthan\s{_OTHER}"),
    ("difference", rf"how\smuch\s(?P<told>{_ADJECTIVE})\s{_IS}\s{_ONE}\sthan\s{_OTHER}"),
    (
        "difference",
        rf"how\s(?:much|many)\s(?P<told>{_MORE_OF}|more|less)\s{_DOES}\s{_ONE}\s(?P<verb>[a-z]{{3,20}})"
        rf"\sthan\s{_OTHER}",
    ),
    ("difference", rf"how\smany\s(?P<told>{_MORE_OF})\s{_HAS}\s{_ONE}\sthan\s{_OTHER}"),
)
_PATTERNS = tuple((form, re.compile(pattern)) for form, pattern in _FORMS)
_AGE = "How old "
_ARTICLE = re.compile(r"^(?:the|a|an)\s", re.IGNORECASE)
_BASE_FORMS = {"has": "have", "had": "have", "held": "hold", "won": "win", "sold": "sell"}


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two things, the question for the amount of one of them, and what is asked of the amounts.

    `sign` is 1 where more is asked for, -1 where less is.
    """

    one: str
    other: str
    asked: str
    sign: int
    form: str

    def question(self, thing: str) -> str:
        """Return the question for the amount of one thing."""
        return self.asked.replace("{thing}", thing)


def compare_measures(question: str, answer: Callable[[str], Draft | None]) -> Draft | None:
    """Return which of two things has more of something, whether the first has, or how much more.

    None where the question asks for no such thing, and where an amount is not known, or not in a
    unit of the other's kind.

    Args:
        question: The standalone question.
        answer: Answers a question for one amount, with its reserve; None without an answer.
    """
    asked = _read(question)
    if asked is None:
        return None
    drafts: list[Draft] = []
    for thing in (asked.one, asked.other):
        draft = answer(asked.question(thing))
        if draft is None or len(draft.answers) != 1:
            return None
        drafts.append(draft)
    outcome = _outcome(asked, *(draft.text for draft in drafts))
    if outcome is None:
        return None
    hops = tuple(dict.fromkeys(hop for draft in drafts for hop in draft.hops))
    reserve = next((draft.reserve for draft in drafts if draft.reserve), "")
    return Draft("graph_search", (outcome,), hops=hops, derived=True, reserve=reserve)


def _outcome(asked: _Comparison, one: str, other: str) -> str | None:
    if asked.asked.startswith(_AGE) and "date" in {kind_of(one), kind_of(other)}:
        return _outcome_of_dates(asked, one, other)
    amounts = quantity_of(one), quantity_of(other)
    if amounts[0] is None or amounts[1] is None or not amounts[0].is_comparable(amounts[1]):
        return None
    more = _more(amounts[0], amounts[1]) * asked.sign
    if asked.form != "difference":
        return _chosen(asked, more)
    first, second = _value(one), _value(other)
    if more <= 0 or first is None or second is None or _unit(first) != _unit(second):
        return None
    return difference_of(first, second)


def _chosen(asked: _Comparison, more: int) -> str | None:
    """Return which of two things it is, or whether it is the first; `more` is the first's lead."""
    if asked.form == "than":
        return "yes" if more > 0 else "no"
    return _ARTICLE.sub("", asked.one if more > 0 else asked.other) if more else None


def _outcome_of_dates(asked: _Comparison, one: str, other: str) -> str | None:
    """Return the outcome by when each thing was made: what is older was so in an earlier year.

    None where one of them has an age instead, or where a year alone leaves it open.
    """
    first, second = (_date_of(text) for text in (one, other))
    if first is None or second is None:
        return None
    if first[0] == second[0] and not (first[1] and second[1]):
        return None
    more = ((first < second) - (first > second)) * asked.sign
    if asked.form != "difference":
        return _chosen(asked, more)
    years = abs(first[0] - second[0])
    return f"{years:.0f} year{'' if years == 1 else 's'}" if more > 0 and years else None


def _date_of(text: str) -> tuple[float, ...] | None:
    is_date = kind_of(text) == "date"
    return value_of(Mention("", text, 0, len(text), "date")) if is_date else None


def _unit(value: Value) -> str:
    """Return the unit of an amount as the text writes it, without an ending of the plural."""
    return re.sub(r"s\b", "", value.text.replace(value.digits, "", 1)).strip().lower()


def _value(text: str) -> Value | None:
    """Return the amount of an answer; behind a word, as a number in front may be a heading's."""
    return next((one for one in find_values(f"is {text}") if one.kind == "number"), None)


def _more(one: Quantity, other: Quantity) -> int:
    return (one.amount > other.amount) - (one.amount < other.amount)


def _read(question: str) -> _Comparison | None:
    """Return what a question compares, None where it compares nothing in these forms."""
    text = " ".join(question.split())
    text = text[:1].lower() + text[1:]
    for form, pattern in _PATTERNS:
        if match := pattern.fullmatch(text):
            found = match.groupdict()
            helper = found.get("is") or found.get("has") or found.get("verb")
            told = f"{helper} {found['told']}" if helper else found["told"]
            if (read := asked_amount(told.strip(), found.get("does"))) is not None:
                return _Comparison(found["one"], found["other"], *read, form)
    return None


def asked_amount(told: str, does: str | None) -> tuple[str, int] | None:
    """Return the question for the amount that a comparative is about, and which end is asked for.

    Args:
        told: What is compared, with its verb in front: "cost more", "is heavier".
        does: The verb's helper, where the question has one.
    """
    match = next(filter(None, (degree.search(told) for degree in _DEGREES)), None)
    if match is None:
        return None
    found = match.groupdict()
    if adjective := found.get("adjective"):
        sign, asked = next(
            value for words, value in _ADJECTIVES.items() if re.fullmatch(words, adjective)
        )
        helper = "did" if found["is"] in {"was", "were"} else "does"
        return asked.replace("{is}", found["is"]).replace("{does}", helper), sign
    if rank := found.get("rank"):
        sign = _LESS if rank in {"lower", "smaller", "shorter"} else _MORE
        return f"What is the {found['property']} of {{thing}}?", sign
    sign = _MORE if found["amount"] == "more" else _LESS
    return _asked_by_verb(found["verb"], found["noun"], does), sign


def _asked_by_verb(verb: str, noun: str | None, does: str | None) -> str:
    if verb.startswith("weigh"):
        return "How heavy is {thing}?"
    does = does or ("did" if verb.endswith("ed") else "does")
    base = _BASE_FORMS.get(verb) or re.sub(r"ies$", "y", verb)
    base = re.sub(r"(?<=[^s])s$", "", base)
    if noun is None:
        return f"How much {does} {{thing}} {base}?"
    return f"How {'many' if noun.endswith('s') else 'much'} {noun} {does} {{thing}} {base}?"
