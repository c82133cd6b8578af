"""The clause of a sentence that tells of another event: "empty since Mr Gadd moved to Spain"."""

from __future__ import annotations

import re

from hoptrail.agents.language.sentence_grammar import SentenceGrammar

_OPENS = re.compile(
    r"(?<![\w'’-])(?:since|after|before|when|whenever|while|because|until|once|although|though|unless|if)"
    r"\s(?=\S)",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[,;:!?)](?=\s|$)|(?<=\w{4})\.(?=\s|$)|\s(?:[-–—]|and|but)\s")


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
