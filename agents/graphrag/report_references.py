"""References to community reports inside an answer's text, such as `[reports: 7, 14]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from hoptrail.core.types import Community, ReportReference

# Also what Microsoft GraphRAG's prompts ask for, and what models make of either.
_REFERENCE = re.compile(
    r"""(?<![ \t])[ \t]*+(?:
        \[\s*+(?:data\s*+:\s*+)?reports?\b[^\[\]\n]{0,200}\]
        | \(\s*+(?:data\s*+:\s*+)?reports?\b\s*+[:#]?\s*+\(?\d[\d\s,;&+]*+(?:more)?\s*+\)?\s*+\)
        | (?P<bare>\[\s*+\#?\d{1,6}(?:\s*+[,;]\s*+\#?\d{1,6})*+\s*+\])
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_OPEN = re.compile(
    r"(?<![ \t\n])[ \t\n]*+(?:[\[(][^\[\]()\n]{0,220}(?:\([^()\n]{0,200}\)?[^\[\]()\n]{0,20})?)?\Z"
)
_NUMBER = re.compile(r"\d{1,6}")
_LEAD = re.compile(r"\A(?:[*_`]+(?=\s))?\s*")
_SHORTEST_SHOWN = 48  # characters: longer than any common way to say "I don't know"


def cited_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of the reports that a text refers to, in order, each once."""
    found = (number for match in _REFERENCE.finditer(text) for number in _numbers(match))
    return tuple(dict.fromkeys(found))


def references_in(text: str, reports: Mapping[int, Community]) -> tuple[ReportReference, ...]:
    """Return the reports that a text refers to, in order; unknown numbers are left out."""
    return tuple(
        ReportReference(number, reports[number].id, reports[number].level, reports[number].title)
        for number in cited_numbers(text)
        if number in reports
    )


def with_known_references(text: str, known: Collection[int]) -> str:
    """Return the text with references in their one form, those that do not exist removed.

    A bare number in brackets counts as a reference only where such a report exists.
    """

    def rewrite(match: re.Match[str]) -> str:
        numbers = [number for number in dict.fromkeys(_numbers(match)) if number in known]
        if not numbers:
            return match.group() if match["bare"] else ""
        before = text[: match.start()]
        space = " " if before and before[-1] not in "\n([" else ""
        return space + reference_to(numbers)

    return _REFERENCE.sub(rewrite, text)


def without_references(text: str) -> str:
    """Return the text without any reference to a report."""
    return _REFERENCE.sub(lambda match: match.group() if match["bare"] else "", text)


def reference_to(numbers: Sequence[int]) -> str:
    """Return the reference to these reports."""
    return f"[reports: {', '.join(map(str, numbers))}]"


def presenter(known: Collection[int]) -> Callable[[str, bool], str]:
    """Return what tells how much of a growing answer can be shown, as it will read in the end.

    White space and an open bracket at the end wait for what follows them, and so does a beginning
    that may turn out to be no answer.

    Args:
        known: Numbers of the reports that exist.
    """

    def present(text: str, complete: bool) -> str:
        begun = _LEAD.sub("", text)
        settled = begun if complete else _OPEN.sub("", begun)
        shown = with_known_references(settled, known).rstrip()
        return shown if complete or len(shown) >= _SHORTEST_SHOWN else ""

    return present


def _numbers(match: re.Match[str]) -> list[int]:
    return [int(number) for number in _NUMBER.findall(match.group())]
