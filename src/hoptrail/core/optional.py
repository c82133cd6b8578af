"""The guard around parts that need an extra to be installed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from hoptrail.core.errors import MissingExtraError


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
