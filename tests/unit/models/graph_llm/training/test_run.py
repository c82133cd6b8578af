from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from hoptrail.core.errors import CheckpointError
from hoptrail.models.graph_llm.training.run import (
    Curves,
    StateFiles,
    TrainingState,
    delayed_interrupt,
)


@pytest.fixture(autouse=True)
def usual_handler() -> Iterator[None]:
    """Let an interrupt raise, also where the tests run in the background and it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_first_interrupt_is_noted_and_a_second_one_raised() -> None:
    with delayed_interrupt() as is_interrupted:
        assert not is_interrupted()
        os.kill(os.getpid(), signal.SIGINT)
        assert is_interrupted()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_the_usual_handling_comes_back() -> None:
    usual = signal.getsignal(signal.SIGINT)
    with delayed_interrupt():
        assert signal.getsignal(signal.SIGINT) is not usual
    assert signal.getsignal(signal.SIGINT) is usual


def test_other_threads_are_never_interrupted() -> None:
    def ask() -> bool:
        with delayed_interrupt() as is_interrupted:
            return is_interrupted()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ask).result() is False


def state(step: int) -> TrainingState:
    return TrainingState(step=step, best={"hits@1": 0.5}, weights={"w": torch.tensor([1.0, step])})


def test_a_run_without_a_state_begins_at_step_0(tmp_path: Path) -> None:
    assert StateFiles(tmp_path / "states").load() == TrainingState()


def test_the_last_state_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    files = StateFiles(tmp_path)
    for step in (5, 10):
        files.save(state(step))
    loaded = files.load()
    assert (loaded.step, loaded.best) == (10, {"hits@1": 0.5})
    assert loaded.weights["w"].tolist() == [1.0, 10.0]


def test_two_states_are_kept(tmp_path: Path) -> None:
    files = StateFiles(tmp_path)
    for step in (5, 10, 15):
        files.save(state(step))
    assert len(list(tmp_path.iterdir())) == 2


def test_a_damaged_state_gives_way_to_the_one_before(tmp_path: Path) -> None:
    files = StateFiles(tmp_path)
    for step in (5, 10):
        files.save(state(step))
    last = max(tmp_path.iterdir())
    last.write_bytes(last.read_bytes()[:100])
    assert files.load().step == 5


def test_damaged_states_alone_are_an_error(tmp_path: Path) -> None:
    StateFiles(tmp_path).save(state(5))
    for path in tmp_path.iterdir():
        path.write_bytes(b"no state")
    with pytest.raises(CheckpointError, match="damaged"):
        StateFiles(tmp_path).load()


ROW = {"step": 1, "phase": "language", "epoch": 1, "loss": 0.1 + 0.2, "seconds": 1.5}


def test_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    curves = Curves(tmp_path)
    curves.keep(0)
    curves.append(ROW)
    row = curves.rows()[0]
    assert float(row["loss"]) == 0.1 + 0.2
    assert row["hits@1"] == ""


def test_rows_beyond_a_step_are_dropped(tmp_path: Path) -> None:
    curves = Curves(tmp_path)
    curves.keep(0)
    for step in (1, 2, 3):
        curves.append({**ROW, "step": step})
    curves.keep(2)
    curves.append({**ROW, "step": 3, "loss": 7})
    assert [(row["step"], row["loss"]) for row in curves.rows()][1:] == [
        ("2", str(0.1 + 0.2)),
        ("3", "7"),
    ]


def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    curves = Curves(tmp_path)
    curves.keep(0)
    curves.append(ROW)
    with (tmp_path / "curves.csv").open("a", encoding="utf-8") as stream:
        stream.write("2,langu")
    assert [row["step"] for row in curves.rows()] == ["1"]


def test_the_picture_is_a_png(tmp_path: Path) -> None:
    curves = Curves(tmp_path)
    curves.keep(0)
    curves.append({**ROW, "language_loss": 2.0})
    curves.append({**ROW, "step": 2, "language_loss": 1.0, "hits@1": 0.5})
    curves.draw()
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
