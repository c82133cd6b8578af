"""Things that a sentence sets side by side: "Ann Holt, Bo Reed and Cy Dale"."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
