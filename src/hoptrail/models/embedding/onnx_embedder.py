"""An embedder that runs a graph in ONNX format by ONNX Runtime on the processor."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hoptrail.core.embedding import Embedder, FloatArray
from hoptrail.core.machine import usable_cores
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
