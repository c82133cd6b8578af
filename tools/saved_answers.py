"""The look-up of an answer that a reader saved for a question."""

from __future__ import annotations

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.types import SavedAnswer, SavedNote
from hoptrail.core.types.feedback import saved_words
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.saved_answers import SavedAnswers

FIND_SAVED = "find_saved_answer"

Found = tuple[SavedAnswer, SavedNote] | None


class SavedAnswerArguments(BaseModel):
    """Arguments of `find_saved_answer`."""

    question: str = Field(description="The question as it reads alone.")
    reader: str = Field(description="Who asks.")


def make_saved_answer_finder(
    saved: SavedAnswers, seen: KnowledgeBase, *, is_part: bool
) -> BaseTool:
    """Return the tool `find_saved_answer`; its artifact is the answer and its note, or None.

    It is no tool for models: whom it gives a reader's own answers to, its caller vouches for.

    Args:
        saved: The saved answers of the base.
        seen: The documents that may be seen.
        is_part: Whether they are only a part: then an answer that rests on others, or on none,
            does not exist.
    """

    def find(question: str, reader: str) -> tuple[str, Found]:
        one = saved.for_question(question, reader)
        if one is None:
            return "No answer is saved for this question.", None
        note = one.note(seen.current_hashes(one.documents))
        if is_part and (note.deleted or not one.documents):
            return "No answer is saved for this question.", None
        return f"{one.text}\n{saved_words(note)}", (one, note)

    return StructuredTool.from_function(
        find,
        name=FIND_SAVED,
        description="Find the answer that a reader saved for a question.",
        args_schema=SavedAnswerArguments,
        response_format="content_and_artifact",
    )
