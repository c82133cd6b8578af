"""The models of a run: the reader that answers, and the judge of its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoptrail.core.errors import SettingsError
from hoptrail.core.reranking import NO_RERANKER
from hoptrail.core.settings import Settings
from hoptrail.eval.files.run_folder import is_oracle
from hoptrail.eval.metrics.equivalence_judge import EquivalenceJudge
from hoptrail.eval.oracle.reader import make_oracle, parse_reader
from hoptrail.eval.questions.question import Question
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import graph_llm_roles, resolve_preset
from hoptrail.models.chat import (
    DEFAULT_CHOICE,
    GRAPH_LLM,
    ChatModels,
    register_chat_model,
    registered_chat_model,
)
from hoptrail.prompts.loader import Prompts

NO_JUDGE = "none"
_JUDGE_ROLE = "judge_eval"


def chat_models(
    context: Context, settings: Settings, chosen: Mapping[str, str] | None = None
) -> ChatModels:
    """Return the chat models of a context by role; `chosen` ones win."""
    by_role: dict[str, str] = dict(context.models.items())
    if context.model is not None:
        by_role[DEFAULT_CHOICE] = context.model
    return ChatModels(settings, {**by_role, **(chosen or {})}, graph_llm_roles(context.preset))


def with_order(context: Context, settings: Settings) -> Context:
    """Return the context with the reranker in force and how many passages it scores.

    So the record of a run tells of it, and evidence that is kept is found by it.
    """
    reranker = context.reranker or settings.reranker
    if reranker is None or reranker == NO_RERANKER:
        return context
    scored = {"reranked": settings.reranker_candidates, **context.parameters}
    return resolve_context({"reranker": reranker, "parameters": scored}, context)


def with_reader(context: Context, reader: str | None, settings: Settings) -> Context:
    """Return the context with the reader as the model of all roles.

    Args:
        context: The run's choices, its preset among them.
        reader: `oracle`, `oracle:noise=X`, `graph_llm` or `PROVIDER:MODEL`.
        settings: Models and keys of the machine.

    Raises:
        SettingsError: If the reader is not known, the context names a model already, or the preset
            asks none.
    """
    if reader is None:
        return context
    if context.model is not None:
        raise SettingsError(
            "both a reader and a model are given", hint="--reader names the model of every role"
        )
    if is_oracle(reader):
        parse_reader(reader)
    elif not _is_model(reader, settings):
        raise SettingsError(
            f"unknown reader {reader!r}",
            hint="use oracle, oracle:noise=0.1, graph_llm or PROVIDER:MODEL",
        )
    preset = resolve_preset(context.preset, has_model=True)
    if not preset.needs_model:
        raise SettingsError(f"preset {preset.name} asks no reader", hint="leave --reader out")
    return resolve_context({"model": reader}, context)


def _is_model(name: str, settings: Settings) -> bool:
    is_known = name == GRAPH_LLM or registered_chat_model(name) is not None
    return is_known or ":" in name or bool(settings.base_url)


def register_oracle(reader: str, questions: Sequence[Question], seed: int) -> None:
    """Make the oracle known under its name as a reader.

    Args:
        reader: `oracle` or `oracle:noise=X`.
        questions: All that it knows.
        seed: Of its noise.
    """
    oracle = make_oracle(questions, noise=parse_reader(reader), seed=seed)
    register_chat_model(reader, oracle)


def choose_judge(
    named: str | None, context: Context, settings: Settings
) -> tuple[str, EquivalenceJudge] | None:
    """Return the judge of answers with its model's name, None where words alone are to decide.

    Args:
        named: `PROVIDER:MODEL`, `none`, or None for the model of the role `judge_eval`. A model of
            this process (the oracle, a script) judges only where it is named, the graph LLM
            likewise.
        context: The run's models.
        settings: Models and keys of the machine.
    """
    if named == NO_JUDGE:
        return None
    is_named = named is not None or _JUDGE_ROLE in context.models
    models = chat_models(context, settings, {} if named is None else {_JUDGE_ROLE: named})
    name = models.name_of(_JUDGE_ROLE)
    if name is None:
        return None
    is_unfit = is_oracle(name) or name == GRAPH_LLM or registered_chat_model(name) is not None
    if is_unfit and not is_named:
        return None
    return name, EquivalenceJudge(
        models.for_role(_JUDGE_ROLE), prompts=Prompts(settings.prompts_dir)
    )
