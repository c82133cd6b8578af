"""Short names that tell the runs of a report apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hoptrail.core.types import JsonDict

_NOT_A_SETTING = frozenset(
    {"system", "command", "date", "git", "generation", "n", "prompts", "hoptrail"}
)


def name_runs(runs: Sequence[JsonDict]) -> tuple[str, ...]:
    """Return one name per run: its system, with the settings that set it apart where needed.

    Args:
        runs: Run records, as in `run.json`.
    """
    systems = [str(run.get("system", "run")) for run in runs]
    shared = Counter(systems)
    names = [
        system if shared[system] == 1 else _with_settings(run, _same_system(runs, run))
        for system, run in zip(systems, runs, strict=True)
    ]
    return tuple(_number_repeats(names))


def _same_system(runs: Sequence[JsonDict], run: JsonDict) -> list[JsonDict]:
    return [other for other in runs if other.get("system") == run.get("system")]


def _with_settings(run: JsonDict, others: Sequence[JsonDict]) -> str:
    differing = [
        f"{name} {value}"
        for name, value in run.items()
        if isinstance(value, str | int | float)
        and name not in _NOT_A_SETTING
        and not (name == "model" and run.get("reader"))
        and any(other.get(name) != value for other in others)
    ]
    return ", ".join([str(run.get("system", "run")), *differing])


def _number_repeats(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return numbered
