"""Patterns of what a sentence mentions: its topic, names, and values such as dates and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.language.name_shapes import POSSESSED
from hoptrail.agents.language.value_patterns import COMPACT_DATE, IBAN, PHONE, POSTCODE
from hoptrail.core.language.scripts import ARABIC, has_other_words
from hoptrail.core.text import name_key

_HIGHEST_CASED = 0x2000  # the scripts that tell upper from lower case lie below
_UPPER = "".join(
    re.escape(char) for char in map(chr, range(_HIGHEST_CASED)) if char.isupper() or char.istitle()
)
_PARTICLES = (
    r"of the|of|de la|de los|del|della|de|du|des|la|le|di|da|do|dos|von|van der|van|der|bin|ibn|al"
)
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\b\\.?"
)
_MONTHS_ALONE = "January|February|March|April|June|July|August|September|October|November|December"
_DAYS = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
_DAYS_SHORT = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_YEAR = r"(?:1[0-9]|20)[0-9]{2}"
_DATE = (
    rf"(?:(?:{_DAYS}|{_DAYS_SHORT}),? )?(?:"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{_MONTHS}) (?:\d{{1,2}}(?:st|nd|rd|th)?\b,? ?)?{_YEAR}\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})\b"
    rf"|(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?\b"
    rf"|\d{{4}}-\d\d-\d\d\b|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|{COMPACT_DATE}\b)"
    rf"|{_YEAR}s?\b(?![,.]\d)(?!/\d)|{_DAYS}\b|(?:{_MONTHS_ALONE})\b(?! [{_UPPER}][a-z])"
    rf"|{_DAYS_SHORT}\b(?=,? \d)"
    r"|\d{1,2}(?:st|nd|rd|th) century\b"
)
_TIME = (
    r"\d{1,2}(?:[:.]\d\d){1,2}(?: ?[AaPp]\.?[Mm]\b\.?)?(?!\d)(?=[\s,;)]|$)"
    r"(?! ?(?:[$€£%]|(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?|cents?|pence)\b))"
    r"|\d{1,2} ?(?:AM|PM|am|pm|a\.m\.|p\.m\.)(?!\w)"
)
_UNITS = (
    "percent|thousand|million|billion|trillion|people|inhabitants|residents|students|members|copies"
    "|episodes|seasons|games|goals|points|years|months|weeks|days|nights|hours|minutes|seconds|dollars|euros"
    "|pounds|feet|foot|inches|miles|metres|meters|kilometres|kilometers|km|acres|hectares|square"
    "|kilograms|kg|g|grams|litres|liters|ml|cm|mm|tonnes|tons|mph|km/h|kilowatts|megawatts|volts|degrees|employees|soldiers|votes"
)
_DIGITS = r"\d+(?:,\d+)*(?:\.\d+)?"
_MONEY = (
    rf"[$€£] ?{_DIGITS}(?: (?:thousand|million|billion|trillion)\b)?"
    rf"|(?:EUR|USD|GBP|CHF) {_DIGITS}|{_DIGITS} ?(?:EUR|USD|GBP|CHF|€)(?!\w)"
)
PRICED = re.compile(
    r"(?:price|cost|fee|fare|rate|charge|amount|total|€|\$|£|\b(?:EUR|USD|GBP|CHF)\b|preis|prix"
    r"|kosten|betrag|tarif|montant)[^:;\n]{0,30}: {0,2}$",
    re.IGNORECASE,
)
"""The label of an amount, at the end of what stands before it: "Price (small): " before 4.20."""
_NUMBER = rf"{_DIGITS}(?: ?%|[ \n](?:{_UNITS})\b(?: (?:{_UNITS})\b)?)"
_MAIL = r"\w[\w.+-]{0,63}@\w[\w-]{0,62}(?:\.[\w-]{1,63}){1,4}"
_URL = r"(?:https?://|www\.)[^\s<>\"')\]]{2,200}[^\s<>\"')\].,;:!?]"
_LETTER = r"[^\W_]"
_CAPITALISED = (
    rf"[{_UPPER}]{_LETTER}*(?:[-&]{_LETTER}+|(?<!an)(?<!sh)(?<!se)- (?=[{_UPPER}]){_LETTER}+"
    rf"|['’](?!(?:s|m|ve|ll|d|re|t)\b){_LETTER}+)*"
    rf"|[a-z]{{1,2}}[{_UPPER}]{_LETTER}+(?:-{_LETTER}+)*"
)
_INITIALS = rf"(?:[{_UPPER}]\.)+"
_TITLES = r"(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Lt|Col|Gen|Sgt|Rev|Hon)\."
_CODE = rf"{IBAN}|{POSTCODE}"
_PART = rf"(?:(?!{_CODE})(?:{_TITLES}|{_INITIALS}|{_CAPITALISED}))"
_NAME = (
    rf"{_PART}(?: (?:(?:{_PARTICLES}|&) )?{_PART}|['’]s (?:{POSSESSED})\b"
    rf"|, (?:Jr|Sr|Inc|Ltd|LLC)\b\.?){{0,11}}"
    rf"(?: \d{{1,4}}\b(?![,.%/:]\d|[-–]\d|[°%]| (?:{_UNITS}|{_MONTHS}|\d)))?"
)
_EVENTS = (
    "Olympics|Games|Cup|Championships?|Tournament|Festival|Awards?|Election|Elections|Season|Series"
    "|Convention|Conference|Open|League|Grand Prix|Finals?|Playoffs|Marathon|Expo|Fair"
)

MENTION = re.compile(
    rf"(?<![^\W_])(?<![.@])(?<!\W/)(?!(?<=,)\d)(?:(?P<mail>{_MAIL})|(?P<url>{_URL})"
    rf"|(?P<phone>{PHONE})|(?P<code>{_CODE})"
    rf"|(?P<edition>{_YEAR} (?:{_PART} ){{1,5}}(?:{_EVENTS})\b)"
    rf"|(?P<date>{_DATE})|(?P<time>{_TIME})|(?P<money>{_MONEY})|(?P<number>{_NUMBER})"
    rf"|(?P<name>{_NAME}))(?![^\W_]|['’](?:t|m|ve|ll|re|d)\b)"
)
"""One mention; exactly one of the groups is set. `edition` is a name: "1984 Summer Olympics"."""

QUOTED = re.compile(r"\"([^\"]{2,80})\"|“([^“”\"]{2,80})”|«([^«»]{2,80})»")
"""Words in quotation marks: perhaps the title of a work."""

ABBREVIATION = re.compile(rf"\s?\(([{_UPPER}][{_UPPER}&.]{{1,9}})\)")
"""A short form in brackets behind a name."""

REVERSED = re.compile(
    rf"(?:(?<=\")|(?<=\t)|(?<= {{2}})|(?<=\|)|^)(?P<last>[{_UPPER}][\w'’-]{{1,30}}), "
    rf"(?P<first>(?:(?:Dr|Prof|Capt|Mrs?|Ms)\.? )?[{_UPPER}][\w'’-]{{1,30}}"
    rf"(?: [{_UPPER}]\.)?)(?=\"|\t| {{2}}| ?\||$)",
    re.MULTILINE,
)
"""A person in a cell of a table, family name first: "Thale, Paul"."""

HONORIFICS = frozenset("mr mrs ms miss dr prof capt lt col gen sgt rev hon sir st jr sr".split())
"""Words that are no name on their own, lower-cased, without a full stop."""

SIGNS = frozenset("am pm fw fwd re aw cc bcc ok tv vs eh ps nb id no tel ext ie eg asap".split())
"""Short forms that name nothing, lower-cased."""

PLACE_PREFIXES = frozenset(
    """new north northern south southern east eastern west western central upper lower great greater
    downtown inner outer lake mount port fort san santa saint st los las old little""".split()
)
"""First words of names whose last word alone means another thing (South Africa, Africa)."""

_TOPIC_NOUNS = (
    "film|movie|band|group|album|song|single|novel|book|series|show|episode|play|poem|painting"
    "|company|firm|organisation|organization|journal|magazine|newspaper|university|college|school"
    "|museum|church|building|bridge|tower|stadium|airport|station|city|town|village|municipality"
    "|county|district|region|state|province|country|island|river|lake|mountain|team|club|party"
    "|game|ship|award|festival|championship|league|tournament|war|battle|species|genus|programme"
    "|program|station|network|label|author|singer|actor|actress|director|writer"
)
TOPIC_REFERENCE = re.compile(
    rf"(?:(?:The|This)\s(?:{_TOPIC_NOUNS})|He|She|It|They|His|Her|Its|Their|This)\b(?!['’]s\b)"
)
"""The beginning of a sentence that speaks of the document's topic without naming it."""

