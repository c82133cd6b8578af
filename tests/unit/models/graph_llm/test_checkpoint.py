from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save

from hoptrail.core.errors import CheckpointError
from hoptrail.models.graph_llm.base_model import load_base_model
from hoptrail.models.graph_llm.checkpoint import (
    claim_folder,
    examples_digest,
    load_checkpoint,
    save_checkpoint,
    weights_digest,
    weights_hash,
)
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.tiny_llama import tiny_base_model, write_tiny_base
from tests.yards import yard_examples

SMALL = GraphLlamaConfig(hidden=8, layers=1, heads=2, projector_hidden=8, graph_tokens=10)
EMBEDDER = HashingEmbedder(8)
QUESTION = "Where is Paris?"
GRAPH = GraphInput.from_triples([("Paris", "in", "France"), ("France", "in", "Europe")])

RUN = {"options": {"seed": 1, "limit": None}, "examples_sha256": "a"}


def graph_llama(config: GraphLlamaConfig = SMALL) -> GraphLlama:
    return GraphLlama(tiny_base_model(), config, EMBEDDER).eval()


def loaded(folder: Path) -> GraphLlama:
    return load_checkpoint(folder, base=tiny_base_model(), embedder=EMBEDDER)


def trained(model: GraphLlama) -> list[torch.nn.Parameter]:
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def soft_prompt(model: GraphLlama) -> torch.Tensor:
    with torch.no_grad():
        return model.soft_prompts([model.prepare(QUESTION, GRAPH)])[0]


def logits(model: GraphLlama) -> torch.Tensor:
    scores: torch.Tensor = model.llm(inputs_embeds=soft_prompt(model)[None]).logits
    return scores


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_checkpoint(graph_llama(), tmp_path / "checkpoint")
    return tmp_path / "checkpoint"


def change_config(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = folder / "config.json"
    config = json.loads(file.read_text())
    change(config)
    file.write_text(json.dumps(config))


def change_weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    """Change the weights and make config.json name the changed file."""
    weights = load_file(folder / "model.safetensors")
    change(weights)
    content = save(weights)
    (folder / "model.safetensors").write_bytes(content)
    change_config(folder, lambda config: config.update(weights=weights_hash(content)))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"encoder": "transformer"},
        {"encoder": "constant"},
        {"encoder": "none"},
        {"low_rank": 2},
        {"encoder": "none", "low_rank": 2},
    ],
)
def test_a_loaded_model_computes_what_the_saved_one_did(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    config = GraphLlamaConfig.from_json({**SMALL.to_json(), **changes})
    model = graph_llama(config)
    with torch.no_grad():
        for parameter in trained(model):
            parameter.normal_(std=0.1)
    save_checkpoint(model, tmp_path / "checkpoint")
    again = loaded(tmp_path / "checkpoint")
    assert again.config == config
    assert not again.training
    torch.testing.assert_close(logits(again), logits(model), rtol=0, atol=0)


def test_the_checkpoint_names_base_model_and_embedder_by_which_they_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoptrail.models.embedder._registered", {EMBEDDER.name: EMBEDDER})
    base = load_base_model(str(write_tiny_base(tmp_path / "base")), dtype="float32")
    model = GraphLlama(base, SMALL, EMBEDDER).eval()
    save_checkpoint(model, tmp_path / "checkpoint")
    again = load_checkpoint(tmp_path / "checkpoint", dtype="float32")
    torch.testing.assert_close(logits(again), logits(model))


def test_an_embedder_in_a_folder_is_found_by_the_settings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoptrail.models.embedder._registered", {"/models/own": EMBEDDER})
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "/models/own")
    change_config(folder, lambda config: config["embedder"].update(name="own"))
    with pytest.raises(CheckpointError, match=f"'own' of 8 values, not with '{EMBEDDER.name}'"):
        load_checkpoint(folder, base=tiny_base_model())


def test_an_embedder_of_the_same_name_with_other_vectors_is_refused(folder: Path) -> None:
    change_config(folder, lambda config: config["embedder"]["probe"].reverse())
    with pytest.raises(CheckpointError, match="and this one gives other vectors"):
        loaded(folder)


def test_a_base_in_a_folder_is_named_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny_base(tmp_path / "base")
    monkeypatch.chdir(tmp_path)
    assert load_base_model("base", dtype="float32").name == str(tmp_path / "base")


def test_only_the_trained_part_is_in_it(folder: Path) -> None:
    assert {file.name for file in folder.iterdir()} == {"config.json", "model.safetensors"}
    names = load_file(folder / "model.safetensors").keys()
    assert names == graph_llama().trained_state().keys()
    assert not any(name.startswith(("llm.", "base.")) for name in names)


def test_a_checkpoint_replaces_an_older_one(folder: Path) -> None:
    model = graph_llama()
    save_checkpoint(model, folder)
    torch.testing.assert_close(soft_prompt(loaded(folder)), soft_prompt(model))
    assert [file.name for file in folder.parent.iterdir()] == ["checkpoint"]


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(CheckpointError, match="holds something that is no checkpoint"):
        save_checkpoint(graph_llama(), tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="checkpoint cannot be written"):
        save_checkpoint(graph_llama(), tmp_path / "file" / "checkpoint")


