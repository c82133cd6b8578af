"""Patterns of mentions for extraction by rules: names, dates, and numbers with a unit."""

from __future__ import annotations

import re

from hoptrail.core.text import STOP_WORDS

_HIGHEST_CASED = 0x2000  # the scripts that tell upper from lower case lie below
_UPPER = "".join(
    re.escape(char) for char in map(chr, range(_HIGHEST_CASED)) if char.isupper() or char.istitle()
)
_PARTICLES = (
    r"of\sthe|of|de\sla|de\slos|del|della|de|du|des|la|le|di|da|do|dos|von|van\sder|van|der"
)
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan\\.|Feb\\.|Aug\\.|Sept\\.|Oct\\.|Nov\\.|Dec\\."
)
_YEAR = r"(?:1[0-9]|20)[0-9]{2}"
_DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s)?(?:{_MONTHS})\s(?:\d{{1,2}}(?:st|nd|rd|th)?\b,?\s?)?{_YEAR}\b"
    rf"|\d{{1,2}}\s(?:{_MONTHS})\b|(?:{_MONTHS})\s\d{{1,2}}\b|{_YEAR}s?\b(?![,.]\d)|\d{{4}}-\d\d-\d\d\b"
)
_UNITS = (
    "percent|thousand|million|billion|trillion|people|inhabitants|residents|students|members|copies"
    "|episodes|seasons|games|goals|points|years|months|weeks|days|hours|minutes|seconds|dollars|euros"
    "|pounds|feet|foot|inches|miles|metres|meters|kilometres|kilometers|km|acres|hectares|square"
    "|kilograms|kg|tonnes|tons|mph|km/h|kilowatts|megawatts|volts|degrees|employees|soldiers|votes"
)
_NUMBER = (
    r"[$€£]\s?\d[\d,]*(?:\.\d+)?(?:\s(?:thousand|million|billion|trillion)\b)?"
    rf"|\d[\d,]*(?:\.\d+)?(?:\s?%|\s(?:{_UNITS})\b(?:\s(?:{_UNITS})\b)?)"
)
_CAPITALISED = rf"[{_UPPER}]\w*(?:[-&]\w+|['’](?!s\b)\w+)*|[a-z]{{1,2}}[{_UPPER}]\w+"
_INITIALS = rf"(?:[{_UPPER}]\.)+"
_PART = rf"(?:{_INITIALS}|{_CAPITALISED})"
_NAME = rf"{_PART}(?:\s(?:(?:{_PARTICLES}|&)\s)?{_PART}|\s\d{{1,4}}\b(?![,.%]\d))*"

MENTION = re.compile(
    rf"(?<![\w.,])(?:(?P<date>{_DATE})|(?P<number>{_NUMBER})|(?P<name>{_NAME}))(?!\w)"
)
"""One mention; exactly one of the groups `date`, `number` and `name` is set."""

ABBREVIATION = re.compile(rf"\s?\(([{_UPPER}][{_UPPER}&.]{{1,9}})\)")
"""A short form in brackets behind a name."""

NOT_NAMES = STOP_WORDS | frozenset(
    """according additionally afterwards although among another around based beginning besides born
    briefly consequently currently despite due earlier early eventually finally first following
    formerly former furthermore generally hence however including indeed initially instead later
    like likewise many meanwhile moreover mostly nearly nevertheless next nonetheless notable
    notably often once originally overall part previously prior recently second shortly similarly
    since several sometimes soon starting still subsequently thereafter therefore third though
    throughout thus today together traditionally two three four five typically unlike upon usually
    whereas whether within yet""".split()
)
"""Words that begin a sentence with a capital letter without being a name, lower-cased."""

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
    rf"(?:He|She|It|They|His|Her|Its|Their|This|(?:The|This)\s(?:{_TOPIC_NOUNS}))\b(?!['’]s\b)"
)
"""The beginning of a sentence that speaks of the document's topic without naming it."""
