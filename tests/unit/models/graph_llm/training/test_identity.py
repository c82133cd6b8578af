from dataclasses import replace
from pathlib import Path

import pytest
import torch

from hoptrail.core.errors import CheckpointError
from hoptrail.models.graph_llm.training.identity import (
    claim_folder,
    examples_digest,
    weights_digest,
)
from tests.yards import yard_examples

RUN = {"options": {"seed": 1, "limit": None}, "examples_sha256": "a"}


def test_the_same_run_claims_its_folder_again(tmp_path: Path) -> None:
    claim_folder(tmp_path, RUN)
    claim_folder(tmp_path, RUN)


def test_another_run_is_told_what_differs(tmp_path: Path) -> None:
    claim_folder(tmp_path, RUN)
    other = {**RUN, "options": {"seed": 2, "limit": None}}
    with pytest.raises(CheckpointError, match=r"another options\.seed: 1, not 2"):
        claim_folder(tmp_path, other)


def test_an_option_that_is_new_differs_from_one_that_was_not_there(tmp_path: Path) -> None:
    claim_folder(tmp_path, RUN)
    other = {**RUN, "options": {"seed": 1, "limit": None, "clip": 1.0}}
    with pytest.raises(CheckpointError, match=r"options\.clip"):
        claim_folder(tmp_path, other)


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
