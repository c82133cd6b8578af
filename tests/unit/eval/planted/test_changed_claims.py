from __future__ import annotations

import random
from dataclasses import replace

import pytest

from hoptrail.eval.planted import changed_claims
from hoptrail.eval.planted.claims import ClaimCorpus, PassageClaim
from tests.unit.eval.planted.garden import (
    BORN,
    CLAIMS,
    DIED,
    DIRECTED,
    LANE_DIRECTED,
    LOCATED,
    WRITTEN,
    claim,
)

CORPUS = ClaimCorpus(CLAIMS)


def rng() -> random.Random:
    return random.Random(1)


def test_other_object_is_what_the_sentence_says_in_other_words() -> None:
    assert changed_claims.other_object(DIRECTED, CORPUS, rng()) == replace(
        DIRECTED, object="Per Lund"
    )
    assert changed_claims.other_object(BORN, CORPUS, rng()) == replace(BORN, object="7 June 1980")


def test_other_object_is_none_that_the_passage_states_of_the_relation() -> None:
    both = "Red Mill is a film directed by Ada Koss and Per Lund, written by Per Lund."
    claims = [
        claim(both, "Red Mill", "Red Mill", "directed by", "Ada Koss"),
        claim(both, "Red Mill", "Red Mill", "director", "Per Lund"),
        claim(both, "Red Mill", "Red Mill", "written by", "Per Lund"),
    ]
    assert changed_claims.other_object(claims[0], ClaimCorpus(claims), rng()) is None


def test_absent_object_is_one_of_another_passage() -> None:
    changed = changed_claims.absent_object(DIRECTED, CORPUS, rng())
    assert changed == replace(DIRECTED, object="Ida Holm")


def test_other_subject_is_never_in_a_sentence_with_the_object() -> None:
    text = "Red Mill is a film produced in Varde by Jon Koss. Later Ada Holm showed it in Odense."
    made = claim(text, "Red Mill", "Red Mill", "is a film produced in", "Varde")
    changed = changed_claims.other_subject(made, ClaimCorpus([made]), rng())
    assert changed is not None
    assert changed.subject in {"Ada Holm", "Odense"}


def test_other_subject_is_no_other_name_of_the_subject() -> None:
    text = "Red Mill is a film made by Jon Koss. Its working title was Blue Mill or Grey Barn."
    made = claim(text, "Red Mill", "Red Mill", "is a film made by", "Jon Koss")
    assert changed_claims.other_subject(made, ClaimCorpus([made]), rng()) is None


def test_absent_subject_is_one_of_another_passage() -> None:
    assert changed_claims.absent_subject(DIRECTED, CORPUS, rng()) == replace(
        DIRECTED, subject="Elm Lane"
    )


def test_other_predicate_is_no_paraphrase_of_what_the_quote_says() -> None:
    for seed in range(30):
        changed = changed_claims.other_predicate(BORN, CORPUS, random.Random(seed))
        assert changed is not None
        assert not {"birth", "born", "death", "died"} & set(changed.predicate.split())


def test_only_claims_with_a_direction_are_swapped() -> None:
    swapped = changed_claims.swapped(LOCATED, CORPUS, rng())
    assert swapped == replace(LOCATED, subject="Norby", object="Ash Bridge")
    noun = replace(LOCATED, predicate="director")
    mutual = replace(LOCATED, predicate="is twin town of")
    assert changed_claims.swapped(noun, CORPUS, rng()) is None
    assert changed_claims.swapped(mutual, CORPUS, rng()) is None
    assert changed_claims.swapped(BORN, CORPUS, rng()) is None


def test_wrong_entity_shares_a_name() -> None:
    other = claim(
        "Ida Koss (3 May 1910 – 1 June 1990) was a poet.",
        "Ida Koss",
        "Ida Koss",
        "date of birth",
        "3 May 1910",
    )
    changed = changed_claims.wrong_entity(BORN, ClaimCorpus([*CLAIMS, other]), rng())
    assert changed == replace(BORN, subject="Ida Koss")


def test_wrong_entity_may_be_made_up() -> None:
    numbered = replace(BORN, subject="Olympiad 12", title="Olympiad 12")
    changed = changed_claims.wrong_entity(numbered, CORPUS, rng())
    assert changed is not None
    assert changed.subject.startswith("Olympiad 1")
    assert changed.subject != "Olympiad 12"


@pytest.mark.parametrize("seed", range(20))
def test_changed_number_is_not_in_the_passage(seed: int) -> None:
    changed = changed_claims.changed_number(DIED, CORPUS, random.Random(seed))
    assert changed is not None
    assert changed.object != DIED.object
    new = set(changed.object.split()) - set(DIED.object.split())
    assert len(new) == 1
    assert not new & set(DIED.passage.replace(")", " ").split())


def test_claim_without_number_keeps_it() -> None:
    assert changed_claims.changed_number(WRITTEN, CORPUS, rng()) is None


def test_known_fact_of_another_passage_is_no_corruption() -> None:
    also: PassageClaim = claim(
        "Elm Lane is a film directed by Ada Koss.", "Elm Lane", "Elm Lane", "director", "Ada Koss"
    )
    changed = changed_claims.absent_subject(
        DIRECTED, ClaimCorpus([DIRECTED, LANE_DIRECTED, also]), rng()
    )
    assert changed == replace(DIRECTED, subject="Elm Lane") or changed is None


def test_translation_of_the_title_is_no_other_subject() -> None:
    text = "Rode Molle (Red Mill) is a film made by Jon Koss. It was praised."
    made = claim(text, "Rode Molle", "Rode Molle", "directed by", "Jon Koss")
    assert changed_claims.other_subject(made, ClaimCorpus([made]), rng()) is None
