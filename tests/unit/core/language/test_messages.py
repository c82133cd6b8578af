"""Messages in the language of a question."""

from __future__ import annotations

from hoptrail.core.language.messages import counted_in, in_language, listed_in, worded


def test_a_message_is_worded_in_a_language_with_its_fields() -> None:
    told = worded('{where} says nothing of "{word}"', "de", where="X", word="Wo")
    assert told == "X sagt nichts über „Wo“"


def test_a_language_without_catalogue_is_told_in_english() -> None:
    assert worded("{where} says {value}", "eo", where="X", value="3") == "X says 3"


def test_a_number_has_the_form_and_the_marks_of_its_language() -> None:
    assert counted_in("{number} passage", "{number} passages", 1234, "de") == "1.234 Textstellen"
    assert counted_in("{number} passage", "{number} passages", 1, "de") == "1 Textstelle"


def test_zero_is_singular_in_french() -> None:
    assert counted_in("{number} passage", "{number} passages", 0, "fr") == "0 passage"


def test_a_list_ends_with_the_word_for_and() -> None:
    assert listed_in(["a", "b", "c"], "fr") == "a, b et c"
    assert listed_in(["a", "b", "c"]) == "a, b and c"


def test_what_was_worded_in_english_is_told_in_a_language() -> None:
    assert in_language("this may be a part of the answer", "de").startswith("dies ist vielleicht")


def test_phrases_in_the_fields_are_told_in_it_too() -> None:
    told = in_language("no passage states step 2 in so many words", "de")
    assert told == "keine Textstelle belegt Schritt 2 ausdrücklich"


def test_words_of_a_document_in_the_fields_stay() -> None:
    assert in_language('the passage says nothing of "it"', "de").endswith("„it“")


def test_braces_in_the_fields_are_no_fields() -> None:
    assert "{x}" in in_language('the passage says nothing of "{x}"', "fr")


def test_any_other_text_stays_as_it_is() -> None:
    assert in_language("something else is worded here", "de") == "something else is worded here"
