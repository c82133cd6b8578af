import pytest

from hoptrail.agents.answering.missing_words import MissingWords, missing_words
from tests.unit.agents.conftest import evidence_of

READ = evidence_of(
    "The club's boats are insured by Tamar Mutual.",
    "Nadia Ferrow resigned as the treasurer in May.",
)


@pytest.mark.parametrize(
    ("question", "everywhere"),
    [
        ("Who painted the boats?", ("painted",)),
        ("Which company insures the boat of Mara Lind?", ("company", "Mara Lind")),
        ("How many boats does the club charter?", ("charter",)),
        ("Did the treasurers resign?", ()),
    ],
)
def test_words_and_names_that_no_passage_has_are_missing_everywhere(
    question: str, everywhere: tuple[str, ...]
) -> None:
    assert missing_words(question, READ, "c1", "en").everywhere == everywhere


def test_words_that_only_another_passage_has_are_missing_in_the_nearest() -> None:
    found = missing_words("When did the treasurer insure the boats?", READ, "c1", "en")
    assert found == MissingWords(nearest=("treasurer",))


def test_where_no_word_is_found_none_is_told_apart() -> None:
    assert missing_words("Who paints sheds?", READ, "c1", "en") == MissingWords()


def test_forms_of_a_word_are_one_word_in_other_languages() -> None:
    insured = evidence_of("Die Boote sind versichert.")
    found = missing_words("Wer versichert das Boot im Winter?", insured, "c1", "de")
    assert "Winter" in found.everywhere
    assert "Boot" not in found.everywhere


def test_the_word_that_asks_is_missing_in_no_language() -> None:
    insured = evidence_of("Die Boote sind versichert.")
    found = missing_words("Wann wurde das Boot gestrichen?", insured, "c1", "de")
    assert found.everywhere == ("gestrichen",)


def test_a_script_without_spaces_has_no_words_to_name() -> None:
    assert missing_words("谁为俱乐部的船投保?", READ, "c1", "zh") == MissingWords()
