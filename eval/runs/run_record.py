"""Record of a run: everything that its rows depend on, and how it can be made again."""

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
from hoptrail.core.settings import Role, Settings
from hoptrail.core.types import JsonDict
from hoptrail.eval.runs.models_of_run import chat_models
from hoptrail.graphs.context import Context
from hoptrail.graphs.presets import resolve_preset
from hoptrail.models.chat import GRAPH_LLM
from hoptrail.prompts.loader import Prompts

_DATA = "HOPTRAIL_DATA"
_PREFIXES = (f"${_DATA}/", "~/")
"""Prefixes that a shell expands, and must find outside the quotes."""


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
