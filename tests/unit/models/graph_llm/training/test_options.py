import itertools

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.models.graph_llm.training.options import TrainingOptions, TrainingPlan


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


def steps(plan: TrainingPlan) -> list[tuple[int, ...]]:
    return [tuple(itertools.chain(*plan[number].batches)) for number in range(len(plan))]


def test_each_epoch_passes_over_all_examples_once() -> None:
    plan = TrainingPlan(TrainingOptions(align_epochs=0, epochs=2, batch_size=2, accumulation=2), 10)
    seen = steps(plan)
    assert len(seen) == 6
    assert sorted(itertools.chain(*seen[:3])) == sorted(itertools.chain(*seen[3:]))
    assert set(itertools.chain(*seen[:3])) == set(range(10))


def test_epochs_and_seeds_have_their_own_order() -> None:
    first, second = (
        steps(TrainingPlan(TrainingOptions(align_epochs=0, epochs=2, batch_size=50, seed=seed), 50))
        for seed in (1, 2)
    )
    assert len({*first, *second}) == 4


def test_a_step_is_cut_into_batches() -> None:
    plan = TrainingPlan(TrainingOptions(align_epochs=0, epochs=1, batch_size=2, accumulation=2), 7)
    assert [[len(batch) for batch in plan[number].batches] for number in (0, 1)] == [[2, 2], [2, 1]]


def test_the_rate_rises_in_the_warm_up_and_falls_to_almost_nothing() -> None:
    options = TrainingOptions(
        align_epochs=0, epochs=10, batch_size=1, learning_rate=1.0, warmup=0.2
    )
    plan = TrainingPlan(options, 10)
    rates = [plan[number].learning_rate for number in range(len(plan))]
    assert rates[:20] == pytest.approx([(step + 1) / 20 for step in range(20)])
    assert rates[20] == 1.0
    assert rates[60] == pytest.approx(0.5)
    assert all(left > right for left, right in itertools.pairwise(rates[20:]))
    assert 0 < rates[-1] < 0.001


def test_steps_may_be_limited() -> None:
    assert (
        len(TrainingPlan(TrainingOptions(align_epochs=0, epochs=5, batch_size=1, max_steps=7), 10))
        == 7
    )


def test_the_alignment_comes_first_with_its_own_batches_and_rate() -> None:
    options = TrainingOptions(
        epochs=1,
        batch_size=5,
        learning_rate=1.0,
        align_epochs=1,
        align_batch_size=10,
        align_learning_rate=3.0,
    )
    plan = TrainingPlan(options, 10)
    assert [plan[number].phase for number in range(len(plan))] == ["align", "language", "language"]
    assert [plan[number].learning_rate for number in (0, 1)] == [3.0, 1.0]


def test_validations_follow_language_steps_alone_and_always_the_last() -> None:
    options = TrainingOptions(
        epochs=1, batch_size=1, align_epochs=1, align_batch_size=2, validate_every=2
    )
    plan = TrainingPlan(options, 5)
    validated = [plan.is_validated(number) for number in range(len(plan))]
    assert validated == [False, False, False, False, True, False, True, True]


def test_without_a_pointer_the_language_steps_stay_the_same() -> None:
    options = TrainingOptions(epochs=1, batch_size=2, align_epochs=3, align_batch_size=2)
    pointing, plain = TrainingPlan(options, 6), TrainingPlan(options, 6, aligns=False)
    assert [plain[number] for number in range(len(plain))] == [
        pointing[number] for number in range(9, len(pointing))
    ]


def test_batches_share_examples_of_like_length_and_their_order_stays_random() -> None:
    options = TrainingOptions(align_epochs=0, epochs=2, batch_size=4, bucket_batches=5)
    lengths = [place * 37 % 40 for place in range(40)]
    plan = TrainingPlan(options, 40, lengths=lengths)
    usual = TrainingPlan(options, 40)

    def spread(plan: TrainingPlan) -> int:
        of = [[lengths[place] for place in step] for step in steps(plan)]
        return sum(max(step) - min(step) for step in of)

    assert spread(plan) < spread(usual) / 2
    assert sorted(itertools.chain(*steps(plan)[:10])) == list(range(40))
    means = [sum(lengths[place] for place in step) for step in steps(plan)[:5]]
    assert means != sorted(means)


def test_a_batch_that_is_not_full_is_the_last_one() -> None:
    options = TrainingOptions(align_epochs=0, epochs=1, batch_size=4, bucket_batches=5)
    plan = TrainingPlan(options, 10, lengths=list(range(10)))
    assert [len(step) for step in steps(plan)] == [4, 4, 2]
    assert sorted(itertools.chain(*steps(plan))) == list(range(10))
