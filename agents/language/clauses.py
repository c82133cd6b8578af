"""Parts of a sentence: asides, things set side by side, and clauses that tell of another event."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.language.sentence_grammar import SentenceGrammar

CALLED_ALSO = (
    r"(?:\w{2,20}ly |also |better |best )?"
    r"(?:known|called|titled|entitled|nicknamed|abbreviated|stylised|stylized|released|referred to)"
    r"(?: in \w{2,20})?(?: by \w{2,20})?(?: as)?"
)
"""Pattern of the words that lead to another name: "also known as"."""
_BRACKETS = re.compile(r",?\s?\([^()]{0,300}\)")
_OTHER_NAME = re.compile(rf",\s{CALLED_ALSO}\s[^,;:.()]{{1,80}},", re.IGNORECASE)


def without_asides(text: str, kept: Sequence[tuple[int, int]]) -> str:
    """Return a text of the same length, its brackets and other names replaced by spaces.

    Args:
        text: A sentence.
        kept: Spans of characters; an aside that has a part of one stays.
    """
    for pattern in (_BRACKETS, _OTHER_NAME):
        for match in pattern.finditer(text):
            start, end = match.span()
            if not any(first < end and start < last for first, last in kept):
                text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


Span = tuple[int, int]

# What stands between two of them, with an aside on the first: " (chair), ".
_JOINT = re.compile(r"(?:\s?\([^()\n]{1,60}\))?(?:,\s{1,9}|(?P<last>,?\s{1,9}(?:and|&)\s{1,9}))")
_ITEM_END = re.compile(r",\s{1,9}(?:and\s{1,9})?|\s{1,9}and\s{1,9}")
_LONGEST_ITEM = 8  # words


def coordinated(text: str, span: Span, members: Sequence[Span]) -> list[Span]:
    """Return a part of a sentence with those that stand beside it in one list, in order.

    The last two are joined by "and". The part alone is returned where it is in no such list.

    Args:
        text: The sentence.
        span: The part.
        members: What may be set beside it, in order, none across another.
    """
    run = [span]
    for member in reversed([one for one in members if one[1] <= span[0]]):
        if not _JOINT.fullmatch(text, member[1], run[0][0]):
            break
        run.insert(0, member)
    for member in (one for one in members if span[1] <= one[0]):
        if not _JOINT.fullmatch(text, run[-1][1], member[0]):
            break
        run.append(member)
    joints = [
        _JOINT.fullmatch(text, one[1], other[0]) for one, other in zip(run, run[1:], strict=False)
    ]
    ends = [place for place, joint in enumerate(joints) if joint and joint["last"]]
    # "Ann Holt and Bo Reed, Cy Dale" goes on with another list.
    return run if ends == [len(joints) - 1] else [span]


def items_of(text: str) -> list[Span]:
    """Return the items of a text that is a list, none where it is not one of two or more.

    Args:
        text: Such as "plasters, two bandages and scissors".
    """
    bounds = [match.span() for match in _ITEM_END.finditer(text)]
    starts = [0, *(end for _, end in bounds)]
    ends = [*(start for start, _ in bounds), len(text)]
    spans = list(zip(starts, ends, strict=True))
    is_list = len(spans) > 1 and all(
        0 < len(text[start:end].split()) <= _LONGEST_ITEM for start, end in spans
    )
    return spans if is_list else []


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
_CLAUSE_ENDS = re.compile(r"[,;:!?)](?=\s|$)|(?<=\w{4})\.(?=\s|$)|\s(?:[-–—]|and|but)\s")


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
    if not openings or _CLAUSE_ENDS.search(text, openings[-1], start):
        return ""
    closing = _CLAUSE_ENDS.search(text, end)
    clause = text[openings[-1] : closing.start() if closing else len(text)]
    grammar = SentenceGrammar(clause, ((start - openings[-1], end - openings[-1]),))
    has_verb = any(map(grammar.is_verb, range(len(grammar.tokens))))
    return clause if has_verb else ""
