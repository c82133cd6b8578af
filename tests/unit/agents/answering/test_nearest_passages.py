from __future__ import annotations

import pytest

from hoptrail.agents.answering.nearest_passages import nearest_passages, shared_run
from hoptrail.core.types import Chunk, Evidence, Hit


def evidence(*told: tuple[str, str]) -> Evidence:
    chunks = [
        Chunk(f"c{number}", f"d{number}", title, text, 100, 100 + len(text))
        for number, (title, text) in enumerate(told)
    ]
    return Evidence(chunks=tuple(Hit(chunk, 1.0, "vector") for chunk in chunks))


FILLER = ("Weather", "Rain fell all week. The roads were wet.")
PUMP = ("Minutes", "The roof was mended. The pump of the cellar was bought in 1979. Thanks all.")
CONTRACT = ("Contract", "The board met. Fuel is bought from Brannock Fuels.")
BRANNOCK = ("Brannock Fuels", "It is led by Priya Nair. Its tanks hold diesel.")


def test_the_best_sentence_of_a_passage_stands_for_it_with_its_place_in_the_document() -> None:
    best = nearest_passages("When was the cellar pump bought?", evidence(FILLER, PUMP))[0]
    assert best.sentence == "The pump of the cellar was bought in 1979."
    assert (best.doc_id, best.title) == ("d1", "Minutes")
    assert PUMP[1][best.start - 100 : best.end - 100] == best.sentence


def test_a_sentence_is_told_with_what_stands_before_and_behind_it() -> None:
    best = nearest_passages("When was the cellar pump bought?", evidence(FILLER, PUMP))[0]
    assert (best.before, best.after) == ("The roof was mended.", "Thanks all.")


def test_the_first_sentence_of_a_section_is_told_with_its_heading() -> None:
    walk = (
        "Programme",
        "# Programme\n\nDates.\n\n## Harvest walk\n\nThe mill is shut for repairs.",
    )
    best = nearest_passages("Where is the mill shut?", evidence(walk))[0]
    assert (best.before, best.after) == ("Harvest walk", "")


def test_the_second_hop_is_near_by_the_name_that_the_first_brings_in() -> None:
    found = nearest_passages(
        "Who leads the firm that fuel is bought from?",
        evidence(FILLER, FILLER, CONTRACT, PUMP, BRANNOCK),
    )
    assert [one.doc_id for one in found[:2]] == ["d2", "d4"]


def test_a_name_beside_the_best_sentence_leads_on_too() -> None:
    minutes = ("Minutes", "The old chair, Hugh Penrose, spoke. Anna Roe was elected with 13 votes.")
    members = ("Members", "Anna Roe farms in Pradello. She keeps goats.")
    found = nearest_passages(
        "In which village lives the one who followed Hugh Penrose?",
        evidence(minutes, FILLER, FILLER, members),
    )
    assert [one.doc_id for one in found[:2]] == ["d0", "d3"]


def test_where_a_person_is_asked_for_a_sentence_with_a_name_is_nearer() -> None:
    contract = ("Contract", "The contract is in force. The contract is signed by Per Krogh.")
    assert (
        "Per Krogh"
        in nearest_passages("Who is behind the contract?", evidence(contract))[0].sentence
    )


def test_a_short_plural_meets_its_singular() -> None:
    nut = ("Nut", "Tolvik makes each nut.")
    found = nearest_passages("Where do the nuts come from?", evidence(FILLER, nut))
    assert found[0].doc_id == "d1"


def test_each_passage_is_given_once_and_no_more_than_the_limit() -> None:
    found = nearest_passages("pump cellar roof", evidence(PUMP, FILLER, CONTRACT, BRANNOCK))
    assert len(found) == len({one.chunk_id for one in found}) == 3


def test_a_heading_is_no_sentence() -> None:
    found = nearest_passages("cellar pump", evidence(("Note", "# Cellar pump\nIt runs again.")))
    assert found[0].sentence == "It runs again."


def test_without_passages_nothing_is_near() -> None:
    assert nearest_passages("Who?", Evidence()) == ()


def test_a_sentence_is_near_by_the_heading_above_it() -> None:
    minutes = (
        "Minutes",
        "## 3. Money\n\nRents go up.\n\n## 4. Summer fair\n\nIt is held in the scout hut.",
    )
    best = nearest_passages("Where is the summer fair?", evidence(FILLER, minutes))[0]
    assert best.sentence == "It is held in the scout hut."


def test_a_line_that_repeats_the_title_is_no_sentence_to_show() -> None:
    rules = ("Rules of the Club", "Rules of the Club\n\nOn Sundays the gate of the club is shut.")
    best = nearest_passages("What are the rules of the club?", evidence(rules))[0]
    assert best.sentence == "On Sundays the gate of the club is shut."


RENT = ("Rental agreement", "1. The flat\nIt has 52 m².\n\n3. Rent\nThe monthly rent is £640.")


@pytest.mark.parametrize("question", ["How much is the rent?", "How high is the rent of the flat?"])
def test_where_money_is_asked_a_sentence_with_an_amount_of_money_is_near(question: str) -> None:
    found = nearest_passages(question, evidence(FILLER, RENT))
    assert "The monthly rent is £640." in [one.sentence for one in found]


def test_a_passage_that_stands_in_two_documents_is_shown_once() -> None:
    found = nearest_passages("When was the cellar pump bought?", evidence(PUMP, FILLER, PUMP))
    assert [one.doc_id for one in found] == ["d0", "d1"]


def test_another_document_with_the_same_passage_is_named() -> None:
    best = nearest_passages("When was the cellar pump bought?", evidence(PUMP, FILLER, PUMP))[0]
    assert (best.doc_id, best.also) == ("d0", ("d2",))


def test_the_forms_of_a_german_word_are_one() -> None:
    told = ("Bahn", "Der Lehrer kaufte zwei Lokomotiven. Das Wetter war schön.")
    other = ("Fahrt", "Die Fahrt war lang. Wir sahen vor dem Abend die Loks.")
    best = nearest_passages("Wer kaufte die Lokomotive?", evidence(other, told))[0]
    assert best.sentence == "Der Lehrer kaufte zwei Lokomotiven."


def test_a_chinese_passage_leads_to_the_one_that_its_name_titles() -> None:
    mill = ("清河茶厂", "清河茶厂由顾汝贤创办。每年采茶。")
    life = ("顾汝贤生平", "字子谦，生于绍兴。父亲是账房先生。")
    fair = ("庙会", "庙会在三月。出生的孩子也来。")
    question = "清河茶厂的创办人出生在哪里？"
    titles = [one.title for one in nearest_passages(question, evidence(fair, mill, life))[:2]]
    assert titles == ["清河茶厂", "顾汝贤生平"]


def test_three_characters_of_a_title_in_a_text_are_a_name() -> None:
    assert shared_run("顾汝贤生平", "由顾汝贤于1936年创办") == "顾汝贤"


def test_two_characters_make_a_common_word() -> None:
    assert shared_run("白鹤观", "白鹤飞过湖面") == ""


def test_two_words_of_an_arabic_title_are_a_name() -> None:
    assert shared_run("القائد منصور بن غانم", "شيدها منصور بن غانم سنة 1687") == "منصور بن غانم"


def test_one_shared_word_is_no_name() -> None:
    assert shared_run("جسر الحمام", "سوق الحمام القديم") == ""