SPEAKER = re.compile(r"(?:\d\d:\d\d )?(?P<name>[^\s:][^\n:]{0,40}):\s")
"""The beginning of a line of a conversation, who speaks."""

SELF = re.compile(r"[\s\"“]{0,3}(I)\b")
"""A sentence that opens with "I"."""

LABEL = re.compile(
    rf"[\s>*_-]{{0,12}}(?P<label>[{_UPPER}][^\W\d_]{{1,20}}(?: [^\W\d_]{{1,20}}){{0,2}})"
    r"[*_]{0,2}:[*_]{0,2}"
    r"[^\S\n]{1,40}"
)
"""The beginning of a line of a form or a mail's header: "Minutes:   Dilys Roe"."""


_LONGEST = 40  # characters
_TITLE = re.compile(
    rf"《(?P<book>[^《》\n]{{1,{_LONGEST}}})》|『(?P<work>[^『』\n]{{1,{_LONGEST}}})』"
    rf"|«(?P<arabic>[{ARABIC}][{ARABIC} ]{{1,{_LONGEST}}})»"
)
_LAST_WORD = re.compile(r"([^\W\d_]+)\W*$")


def marked_titles(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where titles of works stand between the marks that Chinese, Japanese and Arabic have.

    Other names of these scripts are not told from common words by rules: no guess is made.

    Args:
        text: A passage.
        start: Where its sentence begins.
        end: Where it ends.
    """
    if text.isascii():
        return
    for match in _TITLE.finditer(text, start, end):
        yield match.span(match.lastgroup or 0)


@dataclass(frozen=True, slots=True)
class Topic:
    """The subject of a document; `short` is its name without a qualifier in brackets.

    `kind` is the qualifier's last word where that is a common noun: "film" for "Taken (2008 film)",
    and empty for "Opera House (Sydney)".
    """

    key: str
    name: str
    short: str
    kind: str

    @classmethod
    def of(cls, title: str) -> Topic:
        """Return the topic of a title, with empty fields for an empty one."""
        name = title.strip()
        short, qualifier = _without_qualifier(name)
        word = _LAST_WORD.search(qualifier)
        kind = word.group(1) if word and word.group(1).islower() else ""
        return cls(name_key(name) if name else "", name, short, kind)

    def occurrences(self, text: str, start: int, end: int) -> Iterator[int]:
        """Yield where the short name stands as whole words between two places of a text.

        Where a script has no spaces, or writes its article on to the word, it may stand in more.
        """
        position = start
        is_unspaced = has_other_words(self.short)
        is_name = self.short != self.short.lower() or " " in self.short or is_unspaced
        while self.short and is_name and (found := text.find(self.short, position, end)) >= 0:
            position = found + len(self.short)
            before, after = text[found - 1 : found], text[position : position + 1]
            if is_unspaced or not (before.isalnum() or after.isalnum()):
                yield found


def _without_qualifier(name: str) -> tuple[str, str]:
    """Return "Delft" and "city" for "Delft (city)", and any other name with an empty qualifier."""
    short, bracket, qualifier = name.removesuffix(")").rpartition("(")
    if not (bracket and short.strip() and name.endswith(")")) or not qualifier or ")" in qualifier:
        return name, ""
    return short.rstrip(), qualifier
