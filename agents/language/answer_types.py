"""The type of answer that a question asks for by its words, and whether it asks for several."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

AnswerType = Literal["person", "place", "date", "number", "organization", "yes_no", "other"]

_NOUNS: dict[AnswerType, frozenset[str]] = {
    "person": frozenset(
        """person people man woman actor actress director author writer president singer player
        spouse wife husband father mother son daughter child brother sister parent grandfather
        grandmother performer artist composer founder inventor leader king queen emperor governor
        mayor minister scientist philosopher politician character coach manager designer architect
        producer creator painter poet musician drummer guitarist general captain owner successor
        predecessor ceo chairman monarch saint explorer astronaut""".split()
    ),
    "place": frozenset(
        """place city country county state town village river lake mountain region continent
        location birthplace capital province district island street neighborhood borough area
        municipality nation territory kingdom stadium port valley desert ocean sea peninsula
        township parish planet headquarters deathplace hometown homeland""".split()
    ),
    "date": frozenset(
        "year date month day decade century time era season deadline birthday".split()
    ),
    "number": frozenset(
        """number population amount percentage percent height age count length distance size
        quantity total score speed width depth elevation temperature price cost""".split()
    ),
    "organization": frozenset(
        """company band university school college team club organization organisation label network
        party agency institute institution association studio publisher airline army league church
        newspaper magazine corporation firm employer group distributor broadcaster
        manufacturer""".split()
    ),
    "other": frozenset(
        """film movie song album book novel poem play series show episode game magazine treaty war
        battle award prize language currency airport bridge ship mountain instrument genre sport
        disease animal plant species event festival law painting building""".split()
    ),
}
_TYPE_OF_NOUN: dict[str, AnswerType] = {
    noun: answer_type for answer_type, nouns in _NOUNS.items() for noun in nouns
}
_TYPE_OF_LABEL: dict[str, AnswerType] = {
    "person": "person",
    "people": "person",
    "human": "person",
    "place": "place",
    "location": "place",
    "geo": "place",
    "gpe": "place",
    "city": "place",
    "country": "place",
    "organization": "organization",
    "organisation": "organization",
    "org": "organization",
    "company": "organization",
    "date": "date",
    "time": "date",
    "year": "date",
    "number": "number",
    "quantity": "number",
}
_WH = re.compile(
    r"\b(who(?:m|se)?|when|where|which|what|how\s+(?:many|much|old|long|tall|high|large|big|far|"
    r"deep|fast|often|heavy))\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b", re.IGNORECASE
)
_ALTERNATIVE = re.compile(r"\bor\b", re.IGNORECASE)
_OPENING = re.compile(
    r"\W*(?:(?:and|but|in|at|on|from|to|by|with|for|of|during|since|until|about|under|near)\s+"
    r"(?:the\s+)?){0,2}",
    re.IGNORECASE,
)
_COPULA = re.compile(
    r"^\s*(?:is|are|was|were)\s+(?:the|a|an|one\s+of\s+the)?\s*(?:(?:full|real|birth|given|first|"
    r"last|middle|original)?\s*names?\s+of\s+(?:the|a|an)?\s*)?",
    re.IGNORECASE,
)
# "What is the school paying?" asks for no school.
_DOING = re.compile(
    r"\s+(?:is|are|was|were)\s+(?:the|our|my|your|this|that)\s+(?:[\w'’-]+\s+){1,3}?[a-z]{2,20}ing\b"
    r"(?=\s(?:to|for|in|on|at|with|about|from|per|a|the)\b|\?)"
)
_NOUN_END = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|of|in|on|at|by|for|from|"
    r"to|that|who|which|whose|where|when|with|and|or|the|a|an|over|under|per|than|about|into|after|"
    r"before|during|between|since|until|we|you|i|they|our|my|your|their|this|[a-z]+ed|[a-z]+s\s+the|wrote|made|"
    r"won|led|began|became|held|gave|left)\b|[,?;:('\"]|$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Focus:
    """The answer's type, and the noun that names it ("county"; empty for "who").

    `start` and `end` are the question word's offsets in the question, equal where it has none.
    """

    answer_type: AnswerType
    noun: str = ""
    start: int = 0
    end: int = 0


def focus_of(question: str) -> Focus:
    """Return the focus of a question."""
    text = question.strip()
    match = _question_word(text)
    opener = _YES_NO.match(text)
    if opener and (match is None or match.start() > 0):
        is_choice = _ALTERNATIVE.search(text) is not None
        return Focus("other" if is_choice else "yes_no", "", 0, opener.end())
    if match is None:
        return Focus("other")
    word = " ".join(match.group(1).lower().split())
    span = match.span()
    if word.startswith("who"):
        return Focus("person", "", *span)
    if word == "when":
        return Focus("date", "", *span)
    if word == "where":
        return Focus("place", "", *span)
    if word.startswith("how"):
        return Focus("number", _noun_after(text[match.end() :]), *span)
    if _DOING.match(text, match.end()):
        return Focus("other", "", *span)
    noun = _noun_after(text[match.end() :])
    return Focus(_TYPE_OF_NOUN.get(singular(noun), "other"), noun, *span)


def type_of_noun(noun: str) -> AnswerType | None:
    """Return the type of thing that a common noun names, None where it is not known."""
    return _TYPE_OF_NOUN.get(singular(noun.lower()))


def type_of_label(label: str) -> AnswerType | None:
    """Return the type that an entity's label in the graph stands for, None where it is another."""
    return _TYPE_OF_LABEL.get(label.lower())


