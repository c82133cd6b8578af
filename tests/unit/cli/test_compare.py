import io

from rich.console import Console

from hoptrail.cli.compare import show_comparison, show_pairwise
from hoptrail.eval.figures.comparison import ComparedMetric, Comparison, Contrast
from hoptrail.eval.figures.statistics import McNemar, PairedDifference
from hoptrail.eval.judges.pairwise import PairJudgement, Vote, combine
from hoptrail.eval.judges.runner import report_pairwise

CONTRAST = Contrast(PairedDifference(0.25, (0.1, 0.4), 0.0123), 3, 1, 6, McNemar(3, 1, 0.625))


def shown(comparison: Comparison) -> list[list[str]]:
    stream = io.StringIO()
    show_comparison(comparison, Console(file=stream, width=80))
    return [line.split() for line in stream.getvalue().splitlines()]


def test_each_run_is_set_against_the_baseline_within_80_columns() -> None:
    metric = ComparedMetric("all_support@10", 10, (0.5, 0.75), (None, CONTRAST))
    lines = shown(Comparison(("a", "b"), tuple("0123456789"), (0, 0), (None, None), (metric,)))
    assert lines[0] == ["b", "against", "a,", "10", "questions"]
    assert lines[2] == (
        ["all_support@10", "0.500", "0.750", "+0.250", "+0.100", "to", "+0.400", "0.012", "0.625"]
    )


def test_a_metric_without_a_pair_is_left_out_and_so_is_said_of_questions() -> None:
    metric = ComparedMetric("accuracy", 1, (None, 1.0), (None, None))
    lines = shown(Comparison(("a", "b"), ("q1",), (0, 4), (None, None), (metric,)))
    assert not any("accuracy" in line for line in lines)
    assert lines[-1][:4] == ["4", "questions", "of", "b"]


def test_that_a_run_asked_the_oracle_is_said_below() -> None:
    metric = ComparedMetric("accuracy", 1, (1.0, 1.0), (None, CONTRAST))
    compared = Comparison(("a", "b"), ("q1",), (0, 0), (None, "oracle:noise=0.1"), (metric,))
    assert shown(compared)[-1][:5] == ["the", "oracle", "answers", "from", "gold:"]


def shown_pairwise(*judgements: PairJudgement) -> str:
    stream = io.StringIO()
    judged_with = {"criteria": {"comprehensiveness": "How full?"}}
    report = report_pairwise(("preset:ours\x1b[31m", "preset:theirs"), judged_with, judgements)
    show_pairwise(report, Console(file=stream, width=80))
    return stream.getvalue()


def judged(number: int) -> PairJudgement:
    verdict = combine(Vote("first"), Vote("first"))
    return PairJudgement(f"q{number}", "Q?", "f", "judge", {"comprehensiveness": verdict})


def test_a_line_per_criterion_fits_a_narrow_terminal() -> None:
    text = shown_pairwise(*map(judged, range(6)))
    (line,) = [line for line in text.splitlines() if "comprehensiveness" in line]
    assert line.split() == "comprehensiveness 100 (100-100) 0 (0-0) 0 (0-0) 0.031 0".split()


def test_runs_are_named_without_control_characters() -> None:
    text = shown_pairwise(judged(1))
    assert "B: preset:theirs" in text
    assert "\x1b" not in text


def test_pairs_without_a_verdict_are_counted_and_shares_left_open() -> None:
    text = shown_pairwise(PairJudgement("q1", "Q?", "f", "unjudged", failure="no reply"))
    assert "1 pairs: 1 unjudged" in text
    assert "comprehensiveness" in text
    assert "nan" not in text.lower()
