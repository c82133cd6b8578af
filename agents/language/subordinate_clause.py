"""Clauses within a sentence that tell of another event: "empty since Mr Gadd moved to Spain"."""

from __future__ import annotations

import re

from hoptrail.agents.language.sentence_grammar import SentenceGrammar

_OPENS = re.compile(
    r"(?<![\w'’-])(?:since|after|before|when|whenever|while|because|until|once|although|though|unless|if)"
    r"\s(?=\S)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\W{0,3}(?:although|though|even\sthough|while|because|since|when|after|before|as|if|unless|once)\b"
    r"[^,;]{1,120},\s",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[,;:!?)](?=\s|$)|(?<=\w{4})\.(?=\s|$)|\s(?:[-–—]|and|but)\s")


def opening_clause_end(text: str) -> int:
    """Return where the clause ends that opens a sentence: "If you want to leave, ", else 0."""
    opening = _OPENING.match(text)
    return opening.end() if opening else 0


def subordinate_clause(text: str, start: int, end: int) -> str:
    """Return the clause behind "since" or "after" that a part of a sentence stands in, else "".

    "Since 1971" and "after Easter" are none: a clause has a verb.

    Args:
        text: The sentence.
        start: Offset of the part.
        end: Offset behind it.
    """
    openings = [match.end() for match in _OPENS.finditer(text, 0, start + 1)]
    if not openings or _ENDS.search(text, openings[-1], start):
        return ""
    closing = _ENDS.search(text, end)
    clause = text[openings[-1] : closing.start() if closing else len(text)]
    grammar = SentenceGrammar(clause, ((start - openings[-1], end - openings[-1]),))
    has_verb = any(map(grammar.is_verb, range(len(grammar.tokens))))
    return clause if has_verb else ""
