"""Options by which `index` and `sync` name a source that is no path: a loader or a crawl."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from hoptrail.indexing.loading.feeds.feed import Feed

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


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """The values of these options."""

    loader: str | None
    arguments: list[str] | None
    id_fields: list[str] | None
    crawl: str | None
    depth: int | None
    below: bool
    delay: float | None
    max_documents: int | None
    max_seconds: float | None

    def feed(self, source: str | None) -> Feed | None:
        """Return the loader or crawl that is named, None where neither is.

        Args:
            source: First part of the document ids.

        Raises:
            typer.BadParameter: If options are given that do not belong together.
            InputError: If the loader cannot be had.
        """
        if self.loader is None and self.crawl is None:
            if stray := self._stray():
                raise typer.BadParameter(f"{stray} belongs to --loader or --crawl")
            return None
        if self.loader is not None and self.crawl is not None:
            raise typer.BadParameter("give --loader or --crawl, not both")

        from hoptrail.core.settings import SourceSettings
        from hoptrail.indexing.loading.inputs import feed_of

        return feed_of(
            source,
            SourceSettings(
                loader=self.loader,
                crawl=self.crawl,
                args=_assigned(self.arguments or []),
                id=self.id_fields or [],
                depth=self.depth,
                below=self.below,
                delay=self.delay,
                max_documents=self.max_documents,
                max_seconds=self.max_seconds,
            ),
        )

    def _stray(self) -> str:
        """Return the name of an option that says something of a source that is not named."""
        given = {
            "--loader-arg": self.arguments,
            "--loader-id": self.id_fields,
            "--depth": self.depth,
            "--below": self.below or None,
            "--delay": self.delay,
            "--max-documents": self.max_documents,
            "--max-seconds": self.max_seconds,
        }
        return next((name for name, value in given.items() if value is not None), "")


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
