"""Corpus catalogue or description -> personas -> tasks -> global questions.

After Edge et al., "From Local to Global", 2024, question generation. Replies of the model are kept
in a file, so that no prompt is paid for twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from hoptrail.core.budget import Meter
from hoptrail.core.errors import CostLimitError, InputError, ModelReplyError, ModelUnavailableError
from hoptrail.core.text import content_words, dollars, normalize_answer
from hoptrail.core.types import NodeUsage, Record
from hoptrail.eval.json_files import JsonlLog
from hoptrail.eval.questions.question import GLOBAL
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.evaluation import (
    CorpusDescription,
    GlobalQuestions,
    Persona,
    Personas,
    Tasks,
)
from hoptrail.prompts.loader import SHIPPED, Prompts
from hoptrail.stores.knowledge_base import KnowledgeBase

_MAX_TITLES = 100
_MAX_TITLE_CHARACTERS = 120
_MAX_ENTITIES = 5000
_MAX_TYPES = 25

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_MAX_DESCRIPTION_TOKENS = 500
_TOKENS_PER_ITEM = 120

_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\(?\d{1,3}[.):])\s+")
_FEWEST_CONTENT_WORDS = 2
_MOST_CHARACTERS = 400
_SAME_WORDS = 0.9


class PaidReplies:
    """Asks a model, or its earlier reply to the same prompt.

    Attributes:
        usage: What all replies of this run cost, those of earlier, stopped runs included.

    Args:
        model: Writes the replies.
        path: JSON Lines file of the replies.
        max_usd: Dollars after which no further call is made.

    Raises:
        InputError: If the file holds a line that is no JSON object.
    """

    def __init__(self, model: RoleModel, path: Path, *, max_usd: float | None = None) -> None:
        self._model = model
        self._log = JsonlLog(path)
        self._known = {row["prompt"]: row for row in self._log.read()}
        self._log.replace(self._known.values())
        self._max_usd = max_usd
        self._unavailable: ModelUnavailableError | None = None
        self.usage = NodeUsage()

    async def structured(
        self, messages: Sequence[BaseMessage], form: type[M], *, max_tokens: int
    ) -> M:
        """Return the reply to a prompt.

        Raises:
            ModelReplyError: If the model gave no readable reply.
            ModelUnavailableError: If the model cannot be reached; no later call is tried then.
            CostLimitError: At `max_usd`; the replies so far are stored.
        """
        key = self._key(messages)
        known = self._known.get(key)
        if known is not None:
            self.usage += NodeUsage.from_json(known["usage"])
            return form.model_validate(known["reply"])
        self._require_go_on()
        meter = Meter("judge_eval")
        try:
            reply = await self._model.structured(messages, form, meter=meter, max_tokens=max_tokens)
        except ModelUnavailableError as error:
            self._unavailable = error
            raise
        finally:
            self.usage += meter.usage
        row = {"prompt": key, "reply": reply.model_dump(), "usage": meter.usage.to_json()}
        self._known[key] = row
        self._log.append(row)
        return reply

    def _key(self, messages: Sequence[BaseMessage]) -> str:
        told = "\0".join((self._model.name, *(message.text for message in messages)))
        return hashlib.sha256(told.encode()).hexdigest()[:24]

    def _require_go_on(self) -> None:
        if self._unavailable is not None:
            raise self._unavailable
        if self._max_usd is not None and self.usage.usd >= self._max_usd:
            raise CostLimitError(
                f"stopped at {dollars(self.usage.usd)} of {dollars(self._max_usd)}",
                hint="the replies so far are stored; run again with a higher limit to go on",
            )


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Metadata of a corpus: titles of documents, and entity types with their numbers.

    Both come from even samples of what is there; types are the most frequent ones.
    """

    titles: tuple[str, ...]
    entity_types: tuple[tuple[str, int], ...]


def read_catalogue(kb: KnowledgeBase) -> Catalogue:
    """Return the catalogue of a knowledge base.

    Raises:
        InputError: If no document has a title.
    """
    titles = sorted({" ".join(row.title.split()) for row in kb.ledger()} - {""})
    if not titles:
        raise InputError(
            "the knowledge base holds no titles to describe it by", hint="give --description FILE"
        )
    ids = [str(entity_id) for entity_id in kb.index.entity_ids]
    entities = kb.store.entities(_evenly(ids, _MAX_ENTITIES))
    types = Counter(entity.type for entity in entities if entity.type)
    by_number = sorted(types.items(), key=lambda item: (-item[1], item[0]))
    return Catalogue(
        tuple(title[:_MAX_TITLE_CHARACTERS] for title in _evenly(titles, _MAX_TITLES)),
        tuple(by_number[:_MAX_TYPES]),
    )


