"""The kind of value that a question asks for, and how well a value is of that kind."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hoptrail.agents.language.answer_types import AnswerType, Focus, focus_of, type_of_noun
from hoptrail.agents.language.line_layout import labelled_parts, part_at
from hoptrail.agents.language.topics import may_name_person
from hoptrail.agents.language.value_patterns import (
    CURRENCY_CODES,
    CURRENCY_SIGNS,
    CURRENCY_WORDS,
    MONTHS,
    WEEKDAYS,
    Measure,
)
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.reading.values import Value, find_values

_ASKED_BY: dict[str, tuple[Measure, ...]] = {
    r"\b(?:phone|telephone|mobile|extension)\s+numbers?\b|\bnumbers?\b[^?]{1,60}\b(?:ring|call|dial|"
    r"phone|telephone|reach)\b": ("phone",),
    r"\biban\b": ("iban",),
    r"\bpost\s?codes?\b": ("postcode",),
    r"\bhow\s+high\b[^?]{1,60}\b(?:prices?|costs?|fees?|fares?|rent|salary|wages?|budget|charges?|"
    r"deposit|premium|surplus|sum|loan|bill)\b": ("money",),
    r"\bhow\s+(?:large|big)\b(?![^?]{0,60}\b(?:population|membership|club|team|crew|staff|fleet|group|"
    r"party|army|class|crowd|audience|company|firm|community|budget|share|debt|loan)\b)"
    r"|\bfloor\s?space\b|\bwhat\s(?:is\sthe\s)?area\b|\bsquare\smet(?:re|er)s\b": ("area",),
    r"\bhow\s+long\s+(?:is|are|was|were)\b": ("duration", "length"),
    r"\bhow\s+much\s+(?:notice|time)\b|\bhow\s+(?:long|often|soon|quickly|old)\b|\bduration\b"
    r"|\bhow\s+many\s+(?:seconds|minutes|hours|days|nights|weeks|months|years)\b"
    r"|\b(?:notice|trial|waiting|retention|warranty|guarantee)\s+period\b": ("duration",),
    r"\btemperature\b|\bhow\s+(?:hot|cold|warm)\b": ("temperature",),
    r"\bweighs?\b|\bweight\b|\bhow\s+heavy\b": ("mass",),
    r"\bper\s*cent(?:age)?\b|\bwhat\s+(?:share|proportion)\b": ("share",),
    r"\bhow\s+(?:tall|high|deep|wide|far)\b|\b(?:length|height|width|depth|span)\b": ("length",),
    r"\b(?:discount|margin|rate|commission)s?\b": ("money", "share"),
    r"\bhow\s+much\s+(?:money|for|does|do|did|is|are|was|were|will|would|has|have|must)\b"
    r"|\b(?:prices?|costs?|fees?|fares?|rent|salary|wage|budget|charges?|deposit|turnover|"
    r"premium|penalty|fines?)\b|\bwhat\s+(?:do|does|did)\b[^?]{1,60}\bpay\b": ("money",),
}
_MEASURES = tuple(
    (re.compile(pattern, re.IGNORECASE), frozenset(measures))
    for pattern, measures in _ASKED_BY.items()
)
_UNIT_IN_LABEL: dict[str, Measure] = {
    rf"{CURRENCY_SIGNS}|\b(?:{CURRENCY_CODES}|{CURRENCY_WORDS})\b": "money",
    r"%|\bper\s?cent\b": "share",
    r"°\s?[CF]?": "temperature",
    r"\b(?:sec|seconds|min|mins|minutes|hours|hrs|days|nights|weeks|months)\b": "duration",
    r"\b(?:kg|kilos?|tonnes?|grams?)\b": "mass",
    r"\b(?:m2|km2|sqm|ha|hectares|acres)\b|m²|\bsquare\b": "area",
    r"\b(?:mm|cm|km|m|met(?:re|er)s?)\b": "length",
    r"\b(?:phone|telephone|tel|mobile)\b": "phone",
}
_UNITS_IN_LABEL: tuple[tuple[re.Pattern[str], Measure], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), measure) for pattern, measure in _UNIT_IN_LABEL.items()
)
_HELPER = re.compile(
    r"\s{1,9}(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|must|should|may)\b"
)
_PAID = re.compile(
    r"\b(?:what|how\s+much)\s+(?:is|are|do|does|did|was|were|will|must|has|have|had|would)\b[^?]{1,80}"
    r"\b(?:pay|pays|paying|paid|spend|spent|charge|charged|charges|owe|earn|earned|cost)\b",
    re.IGNORECASE,
)
_NUMBER_LABEL = re.compile(r"(?<!\w)(?:no|nr|num|number|ext|extension|code|tel|phone)(?!\w)", re.I)
_ROLE = re.compile(
    r"(?:(?:General|Managing|Commercial|Technical|Deputy|Senior|Chief|Head|Vice|Company|Office|Board)"
    r"\s)?(?:Manager|Director|Executive|Officer|Chair|Secretary|Treasurer|President|Partner|Producer"
    r"|Supplier|Distributor|Operator|Tenant|Landlord|Hirer|Customer|Seller|Buyer|Contractor|Client"
    r"|Employer|Employee|Licensee|Licensor|Lessee|Lessor|Borrower|Lender|Parties|Party|Trustees?)"
)
_MAIL = re.compile(
    r"\b(?:what|which|under|at|to)\b[^?]{0,40}\be-?mail(?:\s(?:address|adress))?\b", re.I
)
_HOW_HIGH = re.compile(r"\bhow\s(?:high|large|big|low)\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_PLACE_LABEL = everyday_groups(
    "room place location venue site address town city village country stop berth hall where harbour"
)
_PRICE = re.compile(r"\d{1,3}(?:[,.]\d{3})*[.,]\d{2}")
_COLUMNS = re.compile(r"\S[ \t]{2,}\S.*\S[ \t]{2,}\S|\S[ \t]{3,}\S")
_TIME_OF_DAY = re.compile(r"\b(?:what|which)\s+time\b|\bwhat\s+hour\b", re.IGNORECASE)
_COUNTED = re.compile(r"\bhow\s+many\s+([^\W\d_]+)", re.IGNORECASE)
_IDENTIFIERS = frozenset(
    "extension channel version number key room platform code phone telephone line page row".split()
)
_PERSON = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Capt|Captain|Sir)\.?\s)?(?:[A-Z][\w'’-]+|[A-Z]\.)"
    r"(?:\s?(?:[A-Z]\.|[A-Z][\w'’-]+|de|van|von|da|del)){0,3}"
)
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof|Capt|Captain|Sir)\b")
_FIRM = re.compile(
    r"&|\b(?:Ltd|Limited|GmbH|Inc|AG|S\.?A|Co|Company|Sons?|Daughters|Brothers|Works?|Yard|Trust|"
    r"Hospital|Laborator(?:y|ies)|Labor|Cooperative|Corporation|University|School|Council|Bank|Group"
    r"|Institute|Office|Board|Association|Department|Systems|Foods|Services|Logistics|Partners|Club)\b"
)
_THING = re.compile(
    r"\b(?:Agreement|Contract|Notice|Handbook|Report|Minutes|Policy|Plan|List|Lane|Road|Street|Square"
    r"|Rise|Close|Court|Yard|Point|Avenue|Way|House|Hall|Harbour|Quay|Bay|River|Lake|Mount|Bridge|Church|Castle|Tower|Park|Island|Sound|Valley|Days|Room|Festival)\b"
)
_BEFORE_PLACE = re.compile(r"\b(?:in|at|near|from|to|of|into|outside|behind)\s+(?:the\s+)?$")
_BEFORE_FIRM = re.compile(r"\b(?:by|from|with|at|to|of|firm|company|supplier)\s+(?:the\s+)?$")
_AGENT = re.compile(r"\bby\s+(?:the\s+)?$")
_CALENDAR = re.compile(f"(?:{MONTHS}|{WEEKDAYS})s?|Easter|Christmas")
_MAIL_HEAD = frozenset({"from", "to", "cc", "bcc", "reply-to"})
_UNFIT = -1.0
# "What is the extension of the man who paid?" asks for none of his money.
_FIRST_NOUNS = frozenset(
    "extension channel version number key room phone name address date day time".split()
)


@dataclass(frozen=True, slots=True)
class AskedValue:
    """The kind of answer that a question asks for: its type, its noun ("goats"), its measures."""

    answer_type: AnswerType
    noun: str
    measures: frozenset[Measure]
    is_time_of_day: bool
    is_mail: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether the kind can be told by a value's form alone: a date, a time, an amount."""
        return (
            self.is_time_of_day
            or self.is_mail
            or bool(self.measures)
            or self.answer_type in {"date", "number"}
            or self.is_identifier
        )

    @property
    def is_identifier(self) -> bool:
        """Whether it is a number or code that stands for something, such as a room's."""
        return self.noun in _IDENTIFIERS

    @property
    def is_told_by_value(self) -> bool:
        """Whether the noun names a kind, so that a value of that kind says it: "which town"."""
        return type_of_noun(self.noun) is not None or self.is_identifier

    def fit(self, value: Value, text: str, label: str) -> float:
        """Return how well a value is of the asked kind: 1 surely, 0 unknown, below 0 not.

        Args:
            value: A value of the text.
            text: The sentence, line or row that has it.
            label: The name of its column or line, empty where it has none.
        """
        if self.is_mail or value.kind == "mail":
            return 1.0 if self.is_mail and value.kind == "mail" else _UNFIT
        if value.kind == "hours":
            is_when = self.answer_type == "date" and self.noun in {"", "time"}
            return 1.0 if is_when and not self.is_time_of_day else _UNFIT
        if value.kind == "cell":
            return self._fit_cell(value, label)
        if self.is_time_of_day:
            return 1.0 if value.kind == "time" else _UNFIT
        if self.is_identifier and "phone" in self.measures and value.measure == "phone":
            return 1.0
        if self.is_identifier:
            return self._fit_identifier(value, text, label)
        if self.measures:
            return self._fit_measure(value, label)
        if self.answer_type == "date":
            return self._fit_date(value)
        if self.answer_type == "number":
            return self._fit_count(value, text, label)
        if value.kind != "name":
            if self.answer_type != "other":
                return _UNFIT
            return 0.9 if everyday_groups(self.noun) & everyday_groups(label) else -0.4
        return self._fit_name(value, text, label)

    def admits(self, answer: str) -> bool:
        """Return whether an answer may be of the asked kind: an amount has a number."""
        if self.is_mail:
            return any(value.kind == "mail" for value in find_values(answer))
        if self.is_time_of_day or self.answer_type == "date":
            return any(value.kind in {"date", "time", "hours"} for value in find_values(answer))
        if self.is_identifier:
            return any(character.isdigit() for character in answer)
        if self.measures or self.answer_type == "number":
            numbers = [value for value in find_values(answer) if value.kind == "number"]
            if "money" in self.measures:  # A price is no bare "five".
                return any(one.measure == "money" or one.digits[1:2].isdigit() for one in numbers)
            return any(one.measure in {None, *self.measures} for one in numbers)
        if self.answer_type == "person" and not may_name_person(answer):
            return _FIRM.search(answer) is not None
        return self.noun in {"day", "month"} or _CALENDAR.fullmatch(answer) is None

    def excludes(self, start: int, end: int, text: str) -> bool:
        """Return whether a part of a text is an amount or date of another kind than asked for."""
        if not self.is_exact:
            return False
        part = part_at(labelled_parts(text), start)
        label = part.label if part else ""
        values = [one for one in find_values(text) if one.start < end and start < one.end]
        return bool(values) and all(self.fit(one, text, label) <= _UNFIT for one in values)

    def excludes_line(self, text: str) -> bool:
        """Return whether a line has nothing of the asked kind: a mail's head names persons."""
        labels = [part.label.lower() for part in labelled_parts(text)]
        is_head = len(labels) == 1 and labels[0] in _MAIL_HEAD
        return is_head and self.answer_type != "person" and not self.is_mail

    def _fit_cell(self, value: Value, label: str) -> float:
        """Return how well the words behind a label fit: its label must be what is asked for."""
        if self.answer_type == "place" and not self.noun:
            return 1.0 if everyday_groups(label) & _PLACE_LABEL else _UNFIT
        is_named = bool(self.noun) and bool(everyday_groups(self.noun) & everyday_groups(label))
        if self.is_exact or not is_named or self.answer_type == "person":
            return _UNFIT
        return 1.0

    def _fit_identifier(self, value: Value, text: str, label: str) -> float:
        has_digit = any(character.isdigit() for character in value.text)
        if not has_digit or value.measure is not None or value.kind in {"date", "time"}:
            return _UNFIT
        if self.noun == "number" and label:
            return 0.9 if _NUMBER_LABEL.search(label) else _UNFIT
        near = (
            label or " ".join(text[max(0, value.start - 40) : value.start].split()[-3:])
        ).lower()
        is_named = any(
            word[:3] == self.noun[:3] for word in re.findall(r"[a-z]{2,}", near)
        ) or bool(everyday_groups(near) & everyday_groups(self.noun))
        if is_named:
            return 1.0
        # A phone list in columns has the names of its columns in its head, if anywhere.
        is_column = not label and value.digits == value.text and _COLUMNS.search(text) is not None
        return 0.6 if is_column and self.noun in {"extension", "number", "phone"} else _UNFIT

    def _fit_measure(self, value: Value, label: str) -> float:
        if value.kind != "number":
            return _UNFIT
        if value.measure in self.measures:
            return 1.0
        if value.measure is not None:
            return _UNFIT
        if label and (measures_of(label) or unit_of(label)) & self.measures:
            return 0.9
        if "money" in self.measures and _PRICE.fullmatch(value.digits):
            return 0.8 if label else 0.5
        if "money" in self.measures and _THOUSANDS.fullmatch(value.digits):
            return 0.5
        return _UNFIT

    def _fit_date(self, value: Value) -> float:
        if value.kind == "time" and not self.noun:  # "When does it open?"
            return 0.7
        if value.kind != "date":
            return _UNFIT
        if self.noun == "year":
            return 1.0 if re.search(r"\d{4}", value.text) else _UNFIT
        return 0.8 if value.text.isdigit() else 1.0

    def _fit_count(self, value: Value, text: str, label: str) -> float:
        if value.kind != "number":
            return _UNFIT
        wanted = everyday_groups(self.noun)
        after = re.match(r"\s*([^\W\d_]+(?:\s[^\W\d_]+)?)", text[value.end :])
        if wanted & (everyday_groups(after[1] if after else "") | everyday_groups(label)):
            return 1.0
        if value.measure is not None:
            is_counted = value.measure != "money" and bool(wanted & everyday_groups(value.text))
            return 0.9 if is_counted else _UNFIT  # "95 pounds a child" counts no children
        return -0.2 if wanted and (after or label) else 0.0

    def _fit_name(self, value: Value, text: str, label: str) -> float:
        if self.noun not in {"day", "month"} and _CALENDAR.fullmatch(value.text):
            return _UNFIT
        if value.text.isupper() and len(value.text.split()) > 1:  # A heading in capitals.
            return _UNFIT
        noun = everyday_groups(self.noun)
        before = text[max(0, value.start - 30) : value.start]
        after = text[value.end : value.end + 30]
        beside = everyday_groups(before) | everyday_groups(after)
        is_firm = _FIRM.search(value.text) is not None
        if self.answer_type == "person":
            if is_firm and not self.noun:  # who repaired it may be a firm
                return 0.6 if _AGENT.search(before) else 0.4
            if (
                is_firm
                or _ROLE.fullmatch(value.text)
                or _THING.search(value.text)
                or not _PERSON.fullmatch(value.text)
            ):
                return -0.4
            return 0.9 if " " in value.text or _TITLE.match(value.text) else 0.3
        if noun & everyday_groups(label):
            return 1.0
        if self.answer_type in {"organization", "place"} and _TITLE.match(value.text):
            return _UNFIT
        if self.answer_type == "organization":
            return 0.9 if is_firm else (0.5 if _BEFORE_FIRM.search(before) else 0.2)
        if self.answer_type == "place":
            if not self.noun and everyday_groups(label) & _PLACE_LABEL:
                return 1.0
            if _BEFORE_PLACE.search(before) and not is_firm:
                return 0.8
            # A person is in no place that a sentence does not put before the name.
            return -0.2 if self.noun or _THING.search(value.text) else _UNFIT
        return 0.6 if noun & (beside | everyday_groups(value.text)) else 0.0


