import pytest

from hoptrail.core.handles import handles_in, part_handles, parted


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("AnnThale", "Ann Thale"),
        ("Ann Thale", "Ann Thale"),
        ("JoséDiazMora", "José Diaz Mora"),
        ("McDonald", "McDonald"),
        ("ann_thale", "ann_thale"),
    ],
)
def test_a_name_is_parted_where_it_runs_together(name: str, told: str) -> None:
    assert parted(name) == told


def test_the_handles_of_a_text_are_found_with_their_names() -> None:
    assert handles_in("Did @AnnThale and BoReed meet McDonald at NASA?") == {
        "@AnnThale": "Ann Thale",
        "BoReed": "Bo Reed",
    }


def test_only_what_names_something_is_parted() -> None:
    question = "What did AnnThale watch on YouTube, AnnThale's channel?"
    names = {"Ann Thale"}

    assert part_handles(question, names.__contains__) == (
        "What did Ann Thale watch on YouTube, Ann Thale's channel?"
    )
