"""Questions with gold answers out of what readers said of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hoptrail.core.document_filter import DocumentFilter
from hoptrail.core.errors import InputError
from hoptrail.core.question import question_key
from hoptrail.core.types import Feedback, JsonDict
from hoptrail.core.types.feedback import documents_behind
from hoptrail.eval.json_files import json_line
from hoptrail.stores.knowledge_base import KnowledgeBase

UNANSWERABLE = "Insufficient information"
"""The gold answer where an abstention was called good."""


@dataclass(frozen=True, slots=True)
class FeedbackQuestions:
    """Questions as JSONL, and in a line each what was left out of them."""

    text: str
    left_out: tuple[str, ...]


def feedback_questions(
    entries: Sequence[Feedback], kb: KnowledgeBase, wanted: DocumentFilter | None
) -> FeedbackQuestions:
    """Return the judged questions with their gold answers.

    Gold is the correction, else the answer that was called good; of several readers' words on one
    question the latest holds. The documents behind a good answer are its gold documents, where
    they are as they were.

    Args:
        entries: The latest first.
        kb: The knowledge base that they are about.
        wanted: The filter of the run: what was asked under another one is left out.

    Raises:
        InputError: If no question is left.
    """
    form = None if wanted is None else wanted.to_json()
    asked = [one for one in entries if one.answer.filter == form]
    judged = [one for one in asked if _gold(one)]
    latest: dict[str, Feedback] = {}
    for one in judged:
        latest.setdefault(question_key(one.question), one)
    counts = {
        "asked under another filter": len(entries) - len(asked),
        "without a right answer: bad and no correction, or a comment alone": len(asked)
        - len(judged),
        "on a question that was judged again later": len(judged) - len(latest),
    }
    left_out = tuple(f"left out: {number} {why}" for why, number in counts.items() if number)
    if not latest:
        raise InputError(
            "; ".join(("no feedback tells a right answer", *left_out)),
            hint="/good and /bad TEXT in chat, or the page, keep some",
        )
    hashes = kb.content_hashes()
    lines = (json_line(_row(one, hashes)) for one in latest.values())
    return FeedbackQuestions("".join(lines), left_out)


def _gold(entry: Feedback) -> str:
    if entry.correction:
        return entry.correction
    if entry.verdict != "good":
        return ""
    return UNANSWERABLE if entry.answer.abstained else entry.answer.text


def _row(entry: Feedback, hashes: Mapping[str, str]) -> JsonDict:
    row: JsonDict = {
        "id": f"feedback-{entry.id}",
        "question": entry.question,
        "answer": _gold(entry),
    }
    is_answer = entry.verdict == "good" and not (entry.correction or entry.answer.abstained)
    behind = documents_behind(entry.answer) if is_answer else []
    if behind and {doc_id: hashes.get(doc_id) for doc_id in behind} == entry.documents:
        row["supporting_ids"] = behind
    return row
