"""Keeps the libraries that load models from writing to standard error."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from importlib import import_module
from typing import Any

_LOGGERS = ("sentence_transformers", "transformers", "huggingface_hub")


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
