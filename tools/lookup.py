"""Look-ups by name and id, and of an answer that a reader saved for a question."""

from __future__ import annotations

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.render import entity_line
from hoptrail.core.types import Chunk, Entity, JsonDict, SavedAnswer, SavedNote
from hoptrail.core.types.feedback import saved_words
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.saved_answers import SavedAnswers


class EntityArguments(BaseModel):
    """Arguments of `find_entities`."""

    names: list[str] = Field(description="Names or aliases, in any case.")


class PassageArguments(BaseModel):
    """Arguments of `read_chunks`."""

    chunk_ids: list[str] = Field(description="Ids of passages.")


def make_entity_finder(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `find_entities`; its artifact is a dictionary of entities by name."""

    def find(names: list[str]) -> tuple[str, dict[str, list[Entity]]]:
        found = {
            name: kb.store.entities(ids) for name, ids in kb.store.find_entities(names).items()
        }
        lines = [entity_line(entity) for entities in found.values() for entity in entities]
        return "\n".join(lines) or "No entity has such a name.", found

    return StructuredTool.from_function(
        find,
        name="find_entities",
        description="Find entities of the knowledge graph by name.",
        args_schema=EntityArguments,
        response_format="content_and_artifact",
    )


def make_passage_reader(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `read_chunks`; its artifact is a tuple of chunks."""

    def read(chunk_ids: list[str]) -> tuple[str, tuple[Chunk, ...]]:
        chunks = tuple(kb.store.chunks(chunk_ids))
        texts = [f"{chunk.title}\n{chunk.text}" for chunk in chunks]
        return "\n\n".join(texts) or "No passage has such an id.", chunks

    return StructuredTool.from_function(
        read,
        name="read_chunks",
        description="Read passages in full by their ids.",
        args_schema=PassageArguments,
        response_format="content_and_artifact",
    )


class NoArguments(BaseModel):
    """The schema tool takes nothing."""


def make_schema_tool(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `describe_graph`; its artifact has `description` and `entity_types`."""

    def describe() -> tuple[str, JsonDict]:
        types = kb.schema()
        lines = [kb.description, *(f"- {name}: {text}" for name, text in types.items())]
        text = "\n".join(filter(None, lines)) or "The graph is not described."
        return text, {"description": kb.description, "entity_types": types}

    return StructuredTool.from_function(
        describe,
        name="describe_graph",
        description="Tell what the knowledge graph is about and which types of entities it has.",
        args_schema=NoArguments,
        response_format="content_and_artifact",
    )


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