def measures_of(text: str) -> frozenset[Measure]:
    """Return the measures that a question or label may ask for, none where it names none."""
    found = (measures for pattern, measures in _MEASURES if pattern.search(text))
    return next(found, frozenset())


def unit_of(label: str) -> frozenset[Measure]:
    """Return the measure whose unit a label names ("hire GBP", "crossing (min)"), else none."""
    spaced = label.replace("_", " ")
    return frozenset(measure for pattern, measure in _UNITS_IN_LABEL if pattern.search(spaced))


def _asking_part(question: str, focus: Focus) -> str:
    """Return the part of a question that says what is asked for: of "which room costs 20" the room.

    Where no noun stands right behind "which" or "what" that is the whole question.
    """
    is_which = question[focus.start : focus.end].lower() in {"which", "what"}
    if not is_which or not focus.noun or focus.noun in _IDENTIFIERS:
        return question
    rest = question[focus.end :]
    if _HELPER.match(rest):
        return question
    return question[: focus.end] + rest[: rest.lower().find(focus.noun) + len(focus.noun)]


def asked_value(question: str) -> AskedValue:
    """Return what a question asks for."""
    focus = focus_of(question)
    is_named = focus.answer_type in {"person", "place", "organization"}
    measures: frozenset[Measure] = (
        frozenset()
        if is_named or focus.answer_type == "date"
        else measures_of(_asking_part(question, focus))
    )
    if _MAIL.search(question):
        return AskedValue("other", "", frozenset(), is_time_of_day=False, is_mail=True)
    if _PAID.search(question) and (not focus.noun or focus.noun not in _FIRST_NOUNS):
        return AskedValue("number", "", frozenset({"money"}), is_time_of_day=False)
    counted = _COUNTED.search(question)
    noun = counted[1].lower() if counted else focus.noun
    return AskedValue(focus.answer_type, noun, measures, _TIME_OF_DAY.search(question) is not None)


def worded_question(question: str, asked: AskedValue) -> str:
    """Return a question's words for comparing: "how high" is no height where money is asked for."""
    return _HOW_HIGH.sub("", question) if "money" in asked.measures else question
