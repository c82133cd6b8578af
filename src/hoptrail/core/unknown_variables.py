"""Variables of the environment that look like settings and are none."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches

_log = logging.getLogger(__name__)

_PREFIX = "HOPTRAIL_"
_NO_SETTINGS = frozenset({"DATA", "DEBUG", "WEB_DATA", "VLLM_KEY"})
"""Variables that something else than the settings reads."""
_OF_OTHERS = ("SERVE_", "TEST_")
"""Beginnings of those that a server hands to its processes, or that tests read."""
_TOLD: set[str] = set()


def warn_of_unknown_variables(warn: Callable[[str], None]) -> None:
    """Tell of each variable `HOPTRAIL_...` that nothing reads, and note that it was told."""
    for line in unknown_variables(os.environ):
        _TOLD.add(line)
        warn(f"warning: {line}")


def log_unknown_variables() -> None:
    """Log a warning of each variable `HOPTRAIL_...` that nothing reads, once in a process."""
    for line in unknown_variables(os.environ):
        if line not in _TOLD:
            _TOLD.add(line)
            _log.warning("%s", line)


def unknown_variables(variables: Iterable[str]) -> Iterator[str]:
    """Yield a line for each of these names that looks like a setting and is none."""
    from hoptrail.core.settings import Settings

    known = {name.upper() for name in Settings.model_fields} | _NO_SETTINGS
    for variable in sorted(variables):
        name = variable.removeprefix(_PREFIX)
        if name == variable or name.startswith(_OF_OTHERS) or name.partition("__")[0] in known:
            continue
        close = get_close_matches(name, sorted(known), n=1, cutoff=0.75)
        hint = f"did you mean {_PREFIX}{close[0]}?" if close else "see docs/settings.md"
        yield f"{variable} is no setting; {hint}"
