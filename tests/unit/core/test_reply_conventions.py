from __future__ import annotations

import pytest

from hoptrail.core.language.messages import languages, worded
from hoptrail.core.reply_conventions import (
    FINAL_MARKER,
    FINAL_PATTERN,
    UNKNOWN_ANSWER,
    UNLIKELY_WORDS,
    is_abstention,
    is_unbound,
    is_unknown_alone,
    opens_with_unknown,
    unlikely_words,
)


@pytest.mark.parametrize(
    "written", [FINAL_MARKER, "**Final answer:**", "final  answer** :", "FINAL\nANSWER："]
)
def test_the_marker_is_known_as_models_spell_it(written: str) -> None:
    assert FINAL_PATTERN.match(written.lstrip("*"))


@pytest.mark.parametrize(
    "text", ["I don't know", "I do not know.", "We can't tell", "Unknown", "N/A", "None.", ""]
)
def test_ways_to_abstain(text: str) -> None:
    assert is_abstention(text)


@pytest.mark.parametrize(
    "text",
    [
        "Indonesia",
        "None but the Brave",
        "Unknown Pleasures",
        "no",
        "Nothing Compares 2 U",
        "None Shall Pass",
        "Not Fade Away",
        "Noh",
    ],
)
def test_answers_that_look_like_abstentions(text: str) -> None:
    assert not is_abstention(text)


def test_what_prompts_ask_for_is_an_abstention() -> None:
    assert is_abstention(UNKNOWN_ANSWER)
    assert is_unknown_alone(f"{UNKNOWN_ANSWER}.")
    assert opens_with_unknown(f"{UNKNOWN_ANSWER}, for nothing is said of it")
    assert not is_unknown_alone(f"{UNKNOWN_ANSWER}, for nothing is said of it")


@pytest.mark.parametrize(
    ("value", "unbound"),
    [
        ("UNRESOLVED", True),
        ("?town", True),
        ("no match", True),
        ("-", True),
        ("UNKNOWN (no passage names him)", True),
        ("Unknown (2011 film)", False),
        ("None Island", False),
    ],
)
def test_a_variable_without_a_value(value: str, unbound: bool) -> None:
    assert is_unbound(value) == unbound


@pytest.mark.parametrize("language", sorted(languages()))
def test_an_abstention_of_ours_is_one_in_every_language(language: str) -> None:
    template = "I don't know: {quoted} was looked for in {searched}, and nothing there answers it."
    assert is_abstention(worded(template, language, quoted='"?"', searched="3"))


def test_the_words_that_an_abstention_tells_and_does_not_give() -> None:
    told = UNLIKELY_WORDS.format(words='the "old" mill')
    assert unlikely_words(f"I don't know: it was looked for. {told}") == 'the "old" mill'
    assert unlikely_words("I don't know: it was looked for.") == ""
