"""Packages that an extra brings: told of where one is missing, and loaded without noise."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from hoptrail.core.errors import MissingExtraError

_LOGGERS = ("sentence_transformers", "transformers", "huggingface_hub")


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import a module that an extra of Hoptrail brings.

    Args:
        module: Dotted name of the module.
        extra: Name of the extra in `pip install "hoptrail[extra]"`.
        purpose: What needs it, for the message.

    Raises:
        MissingExtraError: If its top-level package is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise MissingExtraError(
            f"{purpose} needs the package {package!r}", hint=f'pip install "hoptrail[{extra}]"'
        ) from error


@contextlib.contextmanager
def quiet_loading() -> Iterator[None]:
    """Keep the libraries' progress bars and load reports off standard error."""
    transformers_logging: Any = import_module("transformers.utils.logging")
    bars_were_shown = transformers_logging.is_progress_bar_enabled()
    levels = {name: logging.getLogger(name).level for name in _LOGGERS}
    for name in levels:
        logging.getLogger(name).setLevel(logging.ERROR)
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        if bars_were_shown:
            transformers_logging.enable_progress_bar()
