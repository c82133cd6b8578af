import pytest

from hoptrail.core.types import Relation
from hoptrail.core.types.graph import CO_OCCURS, is_telling


def relation(subject: str, predicate: str, end: str) -> Relation:
    return Relation("r", "a", predicate, "b", subject=subject, object=end)


@pytest.mark.parametrize(
    ("subject", "predicate", "end"),
    [
        ("Ida Holm", CO_OCCURS, "Varde"),
        ("1921", "was", "Norwegian"),
        ("Ida Holm", "", "Varde"),
        ("Varde", "is", "varde"),
    ],
)
def test_a_line_that_says_nothing_beside_its_passage_is_known(
    subject: str, predicate: str, end: str
) -> None:
    assert not is_telling(relation(subject, predicate, end))


def test_a_stated_fact_tells_something() -> None:
    assert is_telling(relation("Ida Holm", "was born in", "1921"))
