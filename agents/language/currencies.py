"""Signs, codes and words of currencies, as alternatives of a regular expression."""

from __future__ import annotations

SIGNS = "[$€£¥]"
CODES = "EUR|GBP|USD|CHF"
WORDS = "euros?|pounds?|pence|dollars?|cents?|francs?|crowns?"
