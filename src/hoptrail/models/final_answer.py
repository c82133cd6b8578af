"""The user-visible part of a reply, found while it streams."""

from __future__ import annotations

from collections.abc import Callable

from hoptrail.core.reply_conventions import (
    FINAL_MARKER,
    FINAL_PATTERN,
    LONGEST_ANSWER,
    is_abstention,
)

# Longer than any common way to say "I don't know".
_HELD_BACK = 48
_STEPS = 128
_OVERLAP = 2 * len(FINAL_MARKER)
_DECORATION = ' \t*_`"“”'

Present = Callable[[str, bool], str]
"""From the text after the marker so far, and whether it is all, to what can be shown of it.

What it returns for a text must begin with what it returned for any beginning of that text.
"""


def first_line(text: str, complete: bool) -> str:
    """Return the first line with text, without Markdown decoration, once it is long enough."""
    line, line_end, _ = text.lstrip(_DECORATION + "\n").partition("\n")
    # What may turn out to be decoration at the end of the line waits for what follows it.
    answer = line.rstrip(_DECORATION + "\r")
    return answer if len(answer) >= _HELD_BACK or complete or line_end else ""


class FinalAnswerSplitter:
    """Cuts the answer after a marker out of a reply that arrives in pieces.

    Nothing is given out until it is clear that the answer is no abstention. A leading `<think>`
    part is skipped.

    Args:
        withhold: Whether the beginning of an answer is an abstention.
        present: What of the text after the marker is the answer.
    """

    def __init__(
        self,
        withhold: Callable[[str], bool] = is_abstention,
        present: Present = first_line,
    ) -> None:
        self._withhold = withhold
        self._present = present
        self._text = ""
        self._answer_begun = False
        self._given = 0
        self._looked_at = 0

    def feed(self, piece: str, *, complete: bool = False) -> str:
        """Take the next piece of the reply; return what may now be shown, often nothing.

        Args:
            piece: What the reply goes on with.
            complete: Whether nothing will follow.
        """
        self._text += piece
        if not self._answer_begun:
            self._find_marker()
        if not self._answer_begun or not self._is_due(complete):
            return ""
        answer = self._present(self._text, complete)
        if self._given == 0 and self._withhold(answer[:LONGEST_ANSWER]):
            return ""
        shown, self._given = self._given, max(self._given, len(answer))
        return answer[shown:]

    def _is_due(self, complete: bool) -> bool:
        """Return whether to look at the answer again: after each piece of a long one takes ages."""
        is_due = complete or len(self._text) - self._looked_at > len(self._text) // _STEPS
        if is_due:
            self._looked_at = len(self._text)
        return is_due

    def _find_marker(self) -> None:
        """Drop what lies before the answer, but for the beginning of what may be a marker."""
        if self._text.lstrip().startswith("<think>"):
            _, end, rest = self._text.partition("</think>")
            if not end:
                return
            self._text = rest
        found = FINAL_PATTERN.search(self._text)
        if found is not None:
            self._text = self._text[found.end() :]
            self._answer_begun = True
        else:
            self._text = self._text[-_OVERLAP:]
