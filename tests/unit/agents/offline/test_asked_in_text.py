from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.offline.answerer import search_answer
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.embedding import FloatArray
from tests.unit.agents.conftest import evidence_of

JOIN = "Hand the form to Petra Lund. You pay when you are accepted."
MARKS = {
    "headings": "# Club\n\n## How do I join the club?\n\n{}\n\n## News\n\nThe hut is shut.\n",
    "bold lines": "**How do I join the club?**\n{}\n\nThe hut is shut.\n",
    "plain lines": "The hut is shut.\n\nHow do I join the club?\n{}\n\nThe hut is shut.\n",
    "letters": "Q: How do I join the club?\nA: {}\n\nQ: Is the hut open?\nA: No.\n",
    "numbers": "Q1. How do I join the club?\nA1. {}\n\nQ2. Is the hut open?\nA2. No.\n",
    "underlined": "How to\n===\n\n### 1. How do I join the club?\n{}\n",
}
HOURS = "## When is the hut open?\n\nOn Tuesdays.\n\n## Can I bring a dog?\n\nYes, on a lead.\n"


def alike(*pairs: tuple[str, str]) -> TextSimilarity:
    """Return a similarity by which the texts of each pair are the same, all others unlike."""
    texts = {text: at for at, pair in enumerate(pairs) for text in pair}

    def embed(some: Sequence[str]) -> FloatArray:
        rows = [texts.get(text, len(pairs) + at) for at, text in enumerate(some)]
        return np.eye(200, dtype=np.float32)[rows]

    return TextSimilarity(embed)


@pytest.mark.parametrize("text", MARKS.values(), ids=MARKS)
@pytest.mark.parametrize("question", ["How do I join the club?", "How can one join the club?"])
def test_paragraph_below_the_same_question_is_the_plain_answer(text: str, question: str) -> None:
    evidence = evidence_of(text.format(JOIN))

    draft = search_answer(question, "bridge", evidence)
    verdict = verify(draft, question, "bridge", evidence)

    assert draft.answers == (JOIN,)
    assert [(hop.support, hop.quote) for hop in verdict.trail.hops] == [("stated", JOIN)]
    assert verdict.reserve is None


def test_a_question_in_another_language_is_found_word_by_word() -> None:
    text = "## Wann ist das Bootshaus am Samstag geöffnet?\n\nVon neun bis zwölf Uhr.\n"
    evidence = evidence_of(text)

    same = search_answer("wann ist das bootshaus am samstag geöffnet", "bridge", evidence)
    other = search_answer("Wo ist das Bootshaus am Samstag geöffnet?", "bridge", evidence)

    assert same.answers == ("Von neun bis zwölf Uhr.",)
    assert other.abstained


@pytest.mark.parametrize(
    "question",
    [
        "When do I join the club?",
        "Why is the hut not open?",
        "Where is the hut?",
        "How do I leave the club?",
    ],
)
def test_another_question_is_not_answered_so(question: str) -> None:
    evidence = evidence_of(MARKS["headings"].format(JOIN), HOURS)
    draft = search_answer(question, "bridge", evidence)
    assert JOIN not in draft.answers
    assert "On Tuesdays." not in draft.answers


def test_a_question_in_other_words_is_answered_with_reserve() -> None:
    asked, question = "When is the hut open?", "What are the opening hours of the hut?"
    evidence = evidence_of(HOURS)

    draft = search_answer(question, "bridge", evidence, alike((asked, question)))
    verdict = verify(draft, question, "bridge", evidence)

    assert draft.answers == ("On Tuesdays.",)
    assert verdict.reserve == "no passage states what is asked in so many words"


def test_names_of_the_question_must_be_told() -> None:
    asked, question = "When is the hut open?", "When is the hut of Alding open?"
    draft = search_answer(question, "bridge", evidence_of(HOURS), alike((asked, question)))
    assert draft.abstained


def test_another_answer_to_the_same_question_is_told() -> None:
    evidence = evidence_of(HOURS, HOURS.replace("Tuesdays", "Sundays"), title="Club {}")

    draft = search_answer("When is the hut open?", "bridge", evidence)

    assert draft.answers == ("On Tuesdays.",)
    assert draft.reserve == '"Club 2" says "On Sundays."'


@pytest.mark.parametrize(
    "text",
    [
        "Hello Ann,\n\nwhen is the hut open?\n\nBest wishes, Bo\n",
        "## When is the hut open?\n\n## Can I bring a dog?\n\nYes.\n",
        "## When is the hut open?\n",
    ],
)
def test_question_without_an_answer_below_answers_nothing(text: str) -> None:
    assert search_answer("When is the hut open?", "bridge", evidence_of(text)).abstained
