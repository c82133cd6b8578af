"""Another system's output under measurement: a file of it, one question a line."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.api.questions import report_evidence
from hoptrail.core.errors import InputError
from hoptrail.core.render import render
from hoptrail.core.reply_conventions import is_abstention
from hoptrail.core.types import Chunk, Evidence, Hit, JsonDict, Usage
from hoptrail.eval.json_files import Fields, read_json_lines
from hoptrail.eval.questions.question import DocumentFinder, Question
from hoptrail.eval.systems.system import RANKED_DOCUMENTS, Response, SystemOutput, ranked_passages
from hoptrail.stores.knowledge_base import KnowledgeBase

_FIELDS = frozenset({"id", "passages", "answer", "answers", "abstained"})
_PASSAGE_FIELDS = frozenset({"id", "title", "text", "score"})
_ALMOST_EQUAL = 0.82  # "anwser" is "answer", "ids" is something else than "id"
_USAGE = ("llm_calls", "prompt_tokens", "completion_tokens", "seconds", "usd")

CHANNEL = "peer"


@dataclass(frozen=True, slots=True)
class PassageName:
    """A retrieved passage as the file names it: by id, else by title and text."""

    id: str = ""
    title: str = ""
    text: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class PeerReply:
    """A system's line for one question.

    `passages` are best first, None where the line lists none; `response` is None where it has no
    answer field; `usage` holds the costs that the line states.
    """

    fields: Fields
    passages: tuple[PassageName, ...] | None
    response: Response | None
    usage: JsonDict


@dataclass(frozen=True, slots=True)
class PeerFile:
    """The replies of a system by question id."""

    system: str
    replies: dict[str, PeerReply]


def read_peer_file(path: Path) -> PeerFile:
    """Read the output of a system; docs/evaluation.md describes the format.

    Raises:
        InputError: If the file is missing or empty, or a line cannot be used; names the line.
    """
    system = path.name.partition(".")[0]
    replies: dict[str, PeerReply] = {}
    for fields in read_json_lines(path):
        if not replies and "system" in fields.row and "id" not in fields.row:
            system = fields.text("system")
            continue
        name = fields.text("id")
        if name in replies:
            first = replies[name].fields.line
            raise fields.error(f"the question {name!r} stands on line {first} already")
        replies[name] = _reply(fields)
    if not replies:
        raise InputError(
            "no question in it", path=str(path), hint='a line is {"id": ..., "passages": [...]}'
        )
    return PeerFile(system, replies)


def _reply(fields: Fields) -> PeerReply:
    fields.refuse_misspelt(_FIELDS.union(_USAGE), _ALMOST_EQUAL)
    passages = _passages(fields) if fields.row.get("passages") is not None else None
    response = _response(fields)
    if passages is None and response is None:
        raise fields.error("neither 'passages' nor an answer", fields.suggest("passages"))
    return PeerReply(fields, passages, response, _usage(fields))


def _passages(fields: Fields) -> tuple[PassageName, ...]:
    named = []
    for item in fields.items("passages"):
        part = Fields(fields.path, fields.line, item if isinstance(item, dict) else {"id": item})
        part.refuse_misspelt(_PASSAGE_FIELDS, _ALMOST_EQUAL)
        name = PassageName(
            part.optional_text("id") or "",
            part.optional_text("title") or "",
            part.optional_text("text") or "",
            _amount(part, "score"),
        )
        if not name.id and not name.text:
            raise fields.error("a passage has neither an id nor a text")
        named.append(name)
    return tuple(named)


def _response(fields: Fields) -> Response | None:
    if not {"answer", "answers", "abstained"} & fields.row.keys():
        return None
    texts = fields.texts("answers") or fields.texts("answer")
    answer = fields.optional_text("answer") or "; ".join(texts)
    if fields.row.get("abstained") is True or is_abstention(answer):
        return Response(answer, (), abstained=True)
    return Response(answer, texts)


def _usage(fields: Fields) -> JsonDict:
    stated = {name: amount for name in _USAGE if (amount := _amount(fields, name)) is not None}
    negative = next((name for name, amount in stated.items() if amount < 0), None)
    if negative is not None:
        raise fields.error(f"the field {negative!r} is below 0")
    return stated


def _amount(fields: Fields, name: str) -> float | None:
    value = fields.row.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise fields.error(f"the field {name!r} is no number")
    return value


class PeerSystem:
    """Measures what a file says that another system retrieved and answered.

    Its passages are rendered at the budget as ours are, so that every figure means the same. A file
    that lists no passages at all is not scored on them: `passages` of its rows is None. A
    question that the file answers is never asked again; one without a reply is a failure.

    Args:
        path: The file (docs/evaluation.md).
        knowledge_base: Over the corpus that the system searched.
        questions: All that will be asked.
        budget: Tokens of rendered evidence.
        allow_missing: Keep questions without a reply, as failures that score 0.

    Raises:
        InputError: If the file cannot be used, lacks a question, or names a passage that is not
            in the knowledge base; names the line.
    """

    def __init__(
        self,
        path: Path,
        knowledge_base: KnowledgeBase,
        questions: Sequence[Question],
        *,
        budget: int,
        allow_missing: bool = False,
    ) -> None:
        file = read_peer_file(path)
        self._path = path
        self._peer = file.system
        self._replies = {
            question.id: file.replies[question.id]
            for question in questions
            if question.id in file.replies
        }
        _check_all_there(path, questions, self._replies, allow_missing=allow_missing)
        self._finder = PassageFinder(knowledge_base)
        self._passages = {
            name: self._finder.resolve(reply) for name, reply in self._replies.items()
        }
        self._shows = any(reply.passages is not None for reply in self._replies.values())
        self._answers = any(reply.response is not None for reply in self._replies.values())
        self._budget = budget

    @property
    def name(self) -> str:
        """`peer:` and the system's name."""
        return f"peer:{self._peer}"

    @property
    def headline(self) -> str:
        """`accuracy` where the system answers, else `recall@5`."""
        return "accuracy" if self._answers else "recall@5"

    async def run(self, question: Question) -> SystemOutput:
        """Return the `retrieve` or `ask` object that the reply amounts to.

        Raises:
            InputError: If the file has no reply.
        """
        reply = self._replies.get(question.id)
        if reply is None:
            raise InputError(f"no line for the question {question.id!r}", path=str(self._path))
        return await asyncio.to_thread(self._outcome, reply)

    def crashed(self) -> SystemOutput:
        """Return an outcome without evidence and answer."""
        record: JsonDict = {"peer": self._peer, "passages": [] if self._shows else None}
        return SystemOutput(
            record, self._context(""), response=Response() if self._answers else None
        )

    def _outcome(self, reply: PeerReply) -> SystemOutput:
        hits = self._finder.hits(self._passages[reply.fields.text("id")])
        evidence = Evidence(chunks=tuple(hits))
        rendered = render(evidence, self._budget)
        response = reply.response
        if response is None and self._answers:
            response = Response(abstained=True)
        record = {
            "peer": self._peer,
            **(_answer_record(response) if response else {}),
            **report_evidence(evidence, ranked_passages(hits, RANKED_DOCUMENTS)),
            **({} if self._shows else {"passages": None}),
            "tokens": rendered.tokens,
            **_cost_record(reply.usage),
        }
        return SystemOutput(record, self._context(rendered.text), response=response)

    def _context(self, text: str) -> str | None:
        return text if self._shows else None


