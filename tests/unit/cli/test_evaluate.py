import io
from typing import Any

from rich.console import Console

from hoptrail.cli.evaluate import describe_failures, show_summary
from hoptrail.cli.progress import ScoreBar
from hoptrail.eval.runs.worker import RunProgress


def test_figures_that_were_not_measured_are_left_out() -> None:
    stream = io.StringIO()
    summary = {
        "n": 100,
        "recall@5": 0.7123,
        "f1": None,
        "errors": {"correct": 0.75, "abstained": 0.25},
        "by_type": {"bridge": {"n": 60}},
        "ci95": {"recall@5": (0.65, 0.77), "f1": None},
    }
    show_summary(summary, Console(file=stream, width=100))
    lines = [line.split() for line in stream.getvalue().splitlines()]
    assert lines == [
        ["n", "100"],
        ["recall@5", "0.712", "0.650", "to", "0.770"],
        ["errors:", "correct", "0.750"],
        ["errors:", "abstained", "0.250"],
    ]


def test_a_run_without_a_ranking_says_that_recall_is_not_scored() -> None:
    stream = io.StringIO()
    summary = {"n": 2, "recall@2": None, "recall@5": None, "accuracy": 1.0}
    show_summary(summary, Console(file=stream, width=100))
    lines = [" ".join(line.split()) for line in stream.getvalue().splitlines()]
    assert lines == ["n 2", "recall not scored", "accuracy 1.000"]


def test_failures_are_counted_and_the_first_one_is_explained() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "q1", "failure": None},
        {"id": "q2", "failure": {"code": "model", "message": "the server\nis down"}},
    ]
    assert describe_failures(rows) == "1 of 2 questions failed, q2 first: the server is down"


def test_the_bar_shows_the_score_so_far_on_a_terminal() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=100, force_terminal=True)
    with ScoreBar(console) as bar:
        bar.update(RunProgress(done=3, total=10, score_name="recall@5", score=0.5, usd=0.0123))
    assert "recall@5 0.500 $0.012" in stream.getvalue()


def test_the_bar_is_silent_in_a_pipe() -> None:
    stream = io.StringIO()
    with ScoreBar(Console(file=stream, width=100)) as bar:
        bar.update(RunProgress(done=3, total=10, score_name="recall@5", score=None, usd=0.0))
    assert stream.getvalue().strip() == ""


def test_figures_of_the_oracle_are_told_from_those_of_a_model() -> None:
    stream = io.StringIO()
    show_summary({"reader": "oracle", "n": 2}, Console(file=stream, width=100))
    first, *_, last = stream.getvalue().splitlines()
    assert first.split() == ["reader", "oracle"]
    assert last == "the oracle answers from gold: its figures are no model's"
