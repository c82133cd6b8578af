from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from hoptrail.models.graph_llm.base_files import fingerprint_of_files, fingerprint_of_module


def layer(*, dtype: torch.dtype = torch.float32) -> torch.nn.Linear:
    layer = torch.nn.Linear(40, 30)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.arange(parameter.numel()).reshape(parameter.shape))
    return layer.to(dtype)


def saved(folder: Path, module: torch.nn.Module, *, one_file_each: bool = False) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    state = module.state_dict()
    parts = [{name: state[name]} for name in state] if one_file_each else [dict(state)]
    for number, part in enumerate(parts):
        save_file(part, folder / f"model-{number}.safetensors")
    return sorted(folder.glob("*.safetensors"))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_model_has_one_fingerprint_in_memory_and_on_disk(
    tmp_path: Path, dtype: torch.dtype
) -> None:
    module = layer(dtype=dtype)
    assert fingerprint_of_files(saved(tmp_path, module)) == fingerprint_of_module(module)


def test_how_the_weights_are_divided_into_files_does_not_matter(tmp_path: Path) -> None:
    one = fingerprint_of_files(saved(tmp_path / "one", layer()))
    assert fingerprint_of_files(saved(tmp_path / "two", layer(), one_file_each=True)) == one


@pytest.mark.parametrize("place", [0, 15, 29])
def test_another_weight_makes_another_fingerprint(place: int) -> None:
    changed = layer()
    with torch.no_grad():
        changed.bias[place] += 1
    assert fingerprint_of_module(changed) != fingerprint_of_module(layer())


def test_another_shape_makes_another_fingerprint() -> None:
    changed = layer()
    changed.weight = torch.nn.Parameter(changed.weight.detach().reshape(40, 30))
    assert fingerprint_of_module(changed) != fingerprint_of_module(layer())


def test_files_of_another_kind_are_sampled(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(bytes(200_000))
    blank = fingerprint_of_files([file])
    file.write_bytes(bytes(199_999) + b"x")
    assert fingerprint_of_files([file]) != blank


def test_an_empty_file_has_a_fingerprint(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.touch()
    assert fingerprint_of_files([file])


@pytest.mark.parametrize("content", [b"", b"\xff" * 100, b"\x02" + bytes(7) + b"{]"])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(content)
    with pytest.raises(SafetensorError):
        fingerprint_of_files([file])


def test_a_single_number_is_a_weight_too(tmp_path: Path) -> None:
    module = torch.nn.Module()
    module.scale = torch.nn.Parameter(torch.tensor(2.0))
    assert fingerprint_of_files(saved(tmp_path, module)) == fingerprint_of_module(module)
