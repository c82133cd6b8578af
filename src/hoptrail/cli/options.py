"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

KnowledgeBase = Annotated[
    str, typer.Option("--kb", metavar="DIR", help="Folder of the knowledge base.")
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
Verify = Annotated[
    Literal["words", "model"] | None,
    typer.Option(
        "--verify", help="Mark steps by words, or by one model call as well.  [default: words]"
    ),
]
Concurrency = Annotated[
    int, typer.Option("--concurrency", metavar="N", min=1, help="Calls in flight at once.")
]
MaxUsd = Annotated[
    float | None,
    typer.Option("--max-usd", metavar="X", min=0, help="Stop cleanly at this many dollars."),
]
