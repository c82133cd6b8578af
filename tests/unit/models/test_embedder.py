from __future__ import annotations

import sys

import pytest

from hoptrail.core.errors import MissingExtraError
from hoptrail.models.embedder import load_embedder, register_embedder
from hoptrail.testing import HashingEmbedder


def test_a_registered_embedder_is_found_by_its_name() -> None:
    embedder = HashingEmbedder()
    register_embedder("mine", embedder)
    assert load_embedder("mine") is embedder


def test_a_model_of_the_hub_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match="the embedder 'somebody/some-model'") as caught:
        load_embedder("somebody/some-model")
    assert caught.value.hint == 'pip install "hoptrail[sentence-transformers]"'
