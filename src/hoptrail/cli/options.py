"""Options and arguments that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

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
MaxUsd = Annotated[
    float | None,
    typer.Option("--max-usd", metavar="X", min=0, help="Stop cleanly at this many dollars."),
]
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
