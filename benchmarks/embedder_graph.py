"""Make the graphs of the packaged embedder and of the passage reader that is built upon it.

The graphs hold no weight. Each of the embedder's is named by its place in the package's
`model.safetensors`, which stores arrays as they are, so ONNX Runtime maps the very file. Nothing is
trained or rounded: it is BERT as published (Devlin et al. 2019, arXiv:1810.04805), then the mean
over the tokens and its direction (Reimers and Gurevych 2019, arXiv:1908.10084).

The reader takes the vectors of words and positions from the same file, and all other weights by
name from whoever opens the graph; for each token it gives how well an answer begins and ends there,
and for each text what kind of answer it gives (Devlin et al. 2019, section 4.3).

    python benchmarks/embedder_graph.py src/hoptrail/models/embedding/all_minilm_l6_v2.onnx
    python benchmarks/embedder_graph.py --reader src/hoptrail/models/weights/passage_reader.onnx
"""

from __future__ import annotations

import argparse
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from hoptrail.models.embedding.packaged_models import PACKAGED_MODELS, check_files

NAME = "all-MiniLM-L6-v2"
WEIGHTS = "model.safetensors"
OPSET = 20  # the first with Gelu
IR_VERSION = 9  # the one of that opset
KINDS = 4  # of answers: words of the passage, none, yes, no
GIVEN = "given"  # place of the weights that whoever opens the graph has
LEAST = -1e9  # added to the score of a token that only fills up the batch


def main() -> None:
    """Write the file that is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reader", action="store_true", help="the passage reader's graph")
    parser.add_argument("out", type=Path)
    parsed = parser.parse_args()
    model = PACKAGED_MODELS[NAME]
    folder = Path(import_module(model.module).get_model_path())
    check_files(folder, model)
    graph = make_graph(folder, ReaderGraph if parsed.reader else EmbedderGraph)
    parsed.out.write_bytes(graph.SerializeToString(deterministic=True))


def make_graph(folder: Path, kind: type[BertGraph]) -> ModelProto:
    """Return the graph of a kind.

    Args:
        folder: The model's files.
        kind: From `input_ids` and `attention_mask` to `embedding`, or the reader's.
    """
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return kind(config, read_places(folder / WEIGHTS)).build()


def read_places(path: Path) -> dict[str, tuple[list[int], int, int]]:
    """Return shape, first byte and number of bytes of each array of a safetensors file."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header: dict[str, Any] = json.loads(file.read(length))
    header.pop("__metadata__", None)
    places: dict[str, tuple[list[int], int, int]] = {}
    for name, array in header.items():
        start, end = array["data_offsets"]
        places[name] = (array["shape"], 8 + length + start, end - start)
    return places


