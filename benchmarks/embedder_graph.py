"""Make the graph of the packaged embedder: what ONNX Runtime computes with the package's weights.

The graph holds no weight. Each is named by its place in the package's `model.safetensors`, which
stores arrays as they are, so ONNX Runtime maps the very file. Nothing is trained or rounded: it is
BERT as published (Devlin et al. 2019, arXiv:1810.04805), then the mean over the tokens and its
direction (Reimers and Gurevych 2019, arXiv:1908.10084).

    python benchmarks/embedder_graph.py src/hoptrail/models/embedding/all_minilm_l6_v2.onnx
"""

from __future__ import annotations

import argparse
import json
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
LEAST = -1e9  # added to the score of a token that only fills up the batch


def main() -> None:
    """Write the file that is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    model = PACKAGED_MODELS[NAME]
    folder = Path(import_module(model.module).get_model_path())
    check_files(folder, model)
    out.write_bytes(make_graph(folder).SerializeToString(deterministic=True))


def make_graph(folder: Path) -> ModelProto:
    """Return the graph from `input_ids` and `attention_mask` to `embedding`.

    Args:
        folder: The model's files.
    """
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return BertGraph(config, read_places(folder / WEIGHTS)).build()


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


class BertGraph:
    """BERT with the mean of its tokens, node by node.

    Linear layers work on one row per token, shape (texts x tokens, hidden); attention alone needs
    to know which text a token is of.

    Args:
        config: The model's `config.json`.
        places: Of each weight: shape, first byte, number of bytes.
    """

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
        self._pool(hidden, shape, mask)
        integers = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        unit = helper.make_tensor_value_info(
            "embedding", TensorProto.FLOAT, ["texts", self._hidden]
        )
        graph = helper.make_graph(
            self._nodes, "bert", integers, [unit], list(self._arrays.values())
        )
        opset = helper.make_opsetid("", OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)

    def _embeddings(self, shape: str) -> str:
        """Sum of a token's vectors as a word, at its position and in the first segment."""
        zero, one, two = (self._array(f"at_{at}", np.array([at])) for at in range(3))
        tokens = self._node("Slice", shape, one, two)
        words = self._node("Gather", self._weight("embeddings.word_embeddings"), "input_ids")
        positions = self._weight("embeddings.position_embeddings")
        segment = self._node("Gather", self._weight("embeddings.token_type_embeddings"), zero)
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

    def _pool(self, hidden: str, shape: str, mask: str) -> None:
        """Direction of the mean over a text's tokens, which is that of their sum."""
        last = self._array("last", np.array([self._hidden]))
        by_text = self._node("Reshape", hidden, self._node("Concat", shape, last, axis=0))
        counted = self._node("Unsqueeze", mask, self._array("behind", np.array([2])))
        summed = self._node(
            "ReduceSum",
            self._node("Mul", by_text, counted),
            self._array("at_1", np.array([1])),
            keepdims=0,
        )
        self._node("LpNormalization", summed, output="embedding", axis=-1, p=2)

    def _linear(self, rows: str, name: str) -> str:
        return self._node("Gemm", rows, self._weight(name), self._weight(name, "bias"), transB=1)

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

    def _weight(self, module: str, part: str = "weight") -> str:
        """Name an array of the weights' file by its place in it."""
        name = f"{module}.{part}"
        shape, start, length = self._places[name]
        array = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        array.data_location = TensorProto.EXTERNAL
        for key, value in (("location", WEIGHTS), ("offset", start), ("length", length)):
            array.external_data.add(key=key, value=str(value))
        self._arrays[name] = array
        return name


if __name__ == "__main__":
    main()
