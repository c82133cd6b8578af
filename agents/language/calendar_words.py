"""Names of months, days and seasons, as alternatives of a regular expression."""

from __future__ import annotations

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
WEEKDAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
