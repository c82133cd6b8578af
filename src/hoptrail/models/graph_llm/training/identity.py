"""Identity of a training run: with an equal one, a run may continue another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import Tensor

from hoptrail.core.errors import CheckpointError
from hoptrail.core.whole_file import write_whole
from hoptrail.models.graph_llm.example import GraphExample

RUN = "run.json"


def examples_digest(examples: Sequence[GraphExample]) -> str:
    """Return a digest of all that the examples say, in their order."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(json.dumps(example.to_json(), ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def weights_digest(weights: Mapping[str, Tensor]) -> str:
    """Return a digest of parameters, by name and value."""
    digest = hashlib.sha256()
    for name, weight in sorted(weights.items()):
        digest.update(name.encode())
        digest.update(weight.detach().float().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def claim_folder(folder: Path, run: Mapping[str, Any]) -> None:
    """Note in a folder which run it holds.

    Args:
        folder: The folder; `run.json` is written where it has none.
        run: What the run depends on, as JSON.

    Raises:
        CheckpointError: If the folder holds another run; names the first difference.
    """
    path = folder / RUN
    wanted = json.loads(json.dumps(run))
    if not path.exists():
        write_whole(path, json.dumps(wanted, indent=2) + "\n")
        return
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CheckpointError(f"{path} is damaged", hint="use another --out folder") from error
    difference = _first_difference(known, wanted)
    if difference is not None:
        name, old, new = difference
        raise CheckpointError(
            f"{folder} holds a training run with another {name}: {old!r}, not {new!r}",
            hint="give the same options and data to continue it, or another --out folder",
        )


def _first_difference(old: Any, new: Any) -> tuple[str, Any, Any] | None:
    """Return the dotted name of the first entry that differs, and its two values."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return None if old == new else ("", old, new)
    for name in {**new, **old}:
        difference = _first_difference(old.get(name), new.get(name))
        if difference is not None:
            rest, *values = difference
            return (f"{name}.{rest}".rstrip("."), values[0], values[1])
    return None
