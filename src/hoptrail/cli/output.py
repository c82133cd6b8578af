"""Where output goes: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from hoptrail.cli.status import STATUS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# Documents may hold terminal escape sequences; printed raw they could rewrite the screen.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def tolerate_any_text(*streams: TextIO) -> None:
    """Make streams print what their encoding lacks as escapes instead of failing."""
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def emit_json(value: Mapping[str, Any]) -> None:
    """Write one JSON object as one line to stdout."""
    STATUS.hide()
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not is_utf8) + "\n")
    sys.stdout.flush()


def emit(value: dict[str, Any], show: Callable[[Any, Console], None], *, as_json: bool) -> None:
    """Print a result on stdout: as JSON, or as `show` prints it for a person."""
    if as_json:
        emit_json(value)
    else:
        show(value, results())


def emit_text(text: str) -> None:
    """Write text to stdout: verbatim into a pipe, without control characters to a terminal."""
    STATUS.hide()
    sys.stdout.write((printable(text) if sys.stdout.isatty() else text) + "\n")
    sys.stdout.flush()


def printable(text: str) -> str:
    """Return the text with control characters other than tab and newline made visible."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def counted(number: int, things: str) -> str:
    """Return a number with what it counts, named in the plural: `1 entity`, `2,000 documents`."""
    if number == 1:
        things = f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("s")
    return f"{number:,} {things}"


def results() -> Console:
    """Return the console of results, on stdout."""
    STATUS.hide()
    from rich.console import Console

    return Console(highlight=False, emoji=False, markup=False)


def notes() -> Console:
    """Return the console of progress, questions and warnings, on stderr."""
    STATUS.hide()
    from rich.console import Console

    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def grid() -> Table:
    """Return a table of two columns: dim names, values."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column()
    return table


def tell(sentence: str) -> None:
    """Print a sentence to stderr, on a terminal broken between its words."""
    console = notes()
    console.print(printable(sentence), soft_wrap=not console.is_terminal)


def warn(message: str) -> None:
    """Print one line to stderr, on a terminal broken between its words."""
    STATUS.hide()
    text = printable(message)
    if sys.stderr.isatty():
        # Addresses and paths stay whole, to be copied.
        width = shutil.get_terminal_size().columns
        lines = text.split("\n")
        text = "\n".join(
            textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
            for line in lines
        )
    sys.stderr.write(text + "\n")
