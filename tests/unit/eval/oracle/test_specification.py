from __future__ import annotations

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.eval.oracle.specification import parse_reader


@pytest.mark.parametrize(
    ("text", "noise"), [("oracle", 0.0), ("oracle:noise=0.1", 0.1), (" oracle:noise=1 ", 1.0)]
)
def test_what_can_be_read(text: str, noise: float) -> None:
    assert parse_reader(text).noise == noise


@pytest.mark.parametrize(
    "text",
    ["", "oracles", "openai:gpt", "oracle:", "oracle:0.1", "oracle:noise", "oracle:noise=much",
     "oracle:noise=1.5", "oracle:noise=-1", "oracle:noise=nan", "oracle:seed=3"],
)  # fmt: skip
def test_anything_else_is_refused_with_the_form_to_use(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_reader(text)
    assert "noise=0.1" in caught.value.hint
