"""The simplest questions of every form, asked as a user does over the documents of a club."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.local_model import FORMS, open_base, questions_of, verdict

pytestmark = pytest.mark.slow

RIGHT = 37  # of 56: every second question, four of each form
PLAIN = 27
WRONG_AND_PLAIN = 1  # a whole answer of a list of frequent questions, longer than the accepted one


def test_simple_questions_of_every_form_are_answered(tmp_path: Path) -> None:
    questions = questions_of(FORMS, tmp_path)[1::2]
    with open_base(FORMS, tmp_path) as hoptrail:
        told = Counter(verdict(one, hoptrail.ask(one.text, preset="offline")) for one in questions)

    assert told["right plain"] + told["right perhaps"] >= RIGHT
    assert told["right plain"] >= PLAIN
    assert told["wrong plain"] <= WRONG_AND_PLAIN