def singular(noun: str) -> str:
    """Return the singular of a regular English noun."""
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return noun[:-1]
    return noun


def _question_word(text: str) -> re.Match[str] | None:
    matches = list(_WH.finditer(text))
    if not matches:
        return None
    early = [match for match in matches if _OPENING.fullmatch(text[: match.start()])]
    never_relative = [
        match for match in matches if match.group().lower().startswith(("what", "how"))
    ]
    return (early or never_relative or matches[-1:])[0]


def _noun_after(rest: str) -> str:
    rest = rest[copula.end() :] if (copula := _COPULA.match(rest)) else rest
    words: list[str] = re.findall(r"(?<!\w)[a-z]+(?!\w)", rest[: _first_end(rest)].lower())
    typed = [word for word in words if _TYPE_OF_NOUN.get(singular(word), "date") != "date"]
    # A time before another noun tells which one is meant: "which Roman era temple".
    is_time = bool(words) and _TYPE_OF_NOUN.get(singular(words[-1])) == "date"
    return (words if is_time else typed or words or [""])[-1]


def _first_end(rest: str) -> int:
    start = len(rest) - len(rest.lstrip())
    match = _NOUN_END.search(rest, start)
    return match.start() if match else len(rest)


# "Which species", "which bus": no plural, or one that looks like none.
_WHICH_SEVERAL = re.compile(
    r"\W{0,3}(?:who\s(?:are|were)\s|(?:which|what)\s(?:[\w'’-]{1,30}\s){0,2}?"
    r"(?:(?!(?:species|series|means|works|news|was|is|does|has)\b)[a-z]{1,30}[^sui\W]s|people)\s"
    r"(?:were|are|have|has|do|does|did|can|will)\s)",
    re.IGNORECASE,
)
_OF_A_LIST = re.compile(
    r"\W{0,3}(?:who\s(?:is|was|belongs|sits|sat|serves|served)\s(?:on|in|among|to)\s"
    r"|what\s(?:are|were)\s(?:all\s)?(?:the|our|my|your|their|his|her|its)\s"
    r"|(?:list|name)\s(?:all\s)?(?:of\s)?the\s)",
    re.IGNORECASE,
)


def asks_which_several(question: str) -> bool:
    """Return whether a question asks for more than one in its grammar: "which ships", "who are"."""
    return _WHICH_SEVERAL.match(question) is not None


def asks_for_several(question: str) -> bool:
    """Return whether a question may be answered by a list: "who is on the committee" as well."""
    return asks_which_several(question) or _OF_A_LIST.match(question) is not None
