"""What counts as a question that can be asked."""

from __future__ import annotations

from hoptrail.core.errors import InputError

LONGEST_QUESTION = 4_000
"""Characters; a longer text is a document, not a question."""


def check_question(text: str) -> str:
    """Return the question without outer white space.

    Raises:
        InputError: If it is empty or longer than `LONGEST_QUESTION` characters.
    """
    question = text.strip()
    if not any(character.isalnum() for character in question):
        raise InputError("the question is empty", hint="ask it in words")
    if len(question) > LONGEST_QUESTION:
        raise InputError(
            f"the question has {len(question):,} characters, at most {LONGEST_QUESTION:,} can be"
            " asked",
            hint="index long text as a document and ask about it",
        )
    return question
