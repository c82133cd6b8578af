from pathlib import Path

import pytest
import torch

from hoptrail.core.errors import CheckpointError
from hoptrail.models.graph_llm.training.state import StateFiles, TrainingState


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
