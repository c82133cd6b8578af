"""The question answering graph with the defaults that `hoptrail serve --set` gives it."""

from __future__ import annotations

from typing import Any

from hoptrail.cli.serve import served_defaults
from hoptrail.graphs.qa import compile_qa

_defaults = served_defaults()
graph: Any = compile_qa(_defaults)
