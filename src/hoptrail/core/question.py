"""Check whether a text is a question that can be asked."""

from __future__ import annotations

import unicodedata

from hoptrail.core.errors import InputError
from hoptrail.core.text import content_words

LONGEST_QUESTION = 4_000
"""Characters; a longer text is a document, not a question."""

_SAME_MARKS = str.maketrans("‘’“”", "''\"\"")
_OUTER_MARKS = " ?!.:;,\"'¿¡。؟؛…"

_OF_ANY_COLLECTION = frozenset(
    """across article articles book books character characters collection common concern concerns
    conflict conflicts connect connected connection corpus cover covered dataset deal deals describe
    described different discuss discussed document documents dominant end entities entity event
    events evolve explain explained figure figures find findings give happen happens idea ideas
    identify important insight insights issue issues key know lesson lessons list main major many
    mention mentioned message messages moral name named novel novels outline overall overarching
    overview paper papers part parts pattern patterns people person persons place places plot point
    points present presented primary principal problem problems prominent question recurring relate
    related relation relations relationship relationships resolve resolved say says significant
    stories story subject subjects summarise summarize summary tale talk talked tell tells text
    texts theme themes thing things throughout top topic topics treat treated trend trends
    whole work works world""".split()
)


def check_question(text: object) -> str:
    """Return the question without outer white space.

    Raises:
        InputError: If it is no text, empty, or longer than `LONGEST_QUESTION` characters.
    """
    if not isinstance(text, str):
        raise InputError(
            f"the question is no text but {type(text).__name__}", hint="ask it in words"
        )
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


def question_key(question: str) -> str:
    """Return what two askings of one question share: all but case, spaces and outer marks."""
    folded = unicodedata.normalize("NFKC", question).casefold().translate(_SAME_MARKS)
    return " ".join(folded.split()).strip(_OUTER_MARKS)


def particular_words(question: str) -> list[str]:
    """Return the content words that tell a question from others about any collection, in order.

    None is left of "What are the main themes of this story?".
    """
    return [word for word in content_words(question) if word not in _OF_ANY_COLLECTION]
