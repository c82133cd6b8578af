from __future__ import annotations

import pytest

from hoptrail.eval.oracle.evidence_text import EvidenceText
from hoptrail.eval.oracle.presence import GoldSupport, find_gold_support
from tests.unit.eval.oracle.conftest import PERSON, SHIP, YARD, shown

LONG = (
    "Port Selwick",
    "Port Selwick is a town on the coast whose harbour was dug by hand over nine years. "
    "Its lighthouse, which many painters of the period chose as their motif, was designed by the"
    " engineer Odo Marsh after the great flood had carried off the wooden one. "
    "Most of its people live from herring.",
)


def support(*passages: tuple[str, str], answers: tuple[str, ...] = ()) -> GoldSupport:
    return GoldSupport(passages, answers)


def test_a_shown_passage_that_spells_the_answer_is_found_under_its_label() -> None:
    place = find_gold_support(support(YARD, answers=("Edda Thorn",)), shown(SHIP, YARD))
    assert place is not None
    assert (place.label, place.title) == ("P2", "Alder Yard")


def test_the_answer_elsewhere_in_the_prompt_is_no_support() -> None:
    assert find_gold_support(support(YARD, answers=("Edda Thorn",)), shown(SHIP, PERSON)) is None


def test_a_like_sentence_under_another_title_is_no_support() -> None:
    decoy = ("Birch Yard", YARD[1])
    assert find_gold_support(support(YARD, answers=("Edda Thorn",)), shown(decoy)) is None


def test_another_part_of_the_gold_passage_is_no_support() -> None:
    rest = ("Alder Yard", "The yard stood in Port Selwick.")
    assert find_gold_support(support(YARD, answers=("Edda Thorn",)), shown(rest)) is None


@pytest.mark.parametrize(
    "cut",
    [
        "was designed by the engineer Odo Marsh after the great flood had carried off the wooden",
        "of the period chose as their motif, was designed by the engineer Odo Marsh",
        "Odo Marsh after the great flood had carried off the wooden one. Most of its people",
    ],
)
def test_a_chunk_that_cuts_the_sentence_around_the_answer_still_holds_it(cut: str) -> None:
    chunk = (LONG[0], cut)
    assert find_gold_support(support(LONG, answers=("Odo Marsh",)), shown(chunk)) is not None


def test_a_few_words_around_the_answer_are_too_few() -> None:
    chunk = (LONG[0], "the engineer Odo Marsh")
    assert find_gold_support(support(LONG, answers=("Odo Marsh",)), shown(chunk)) is None


def test_the_gold_sentence_in_the_description_of_a_relation_counts() -> None:
    line = "Relations:\n- Alder Yard | founded by | Edda Thorn (The Alder Yard was founded by"
    told = EvidenceText(f"{line} Edda Thorn.)")
    assert find_gold_support(support(YARD, answers=("Edda Thorn",)), told) is not None


def test_the_bare_triple_does_not_count_on_text() -> None:
    told = EvidenceText("Relations:\n- Alder Yard | founded by | Edda Thorn")
    assert find_gold_support(support(YARD, answers=("Edda Thorn",)), told) is None


def test_an_alias_that_the_passage_spells_counts() -> None:
    answers = ("Edda M. Thorn", "Edda Thorn")
    assert find_gold_support(support(YARD, answers=answers), shown(YARD)) is not None


def test_an_answer_in_the_title_alone_needs_the_title_and_a_span_of_the_text() -> None:
    untold = ("Edda Thorn", "She was an engineer and was born in Brackenholm in 1809.")
    gold = support(untold, answers=("Edda Thorn",))
    part = ("Edda Thorn", "an engineer and was born in Brackenholm in 1809.")
    assert find_gold_support(gold, shown(part)) is not None
    assert (
        find_gold_support(gold, shown(("Edda Thorn", "Another text about her altogether."))) is None
    )
    assert find_gold_support(gold, shown(("Port Selwick", untold[1]))) is None


def test_an_answer_that_the_passage_does_not_spell_needs_half_of_its_words() -> None:
    words = LONG[1].split()
    most, few = " ".join(words[: len(words) * 2 // 3]), " ".join(words[: len(words) // 3])
    gold = support(LONG, answers=("yes",))
    assert find_gold_support(gold, shown((LONG[0], most))) is not None
    assert find_gold_support(gold, shown((LONG[0], few))) is None


def test_chunks_of_one_passage_make_up_the_half_together() -> None:
    words = LONG[1].split()
    third = len(words) // 3
    first, last = " ".join(words[:third]), " ".join(words[-third:])
    assert find_gold_support(support(LONG), shown((LONG[0], first), (LONG[0], last))) is not None


def test_without_an_answer_a_gold_sentence_is_asked_for() -> None:
    gold = GoldSupport((("Edda Thorn", ""),), sentences=("She was born in Brackenholm in 1809.",))
    assert find_gold_support(gold, shown(PERSON)) is not None
    assert find_gold_support(gold, shown((PERSON[0], "Edda Thorn was an engineer."))) is None


def test_a_known_title_without_text_needs_its_passage_with_the_answer() -> None:
    gold = support(("Alder Yard", ""), answers=("Edda Thorn",))
    assert find_gold_support(gold, shown(YARD)) is not None
    assert find_gold_support(gold, shown(("Alder Yard", "The yard stood in Port Selwick."))) is None
    assert find_gold_support(support(("Alder Yard", "")), shown(PERSON)) is None


def test_marks_case_and_width_do_not_matter() -> None:
    passage = ("ALDER yard", "It was\nfounded (1809) by “ＥＤＤＡ Thorn”.The")
    gold = support(passage, answers=("EDDA THORN",))
    written = ("Alder Yard", "It was founded – 1809 – by Edda Thorn. The")
    assert find_gold_support(gold, shown(written)) is not None


def test_a_document_known_by_id_alone_is_never_found() -> None:
    assert find_gold_support(support(), shown(SHIP, YARD, PERSON)) is None


def test_a_text_without_labels_may_hold_the_passage() -> None:
    assert (
        find_gold_support(support(YARD, answers=("Edda Thorn",)), EvidenceText(YARD[1])) is not None
    )
