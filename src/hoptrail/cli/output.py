"""Where output goes: results to stdout, all else to stderr, with a status line meanwhile."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.table import Table

_DRAFT_LINES = 8

# Documents may hold terminal escape sequences; printed raw they could rewrite the screen.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class StatusLine:
    """One line with a spinner, and above it the end of an answer that is being written.

    It is shown only where it was allowed to, and gone as soon as anything else is printed: the
    functions below hide it first.
    """

    def __init__(self) -> None:
        self._is_allowed = False
        self._live: Live | None = None
        self._screen: _Screen | None = None

    @property
    def is_allowed(self) -> bool:
        """Whether a person sees the line."""
        return self._is_allowed

    def allow(self) -> None:
        """Let the line be shown where stderr is a terminal."""
        self._is_allowed = sys.stderr.isatty()

    def forbid(self) -> None:
        """Hide the line for good."""
        self.hide()
        self._is_allowed = False

    def say(self, stage: str) -> None:
        """Show what is being done, in place of what was shown."""
        if not self._is_allowed:
            return
        if self._live is None or self._screen is None:
            self._start(stage)
        else:
            self._screen.say(stage)
            self._live.refresh()

    def show_draft(self, text: str) -> None:
        """Show the end of an answer as far as it is written, above the line.

        Args:
            text: The answer, already without control characters.
        """
        if self._live is not None and self._screen is not None:
            self._screen.draft = text
            self._live.refresh()

    def hide(self) -> None:
        """Remove the line and the draft; what is said next shows the line again."""
        live, self._live, self._screen = self._live, None, None
        if live is not None:
            live.stop()

    def _start(self, stage: str) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, highlight=False, emoji=False, markup=False)
        self._screen = _Screen(stage, console)
        # Results go to stdout, which may be a file: only what lands on stderr is kept apart.
        self._live = Live(
            self._screen,
            console=console,
            transient=True,
            refresh_per_second=8,
            redirect_stdout=False,
        )
        self._live.start(refresh=True)


class _Screen:
    """The text above the line, and the line."""

    def __init__(self, stage: str, console: Console) -> None:
        from rich.spinner import Spinner

        self.draft = ""
        name = "line" if console.options.ascii_only else "dots"
        self._spinner: Spinner = Spinner(name, style="dim")
        self.say(stage)

    def say(self, stage: str) -> None:
        from rich.text import Text

        self._spinner.text = Text(f"{stage} ...", "dim", no_wrap=True, overflow="ellipsis")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        if self.draft:
            lines = Text(self.draft).wrap(console, options.max_width)
            room = min(_DRAFT_LINES, max(1, console.height - 2))
            yield from lines[-room:]
        yield self._spinner


def is_typed() -> bool:
    """Return whether a person types and reads the conversation."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def keys_unseen() -> Iterator[None]:
    """Show no key that is typed meanwhile: it would break the status line; the prompt gets it."""
    try:
        import termios
    except ImportError:  # Windows shows none
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    unseen = list(before)
    unseen[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, unseen)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


STATUS = StatusLine()
"""The line of this process: it has one terminal."""


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
