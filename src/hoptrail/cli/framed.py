"""The frame of every command: its status line, its log, and a knowledge base that was left out."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TextIO, get_type_hints

from hoptrail.cli.options import LEFT_OUT, Verbosity
from hoptrail.cli.output import STATUS, warn
from hoptrail.core.errors import NotAKnowledgeBaseError, SettingsError

if TYPE_CHECKING:
    from hoptrail.core.settings import Settings

_ANSWER_NOTHING = frozenset(
    {
        "index",
        "sync",
        "communities",
        "consolidate",
        "reembed",
        "merge",
        "merges",
        "delete",
        "export",
        "info",
    }
)
"""Commands that read none: they set how questions are answered."""

# Packages that cannot be used, and what goes wrong behind the page: nobody else tells of them.
_TOLD_ALWAYS = ("hoptrail.core.plugins", "hoptrail.web")
_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


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

        from hoptrail.core.unknown_variables import warn_of_unknown_variables

        warn_of_unknown_variables(warn)
        for line in idle_settings(name, choices.get("assignments") or (), choices):
            warn(f"warning: {line}")
        try:
            settings = readable_settings()
            level = chosen_level(verbosity, settings)
            with logs_on_stderr(level), traces_exported(settings):
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


def idle_settings(
    command: str, assignments: Iterable[str], options: Collection[str]
) -> Iterator[str]:
    """Yield a line for each assignment that changes nothing in a command.

    Args:
        command: Its name.
        assignments: Given as NAME=VALUE.
        options: Names of the parameters of the command, one of which may have been meant.
    """
    if command not in _ANSWER_NOTHING:
        return
    for text in assignments:
        name = text.partition("=")[0].strip()
        entry = name.rpartition(".")[2]
        meant = f"; did you mean --{entry.replace('_', '-')}?" if entry in options else ""
        yield (
            f"--set {name} changes nothing in hoptrail {command}: "
            f"it sets how questions are answered{meant}"
        )


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes to what is `sys.stderr` at the time: a status line or a prompt may stand in for it."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        """The stream of now."""
        return sys.stderr


@contextmanager
def logs_on_stderr(level: str) -> Iterator[None]:
    """Show the log from a level on, and the libraries' warnings; with `off`, neither of them.

    Packages that cannot be used, and faults behind the page, are told of in any case, in one plain
    line each.

    Libraries log from the level `warning` on, and from `info` on where the level is `debug`.

    Args:
        level: off, error, warning, info or debug.
    """
    root, own, warned = map(logging.getLogger, (None, "hoptrail", "py.warnings"))
    before = root.level, own.level, logging.lastResort, warned.propagate
    handler = _Stderr() if level != "off" else None
    plain = _Stderr() if level == "off" else None
    if plain is not None:
        plain.setLevel(logging.WARNING)
    # It prints what no handler takes. Servers find the root without handlers and add their own.
    logging.lastResort = logging.NullHandler()
    logging.captureWarnings(True)
    warned.propagate = handler is not None
    if plain is not None:
        for name in _TOLD_ALWAYS:
            logging.getLogger(name).addHandler(plain)
    if handler is not None:
        handler.setFormatter(logging.Formatter(_FORMAT, "%H:%M:%S"))
        root.addHandler(handler)
        number = logging.getLevelNamesMapping()[level.upper()]
        own.setLevel(number)
        root.setLevel({logging.DEBUG: logging.INFO}.get(number, max(number, logging.WARNING)))
    try:
        yield
    finally:
        if plain is not None:
            for name in _TOLD_ALWAYS:
                logging.getLogger(name).removeHandler(plain)
        if handler is not None:
            root.removeHandler(handler)
        logging.captureWarnings(False)
        root.setLevel(before[0])
        own.setLevel(before[1])
        logging.lastResort = before[2]
        warned.propagate = before[3]


@contextmanager
def traces_exported(settings: Settings | None) -> Iterator[None]:
    """Send what the command traces to where the settings and the variables `OTEL_*` say."""
    if settings is None:
        yield
        return
    from hoptrail.core.tracing.exporting import exported

    with exported(settings.tracing, warn):
        yield


def chosen_level(verbosity: int, settings: Settings | None) -> str:
    """Return the level of `--verbose`, given once or more; without it, that of the settings."""
    if verbosity:
        return "info" if verbosity == 1 else "debug"
    return "off" if settings is None else settings.log_level


def readable_settings() -> Settings | None:
    """Return the settings, None where they cannot be used: the command says what is wrong."""
    from hoptrail.core.settings import load_settings

    try:
        return load_settings()
    except SettingsError:
        return None
