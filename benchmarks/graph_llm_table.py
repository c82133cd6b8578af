"""The table of `graph_llm.py`, from the rows that its runs left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from graph_llm_runs import CONFIGURATIONS

from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.statistics import bootstrap_ci95, paired_difference
from hoptrail.eval.graph_llm.evaluation import ANSWER_SET_METRICS
from hoptrail.eval.json_files import JsonlLog

ROWS = "rows.jsonl"
SHUFFLED_ROWS = "rows-shuffled.jsonl"
POINTER_ROWS = "rows-pointer.jsonl"
HEAD = (
    "| configuration | seeds | n | Hits@1 [95 %] | Hit | F1 [95 %] | tokens | seconds "
    "| Hits@1 against | difference [95 %] | p |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
)
SHUFFLED = ", shuffled graphs"
POINTER = ", its pointer alone"

Runs = Sequence[Sequence[JsonDict]]
"""The rows of each seed's run."""

Scores = Mapping[str, Mapping[str, float]]
"""By question the mean over seeds of each metric."""


def markdown_table(work: Path) -> str:
    """Return a line per configuration that has answered.

    A difference is that of the same questions, each with its mean over seeds, with the interval of
    the paired bootstrap over questions. A configuration is compared with its control, its answers
    by its own graphs with those by shuffled ones.
    """
    lines = list(HEAD)
    for name, configuration in CONFIGURATIONS.items():
        own, shuffled = _runs(work, name, ROWS), _runs(work, name, SHUFFLED_ROWS)
        control = configuration.control
        if own:
            others = _runs(work, control, ROWS) if control else []
            lines.append(_line(name, own, control or "", others))
        if shuffled:
            lines.append(_line(name + SHUFFLED, shuffled, name, own))
        if pointed := _runs(work, name, POINTER_ROWS):
            lines.append(_line(name + POINTER, pointed, "", []))
    return "\n".join(lines)


def _runs(work: Path, name: str, file: str) -> Runs:
    folders = sorted(work.glob(f"{name}-s*"))
    return [rows for folder in folders if (rows := JsonlLog(folder / file).read())]


def _line(
    name: str,
    runs: Sequence[Sequence[JsonDict]],
    control: str,
    others: Sequence[Sequence[JsonDict]],
) -> str:
    scores = _over_seeds(runs)
    hits, hit, f1 = ([score[metric] for score in scores.values()] for metric in ANSWER_SET_METRICS)
    cells = [name, str(len(runs)), str(len(scores)), _mean(hits), f"{fmean(hit):.3f}", _mean(f1)]
    cells += [_cost(runs, "tokens", ".0f"), _cost(runs, "seconds", ".2f")]
    cells += [control, *_difference(scores, _over_seeds(others))] if others else ["", "", ""]
    return f"| {' | '.join(cells)} |"


def _mean(scores: Sequence[float]) -> str:
    interval = bootstrap_ci95(scores)
    shown = "" if interval is None else f" [{interval[0]:.3f}, {interval[1]:.3f}]"
    return f"{fmean(scores):.3f}{shown}"


def _cost(runs: Runs, name: str, form: str) -> str:
    """Return the mean of a question's tokens or seconds, of the rows that tell them."""
    told = [row[name] for rows in runs for row in rows if name in row]
    return format(fmean(told), form) if told else ""


def _over_seeds(runs: Runs) -> Scores:
    by_question: defaultdict[str, list[Mapping[str, float]]] = defaultdict(list)
    for rows in runs:
        for row in rows:
            by_question[row["id"]].append(row["scores"])
    return {
        question: {metric: fmean(score[metric] for score in scores) for metric in scores[0]}
        for question, scores in by_question.items()
    }


def _difference(scores: Scores, others: Scores) -> tuple[str, str]:
    differences = [
        score["hits@1"] - others[question]["hits@1"]
        for question, score in scores.items()
        if question in others
    ]
    found = paired_difference(differences)
    low, high = found.ci95
    return f"{found.mean:+.3f} [{low:+.3f}, {high:+.3f}]", f"{found.p:.4f}"
