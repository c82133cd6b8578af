"""The operation that a question asks of a table, and the bounds and times that it sets."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from hoptrail.agents.language.number_words import NUMBER_WORDS
from hoptrail.agents.reading.asked_value import AskedValue, asked_value
from hoptrail.agents.tables.question_words import QuestionWords, Word, cell_groups
from hoptrail.core.tables.calendar_span import CalendarSpan, calendar_span
from hoptrail.core.text import content_words

Operation = Literal["look_up", "count", "sum", "mean", "most", "least", "difference", "choice"]
Comparison = Literal["=", "<", "<=", ">", ">="]
COMPARE: Mapping[Comparison, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

_NUMBER = (
    r"(?P<before>[£€$¥])?\s?(?:an?\s)?(?P<number>\d[\d,]{0,12}(?:\.\d{1,4})?|[a-z]{1,12})\s?"
    r"(?P<unit>[^\W\d_]{1,12}|%|€|£)?"
)
_ROUND = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
BRACKETS = re.compile(r"\([^()]{0,40}\)")
_NO_CLOCK = r"(?![\w.]|:\d)"
_BOUNDS: tuple[tuple[str, Comparison], ...] = (
    (r"(?:less|fewer|lower|smaller|cheaper|shorter|lighter|younger)\sthan|under|below", "<"),
    (r"at most|up to|no more than|not more than|as (?:little|few) as", "<="),
    (
        r"(?:more|greater|higher|larger|longer|heavier|older|dearer|bigger)\sthan|over|above"
        r"|exceeding",
        ">",
    ),
    (r"at least|no less than|no fewer than|not less than", ">="),
)
_BOUND: tuple[tuple[re.Pattern[str], Comparison], ...] = tuple(
    (re.compile(rf"\b(?:{words})\s{_NUMBER}{_NO_CLOCK}", re.IGNORECASE), sign)
    for words, sign in _BOUNDS
)
_COMPARED = re.compile(rf"\b(?P<word>[a-z]{{3,12}}er)\sthan\s{_NUMBER}{_NO_CLOCK}", re.IGNORECASE)
_OR_MORE = re.compile(
    r"(?P<before>[£€$])?\s?\b(?P<number>\d[\d,]{0,12}(?:\.\d{1,4})?)\s?(?P<unit>[^\W\d_]{1,12}|%|€|£)?"
    r"\s(?:or|and)\s(?P<more>more|over|above|longer|higher|older|later|(?P<less>less|fewer|under|shorter"
    r"|lower|below|younger))\b",
    re.IGNORECASE,
)
_A_YEAR = r"than(?=\s(?:1[5-9]|20)\d\d\b)"  # "older than 5" tells an age
_BEFORE = re.compile(
    rf"\b(?:before|until|earlier than|prior to|older {_A_YEAR})\s(?=(?P<rest>[^?,]{{3,30}}))",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"\b(?:after|since|later than|(?:newer|younger) {_A_YEAR})\s(?=(?P<rest>[^?,]{{3,30}}))",
    re.IGNORECASE,
)
_WHILE = ("over ", "up to ")  # "over 2023" is all through it
_MEAN = re.compile(r"\b(?:on average|average|averaged|mean)\b", re.IGNORECASE)
_SUM = re.compile(
    r"\b(?:in total|total|altogether|all together|in all|sum of|combined|together|overall"
    r"|(?:over|for|in|of) the whole|all told)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\bhow many\b|\bnumber of\b", re.IGNORECASE)
_COMPARATIVE = r"(?:more|less|fewer|better|worse|further|farther|[a-z]{3,10}(?<!th)er)"
_DIFFERENCE = re.compile(
    rf"\b(?:how (?:much|many|far|long)\b[^?]{{0,200}}?\b(?P<word>{_COMPARATIVE})\b"
    r"[^?]{0,200}\bthan\b(?!\s\d{1,2}:\d)"
    r"|by how (?:much|many)\b|(?P<noun>difference)\b[^?]{0,200}\bbetween\b)",
    re.IGNORECASE,
)
_WHICH_MORE = re.compile(  # of those that the text tells of; the question ends with it
    rf"(?:which|who)\b[^?,]{{0,60}}?\b(?P<word>{_COMPARATIVE})(?:\s(?!than\b)[\w-]{{1,20}}){{0,2}}\s?\?",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    rf"\b(?P<word>{_COMPARATIVE}|first|last)\b[^?]{{0,200}}[,:]\s(?P<one>[^?,]{{2,60}}?)\sor\s"
    r"(?P<other>[^?]{2,60}?)\s?\?",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"\b(?P<word>most (?:expensive|costly|popular)|least (?:expensive|costly|popular)|most|least"
    r"|fewest|first|last|best|worst|furthest|farthest|[a-z]{3,12}est)\b",
    re.IGNORECASE,
)
_RANKS = {"second": 2, "third": 3, "fourth": 4, "2nd": 2, "3rd": 3}
_FEW = r"two|three|four|five|[2-5]"
_RANK_BEFORE = re.compile(rf"\b({'|'.join(_RANKS)}|{_FEW})[\s-]$", re.IGNORECASE)
_COUNT_BEHIND = re.compile(rf"\s({_FEW})\b", re.IGNORECASE)
_COUNT_FIRST = re.compile(rf"\b(?:which|what(?:\sare)?(?:\sthe)?|who)\s({_FEW})\b", re.IGNORECASE)
_NO_SUPERLATIVE = frozenset(
    """request interest forest harvest honest invest manifest priest protest suggest digest contest
    modest arrest""".split()
)
_FIRST_OF_SEVERAL = re.compile(
    r"(?:first|last)\s(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|half|quarter|name|aid"
    r"|class|floor)",
    re.IGNORECASE,
)
# The adjective's root, which end it means, and the words of columns that tell it.
_ADJECTIVES: dict[str, tuple[int, str]] = {
    "cheap": (-1, "price"),
    **dict.fromkeys(("dear", "expensive", "costly", "pric"), (1, "price")),
    **dict.fromkeys(("long", "tall", "high", "deep", "wide"), (1, "")),
    **dict.fromkeys(("short", "low", "narrow", "shallow"), (-1, "")),
    **dict.fromkeys(("big", "larg"), (1, "size")),
    **dict.fromkeys(("great", "strong"), (1, "")),
    "small": (-1, "size"),
    **dict.fromkeys(("littl", "weak"), (-1, "")),
    "heav": (1, "weight"),
    "light": (-1, "weight"),
    **dict.fromkeys(("hot", "warm"), (1, "temperature")),
    **dict.fromkeys(("cold", "cool"), (-1, "temperature")),
    **dict.fromkeys(("fast", "quick"), (1, "speed")),
    "slow": (-1, "speed"),
    "remot": (1, "distance"),
    **dict.fromkeys(("near", "clos"), (-1, "distance")),
    "old": (-1, "age"),
    "young": (1, "age"),
    "earl": (-1, "date"),
    **dict.fromkeys(("new", "lat"), (1, "date")),
    "busi": (1, ""),
}
_WORDS: dict[str, tuple[int, str]] = {
    "most": (1, ""), "least": (-1, ""), "fewest": (-1, ""), "best": (1, ""), "worst": (-1, ""),
    "more": (1, ""), "less": (-1, ""), "fewer": (-1, ""), "better": (1, ""), "worse": (-1, ""),
    "first": (-1, "date"), "last": (1, "date"), "further": (1, "distance"),
    "farther": (1, "distance"), "furthest": (1, "distance"), "farthest": (1, "distance"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Degree:
    """A superlative or comparative: which end it means, the words of a column that tells it.

    `hint` is a word such as "price", or the adjective itself without its ending: "salt". `skipped`
    is how many come before it ("second longest"), `count` how many are asked for ("two cheapest").
    """

    sign: int
    hint: str
    told: frozenset[int]
    skipped: int = 0
    count: int = 1


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit that a number must keep to: "less than £50".

    `hint` is the word of a column that the comparative tells: "temperature" in "colder than 3".
    """

    comparison: Comparison
    number: float
    unit: str
    told: frozenset[int]
    hint: str = ""


