"""Questions with their contractions spelled out."""

from __future__ import annotations

import re

_IS = re.compile(r"\b(what|who|where|when|how)['’]s\b", re.IGNORECASE)


def spelled_out(question: str) -> str:
    """Return a question with "what is" for "what's"."""
    return _IS.sub(r"\1 is", question)
