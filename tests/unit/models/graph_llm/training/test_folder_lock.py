from pathlib import Path

import pytest

from hoptrail.core.errors import CheckpointError
from hoptrail.models.graph_llm.training.folder_lock import locked


def test_a_second_run_is_refused(tmp_path: Path) -> None:
    with (
        locked(tmp_path),
        pytest.raises(CheckpointError, match="another process trains in"),
        locked(tmp_path),
    ):
        pass


def test_the_folder_is_free_afterwards(tmp_path: Path) -> None:
    with locked(tmp_path):
        pass
    with locked(tmp_path):
        pass
