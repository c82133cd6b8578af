"""Facts in the words of their sentence."""

from __future__ import annotations

import pytest

from hoptrail.eval.oracle.answer_reply import Claim, claim_in_words


@pytest.mark.parametrize(
    ("sentence", "topic", "other", "told"),
    [
        (
            "Edda Thorn founded the Alder Yard in 1809.",
            "Edda Thorn",
            "Alder Yard",
            ("Edda Thorn", "founded the", "Alder Yard"),
        ),
        (
            "The yard was founded by Edda Thorn, the engineer.",
            "Edda Thorn",
            "the yard",
            ("the yard", "was founded by", "Edda Thorn"),
        ),
        (
            "Edda Thorn (12 May 1809 – 1871) was born in Varde.",
            "Edda Thorn",
            "Varde",
            ("Edda Thorn", "was born in", "Varde"),
        ),
        (
            "Edda Thorn (12 May 1809 – 1871) was an engineer.",
            "Edda Thorn",
            "12 May 1809",
            ("Edda Thorn", "was born on", "12 May 1809"),
        ),
        ("She was born in Varde.", "Edda Thorn", "Varde", ("Edda Thorn", "was born in", "Varde")),
        (
            "Thorn moved to Varde.",
            "Edda Thorn",
            "Varde",
            ("Edda Thorn", "moved to", "Varde"),
        ),
        (
            "This steamer sailed to Varde.",
            "Morning Tern",
            "Varde",
            ("Morning Tern", "sailed to", "Varde"),
        ),
    ],
)
def test_a_fact_has_the_words_of_its_sentence(
    sentence: str, topic: str, other: str, told: tuple[str, str, str]
) -> None:
    assert claim_in_words(sentence, topic, other) == Claim(*told)


@pytest.mark.parametrize(
    "sentence",
    [
        "Nobody knows where Edda Thorn came from.",
        "Edda Thorn (Varde) was an engineer.",
        "A quay of Varde.",
    ],
)
def test_what_a_sentence_does_not_join_is_no_fact(sentence: str) -> None:
    assert claim_in_words(sentence, "Edda Thorn", "Varde") is None
