from __future__ import annotations

import pytest

from hoptrail.eval.planted.phrasing import denial, is_directed, no_longer, question, statement


@pytest.mark.parametrize(
    ("predicate", "said", "asked", "denied"),
    [
        (
            "director",
            "The director of Red Mill is Ada",
            "Is Ada the director of Red Mill?",
            "Ada is not the director of Red Mill",
        ),
        (
            "directed by",
            "Red Mill was directed by Ada",
            "Was Red Mill directed by Ada?",
            "Red Mill was not directed by Ada",
        ),
        (
            "is owned by",
            "Red Mill is owned by Ada",
            "Is Red Mill owned by Ada?",
            "Red Mill is not owned by Ada",
        ),
        (
            "died in",
            "Red Mill died in Ada",
            "Is it true that Red Mill died in Ada?",
            "It is not true that Red Mill died in Ada",
        ),
    ],
)
def test_claim_in_words(predicate: str, said: str, asked: str, denied: str) -> None:
    assert statement("Red Mill", predicate, "Ada") == said
    assert question("Red Mill", predicate, "Ada") == asked
    assert denial("Red Mill", predicate, "Ada") == denied


def test_only_what_lasts_can_end() -> None:
    assert no_longer("Red Mill", "owned by", "Ada") == "Red Mill is no longer owned by Ada"
    assert no_longer("Red Mill", "directed by", "Ada") is None


def test_direction_is_read_from_the_wording() -> None:
    assert is_directed("written by")
    assert not is_directed("writer")
    assert not is_directed("is a partner of")
