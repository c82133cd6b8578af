"""Checks that the configured models answer: one tiny call each."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import get_args

from langchain_core.messages import HumanMessage

from hoptrail.core.budget import Meter
from hoptrail.core.errors import HoptrailError, ModelKeyError, ModelReplyError
from hoptrail.core.reranking import NO_RERANKER
from hoptrail.core.settings import Role, Settings
from hoptrail.core.types import Record
from hoptrail.models.chat import DEFAULT_CHOICE, GRAPH_LLM, ChatModels
from hoptrail.models.embedder import load_embedder
from hoptrail.models.embedder_provider import embedder_key
from hoptrail.models.provider import has_key
from hoptrail.models.reranker import load_reranker, reranker_key

_MAX_REPLY_TOKENS = 5


@dataclass(frozen=True, slots=True)
class Check(Record):
    """The result of one test.

    Attributes:
        part: A role, `embedder`, `reranker` or `graph_llm`.
        name: The model; None where none is set.
        key: Whether the provider's key is present; None where none is needed or known.
        seconds: Time of the test call; None without one.
        error: What is wrong; None where all is well.
        key_refused: Whether that is the key: it is missing, or the server refuses it.
    """

    part: str
    name: str | None
    key: bool | None = None
    seconds: float | None = None
    error: str | None = None
    key_refused: bool = False


async def check_models(models: ChatModels, settings: Settings) -> list[Check]:
    """Return one check per role; a model that serves several roles is called once."""
    names = {role: models.name_of(role) for role in get_args(Role)}
    used = sorted({name for name in names.values() if name is not None})
    role_of = {name: role for role, name in reversed(names.items())}
    tested = await asyncio.gather(*(_try_model(models, role_of[name], name) for name in used))
    results = dict(zip(used, tested, strict=True))
    checks: list[Check] = []
    for role, name in names.items():
        if name is None:
            checks.append(Check(role, None, error="no model is set"))
        else:
            checks.append(_check(role, name, has_key(name, settings), results[name]))
    return checks


async def check_graph_llm(settings: Settings) -> Check | None:
    """Return how the graph LLM answers, a checkpoint loaded for it; None where none is set."""
    if not settings.graph_llm:
        return None
    models = ChatModels(settings, {DEFAULT_CHOICE: GRAPH_LLM})
    result = await _try_model(models, "answerer", GRAPH_LLM)
    return _check("graph_llm", settings.graph_llm, has_key(GRAPH_LLM, settings), result)


def check_embedder(name: str, settings: Settings) -> Check:
    """Return how long the embedder takes for one short text, loading not counted."""
    key = embedder_key(name, settings)
    try:
        embedder = load_embedder(name, settings)
        started = time.perf_counter()
        embedder.embed(["Is anybody there?"])
    except HoptrailError as error:
        return _check("embedder", name, key, error)
    return _check("embedder", name, key, time.perf_counter() - started)


def check_reranker(name: str | None, settings: Settings) -> Check | None:
    """Return how long the reranker takes for two short passages; None where none is set."""
    if name is None or name == NO_RERANKER:
        return None
    key = reranker_key(name, settings)
    try:
        reranker = load_reranker(name, settings)
        started = time.perf_counter()
        reranker.score("Is anybody there?", ["Somebody is there.", "Nobody is there."])
    except HoptrailError as error:
        return _check("reranker", name, key, error)
    return _check("reranker", name, key, time.perf_counter() - started)


def _check(part: str, name: str, key: bool | None, result: float | HoptrailError) -> Check:
    if isinstance(result, HoptrailError):
        refused = isinstance(result, ModelKeyError)
        return Check(part, name, key, error=str(result), key_refused=refused)
    return Check(part, name, key, result)


async def _try_model(models: ChatModels, role: str, name: str) -> float | HoptrailError:
    """Return the seconds of a tiny call, or what went wrong."""
    started = time.perf_counter()
    prompt = HumanMessage(
        "Reply with the word ready.",
        additional_kwargs={"hoptrail": {"role": role, "question": ""}},
    )
    try:
        await models.for_role(role).reply(
            [prompt], meter=Meter("doctor"), max_tokens=_MAX_REPLY_TOKENS
        )
    except ModelReplyError as error:
        # A graph LLM of few weights may have nothing to say without a graph.
        if name != GRAPH_LLM:
            return error
    except HoptrailError as error:
        return error
    return time.perf_counter() - started
