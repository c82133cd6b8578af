"""Words of readers on answers, and the answers that they save for a question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from heapq import nlargest
from uuid import uuid4

from hoptrail import __version__
from hoptrail.api.open_base import OpenBase
from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.core.filter_text import FilterForm
from hoptrail.core.text import contains_answer, normalize_answer
from hoptrail.core.types import (
    Answer,
    Chunk,
    Evidence,
    Feedback,
    Hit,
    NearestPassage,
    SavedAnswer,
    SavedNote,
    Verdict,
)
from hoptrail.core.types.feedback import LOCAL_READER, documents_behind
from hoptrail.stores.feedback import FeedbackEntries, FeedbackFile
from hoptrail.stores.saved_answers import SavedAnswers

LONGEST_WORDS = 10_000
"""Characters of a correction, a comment, or the text of a saved answer."""
_PASSAGES_SEARCHED = 30
"""Passages that are compared with a corrected answer."""
_VERDICTS = ("good", "bad")


class ReaderFeedback(OpenBase):
    """The methods of `Hoptrail` by which readers judge answers and save their own."""

    def feedback(
        self,
        answer: Answer,
        verdict: Verdict | None = None,
        *,
        correction: str = "",
        comment: str = "",
        thread_id: str | None = None,
        reader: str = LOCAL_READER,
    ) -> Feedback:
        """Keep what a reader says of an answer; it replaces what that reader said of it before.

        Args:
            answer: As `ask` gave it.
            verdict: "good" or "bad"; with a correction alone it is "bad".
            correction: The right answer.
            comment: Whatever else is to be known.
            thread_id: The conversation that it was given in.
            reader: Who says so.

        Raises:
            InputError: If nothing is said, or too much.
            KnowledgeBaseError: If it cannot be written beside the knowledge base.
        """
        said = _words(correction, "correction"), _words(comment, "comment")
        if verdict is not None and verdict not in _VERDICTS:
            raise InputError(f"{verdict!r} is no verdict", hint='it is "good" or "bad"')
        if not (verdict or any(said)):
            raise InputError(
                "nothing is said of the answer", hint="give a verdict, a correction or a comment"
            )
        if said[0] and verdict is None:
            verdict = "bad"
        now = _now()
        entry = Feedback(
            uuid4().hex,
            now,
            now,
            reader,
            answer,
            thread_id,
            verdict,
            *said,
            documents=self._handle.plain().current_hashes(documents_behind(answer)),
            versions=self._versions(answer),
        )
        return self._entries.put(entry)

    def feedback_entries(
        self, verdict: Verdict | None = None, *, limit: int | None = None, offset: int = 0
    ) -> list[Feedback]:
        """Return what readers said of answers, the latest first.

        Args:
            verdict: Only those with this one.
            limit: How many at most, None for all.
            offset: How many to pass over.
        """
        self._handle.require_open()
        return self._entries.latest(verdict=verdict, limit=limit, offset=offset)

    def feedback_counts(self) -> dict[str, int]:
        """Return how many entries there are by verdict, "none" for those without one."""
        self._handle.require_open()
        return self._entries.counts()

    def feedback_of_thread(self, thread_id: str, reader: str = LOCAL_READER) -> list[Feedback]:
        """Return what a reader said of the answers of a conversation."""
        self._handle.require_open()
        return self._entries.of_thread(thread_id, reader)

    def delete_feedback(self, entry_id: str, *, reader: str | None = None) -> None:
        """Delete an entry.

        Args:
            entry_id: Its id.
            reader: Only where it is this reader's; None for anybody's.

        Raises:
            UnknownNameError: If there is none of that id.
        """
        self._handle.require_open()
        if not _is_of(self._entries.find(entry_id), reader):
            raise UnknownNameError("feedback", entry_id, (), listing="hoptrail feedback list")
        self._entries.remove(entry_id)

    def save_answer(
        self,
        answer: Answer,
        text: str | None = None,
        *,
        documents: Sequence[str] | None = None,
        reader: str = LOCAL_READER,
        shared: bool = True,
        filter: FilterForm | None = None,
    ) -> SavedAnswer:
        """Give an answer to its question from now on, until a document behind it changes.

        The question is matched by its words as it reads alone, whatever its case and outer marks.
        A corrected answer rests on the documents whose passages have its words; where none has, on
        those behind the answer that it corrects, and `stated` is then False. On documents that are
        named it rests in any case, and `stated` tells whether a passage of theirs has its words.

        Args:
            answer: As `ask` gave it; its evidence is kept, and shown below the text.
            text: The corrected answer; the answer's own by default.
            documents: Ids of the documents that state it, where you know them.
            reader: Who saves it.
            shared: Whether it is given to all readers, and not to this one alone.
            filter: Documents that the reader may see; by default as given to `open`.

        Raises:
            InputError: If there is no text, or too much, or a document behind the answer is not
                there.
            KnowledgeBaseError: If it cannot be written beside the knowledge base.
        """
        given = "" if answer.abstained else answer.text
        words = _words(given if text is None else text, "answer")
        if not words:
            raise InputError("there is no answer to save", hint="give the text that is right")
        question = answer.standalone_question or answer.question
        is_new = words != answer.text
        below: tuple[NearestPassage, ...] = ()
        stated = False
        if documents:
            below, stated = self._passages_of(documents, question, words, filter)
        elif is_new:
            below = self._stating(question, words, filter)
            stated = bool(below)
        behind = documents or list(dict.fromkeys(one.doc_id for one in below))
        behind = behind or documents_behind(answer)
        hashes = self._seen(filter).current_hashes(behind)
        if gone := [one for one in behind if one not in hashes]:
            raise InputError(
                f"a document behind the answer is not there: {gone[0]}", hint="ask again"
            )
        saved = SavedAnswer(
            uuid4().hex,
            question,
            words,
            reader,
            _now(),
            shared,
            is_new or (answer.saved is not None and answer.saved.corrected),
            hashes,
        )
        if below:
            saved = replace(saved, nearest=below, stated=stated)
        else:
            saved = replace(
                saved,
                trail=answer.trail,
                citations=answer.citations,
                nearest=answer.nearest if answer.abstained or not answer.citations else (),
                stated=not is_new and answer.saved is not None and answer.saved.stated,
            )
        self._saved.put(saved)
        return saved

    def _stating(
        self, question: str, words: str, filter: FilterForm | None
    ) -> tuple[NearestPassage, ...]:
        """Return the passages that have these words, among those that a search finds."""
        from hoptrail.agents.answering.nearest_passages import stating_passages
        from hoptrail.retrievers.registry import make_retriever

        retriever = make_retriever("bm25", self._seen(filter), k=_PASSAGES_SEARCHED)
        return stating_passages(question, words, retriever.retrieve(f"{question} {words}"))

    def _passages_of(
        self, documents: Sequence[str], question: str, words: str, filter: FilterForm | None
    ) -> tuple[tuple[NearestPassage, ...], bool]:
        """Return the passages of documents that have these words, and that there are such.

        Where there are none, they are those that come nearest to the question and the words.
        """
        from hoptrail.agents.answering.nearest_passages import nearest_passages, stating_passages

        passages = list(self._seen(filter).iter_chunks(documents))
        having = [one for one in passages if contains_answer(one.text, words)]
        if stating := stating_passages(question, words, _evidence(having)):
            return stating, True
        wanted = f"{question} {words}"
        asked = set(normalize_answer(wanted).split())
        # All of a book would take minutes: those that share most words are compared exactly.
        likely = nlargest(
            _PASSAGES_SEARCHED,
            passages,
            key=lambda one: len(asked.intersection(normalize_answer(one.text).split())),
        )
        return nearest_passages(wanted, _evidence(likely)), False

    def saved_answers(
        self,
        *,
        reader: str | None = None,
        limit: int | None = None,
        offset: int = 0,
        filter: FilterForm | None = None,
    ) -> list[tuple[SavedAnswer, SavedNote]]:
        """Return saved answers, the latest first, each with the note whether it still stands.

        Args:
            reader: Only this one's.
            limit: How many at most, None for all.
            offset: How many to pass over.
            filter: Only those all of whose documents it allows; by default as given to `open`.
        """
        self._handle.require_open()
        seen = self._seen(filter)
        is_part = self._filter(filter) is not None
        listed = self._saved.latest(reader=reader, limit=limit, offset=offset)
        noted = [(one, one.note(seen.current_hashes(one.documents))) for one in listed]
        return [
            (one, note)
            for one, note in noted
            if not is_part or (one.documents and not note.deleted)
        ]

    def saved_answer(
        self, question: str, *, reader: str = LOCAL_READER, filter: FilterForm | None = None
    ) -> tuple[SavedAnswer, SavedNote] | None:
        """Return the answer that is saved for a question, and whether it still stands.

        Args:
            question: As it reads alone.
            reader: Whose own answer comes first; else it is the latest that is for all.
            filter: None is there unless it allows all of its documents; by default as given to
                `open`.
        """
        self._handle.require_open()
        found = self._saved.for_question(question, reader)
        if found is None:
            return None
        note = found.note(self._seen(filter).current_hashes(found.documents))
        is_part = self._filter(filter) is not None
        return None if is_part and (note.deleted or not found.documents) else (found, note)

    def delete_saved_answer(self, saved_id: str, *, reader: str | None = None) -> None:
        """Delete a saved answer: its question is answered from the documents again.

        Args:
            saved_id: Its id.
            reader: Only where it is this reader's; None for anybody's.

        Raises:
            UnknownNameError: If there is none of that id.
        """
        self._handle.require_open()
        if not _is_of(self._saved.find(saved_id), reader):
            raise UnknownNameError("saved answer", saved_id, (), listing="hoptrail feedback saved")
        self._saved.remove(saved_id)

    def _forget_feedback(self, doc_ids: Sequence[str]) -> None:
        """Write "deleted" wherever feedback and saved answers quote these documents."""
        from hoptrail.api.deleted_quotes import without_deleted

        gone = frozenset(doc_ids)

        def clean(answer: Answer) -> Answer:
            return without_deleted(answer, lambda ids: set(gone.intersection(ids)))

        self._entries.rewrite_answers(gone, clean)
        self._saved.rewrite_evidence(gone, clean)

    @cached_property
    def _entries(self) -> FeedbackEntries:
        return FeedbackEntries(FeedbackFile(self._handle.path))

    @cached_property
    def _saved(self) -> SavedAnswers:
        return SavedAnswers(FeedbackFile(self._handle.path))

    def _versions(self, answer: Answer) -> dict[str, str]:
        versions = {"hoptrail": __version__, "embedder": self._handle.embedder_name}
        model = self._defaults.model or self._settings.model
        if answer.usage.llm_calls and model is not None:
            versions["model"] = model
        return versions


def _is_of(found: Feedback | SavedAnswer | None, reader: str | None) -> bool:
    """Return whether something is there, and a reader's; None stands for any reader."""
    return found is not None and reader in (None, found.reader)


def _words(text: str, name: str) -> str:
    """Return a reader's words without outer white space.

    Raises:
        InputError: If they are no text, or too long.
    """
    if not isinstance(text, str):
        raise InputError(
            f"the {name} is no text but {type(text).__name__}", hint="give it in words"
        )
    words = text.strip()
    if len(words) > LONGEST_WORDS:
        raise InputError(
            f"the {name} has {len(words):,} characters, at most {LONGEST_WORDS:,} can be kept",
            hint="make it shorter, or index long text as a document",
        )
    return words


def _evidence(passages: Iterable[Chunk]) -> Evidence:
    return Evidence(chunks=tuple(map(Hit, passages)))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
