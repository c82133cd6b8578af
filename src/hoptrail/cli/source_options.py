"""Options of `index` and `sync`: who extracts, what is recognised, loaders and crawls."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from hoptrail.indexing.loading.feeds.feed import Feed


class Extractor(StrEnum):
    """Who reads entities and relations out of the passages."""

    AUTO = "auto"
    LLM = "llm"
    NLP = "nlp"
    NONE = "none"


class Ocr(StrEnum):
    """Which pictures are recognised."""

    AUTO = "auto"
    OFF = "off"
    FORCE = "force"


Source = Annotated[
    str | None,
    typer.Option("--source", metavar="NAME", help="First part of the document ids."),
]
ExtractorOption = Annotated[
    Extractor, typer.Option("--extractor", help="auto: llm where a model is set, else nlp.")
]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="PROVIDER:MODEL", help="Chat model that extracts."),
]
OcrOption = Annotated[
    Ocr, typer.Option("--ocr", help="Read pictures and scans; force: every page of PDF files.")
]
Loader = Annotated[
    str | None,
    typer.Option(
        "--loader", metavar="MODULE:CLASS", help="Loader of LangChain or reader of LlamaIndex."
    ),
]
LoaderArguments = Annotated[
    list[str] | None,
    typer.Option(
        "--loader-arg", metavar="NAME=VALUE", help="Its argument, as text or JSON; repeatable."
    ),
]
LoaderId = Annotated[
    list[str] | None,
    typer.Option(
        "--loader-id", metavar="FIELD", help="Field of its metadata that makes ids; repeatable."
    ),
]
CrawlAddress = Annotated[
    str | None,
    typer.Option("--crawl", metavar="URL", help="Read this page and those that it links to."),
]
Depth = Annotated[
    int | None,
    typer.Option("--depth", metavar="N", min=0, help="Links away from there.  [default: 2]"),
]
Below = Annotated[
    bool, typer.Option("--below", help="Crawl only what lies below the folder of the URL.")
]
Delay = Annotated[
    float | None,
    typer.Option("--delay", metavar="SECONDS", min=0, help="Between two requests.  [default: 0.5]"),
]
MaxDocuments = Annotated[
    int | None,
    typer.Option(
        "--max-documents",
        metavar="N",
        min=1,
        help="Documents of a loader (100000) or pages of a crawl (500) at most.",
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        "--max-seconds", metavar="X", min=1, help="Seconds of a loader or crawl.  [default: 3600]"
    ),
]
PrivateAddresses = Annotated[
    bool,
    typer.Option("--private-addresses", help="Also fetch from this machine and your network."),
]


def loaders_on_stderr() -> redirect_stdout[TextIO]:
    """Send to stderr what loaders print meanwhile: stdout is for the results of the command.

    It goes around what shows progress, which also takes stdout and gives it back.
    """
    return redirect_stdout(sys.stderr)


def named_feed(
    source: str | None,
    loader: str | None,
    arguments: list[str] | None,
    id_fields: list[str] | None,
    crawl: str | None,
    depth: int | None,
    below: bool,
    delay: float | None,
    max_documents: int | None,
    max_seconds: float | None,
) -> Feed | None:
    """Return the loader or crawl that the options of these names give, None where there is none.

    Raises:
        typer.BadParameter: If options are given that do not belong together.
        InputError: If the loader cannot be had.
    """
    if loader is None and crawl is None:
        told = {
            "--loader-arg": arguments,
            "--loader-id": id_fields,
            "--depth": depth,
            "--below": below or None,
            "--delay": delay,
            "--max-documents": max_documents,
            "--max-seconds": max_seconds,
        }
        for name, value in told.items():
            if value is not None:
                raise typer.BadParameter(f"{name} belongs to --loader or --crawl")
        return None
    if loader is not None and crawl is not None:
        raise typer.BadParameter("give --loader or --crawl, not both")

    from hoptrail.core.settings import SourceSettings
    from hoptrail.indexing.loading.inputs import feed_of

    with loaders_on_stderr():
        return feed_of(
            source,
            SourceSettings(
                loader=loader,
                crawl=crawl,
                args=_assigned(arguments or []),
                id=id_fields or [],
                depth=depth,
                below=below,
                delay=delay,
                max_documents=max_documents,
                max_seconds=max_seconds,
            ),
        )


def _assigned(arguments: list[str]) -> dict[str, Any]:
    """Return the arguments of a loader; what is no JSON is a text.

    Raises:
        typer.BadParameter: If one is no assignment.
    """
    assigned: dict[str, Any] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"--loader-arg {argument!r}: write it as NAME=VALUE")
        try:
            assigned[name] = json.loads(value)
        except ValueError:
            assigned[name] = value
    return assigned
