"""The question answering graph with the defaults that `hoptrail serve --set` gives it."""

from __future__ import annotations

import json
import os
from typing import Any

from hoptrail.cli.serve import DEFAULTS_VARIABLE
from hoptrail.graphs.context import resolve_context
from hoptrail.graphs.qa import compile_qa

_defaults = resolve_context(json.loads(os.environ.get(DEFAULTS_VARIABLE) or "{}"))
graph: Any = compile_qa(_defaults)
