"""Patterns of values as everyday texts write them: days, money, units, times, phones, codes."""

from __future__ import annotations

from typing import Literal

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
WEEKDAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
RECURRING_DAY = (
    r"(?:(?:[Ee]very|[Ee]ach)\s(?:(?:second|other|third|first|last)\s)?"
    rf"(?:{WEEKDAYS})|(?:first|second|third|fourth|last)\s(?:{WEEKDAYS})\s(?:of|in)\s(?:the|each|every)\smonth"
    rf"|(?:{WEEKDAYS})s(?:(?:\s(?:to|and|or)\s|[–-])(?:{WEEKDAYS})s)?"
    rf"|(?:{WEEKDAYS})(?:\sto\s|[–-])(?:{WEEKDAYS}))(?!\w)"
)
"""A day that comes again: "Thursdays", "every second Tuesday", "Monday to Friday"."""
DAY_OF_WEEK = rf"(?:{RECURRING_DAY}|(?:{WEEKDAYS})(?!\w))"
"""Such a day, or a weekday alone."""


CURRENCY_SIGNS = "[$€£¥]"
CURRENCY_CODES = "EUR|GBP|USD|CHF"
CURRENCY_WORDS = "euros?|pounds?|pence|dollars?|cents?|francs?|crowns?"


Measure = Literal[
    "money",
    "duration",
    "temperature",
    "mass",
    "share",
    "length",
    "area",
    "volume",
    "phone",
    "iban",
    "postcode",
]

UNITS: dict[Measure, str] = {
    "money": rf"(?:{CURRENCY_WORDS}|{CURRENCY_CODES}|ct|p(?!\.m))",
    "duration": r"(?:calendar\s|working\s)?(?:seconds?|sec|minutes?|min|hours?|hrs?|h|days?|nights?"
    r"|weeks?|months?|years?)",
    "temperature": r"(?:°\s?[CF]|degrees?(?:\s(?:Celsius|Fahrenheit))?)",
    "mass": r"(?:kg|mg|g|grams?|kilos?|kilograms?|tonnes?|tons?|lbs?|pounds\sof)",
    "share": r"(?:%|per\scent|percent)",
    "area": r"(?:(?:m|km|cm)[²2]|(?:square|sq\.?)\s(?:(?:kilo|centi)?met(?:re|er)s?|m|km|feet|ft"
    r"|miles?|yards?)|hectares?|ha|acres?)",
    "length": r"(?:mm|cm|km|m|(?:kilo|centi)?met(?:re|er)s?|miles?|feet|ft)",
    "volume": r"(?:ml|cl|hl|l|lit(?:re|er)s?)",
}
"""The words and signs behind a number, by their measure."""

UNIT = "|".join(rf"(?P<{measure}>{unit})(?!\w)" for measure, unit in UNITS.items())
"""One of `UNITS`, as the group of its measure."""

_COUNTED = (
    r"(?:seconds?|minutes?|min|hours?|h|days?|nights?|weekend|weeks?|months?|quarter|years?|annum|season"
    r"|term|semester|person|head|adult|child|member|guest|player|pupil|student|family|household|room"
    r"|table|court|boat|car|vehicle|bed|team|group|unit|piece|item|pair|copy|ticket|bottle|box|bag"
    r"|crate|kilos?|kilograms?|kg|g|tonne|lit(?:re|er)s?|l|ml|met(?:re|er)s?|square\smet(?:re|er)|m²|m2|m"
    r"|km|miles?|session|lesson|visit|trip|journey|game|match|page|word|call|order|delivery|use)"
)
RATE = (
    rf"(?:(?:\s?/\s?|\s(?:an?|each|every)\s){_COUNTED}"
    r"|\sper\s(?!cents?\b)(?:(?:calendar|working|square|cubic)\s)?[a-zA-Z²]{1,15})"
    rf"(?!\w)(?:(?:\sand\s|\sper\s|,?\sa\s|\s?/\s?){_COUNTED}(?!\w))?"
    r"|\s(?:each|apiece|hourly|daily|weekly|monthly|quarterly|yearly|annually|pcm)(?!\w)"
)
"""The thing that an amount is paid for, from the space on: " per person and night"."""

DECIMAL_COMMA = r"(?:\d{1,3}(?:\.\d{3}){1,5}|\d{1,15}),\d{1,2}(?![\d,])"
"""A number with a decimal comma: "18,00", "1.234,50"; no list "1,2,3"."""

_CLOCK_DIGITS = r"\d{1,2}(?:[.:]\d{2})?"
_OF_DAY = r"(?:am|pm|a\.m\.|p\.m\.|o['’]clock)"
_CLOCK = rf"(?:{_CLOCK_DIGITS}\s?{_OF_DAY}|\d{{1,2}}:\d{{2}}|noon|midnight)(?!\w)"
CLOCK = rf"(?:(?:{_CLOCK}|{_CLOCK_DIGITS})\s?(?:to|until|till|and|–|-)\s?)?{_CLOCK}"
"""A time of day, or from when to when: "9 am to 5 pm"."""

HOURS = (
    rf"(?:from\s)?{_CLOCK_DIGITS}\s?{_OF_DAY}?\s?(?:to|until|till|and|–|-)\s?{_CLOCK_DIGITS}"
    rf"(?:\s?{_OF_DAY})?"
)
"""From one hour to another: "9 to 12", "14:00 - 18:00"; without a day it may be other numbers."""

DAY_HOURS = (
    rf"(?P<days>{DAY_OF_WEEK}),?:?\s{{1,20}}(?P<hours>{HOURS}(?:\s{{3,20}}{HOURS})?)(?![\w:])"
)
"""A day with its hours: "Tuesdays 9 to 12", of a line in columns both pairs."""

COMPACT_DATE = r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
"""A date without signs between: 20260425."""

IBAN = r"(?-i:[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,3})?)(?!\w)"
"""The number of a bank account."""

POSTCODE = r"(?-i:[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2})(?!\w)"
"""A British postcode; those of other countries are mere numbers."""

MAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"
"""An address for mail."""

_YEAR = r"(?:1[0-9]|20)\d{2}"
PHONE = (
    rf"(?:(?!{_YEAR}(?:[ -]{_YEAR}){{0,5}}(?!\d|[ -]\d)|{_YEAR}-\d\d-\d\d(?!\d)"
    rf"|\d\d-\d\d-{_YEAR}(?!\d))"
    r"(?=(?:[^\w\n]?\d){7})(?:\+\d{1,3}[ -]?)?(?:\(0?\d{1,5}\)[ -]?)?\d{2,6}(?:[ -]\d{2,6}){1,4}"
    r"|\+\d{8,15}|0\d{8,12})(?!\w|[.,]\d)"
)
"""A telephone number: groups of digits, seven or more in all, that are no years and no date."""
