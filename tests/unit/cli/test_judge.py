import io

from rich.console import Console

from hoptrail.cli.compare import show_pairwise
from hoptrail.eval.judges.pairwise_report import report_pairwise
from hoptrail.eval.judges.verdicts import PairJudgement, Vote, combine


def shown(*judgements: PairJudgement) -> str:
    stream = io.StringIO()
    judged_with = {"criteria": {"comprehensiveness": "How full?"}}
    report = report_pairwise(("preset:ours\x1b[31m", "preset:theirs"), judged_with, judgements)
    show_pairwise(report, Console(file=stream, width=80))
    return stream.getvalue()


def judged(number: int) -> PairJudgement:
    verdict = combine(Vote("first"), Vote("first"))
    return PairJudgement(f"q{number}", "Q?", "f", "judge", {"comprehensiveness": verdict})


def test_a_line_per_criterion_fits_a_narrow_terminal() -> None:
    text = shown(*map(judged, range(6)))
    (line,) = [line for line in text.splitlines() if "comprehensiveness" in line]
    assert line.split() == "comprehensiveness 100 (100-100) 0 (0-0) 0 (0-0) 0.031 0".split()


def test_runs_are_named_without_control_characters() -> None:
    text = shown(judged(1))
    assert "B: preset:theirs" in text
    assert "\x1b" not in text


def test_pairs_without_a_verdict_are_counted_and_shares_left_open() -> None:
    text = shown(PairJudgement("q1", "Q?", "f", "unjudged", failure="no reply"))
    assert "1 pairs: 1 unjudged" in text
    assert "comprehensiveness" in text
    assert "nan" not in text.lower()
