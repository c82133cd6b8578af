"""A run as one self-contained HTML page: its figures, their intervals, every question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from hoptrail.core.types import JsonDict

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #8884; padding: .25rem .6rem; text-align: left; }
td.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
"""
_BREAKDOWN = ("n", "recall@5", "all_support@5", "coverage", "accuracy", "f1")
_QUESTION_SCORES = ("recall@5", "coverage", "accuracy")

Row = Iterable[object]


def render_report(run: JsonDict, summary: JsonDict, rows: Sequence[JsonDict]) -> str:
    """Return the page.

    Args:
        run: What the run was made with, as in `run.json`.
        summary: Its figures, as in `summary.json`.
        rows: Its questions, as in `rows.jsonl`.
    """
    title = f"{run['system']} on {run['questions']}"
    sections = [
        _table("Figures", ("figure", "value", "95 % interval"), _figures(summary)),
        *(
            _table(f"By {field}", (field, *_BREAKDOWN), _groups(summary[f"by_{field}"]))
            for field in ("type", "hops")
            if summary[f"by_{field}"]
        ),
        _table(
            "Questions",
            ("id", "question", "gold", "answer", *_QUESTION_SCORES, "failure"),
            map(_question, rows),
        ),
        _table("Settings", ("setting", "value"), run.items()),
    ]
    head = f"<meta name=viewport content='width=device-width'><title>{escape(title)}</title>"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8>{head}<style>{_STYLE}</style>"
        f"<h1>{escape(title)}</h1>{''.join(sections)}</html>\n"
    )


def _figures(summary: JsonDict) -> Iterable[Row]:
    for name, value in summary.items():
        if isinstance(value, int | float):
            interval = summary["ci95"].get(name)
            yield name, value, f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else ""


def _groups(groups: JsonDict) -> Iterable[Row]:
    return ([name, *(figures[column] for column in _BREAKDOWN)] for name, figures in groups.items())


def _question(row: JsonDict) -> Row:
    scores = [row["scores"][name] for name in _QUESTION_SCORES]
    failure = row["failure"]["message"] if row["failure"] else ""
    gold = "; ".join(row["gold"]["answers"])
    return [row["id"], row["question"], gold, row.get("answer", ""), *scores, failure]


def _table(caption: str, columns: Sequence[str], rows: Iterable[Row]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<h2>{escape(caption)}</h2><div><table><tr>{head}</tr>{body}</table></div>"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"<td class=number>{value:.3f}</td>"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"<td class=number>{value}</td>"
    return f"<td>{escape('' if value is None else str(value))}</td>"
