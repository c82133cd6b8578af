"""A short form of each campaign: `make campaigns` is the long one."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

import pytest

from benchmarks.campaigns import stalls
from benchmarks.campaigns.__main__ import kinds_of
from benchmarks.campaigns.trials import Kind, Tally, run_kind
from hoptrail.models import embedder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="forks, and limits what a process may do"),
]


@pytest.fixture(scope="module", autouse=True)
def own_process() -> Iterator[None]:
    """Take back what campaigns choose for their process: environment and embedders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HOPTRAIL_EMBEDDER", "hashing")
        patch.setattr(embedder, "_registered", dict(embedder._registered))
        yield


def short_run(campaign: str, name: str, *, seed: int = 0) -> Tally:
    """Run a trial or a few of one kind."""
    [kind] = [kind for kind in kinds_of(campaign) if kind.name == name]
    return run_kind(kind, seconds=2.0, trials=20, seed=seed)


@pytest.mark.parametrize("name", ["sync", "delete"])
def test_a_killed_command_ends_well_when_it_is_run_again(name: str) -> None:
    assert short_run("kills", name).failed == []


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_power_cut_leaves_a_base() -> None:
    tally = short_run("power", "delete")
    assert tally.failed == [] and tally.tried > 0


def test_too_small_a_file_is_told_and_loses_nothing() -> None:
    assert short_run("disk", "limited-delete").failed == []


@pytest.mark.parametrize("name", ["arrays-flipped", "threads-cut"])
def test_a_damaged_file_is_told_of_or_made_anew(name: str) -> None:
    assert short_run("damage", name).failed == []


@pytest.mark.parametrize("name", ["dotrag", "tables", "extraction", "judging", "forms"])
def test_hostile_replies_end_in_an_answer(name: str) -> None:
    tally = short_run("replies", name)
    assert tally.failed == [] and tally.tried > 0


@pytest.mark.parametrize("name", ["text-files", "packed-files", "questions", "sql", "replies"])
def test_made_up_input_is_read_or_refused(name: str) -> None:
    assert short_run("fuzz", name).failed == []


def test_a_server_that_falls_silent_ends_no_question_late_while_the_clock_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of hours, were it not for the limit; the campaign itself allows two seconds.
    monkeypatch.setattr(stalls, "LEEWAY", 100.0)
    assert short_run("stalls", "clock").failed == []


def test_a_trial_that_fails_is_told_with_its_seed() -> None:
    def odd(seed: int, _: object) -> int:
        assert seed % 2 == 0
        return 3

    tally = run_kind(Kind("odd", odd), seconds=60, trials=4, seed=10)

    assert (tally.tried, tally.failed) == (8, [11, 13])
    assert str(tally).startswith("odd: tried 8, held 6, failed 2 (seeds 11, 13)")
