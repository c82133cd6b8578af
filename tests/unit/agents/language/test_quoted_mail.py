from __future__ import annotations

import pytest

from hoptrail.agents.language.quoted_mail import has_quotation, is_quoted

SIGNS = "Fine with us.\n> They come on 28 September.\nBest, Ann"
BELOW = "Fine with us.\n\n-----Original Message-----\nFrom: Ann\n\nThey come on 28 September."
WROTE = "Fine with us.\n\nOn 3 May 2025, Ann Holt wrote:\nThey come on 28 September."


@pytest.mark.parametrize("text", [SIGNS, BELOW, WROTE])
def test_what_the_mail_answers_is_quoted_and_the_reply_is_not(text: str) -> None:
    assert has_quotation(text)
    assert is_quoted(text, text.index("They come"))
    assert not is_quoted(text, text.index("Fine"))


def test_lines_behind_quoted_ones_are_the_reply_again() -> None:
    assert not is_quoted(SIGNS, SIGNS.index("Best"))


def test_an_ordinary_text_quotes_no_mail() -> None:
    assert not has_quotation("On 3 May she wrote: come soon.\n2 > 1 holds.")
