"""Record of a run: everything that its rows depend on, and how it can be made again.

The models of a run are the reader that answers and the judge of its answers.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import hoptrail
from hoptrail.core.errors import SettingsError
from hoptrail.core.reranking import NO_RERANKER
from hoptrail.core.settings import Role, Settings
from hoptrail.core.types import JsonDict
from hoptrail.eval.metrics.equivalence_judge import EquivalenceJudge
from hoptrail.eval.oracle.reader import make_oracle, parse_reader
from hoptrail.eval.questions.question import Question
from hoptrail.eval.run_folder import is_oracle
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

_DATA = "HOPTRAIL_DATA"
_PREFIXES = (f"${_DATA}/", "~/")
"""Prefixes that a shell expands, and must find outside the quotes."""


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


def describe_file(name: str, path: Path) -> JsonDict:
    """Return a file's name and the hash of its content."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {name: path.name, f"{name}_sha256": digest}


def describe_models(context: Context, settings: Settings) -> JsonDict:
    """Return the model of each role and the hash of each prompt; nothing where none is used."""
    models = chat_models(context, settings)
    if not resolve_preset(context.preset, has_model=models.configured).needs_model:
        return {"roles": {}, "prompts": {}}
    prompts = Prompts(settings.prompts_dir).load_all()
    roles = {role: models.name_of(role) for role in get_args(Role)}
    return {
        "roles": roles,
        "prompts": {name: prompt.hash for name, prompt in prompts.items()},
        **(describe_graph_llm(settings) if GRAPH_LLM in roles.values() else {}),
    }


def describe_graph_llm(settings: Settings) -> JsonDict:
    """Return the address of a served graph LLM, or a checkpoint's name and its weights' hash."""
    setting = settings.graph_llm or ""
    weights = Path(setting) / "model.safetensors"
    if not weights.is_file():
        return {"graph_llm": setting}
    return {**describe_file("graph_llm", weights), "graph_llm": Path(setting).resolve().name}


def describe_circumstances(command: str, n: int, concurrency: int) -> JsonDict:
    """Return what a reader needs to judge and repeat the run, though its scores hang on none."""
    return {
        "n": n,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "git": git_revision(),
        "environment": {
            "python": platform.python_version(),
            "platform": platform.platform(),
            "concurrency": concurrency,
        },
        "command": command,
    }


def git_revision() -> str | None:
    """Return the commit of this package's sources; None outside its checkout, or without git."""
    here = ["git", "-C", str(Path(hoptrail.__file__).resolve().parent)]
    try:
        # In an environment inside another project's checkout the package is not tracked.
        _run([*here, "ls-files", "--error-unmatch", "__init__.py"])
        return _run([*here, "describe", "--always", "--dirty", "--abbrev=40"])
    except (OSError, subprocess.SubprocessError):
        return None


def command_line(options: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    """Return the shell command of a run.

    Args:
        options: Value by name of the option; None and False are left out.
        context: Fields of `Context`, as `--set` takes them.
    """
    words = ["hoptrail", "eval"]
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append(name)
        if value is not True:
            words.append(_quote(_portable(value) if isinstance(value, Path) else str(value)))
    for name, value in context.items():
        words += ["--set", shlex.quote(f"{name}={_assigned(value)}")]
    return " ".join(words)


def _assigned(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _quote(word: str) -> str:
    prefix = next((prefix for prefix in _PREFIXES if word.startswith(prefix)), "")
    return prefix + shlex.quote(word.removeprefix(prefix)) if prefix else shlex.quote(word)


def _portable(path: Path) -> str:
    """Return a path as it is found on another machine, as far as that can be said."""
    whole = path.resolve()
    data = os.environ.get(_DATA)
    places = [("", Path.cwd()), ("~/", Path.home())]
    if data:
        places.insert(0, (f"${_DATA}/", Path(data).resolve()))
    for prefix, folder in places:
        if whole.is_relative_to(folder):
            return prefix + whole.relative_to(folder).as_posix()
    return path.as_posix()


def _run(command: Sequence[str]) -> str:
    finished = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    return finished.stdout.strip()