def test_a_diverged_model_is_not_saved(tmp_path: Path) -> None:
    model = graph_llama()
    with torch.no_grad():
        trained(model)[0].fill_(float("nan"))
    with pytest.raises(CheckpointError, match="holds a NaN or infinite number"):
        save_checkpoint(model, tmp_path / "checkpoint")
    assert not (tmp_path / "checkpoint").exists()


@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(CheckpointError, match=f"{file} cannot be read: No such file"):
        loaded(folder)


@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_a_cut_file_is_named(folder: Path, file: str) -> None:
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: len(content) // 2])
    with pytest.raises(CheckpointError, match=f"{file} is damaged"):
        loaded(folder)


def test_a_changed_byte_of_the_weights_is_noticed(folder: Path) -> None:
    file = folder / "model.safetensors"
    content = bytearray(file.read_bytes())
    content[-2] ^= 1
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match="its hash is not the one that config.json names"):
        loaded(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda config: config.clear(), "config.json is damaged"),
        (lambda config: config.update(format=2), "has the format 2, this version reads 1"),
        (lambda config: config.pop("base_model"), "config.json is damaged"),
        (lambda config: config.update(embedder="MiniLM"), "config.json is damaged"),
        (lambda config: config["graph_llama"].update(depth=3), "unknown choices .* depth"),
        (lambda config: config["graph_llama"].update(encoder="cnn"), "encoder is 'cnn'"),
        (lambda config: config["graph_llama"].update(layers="two"), "layers is 'two'"),
    ],
)
def test_an_unusable_configuration_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    change_config(folder, change)
    with pytest.raises(CheckpointError, match=message):
        loaded(folder)


def test_a_configuration_that_is_no_object_is_refused(folder: Path) -> None:
    (folder / "config.json").write_text("[1]")
    with pytest.raises(CheckpointError, match="config.json is damaged"):
        loaded(folder)


def test_another_base_model_is_refused(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="trained with the base model 'tiny-llama-0'"):
        load_checkpoint(folder, base=tiny_base_model(1), embedder=EMBEDDER)


def test_another_dtype_of_the_base_model_is_none(folder: Path) -> None:
    base = tiny_base_model(dtype="bfloat16")
    assert load_checkpoint(folder, base=base, embedder=EMBEDDER).llm.dtype == torch.bfloat16


def test_another_embedder_is_refused(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="'hashing-8' of 8 values, not with 'hashing-9'"):
        load_checkpoint(folder, base=tiny_base_model(), embedder=HashingEmbedder(9))


def _first(weights: dict[str, torch.Tensor]) -> str:
    return next(name for name in sorted(weights) if weights[name].is_floating_point())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: weights.clear(), "the checkpoint has no weight"),
        (lambda weights: weights.pop(_first(weights)), "the checkpoint has no weight"),
        (
            lambda weights: weights.update(extra=torch.zeros(1)),
            "the checkpoint has an unknown weight 'extra'",
        ),
        (
            lambda weights: weights.update({_first(weights): torch.zeros(1, 1, 1)}),
            r"is \(1, 1, 1\) torch.float32, not \(",
        ),
        (
            lambda weights: weights.update({_first(weights): weights[_first(weights)].long()}),
            "torch.int64, not .* torch.float32",
        ),
        (
            lambda weights: weights[_first(weights)].view(-1)[0].fill_(float("inf")),
            "holds a NaN or infinite number",
        ),
    ],
)
def test_unfitting_weights_are_refused(
    folder: Path, change: Callable[[dict[str, torch.Tensor]], object], message: str
) -> None:
    change_weights(folder, change)
    with pytest.raises(CheckpointError, match=message):
        loaded(folder)


def test_weights_of_another_configuration_are_refused(folder: Path) -> None:
    change_config(folder, lambda config: config["graph_llama"].update(hidden=16))
    with pytest.raises(CheckpointError, match="do not belong together"):
        loaded(folder)


def test_the_same_run_claims_its_folder_again(tmp_path: Path) -> None:
    claim_folder(tmp_path, RUN)
    claim_folder(tmp_path, RUN)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"seed": 2, "limit": None}, r"another options\.seed: 1, not 2"),
        ({"seed": 1, "limit": None, "clip": 1.0}, r"options\.clip"),
    ],
)
def test_another_run_is_told_what_differs(
    tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    claim_folder(tmp_path, RUN)
    with pytest.raises(CheckpointError, match=told):
        claim_folder(tmp_path, {**RUN, "options": options})


def test_a_damaged_record_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(CheckpointError, match="damaged"):
        claim_folder(tmp_path, RUN)


def test_examples_differ_by_each_part_and_by_their_order() -> None:
    examples = yard_examples(0, 2)
    digests = {
        examples_digest(examples),
        examples_digest(examples[::-1]),
        examples_digest([examples[0], replace(examples[1], answers=("Yard 7",))]),
        examples_digest([examples[0], replace(examples[1], graph=examples[0].graph)]),
    }
    assert len(digests) == 4


def test_weights_differ_by_name_and_value() -> None:
    weight = torch.tensor([1.0, 2.0])
    digests = {
        weights_digest({"a": weight}),
        weights_digest({"b": weight}),
        weights_digest({"a": weight + 1}),
    }
    assert len(digests) == 3
