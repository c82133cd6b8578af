from __future__ import annotations

import pytest

from hoptrail.cli.retrieve import excerpt


def test_it_begins_with_the_sentence_nearest_to_the_question() -> None:
    text = "The club met.\nAnn Holt is the treasurer. She left."
    assert excerpt(text, "Minutes", "Who is the treasurer?") == (
        "… Ann Holt is the treasurer. She left."
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: Minutes\nauthor: Ann\n---\n# Minutes\n\nThe club met.",
        "author: Ann Holt\n\nupdated: 2025-05-02\n\nThe club met.",
        "# Minutes\n\nThe club met.",
    ],
)
def test_front_matter_and_a_heading_that_repeats_the_title_are_skipped(text: str) -> None:
    assert excerpt(text, "Minutes", "Who owns the boat?") == "The club met."


def test_a_passage_of_fields_alone_is_shown_as_it_is() -> None:
    assert excerpt("author: Ann Holt", "Minutes", "Where?") == "author: Ann Holt"
