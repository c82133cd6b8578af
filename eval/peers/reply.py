"""A file of another system's output, one question a line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.reply_conventions import is_abstention
from hoptrail.core.types import JsonDict
from hoptrail.eval.files.fields import Fields
from hoptrail.eval.files.json_lines import read_json_lines
from hoptrail.eval.systems.observation import Response

_FIELDS = frozenset({"id", "passages", "answer", "answers", "abstained"})
_PASSAGE_FIELDS = frozenset({"id", "title", "text", "score"})
_ALMOST_EQUAL = 0.82  # "anwser" is "answer", "ids" is something else than "id"
_USAGE = ("llm_calls", "prompt_tokens", "completion_tokens", "seconds", "usd")


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
