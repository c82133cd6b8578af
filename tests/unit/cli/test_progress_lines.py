from collections.abc import Callable

import pytest

from hoptrail.cli import progress_lines
from hoptrail.cli.progress_lines import ProgressLines

Wait = Callable[[float], None]


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Wait:
    """Return how to let seconds pass on the clock that the lines go by."""
    now = 100.0

    def wait(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(progress_lines, "monotonic", lambda: now)
    return wait


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str], wait: Wait) -> None:
    with ProgressLines() as lines:
        lines.start("embed", 30)
        for _ in range(3):
            wait(3)
            lines.advance("embed", 10)
        lines.finish("embed")
    assert capsys.readouterr().err == ""


def test_a_long_run_says_every_ten_seconds_how_far_it_is(
    capsys: pytest.CaptureFixture[str], wait: Wait
) -> None:
    with ProgressLines() as lines:
        lines.start("embed passages", 4000)
        for _ in range(5):
            wait(5)
            lines.advance("embed passages", 600)
    assert capsys.readouterr().err.splitlines() == [
        "embed passages: 1,200 of 4,000",
        "embed passages: 2,400 of 4,000",
    ]


def test_a_stage_of_unknown_length_says_what_is_done(
    capsys: pytest.CaptureFixture[str], wait: Wait
) -> None:
    with ProgressLines() as lines:
        lines.start("load", None)
        wait(11)
        lines.advance("load")
    assert capsys.readouterr().err == "load: 1 so far\n"
