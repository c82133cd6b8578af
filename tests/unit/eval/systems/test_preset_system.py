from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import ModelNotConfiguredError
from hoptrail.eval.systems.preset_system import PresetSystem
from hoptrail.graphs.context import Context
from tests.ships import hashing_settings, index_ships


def test_a_preset_without_its_model_names_the_reader_that_needs_none(tmp_path: Path) -> None:
    settings = hashing_settings()
    index_ships(tmp_path / "kb", settings)
    with Hoptrail.open(tmp_path / "kb", settings=settings) as hoptrail:
        context = Context(knowledge_base=str(tmp_path / "kb"), preset="lightrag")

        with pytest.raises(ModelNotConfiguredError, match="HOPTRAIL_MODEL.*--reader oracle"):
            PresetSystem(hoptrail, context)