def _check_all_there(
    path: Path,
    questions: Sequence[Question],
    replies: Mapping[str, PeerReply],
    *,
    allow_missing: bool,
) -> None:
    missing = [question.id for question in questions if question.id not in replies]
    if missing and (len(missing) == len(questions) or not allow_missing):
        raise InputError(
            f"no line for the question {missing[0]!r}, one of {len(missing)} that are missing",
            path=str(path),
            hint="a line's id is that of a question",
        )


def _answer_record(response: Response) -> JsonDict:
    return {
        "answer": response.answer,
        "answers": [{"text": text, "entity_id": None, "score": 0.0} for text in response.answers],
        "abstained": response.abstained,
    }


def _cost_record(stated: JsonDict) -> JsonDict:
    """Return the `seconds` of a retriever, or the `usage` of a system that calls a model."""
    if not stated.keys() - {"seconds"}:
        return {"seconds": stated.get("seconds")}
    return {"usage": {**Usage().to_json(), "seconds": None, **stated}}


class PassageFinder:
    """Resolves names of passages to chunk ids of one knowledge base."""

    def __init__(self, knowledge_base: KnowledgeBase) -> None:
        index = knowledge_base.index
        self._store = knowledge_base.store
        doc_ids = [str(doc_id) for doc_id in index.doc_ids]
        self._documents = DocumentFinder(self._store.documents(doc_ids))
        self._chunks = {str(chunk_id) for chunk_id in index.chunk_ids}
        self._chunks_of: dict[str, list[str]] = defaultdict(list)
        for chunk_id, row in zip(index.chunk_ids, index.chunk_doc, strict=True):
            self._chunks_of[doc_ids[row]].append(str(chunk_id))

    def resolve(self, reply: PeerReply) -> list[tuple[PassageName, list[str]]]:
        """Return each passage of a reply with the ids of its chunks.

        Raises:
            InputError: If one is not in the knowledge base; names the line.
        """
        return [(name, self._chunk_ids(name, reply)) for name in reply.passages or ()]

    def hits(self, passages: Iterable[tuple[PassageName, Sequence[str]]]) -> list[Hit[Chunk]]:
        """Return the chunks of resolved passages, best first, those of a document in its order.

        A passage without a score has 1 / its rank.
        """
        found: dict[str, Hit[Chunk]] = {}
        for rank, (name, chunk_ids) in enumerate(passages, start=1):
            score = 1 / rank if name.score is None else name.score
            chunks = self._store.chunks(chunk_ids)
            for chunk in sorted(chunks, key=lambda chunk: (chunk.doc_id, chunk.start)):
                found.setdefault(chunk.id, Hit(chunk, score, CHANNEL))
        return list(found.values())

    def _chunk_ids(self, name: PassageName, reply: PeerReply) -> list[str]:
        if not name.id:
            documents = self._documents.by_passage(name.title, name.text)
        elif name.id in self._chunks:
            return [name.id]
        else:
            documents = self._documents.by_id(name.id)
            if len(documents) > 1:
                raise self._error(
                    reply, f"the passage {name.id!r} is one of several: {', '.join(documents)}"
                )
        if not documents:
            shown = name.id or name.title or name.text[:40]
            raise self._error(reply, f"the passage {shown!r} is not in the knowledge base")
        return [chunk_id for document in documents for chunk_id in self._chunks_of[document]]

    @staticmethod
    def _error(reply: PeerReply, message: str) -> InputError:
        return reply.fields.error(
            message, "name documents by id or <source>/<id>, chunks by id, or give title and text"
        )
