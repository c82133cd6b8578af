"""Short names that tell the runs of a report apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hoptrail.core.types import JsonDict

_NOT_A_SETTING = frozenset(
    {"system", "command", "date", "git", "generation", "n", "prompts", "hoptrail"}
)

ORACLE = "oracle"
ORACLE_NOTE = "the oracle answers from gold: its figures are no model's"


def name_runs(runs: Sequence[JsonDict]) -> tuple[str, ...]:
    """Return one name per run: its system, with the settings that set it apart where needed.

    The oracle is always named: its figures say what evidence allows, not what a model reaches.

    Args:
        runs: Run records, as in `run.json`.
    """
    names = [_with_settings(run, _same_system(runs, run)) for run in runs]
    return tuple(_number_repeats(names))


def _same_system(runs: Sequence[JsonDict], run: JsonDict) -> list[JsonDict]:
    return [other for other in runs if other.get("system") == run.get("system")]


def _with_settings(run: JsonDict, others: Sequence[JsonDict]) -> str:
    telling = [
        f"{name} {value}"
        for name, value in run.items()
        if isinstance(value, str | int | float)
        and name not in _NOT_A_SETTING
        and not (name == "model" and run.get("reader"))
        and (_is_oracle(name, value) or any(other.get(name) != value for other in others))
    ]
    return ", ".join([str(run.get("system", "run")), *telling])


def _is_oracle(setting: str, value: object) -> bool:
    return setting == "reader" and is_oracle(str(value))


def _number_repeats(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return numbered


def is_oracle(name: str | None) -> bool:
    """Return whether a reader's name means the oracle, not a model of a provider."""
    return (name or "").strip().partition(":")[0] == ORACLE
