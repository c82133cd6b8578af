"""Words of readers on answers, and the answers that they save for a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hoptrail.core.types.answer import Answer, Citation, NearestPassage, SavedNote, Trail
from hoptrail.core.types.record import JsonDict, Record

Verdict = Literal["good", "bad"]

LOCAL_READER = "local"
"""Name of the reader where readers have no names."""


@dataclass(frozen=True, slots=True)
class Feedback(Record):
    """A reader's word on one answer, kept with the answer and what it rested on.

    Attributes:
        id: Its id.
        created: When it was first given, ISO 8601.
        updated: When it was last changed.
        reader: Who gave it.
        answer: The answer with its question and trail.
        thread: The conversation, None where none was kept.
        verdict: Whether the answer is good or bad, None where that was not said.
        correction: The right answer in the reader's words, "" where none was given.
        comment: Whatever else was said.
        documents: Content hash at that time by id of each document behind the answer.
        versions: `hoptrail`, `embedder` and, where one was asked, `model` of the answer.
    """

    id: str
    created: str
    updated: str
    reader: str
    answer: Answer
    thread: str | None = None
    verdict: Verdict | None = None
    correction: str = ""
    comment: str = ""
    documents: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def question(self) -> str:
        """The question as it reads without the conversation before it."""
        return self.answer.standalone_question or self.answer.question

    def to_contract(self) -> JsonDict:
        """Return its JSON; `answer` is the `ask` object."""
        return {**self.to_json(), "question": self.question, "answer": self.answer.to_contract()}


@dataclass(frozen=True, slots=True)
class SavedAnswer(Record):
    """An answer that a reader saved for a question, with the evidence that it was saved with.

    Attributes:
        id: Its id.
        question: The question as it reads alone.
        text: The answer.
        reader: Who saved it.
        created: When, ISO 8601.
        shared: Whether it is given to all readers.
        corrected: Whether the text is other than that of the answer that the evidence is of.
        documents: Content hash by id of each document behind it.
        trail: Steps of the evidence.
        citations: Quotes of the evidence.
        nearest: The passages that state a corrected answer, or those of named documents that come
            nearest to it, or those nearest to the question of an abstention.
        stated: Whether `nearest` state it. Documents and evidence are then theirs, and not those
            of the answer that it corrects.
    """

    id: str
    question: str
    text: str
    reader: str
    created: str
    shared: bool
    corrected: bool
    documents: Mapping[str, str] = field(default_factory=dict)
    trail: Trail = field(default_factory=Trail)
    citations: tuple[Citation, ...] = ()
    nearest: tuple[NearestPassage, ...] = ()
    stated: bool = False

    def note(self, hashes: Mapping[str, str]) -> SavedNote:
        """Return whether it still stands.

        Args:
            hashes: Content hash now by id of each of its documents that is there.
        """
        deleted = tuple(doc_id for doc_id in self.documents if doc_id not in hashes)
        changed = tuple(
            doc_id
            for doc_id, known in self.documents.items()
            if doc_id in hashes and hashes[doc_id] != known
        )
        stands = not (changed or deleted)
        return SavedNote(
            self.id,
            self.reader,
            self.created,
            self.shared,
            self.corrected,
            changed,
            deleted,
            stands,
            self.stated,
        )


def documents_behind(answer: Answer) -> list[str]:
    """Return the ids of the documents that an answer rests on, each once.

    Those of an abstention are the ones that stand nearest to its question.
    """
    quoted = [hop.doc_id for hop in answer.trail.hops]
    quoted += [citation.doc_id for citation in answer.citations]
    if answer.abstained or not any(quoted):
        quoted += [passage.doc_id for passage in answer.nearest]
    return list(dict.fromkeys(doc_id for doc_id in quoted if doc_id is not None))


_STATED = "; the passages below state it"
_NOT_STATED = (
    "; no passage with its words was found, and what stands below is not known to state it"
)


def saved_words(note: SavedNote) -> str:
    """Return in one sentence who saved an answer and when, or why it no longer stands."""
    by = "" if note.by == LOCAL_READER else f" by {note.by}"
    day = note.on[:10]
    if note.stands:
        other = _NOT_STATED if note.corrected else ""
        other = _STATED if note.stated else other
        return f"Saved{by} on {day}{other}."
    reasons = [f"{', '.join(note.changed)} changed"] if note.changed else []
    reasons += [f"{', '.join(note.deleted)} was deleted"] if note.deleted else []
    return f"The answer saved{by} on {day} no longer stands: {', and '.join(reasons)}."
