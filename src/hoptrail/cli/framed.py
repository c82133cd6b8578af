"""The frame of every command: its status line, its log, and a knowledge base that was left out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_type_hints

from hoptrail.cli.options import LEFT_OUT, Verbosity
from hoptrail.cli.status import STATUS


def framed(command: Callable[..., None], name: str) -> Callable[..., None]:
    """Return a command that says at once that it runs, and takes `--verbose`.

    Args:
        command: Its function, with the options as parameters.
        name: As typed.
    """

    @wraps(command)
    def run(*, verbosity: int, **choices: Any) -> None:
        if not choices.get("as_json"):
            STATUS.allow()
        STATUS.say(f"loading hoptrail {name}")

        from hoptrail.cli.idle_settings import idle_settings
        from hoptrail.cli.logs import chosen_level, logs_on_stderr
        from hoptrail.cli.output import warn
        from hoptrail.core.unknown_variables import warn_of_unknown_variables

        warn_of_unknown_variables(warn)
        for line in idle_settings(name, choices.get("assignments") or (), choices):
            warn(f"warning: {line}")
        try:
            with logs_on_stderr(chosen_level(verbosity)):
                if choices.get("kb") == LEFT_OUT:
                    _run_with_default(command, choices)
                else:
                    command(**choices)
        finally:
            STATUS.forbid()

    # Typer reads the options from the signature.
    signature = inspect.signature(command)
    added = inspect.Parameter("verbosity", inspect.Parameter.KEYWORD_ONLY, default=0)
    parameters = [*signature.parameters.values(), added]
    run.__annotations__ = {
        **get_type_hints(command, include_extras=True),
        "verbosity": Verbosity,
    }
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[one.replace(annotation=run.__annotations__[one.name]) for one in parameters]
    )
    return run


def _run_with_default(command: Callable[..., None], choices: dict[str, Any]) -> None:
    """Run a command on the knowledge base of the settings.

    Raises:
        NotAKnowledgeBaseError: If there is none; says where it was looked for, and why there.
    """
    from hoptrail.core.errors import NotAKnowledgeBaseError
    from hoptrail.core.settings import load_settings

    settings = load_settings()
    try:
        command(**choices | {"kb": settings.kb})
    except NotAKnowledgeBaseError as error:
        is_set = "kb" in settings.model_fields_set
        source = "HOPTRAIL_KB or hoptrail.toml names the base" if is_set else "no --kb was given"
        raise NotAKnowledgeBaseError(
            f"{source}, and {error.message}",
            hint="make it with: hoptrail index PATH...; or name another with --kb DIR",
        ) from error
