from typing import Any

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.models.graph_llm.config import GraphLlamaConfig


def test_json_gives_the_same_configuration() -> None:
    config = GraphLlamaConfig(encoder="transformer", graph_tokens=9, triples=0)

    assert GraphLlamaConfig.from_json(config.to_json()) == config


def test_an_unknown_choice_is_named() -> None:
    with pytest.raises(SettingsError, match="colour"):
        GraphLlamaConfig.from_json({"colour": "red"})


@pytest.mark.parametrize(
    "choices",
    [
        {"encoder": "mamba"},
        {"gate": "open"},
        {"readout": ""},
        {"hidden": 0},
        {"layers": -1},
        {"graph_tokens": 0},
        {"graph_tokens": 8},
        {"triples": -1},
        {"low_rank": -1},
        {"dropout": 1.0},
        {"feature_dropout": -0.1},
        {"hidden": 30, "heads": 4},
    ],
)
def test_what_cannot_be_used_is_refused(choices: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(choices))):
        GraphLlamaConfig(**choices)


@pytest.mark.parametrize(
    ("encoder", "expected"),
    [("gat", True), ("transformer", True), ("constant", False), ("none", False)],
)
def test_constant_tokens_are_no_encoder(encoder: Any, expected: bool) -> None:
    assert GraphLlamaConfig(encoder=encoder).has_encoder is expected
