"""Logs of a command: nothing by default, else on stderr."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_TOLD_ALWAYS = "hoptrail.core.plugins"  # packages that cannot be used: nobody else tells of them
_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


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

    Packages that cannot be used are told of in any case, in one plain line each.

    Libraries log from the level `warning` on, and from `info` on where the level is `debug`.

    Args:
        level: off, error, warning, info or debug.
    """
    root, own, warned = map(logging.getLogger, (None, "hoptrail", "py.warnings"))
    before = root.level, own.level, logging.lastResort, warned.propagate
    handler = _Stderr() if level != "off" else None
    plain = _Stderr() if level == "off" else None
    # It prints what no handler takes. Servers find the root without handlers and add their own.
    logging.lastResort = logging.NullHandler()
    logging.captureWarnings(True)
    warned.propagate = handler is not None
    if plain is not None:
        logging.getLogger(_TOLD_ALWAYS).addHandler(plain)
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
            logging.getLogger(_TOLD_ALWAYS).removeHandler(plain)
        if handler is not None:
            root.removeHandler(handler)
        logging.captureWarnings(False)
        root.setLevel(before[0])
        own.setLevel(before[1])
        logging.lastResort = before[2]
        warned.propagate = before[3]


def chosen_level(verbosity: int) -> str:
    """Return the level of `--verbose`, given once or more; without it, that of the settings."""
    if verbosity:
        return "info" if verbosity == 1 else "debug"
    from hoptrail.core.errors import SettingsError
    from hoptrail.core.settings import load_settings

    try:
        return load_settings().log_level
    except SettingsError:
        return "off"  # the command reads the settings again, and says what is wrong