class BertGraph(ABC):
    """BERT, node by node; a subclass says what is read from its last layer.

    Linear layers work on one row per token, shape (texts x tokens, hidden); attention alone needs
    to know which text a token is of.

    Args:
        config: The model's `config.json`.
        places: Of each weight: shape, first byte, number of bytes.
    """

    _inputs: tuple[str, ...] = ("input_ids", "attention_mask")
    _shared: tuple[str, ...] | None = None
    """Modules whose weights come from the package; None for all."""

    def __init__(
        self, config: dict[str, Any], places: dict[str, tuple[list[int], int, int]]
    ) -> None:
        self._hidden: int = config["hidden_size"]
        self._heads: int = config["num_attention_heads"]
        self._layers: int = config["num_hidden_layers"]
        self._epsilon: float = config["layer_norm_eps"]
        self._places = places
        self._nodes: list[NodeProto] = []
        self._arrays: dict[str, TensorProto] = {}

    def build(self) -> ModelProto:
        """Return the whole model."""
        shape = self._node("Shape", "input_ids")
        rows = self._array("rows", np.array([-1, self._hidden]))
        mask = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        hidden = self._node("Reshape", self._embeddings(shape), rows)
        bias = self._attention_bias(mask)
        for layer in range(self._layers):
            hidden = self._layer(f"encoder.layer.{layer}.", hidden, shape, bias, rows)
        outputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["texts", *dims])
            for name, dims in self._read(hidden, shape, mask).items()
        ]
        integers = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
            for name in self._inputs
        ]
        graph = helper.make_graph(
            self._nodes, "bert", integers, outputs, list(self._arrays.values())
        )
        opset = helper.make_opsetid("", OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)

    @abstractmethod
    def _segment(self, table: str) -> str:
        """Return the vectors of the segments of the tokens."""

    @abstractmethod
    def _read(self, hidden: str, shape: str, mask: str) -> dict[str, list[str | int]]:
        """Add the outputs; return their names and dimensions behind the first, the texts."""

    def _embeddings(self, shape: str) -> str:
        """Sum of a token's vectors as a word, at its position and in the first segment."""
        zero, one, two = (self._array(f"at_{at}", np.array([at])) for at in range(3))
        tokens = self._node("Slice", shape, one, two)
        words = self._node("Gather", self._weight("embeddings.word_embeddings"), "input_ids")
        positions = self._weight("embeddings.position_embeddings")
        segment = self._segment(self._weight("embeddings.token_type_embeddings"))
        summed = self._node("Add", words, segment)
        summed = self._node("Add", summed, self._node("Slice", positions, zero, tokens, zero))
        return self._normalised(summed, "embeddings.LayerNorm")

    def _attention_bias(self, mask: str) -> str:
        """Summand of attention's scores, shape (texts, 1, 1, tokens)."""
        one = self._array("one", np.array(1, dtype=np.float32))
        least = self._array("least", np.array(LEAST, dtype=np.float32))
        missing = self._node("Mul", self._node("Sub", one, mask), least)
        return self._node("Unsqueeze", missing, self._array("head_and_query", np.array([1, 2])))

    def _layer(self, prefix: str, hidden: str, shape: str, bias: str, rows: str) -> str:
        attended = self._attention(f"{prefix}attention.self.", hidden, shape, bias)
        attended = self._linear(
            self._node("Reshape", attended, rows), f"{prefix}attention.output.dense"
        )
        attended = self._normalised(
            self._node("Add", attended, hidden), f"{prefix}attention.output.LayerNorm"
        )
        wide = self._node("Gelu", self._linear(attended, f"{prefix}intermediate.dense"))
        narrow = self._linear(wide, f"{prefix}output.dense")
        return self._normalised(self._node("Add", narrow, attended), f"{prefix}output.LayerNorm")

    def _attention(self, prefix: str, hidden: str, shape: str, bias: str) -> str:
        size = self._hidden // self._heads
        per_head = self._array("per_head", np.array([self._heads, size]))
        split = self._node("Concat", shape, per_head, axis=0)
        query, key, value = (
            self._node("Reshape", self._linear(hidden, f"{prefix}{part}"), split)
            for part in ("query", "key", "value")
        )
        scores = self._node(
            "MatMul",
            self._node("Transpose", query, perm=[0, 2, 1, 3]),
            self._node("Transpose", key, perm=[0, 2, 3, 1]),
        )
        scale = self._array("scale", np.array(size**-0.5, dtype=np.float32))
        scores = self._node("Add", self._node("Mul", scores, scale), bias)
        mixed = self._node(
            "MatMul",
            self._node("Softmax", scores, axis=-1),
            self._node("Transpose", value, perm=[0, 2, 1, 3]),
        )
        return self._node("Transpose", mixed, perm=[0, 2, 1, 3])

    def _by_text(self, hidden: str, shape: str) -> str:
        last = self._array("last", np.array([self._hidden]))
        return self._node("Reshape", hidden, self._node("Concat", shape, last, axis=0))

    def _linear(
        self, rows: str, name: str, shape: tuple[int, int] | None = None, output: str = ""
    ) -> str:
        """Add a linear layer, of a shape where the package's file has none of its name."""
        weight = self._weight(name, shape=shape)
        bias = self._weight(name, "bias", shape=shape and shape[:1])
        return self._node("Gemm", rows, weight, bias, output=output, transB=1)

    def _normalised(self, rows: str, name: str) -> str:
        scale, bias = self._weight(name), self._weight(name, "bias")
        return self._node("LayerNormalization", rows, scale, bias, axis=-1, epsilon=self._epsilon)

    def _node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its result."""
        output = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def _array(self, name: str, values: np.ndarray) -> str:
        self._arrays[name] = numpy_helper.from_array(values, name)
        return name

    def _weight(self, module: str, part: str = "weight", shape: Sequence[int] | None = None) -> str:
        """Name an array by its place in the package's file, or as one that is given by name."""
        name = f"{module}.{part}"
        if shape is None:
            shape, start, length = self._places[name]
        else:
            start, length = 0, 4 * int(np.prod(shape))
        is_given = self._shared is not None and module not in self._shared
        array = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        array.data_location = TensorProto.EXTERNAL
        place = GIVEN if is_given else WEIGHTS
        for key, value in (("location", place), ("offset", start), ("length", length)):
            array.external_data.add(key=key, value=str(value))
        self._arrays[name] = array
        return name


class EmbedderGraph(BertGraph):
    """The direction of the mean over a text's tokens, which is that of their sum."""

    def _segment(self, table: str) -> str:
        return self._node("Gather", table, self._array("at_0", np.array([0])))

    def _read(self, hidden: str, shape: str, mask: str) -> dict[str, list[str | int]]:
        by_text = self._by_text(hidden, shape)
        counted = self._node("Unsqueeze", mask, self._array("behind", np.array([2])))
        summed = self._node(
            "ReduceSum",
            self._node("Mul", by_text, counted),
            self._array("at_1", np.array([1])),
            keepdims=0,
        )
        self._node("LpNormalization", summed, output="embedding", axis=-1, p=2)
        return {"embedding": [self._hidden]}


class ReaderGraph(BertGraph):
    """How well an answer begins and ends at each token, and of what kind a text's answer is."""

    _inputs = ("input_ids", "attention_mask", "token_type_ids")
    _shared = ("embeddings.word_embeddings", "embeddings.position_embeddings")

    def _segment(self, table: str) -> str:
        return self._node("Gather", table, "token_type_ids")

    def _read(self, hidden: str, shape: str, mask: str) -> dict[str, list[str | int]]:
        spans = self._linear(hidden, "spans", (2, self._hidden))
        two = self._array("two_ends", np.array([2]))
        self._node("Reshape", spans, self._node("Concat", shape, two, axis=0), output="spans")
        first = self._node(
            "Gather", self._by_text(hidden, shape), self._array("first", np.array(0)), axis=1
        )
        self._linear(first, "kinds", (KINDS, self._hidden), output="kinds")
        return {"spans": ["tokens", 2], "kinds": [KINDS]}


if __name__ == "__main__":
    main()
