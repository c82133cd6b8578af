from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from hoptrail.eval.planted import changed_passages
from hoptrail.eval.planted.claims import ClaimCorpus
from hoptrail.eval.planted.evaluation import Corruption, mark_as_trail
from tests.unit.eval.planted.garden import BORN, CLAIMS, DIED, DIRECTED, LOCATED, claim

CORPUS = ClaimCorpus(CLAIMS)
REWRITINGS = (
    changed_passages.negated,
    changed_passages.asked,
    changed_passages.heading,
    changed_passages.table_header,
    changed_passages.menu,
    changed_passages.injected,
)


@pytest.mark.parametrize("corrupt", REWRITINGS)
def test_only_the_quote_is_rewritten(corrupt: Corruption) -> None:
    changed = corrupt(DIRECTED, CORPUS, random.Random(1))
    assert changed is not None
    assert (changed.subject, changed.predicate, changed.object) == (
        DIRECTED.subject,
        DIRECTED.predicate,
        DIRECTED.object,
    )
    assert changed.quote in changed.passage
    assert DIRECTED.quote not in changed.passage
    assert "Ole Brandt praised its colours in 1960." in changed.passage
    assert "Ada Koss" in changed.quote


@pytest.mark.parametrize("corrupt", REWRITINGS)
def test_passage_that_states_it_twice_is_left_alone(corrupt: Corruption) -> None:
    twice = claim(
        "Red Mill was made by Ada Koss. Its director Koss was ill.",
        "Red Mill",
        "Red Mill",
        "was made by",
        "Ada Koss",
    )
    assert corrupt(twice, ClaimCorpus([twice]), random.Random(1)) is None


@pytest.mark.parametrize("seed", range(12))
def test_negated_quote_denies_the_claim(seed: int) -> None:
    for one in (DIRECTED, BORN, LOCATED):
        changed = changed_passages.negated(one, CORPUS, random.Random(seed))
        assert changed is not None
        assert re.search(r"\bnot\b|\bno longer\b", changed.quote)


def test_question_ends_with_its_mark() -> None:
    for seed in range(9):
        changed = changed_passages.asked(DIED, CORPUS, random.Random(seed))
        assert changed is not None
        assert changed.quote.endswith("?")


def test_wrong_passage_has_one_end_only() -> None:
    changed = changed_passages.wrong_passage(BORN, CORPUS, random.Random(1))
    assert changed is not None
    assert (changed.title, changed.object) == ("Red Mill", "4 May 1902")
    assert "Ada Koss" in changed.quote
    assert "1902" not in changed.passage


def test_a_step_of_another_passage_joins_nothing() -> None:
    changed = changed_passages.unjoined(BORN, CORPUS, random.Random(1))
    assert changed is not None
    assert changed.beside is not None
    assert changed.beside.passage != changed.passage
    assert mark_as_trail(changed) == "partly"


def test_a_step_that_joins_is_plain() -> None:
    joined = replace(BORN, beside=DIRECTED)  # Ada Koss directed the film, and was born
    assert mark_as_trail(joined) == "stated"


def test_a_text_of_a_later_day_overturns_a_number() -> None:
    changed = changed_passages.overturned(BORN, CORPUS, random.Random(1))
    assert changed is not None
    assert changed.beside is not None
    assert changed.object not in changed.beside.passage
    assert mark_as_trail(changed) == "partly"


def test_a_name_alone_in_its_line_says_nothing_of_its_halves() -> None:
    changed = changed_passages.name_part(DIRECTED, CORPUS, random.Random(1))
    assert changed is not None
    assert changed.quote == f"{changed.predicate} {changed.object}" == DIRECTED.object
    assert mark_as_trail(changed) != "stated"


def test_a_row_of_numbers_states_no_value() -> None:
    changed = changed_passages.number_row(DIRECTED, CORPUS, random.Random(1))
    assert changed is not None
    assert changed.quote.endswith(changed.object)
    assert mark_as_trail(changed) != "stated"