@dataclass(frozen=True, slots=True)
class TimeBound:
    """A limit in time: "before 2020", "since 3 May 2024"."""

    comparison: Comparison
    day: str
    told: frozenset[int]

    @property
    def has_year(self) -> bool:
        """Whether the day is one of a year, as "2024-05-03" is, and "05-03" not."""
        return len(self.day.partition("-")[0]) > 2


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a table is asked it.

    `told` are the words that say which operation is meant; `span_told` those that name `span`.
    """

    words: QuestionWords
    value: AskedValue
    operation: Operation
    told: frozenset[int]
    degree: Degree | None
    bounds: tuple[Bound, ...]
    times: tuple[TimeBound, ...]
    span: CalendarSpan
    span_told: frozenset[int]
    is_count: bool

    def beside(self, heads: Iterable[str]) -> Asked:
        """Return the question as a table is asked it whose columns have these heads.

        "First" is no superlative where a column is called "First sailed", nor "total" a sum.
        """
        if self.operation not in {"most", "least", "sum", "mean"}:
            return self
        bare = (BRACKETS.sub("", head) for head in heads)
        asked = (head for head in bare if cell_groups(head) <= self.words.groups)
        named = {word for head in asked for word in head.lower().split()}
        if not any(self.words.words[at].text in named for at in self.told):
            return self
        operation: Operation = "count" if self.is_count else "look_up"
        return replace(self, operation=operation, told=frozenset(), degree=None)

    @property
    def bounds_told(self) -> frozenset[int]:
        """The words that tell the limits of numbers."""
        return frozenset(at for bound in self.bounds for at in bound.told)

    @property
    def thing(self) -> frozenset[int]:
        """The place of the word that says what the rows are: depots in "the largest depot"."""
        words = self.words.words
        behind = max(self.degree.told, default=-2) + 1 if self.degree is not None else -1
        asked = 1 if words[0].text in {"which", "what"} else -1
        if asked > 0 and _is_plural(words[2:3]) and not _is_plural(words[1:2]):
            asked = 2  # "Which garden tools"
        for at in (behind, asked):
            if 0 < at < len(words) and words[at].is_content and not words[at].is_name:
                return frozenset({at})
        if self.degree is not None:
            return frozenset()
        named = self.words.told_by(cell_groups(self.value.noun)) & self.words.content
        return frozenset({max(named)}) if named else named

    @property
    def names_several(self) -> bool:
        """Whether it asks for things, not for a thing: "Which depots opened after 2018?"."""
        at = min(self.thing, default=0)
        return at in {1, 2} and _is_plural(self.words.words[at : at + 1])

    @property
    def asks_which_more(self) -> bool:
        """Whether the one of some things is asked for that has more or less of something."""
        return self.degree is not None and _WHICH_MORE.match(self.words.text) is not None

    @property
    def asks_amount(self) -> bool:
        """Whether a number is asked for."""
        return bool(
            self.is_count
            or self.value.measures
            or self.value.answer_type == "number"
            or self.operation in {"sum", "mean", "difference"}
        )


def _is_plural(words: Sequence[Word]) -> bool:
    return any(
        one.is_content and one.text.endswith("s") and not one.text.endswith("ss") for one in words
    )


def read_asked(question: str) -> Asked:
    """Return what a question asks of a table."""
    words = QuestionWords(question)
    times = tuple(_times(question, words))
    in_times = frozenset(at for one in times for at in one.told)
    bounds = tuple(_bounds(question, words, in_times))
    taken = frozenset(at for bound in bounds for at in bound.told)
    is_count = _COUNT.search(question) is not None
    operation, told, degree = _operation(question, words, taken | in_times)
    span = calendar_span(words.without(taken))  # "2000 guests" are no year
    span_told = frozenset(at for place in span.places for at in words.within(*place))
    return Asked(
        words,
        asked_value(question),
        operation,
        told,
        degree,
        bounds,
        times,
        span,
        span_told,
        is_count,
    )


def _operation(
    question: str, words: QuestionWords, taken: frozenset[int]
) -> tuple[Operation, frozenset[int], Degree | None]:
    """Return the operation, the words that say so, and the degree of an extreme or comparison.

    Args:
        question: The question.
        words: Its words.
        taken: The words of limits, which compare with a number or a day, not with another thing.
    """

    def told(match: re.Match[str]) -> frozenset[int]:
        return words.within(*match.span())

    if (match := _CHOICE.search(question)) is not None:
        spoken = words.within(*match.span("word"))
        return "choice", spoken, _degree(match["word"], spoken)
    match = _DIFFERENCE.search(question)
    if match is not None and not (match["word"] and words.within(*match.span("word")) & taken):
        word = "word" if match["word"] else "noun"
        spoken = words.within(*match.span(word)) if match[word] else frozenset()
        return "difference", spoken, _degree(match["word"] or "more", spoken)
    if (match := _MEAN.search(question)) is not None:
        return "mean", told(match), None
    for match in _SUPERLATIVE.finditer(question):
        word, spoken = match["word"].lower(), told(match)
        is_other = word in _NO_SUPERLATIVE or bool(_FIRST_OF_SEVERAL.match(question, match.start()))
        # "How many last a week?" counts; "when did it last fail?" asks for the last time.
        is_other = is_other or word in {"first", "last"} and bool(_COUNT.search(question))
        if not is_other and not spoken & taken and (degree := _degree(word, spoken)) is not None:
            degree = _ranked(degree, match, question, words)
            return "most" if degree.sign > 0 else "least", degree.told, degree
    match = _WHICH_MORE.match(question)
    if match is not None and not words.within(*match.span("word")) & taken:
        spoken = words.within(*match.span("word"))
        if (degree := _degree(match["word"], spoken)) is not None:
            return "most" if degree.sign > 0 else "least", spoken, degree
    if (match := _SUM.search(question)) is not None:
        return "sum", told(match), None
    if (match := _COUNT.search(question)) is not None and not asked_value(question).is_identifier:
        return "count", told(match), None
    return "look_up", frozenset(), None


def _ranked(degree: Degree, match: re.Match[str], question: str, words: QuestionWords) -> Degree:
    """Return a superlative with what stands before or behind it: "second", "two", "top three"."""
    before = _RANK_BEFORE.search(question, 0, match.start())
    if before is not None:
        told = degree.told | words.within(*before.span())
        if (rank := _RANKS.get(before[1].lower())) is not None:
            return replace(degree, skipped=rank - 1, told=told)
        return replace(degree, count=_counted(before[1]), told=told)
    behind = _COUNT_BEHIND.match(question, match.end()) or _COUNT_FIRST.search(question)
    if behind is not None:
        told = degree.told | words.within(*behind.span(1))
        return replace(degree, count=_counted(behind[1]), told=told)
    return degree


def _counted(word: str) -> int:
    return int(word) if word.isdigit() else NUMBER_WORDS[word.lower()]


def _degree(word: str, told: frozenset[int]) -> Degree | None:
    """Return what a comparative or superlative means, None for another word."""
    word = word.lower()
    adverb, _, adjective = word.partition(" ")
    if adjective:
        sign, hint = _ADJECTIVES.get(adjective, (1, adjective))
        return Degree(sign if adverb in {"most", "more"} else -sign, hint, told)
    if word in _WORDS:
        return Degree(*_WORDS[word], told)
    root = re.sub(r"(?:est|er)$", "", word)
    doubled = root[:-1] if len(root) > 3 and root[-1:] == root[-2:-1] else root
    for form in (root, doubled, root.rstrip("i"), f"{root}e"):
        if form in _ADJECTIVES:
            return Degree(*_ADJECTIVES[form], told)
    if word.endswith("est"):
        return Degree(1, re.sub(r"i$", "", root), told)
    return None


def _bounds(question: str, words: QuestionWords, in_times: frozenset[int]) -> list[Bound]:
    """Return the limits of numbers.

    Args:
        question: The question.
        words: Its words.
        in_times: The words that tell limits in time.
    """
    found: list[Bound] = []
    years = calendar_span(question).years
    for pattern, sign in _BOUND:
        for match in pattern.finditer(question):
            number = _number(match["number"])
            unit = match["before"] or match["unit"] or ""
            is_year = (
                match["number"] in years
                and match.group().lower().startswith(_WHILE)
                and not content_words(unit)
            )
            told = words.within(match.start(), match.end("number"))
            if number is not None and not is_year and not told & in_times:
                found.append(Bound(sign, number, unit, told))
    for match in _COMPARED.finditer(question):
        told = words.within(match.start(), match.end("number"))
        degree, number = _degree(match["word"], told), _number(match["number"])
        taken = in_times.union(*(one.told for one in found))
        if degree is None or number is None or told & taken:
            continue
        unit = match["before"] or match["unit"] or ""
        hint = "" if degree.hint == "date" else degree.hint  # "an hour later than 10"
        found.append(Bound(">" if degree.sign > 0 else "<", number, unit, told, hint))
    for match in _OR_MORE.finditer(question):
        number = float(match["number"].replace(",", ""))
        told = words.within(*match.span())
        unit = match["before"] or match["unit"] or ""
        limit: Comparison = "<=" if match["less"] else ">="
        found.append(Bound(limit, number, unit, told))
    return found


def _number(text: str) -> float | None:
    if text[0].isdigit():
        return float(text.replace(",", ""))
    value = _ROUND.get(text.lower()) or NUMBER_WORDS.get(text.lower())
    return None if value is None else float(value)


def _times(question: str, words: QuestionWords) -> list[TimeBound]:
    found = []
    signs: tuple[tuple[re.Pattern[str], Comparison], ...] = ((_BEFORE, "<"), (_AFTER, ">="))
    for pattern, sign in signs:
        for match in pattern.finditer(question):
            span = calendar_span(match["rest"])
            day = next(iter(span.days), "") or _month(span)
            if day:
                is_after = sign == ">=" and not match.group().lower().startswith("since")
                end = max(stop for _, stop in span.places)
                told = words.within(match.start(), match.start("rest") + end)
                found.append(TimeBound(">" if is_after else sign, day, told))
    return found


def _month(span: CalendarSpan) -> str:
    year = next(iter(span.years), "")
    month = f"{min(span.months):02}" if span.months else ""
    return "-".join(filter(None, (year, month)))
