from __future__ import annotations

import random
from dataclasses import replace

from hoptrail.eval.planted import changed_passages, changed_trails
from hoptrail.eval.planted.corpus import ClaimCorpus
from hoptrail.eval.planted.marker import mark_as_trail
from tests.unit.eval.planted.garden import BORN, CLAIMS, DIRECTED

CORPUS = ClaimCorpus(CLAIMS)


def test_a_step_of_another_passage_joins_nothing() -> None:
    changed = changed_trails.unjoined(BORN, CORPUS, random.Random(1))
    assert changed is not None
    assert changed.beside is not None
    assert changed.beside.passage != changed.passage
    assert mark_as_trail(changed) == "partly"


def test_a_step_that_joins_is_plain() -> None:
    joined = replace(BORN, beside=DIRECTED)  # Ada Koss directed the film, and was born
    assert mark_as_trail(joined) == "stated"


def test_a_text_of_a_later_day_overturns_a_number() -> None:
    changed = changed_trails.overturned(BORN, CORPUS, random.Random(1))
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
