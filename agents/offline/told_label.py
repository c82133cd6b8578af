"""Labels and the texts that they label, whatever sets them side by side."""

from __future__ import annotations

from hoptrail.agents.evidence.evidence_index import Sentence
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.reading.asked_value import AskedValue
from hoptrail.agents.reading.query import Query, name_words
from hoptrail.agents.reading.values import find_values

# Words that say of another word what is looked for: "phone number", "start date".
GENERIC = everyday_groups(
    "number code name id address date day time amount row table list entry person company firm"
)
_UNFIT = -1.0


def groups_above(sentence: Sentence) -> frozenset[str]:
    """Return the word groups of what stands above a row or line: title, heading, file name."""
    file_name = sentence.chunk.doc_id.rpartition("/")[2].replace("_", " ").replace("-", " ")
    return everyday_groups(f"{sentence.chunk.title} {sentence.heading} {file_name}")


def fit_of(asked: AskedValue, text: str, span: tuple[int, int], label: str) -> float:
    """Return how well the best value of a part of a text is of the asked kind, as `AskedValue.fit`.

    Args:
        asked: The kind that is asked for.
        text: The sentence, line or row.
        span: The part.
        label: Its label.
    """
    start, end = span
    values = [one for one in find_values(text) if start <= one.start < end]
    return max((asked.fit(one, text, label) for one in values), default=_UNFIT)


def may_answer(query: Query, text: str, span: tuple[int, int], label: str) -> bool:
    """Return whether a part of a text that is asked for by its label may be of the asked kind.

    Args:
        query: The question.
        text: The sentence, line or row.
        span: The part.
        label: Its label.
    """
    asked, told = query.asked, text[slice(*span)]
    if name_words(told) <= query.words:
        return False
    has_digit = any(map(str.isdigit, told))
    if asked.is_identifier or asked.answer_type == "number" and not asked.measures:
        return has_digit
    if asked.is_exact:
        return fit_of(asked, text, span, label) > _UNFIT
    if asked.answer_type in {"person", "organization"}:
        return told.lstrip(' *_"“').removeprefix("the ")[:1].isupper() and not has_digit
    if asked.answer_type == "place":
        return any(map(str.isalpha, told))
    return asked.admits(told)
