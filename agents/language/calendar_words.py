"""Names of months, days and seasons, as alternatives of a regular expression."""

from __future__ import annotations

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
