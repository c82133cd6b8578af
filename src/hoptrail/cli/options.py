"""Options that several commands take, and what their values say."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hoptrail.core.errors import InputError, SettingsError, UnknownNameError

LEFT_OUT = ""
"""The value of `--kb` where it is not given, until `framed` puts the setting in its place."""


def _left_out() -> str:
    return LEFT_OUT


KnowledgeBase = Annotated[
    str,
    typer.Option(
        "--kb",
        metavar="DIR",
        default_factory=_left_out,
        show_default=False,
        help="Folder or name of the knowledge base.  [default: HOPTRAIL_KB, else hoptrail-kb]",
    ),
]
NoIgnore = Annotated[
    bool,
    typer.Option(
        "--no-ignore", help="Also read folders of tools, and what .gitignore names, in folders."
    ),
]
OcrPages = Annotated[
    int,
    typer.Option("--ocr-pages", metavar="N", min=1, help="Pages of a file that are recognised."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout, all else on stderr.")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any setting of Context; repeatable."),
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="Seed of everything that is sampled.")
]
Question = Annotated[str, typer.Argument(metavar="QUESTION", help="The question, or - for stdin.")]
Preset = Annotated[
    str | None,
    typer.Option("--preset", metavar="P", help="Name of a preset; auto chooses."),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="[ROLE=]PROVIDER:MODEL",
        help="Chat model, for one role or for all; repeatable.",
    ),
]
Filter = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="FILTER",
        help="Documents to use: FIELD=VALUE, 'date >= 2024-01-01 and not source in (a, b)'; "
        "repeatable, all must hold. hoptrail info --fields lists the fields.",
    ),
]
Budget = Annotated[
    int | None,
    typer.Option("--budget", metavar="TOKENS", help="Tokens of evidence.  [default: 12000]"),
]


Reranker = Annotated[
    str | None,
    typer.Option(
        "--reranker",
        metavar="NAME",
        help="Order the passages with cross-encoder:NAME, jina:NAME, cohere:NAME, endpoint:NAME; "
        "none for none; else HOPTRAIL_RERANKER.",
    ),
]


class Verification(StrEnum):
    """How the steps of a trail are marked."""

    WORDS = "words"
    MODEL = "model"


Verify = Annotated[
    Verification | None,
    typer.Option(
        "--verify", help="Mark steps by words, or by one model call as well.  [default: words]"
    ),
]
Verbosity = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        show_default=False,
        help="Log on stderr, with the libraries' warnings; twice logs more.",
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="Package, folder, hub name or provider:model; else HOPTRAIL_EMBEDDER.",
    ),
]
Beta = Annotated[
    float,
    typer.Option(
        "--beta",
        metavar="SHARE",
        min=0,
        max=1,
        help="Share of the passages that the model reads, the central ones; rules read the rest.",
    ),
]
MODELS_SHARE = 0.8
"""The value of `--beta` where it is not given."""
Concurrency = Annotated[
    int, typer.Option("--concurrency", metavar="N", min=1, help="Calls in flight at once.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Spend without asking.")]
MaxUsd = Annotated[
    float | None,
    typer.Option("--max-usd", metavar="X", min=0, help="Stop cleanly at this many dollars."),
]
ServedBases = Annotated[
    list[str] | None,
    typer.Option("--kb", metavar="[NAME=]DIR", help="Knowledge base to serve; repeatable."),
]
Host = Annotated[str, typer.Option("--host", help="Address to listen on.")]
Port = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port.")]
AllowHost = Annotated[
    list[str] | None,
    typer.Option("--allow-host", metavar="NAME", help="Name that clients call it by; repeatable."),
]
Grace = Annotated[
    float,
    typer.Option(
        "--grace", metavar="SECONDS", min=0, help="For what is still being answered at the end."
    ),
]
GRACE_SECONDS = 30.0
"""The value of `--grace` where it is not given."""


def context_fields(
    assignments: Iterable[str] | None,
    *,
    models: Iterable[str] | None = None,
    filters: Sequence[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Return the Context fields of `--set`, `--model`, `--filter` and the named options.

    An option that was not given is None and leaves its field alone; a named option wins over
    `--set`.

    Raises:
        SettingsError: If an assignment, a filter or a model choice cannot be read.
    """
    fields = _assigned(assignments or ())
    if filters:
        from hoptrail.core.filter_text import parse_filter

        fields["filter"] = parse_filter(filters).to_json()
    fields.update({name: value for name, value in options.items() if value is not None})
    by_role: dict[str, str] = {}
    for text in models or ():
        role, name = parse_model(text)
        if role is None:
            fields["model"] = name
        else:
            by_role[role] = name
    if by_role:
        known = fields.get("models")
        fields["models"] = {**known, **by_role} if isinstance(known, dict) else by_role
    return fields


def parse_model(text: str) -> tuple[str | None, str]:
    """Split `[ROLE=]PROVIDER:MODEL` into role (None for all roles) and model name.

    Raises:
        SettingsError: If the role is unknown or the name is empty.
    """
    role, separator, name = text.partition("=")
    if not separator or ":" in role:
        role, name = "", text
    if not name.strip():
        raise SettingsError(f"--model {text!r} names no model", hint="use PROVIDER:MODEL")
    if role:
        _require_role(role)
    return role or None, name.strip()


def _require_role(role: str) -> None:
    from typing import get_args

    from hoptrail.core.settings import Role

    if role not in get_args(Role):
        raise UnknownNameError("model role", role, get_args(Role))


def _assigned(assignments: Iterable[str]) -> dict[str, Any]:
    """Return the assigned values; `parameters.alpha=0.5` sets one entry of a table."""
    fields: dict[str, Any] = {}
    for name, value in map(_parse_assignment, assignments):
        table, dot, entry = name.partition(".")
        if not dot:
            fields[name] = value
            continue
        known = fields.get(table)
        fields[table] = {**(known if isinstance(known, dict) else {}), entry: value}
    return fields


def _parse_assignment(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise SettingsError(f"--set {text!r} is no assignment", hint="use --set NAME=VALUE")
    try:
        return name.strip(), json.loads(value)
    except json.JSONDecodeError:
        return name.strip(), value


def read_question(argument: str) -> str:
    """Return the question of an argument, where `-` means all of stdin.

    Raises:
        InputError: If it is empty, too long or not text.
    """
    from hoptrail.core.question import check_question

    question = read_text() if argument == "-" else argument
    # Arguments that are not UTF-8 reach Python as lone surrogates, which nothing can encode.
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise InputError("the question is not valid UTF-8", hint="check the terminal's encoding")
    return check_question(question)


def read_text() -> str:
    """Return all of stdin.

    Raises:
        InputError: If it is not text.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("stdin is not valid UTF-8", hint="convert it to UTF-8") from error


def folder_of(kb: str) -> Path:
    """Return the folder that `--kb` stands for."""
    from hoptrail.core.settings import load_settings

    return load_settings().base_of(kb).records


@contextmanager
def no_empty_base(folder: Path) -> Iterator[None]:
    """Remove the knowledge base that was made within if nothing was put into it."""
    from hoptrail.stores.records.folder import holds_database, remove_if_empty

    is_new, made_folder = not holds_database(folder), not folder.exists()
    try:
        yield
    finally:
        if is_new:
            remove_if_empty(folder, with_folder=made_folder)