def _evenly(items: list[T], wanted: int) -> list[T]:
    """Return that many items in even distances, all of them where there are no more."""
    if len(items) <= wanted:
        return items
    return [items[place * len(items) // wanted] for place in range(wanted)]


@dataclass(frozen=True, slots=True)
class GenerationPlan:
    """How many personas, tasks for each of them, and questions for each task."""

    personas: int = 5
    tasks: int = 5
    questions: int = 5

    @property
    def wanted(self) -> int:
        """Questions in all, before repeated ones are left out."""
        return self.personas * self.tasks * self.questions


@dataclass(frozen=True, slots=True)
class WrittenQuestions:
    """The questions, and the steps for which the model gave no readable reply."""

    questions: tuple[GlobalQuestion, ...]
    failed: tuple[str, ...]


class QuestionWriter:
    """Writes questions that need a whole corpus, without ever seeing its text.

    Args:
        replies: The model of role `judge_eval` with its earlier replies.
        concurrency: Calls in flight at once.
        prompts: Shipped prompts and their overrides.
    """

    def __init__(
        self, replies: PaidReplies, *, concurrency: int = 4, prompts: Prompts = SHIPPED
    ) -> None:
        self._replies = replies
        self._free = asyncio.Semaphore(concurrency)
        self._prompts = prompts
        self._failed: list[str] = []

    async def describe(self, catalogue: Catalogue) -> str:
        """Return a description of a corpus by its catalogue.

        Raises:
            ModelError: If the model gives none.
            CostLimitError: At the limit of the replies.
        """
        prompt = self._prompts.load("describe_corpus")
        messages = prompt.render(
            titles="\n".join(catalogue.titles),
            entity_types="\n".join(f"{name}: {n}" for name, n in catalogue.entity_types),
        )
        reply = await self._replies.structured(
            messages, CorpusDescription, max_tokens=_MAX_DESCRIPTION_TOKENS
        )
        return " ".join(reply.description.split())

    async def write(self, description: str, plan: GenerationPlan) -> WrittenQuestions:
        """Return the questions by persona, task and place; what repeats another one is left out.

        A persona or task for which the model gives no readable reply is left out and named.

        Raises:
            ModelReplyError: If the personas cannot be read.
            ModelUnavailableError: If the model cannot be reached.
            CostLimitError: At the limit of the replies.
        """
        personas = await self._personas(description, plan.personas)
        tasks = await _all(self._tasks(description, person, plan.tasks) for person in personas)
        assignments = [
            (person, task) for person, found in zip(personas, tasks, strict=True) for task in found
        ]
        written = await _all(
            self._questions(description, person, task, plan.questions)
            for person, task in assignments
        )
        questions = [question for found in written for question in found]
        kept = distinct_questions(question.question for question in questions)
        return WrittenQuestions(tuple(questions[place] for place in kept), tuple(self._failed))

    async def _personas(self, description: str, count: int) -> list[Persona]:
        reply = await self._ask("write_personas", Personas, count, description=description)
        personas = [
            Persona(label=tidy(persona.label), needs=tidy(persona.needs))
            for persona in reply.personas
        ]
        kept = distinct_questions(f"{persona.label} {persona.needs}" for persona in personas)
        return [personas[place] for place in kept][:count]

    async def _tasks(self, description: str, persona: Persona, count: int) -> list[str]:
        inputs = {"description": description, "persona": _as_text(persona)}
        try:
            reply = await self._ask("write_tasks", Tasks, count, **inputs)
        except ModelReplyError:
            self._failed.append(f"tasks of {persona.label}")
            return []
        tasks = [tidy(task) for task in reply.tasks if task.strip()]
        return [tasks[place] for place in distinct_questions(tasks)][:count]

    async def _questions(
        self, description: str, persona: Persona, task: str, count: int
    ) -> list[GlobalQuestion]:
        inputs = {"description": description, "persona": _as_text(persona), "task": task}
        try:
            reply = await self._ask("write_global_questions", GlobalQuestions, count, **inputs)
        except ModelReplyError:
            self._failed.append(f"questions of {persona.label} for: {task}")
            return []
        made = (make_question(text, persona.label, task) for text in reply.questions)
        return [question for question in made if question is not None][:count]

    async def _ask(self, prompt: str, form: type[M], count: int, **inputs: str) -> M:
        messages = self._prompts.load(prompt).render(count=str(count), **inputs)
        async with self._free:
            return await self._replies.structured(
                messages, form, max_tokens=_TOKENS_PER_ITEM * (1 + count)
            )


async def _all(calls: Iterable[Awaitable[T]]) -> list[T]:
    """Return the results in order; an error is raised once all calls are over.

    What the other calls bring is stored by then.
    """
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


def _as_text(persona: Persona) -> str:
    return f"{persona.label}: {persona.needs}" if persona.needs else persona.label


@dataclass(frozen=True, slots=True)
class GlobalQuestion(Record):
    """A question without a gold answer, and for whom and for what it was written."""

    id: str
    question: str
    type: str
    persona: str
    task: str


def make_question(text: str, persona: str, task: str) -> GlobalQuestion | None:
    """Return the question, None where the text is too short or too long to be one.

    The id depends on the question's words alone.
    """
    question = tidy(text)
    if len(question) > _MOST_CHARACTERS or len(content_words(question)) < _FEWEST_CONTENT_WORDS:
        return None
    digest = hashlib.sha256(normalize_answer(question).encode()).hexdigest()[:12]
    return GlobalQuestion(f"{GLOBAL}-{digest}", question, GLOBAL, persona, task)


def tidy(text: str) -> str:
    """Return a line of a list without its mark and superfluous white space."""
    return " ".join(_LIST_MARK.sub("", text).split())


def distinct_questions(texts: Iterable[str]) -> list[int]:
    """Return the places of the texts that repeat no kept one before them.

    A text repeats another one with which it shares nine tenths of all content words.
    """
    kept: list[tuple[int, frozenset[str]]] = []
    for place, text in enumerate(texts):
        said = frozenset(content_words(text))
        if not any(_overlap(said, other) >= _SAME_WORDS for _, other in kept):
            kept.append((place, said))
    return [place for place, _ in kept]


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first | second else 1.0
