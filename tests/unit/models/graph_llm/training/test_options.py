import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.models.graph_llm.training.options import TrainingOptions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", 0),
        ("max_steps", 0),
        ("learning_rate", -1e-3),
        ("learning_rate", float("nan")),
        ("patience", -1),
        ("warmup", 1.5),
        ("text_dropout", 1.5),
        ("mixed_precision", "fp8"),
        ("batch_size", "four"),
    ],
)
def test_a_value_out_of_range_is_named(name: str, value: object) -> None:
    with pytest.raises(SettingsError, match=name):
        TrainingOptions(**{name: value})  # type: ignore[arg-type]


def test_no_limit_of_steps_is_a_choice() -> None:
    assert TrainingOptions(max_steps=None).to_json()["max_steps"] is None
