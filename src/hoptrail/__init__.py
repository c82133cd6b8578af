"""Hoptrail: multi-hop question answering over documents and graphs, with a checked trail."""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.core.errors import HoptrailError
    from hoptrail.core.types import Answer, Evidence
    from hoptrail.models.graph_llm.chat import ChatGraphLlama
    from hoptrail.models.graph_llm.graph_input import GraphInput

__all__ = [
    "Answer",
    "ChatGraphLlama",
    "Evidence",
    "GraphInput",
    "Hoptrail",
    "HoptrailError",
    "__version__",
]
__version__ = "0.2.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())  # the program decides what is shown

_HOMES = {
    "Answer": "hoptrail.core.types",
    "ChatGraphLlama": "hoptrail.models.graph_llm.chat",
    "Evidence": "hoptrail.core.types",
    "GraphInput": "hoptrail.models.graph_llm.graph_input",
    "Hoptrail": "hoptrail.api",
    "HoptrailError": "hoptrail.core.errors",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import hoptrail` itself loads nothing."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'hoptrail' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
