from __future__ import annotations

from hoptrail.agents.language.word_groups import everyday_group
from hoptrail.agents.reading.statements import Statement, statements_of
from tests.unit.agents.conftest import index_of


def statements(title: str, text: str) -> list[Statement]:
    return statements_of(index_of(text, title=title, doc_id="folder/list.md"))


def test_statement_knows_the_heading_above_it() -> None:
    text = "# Prices\n\nThe berth costs 12 euros.\n\n# Rules\n\nDogs stay outside."
    assert [(one.text, one.heading) for one in statements("Harbour", text)] == [
        ("The berth costs 12 euros.", "Prices"),
        ("Dogs stay outside.", "Rules"),
    ]


def test_words_of_its_place_are_those_of_title_heading_and_file() -> None:
    (one,) = statements("Harbour", "# Prices\n\nThe berth costs 12 euros.")
    assert {"harb", "pric", "list"} <= {group[:4] for group in one.place}


def test_part_of_a_row_is_told_by_all_values_but_not_by_other_labels() -> None:
    (one,) = statements("Harbour", "berth: Hall A; metres: 12; price: 18400")
    told = one.told(one.part_at(one.text.index("18400")), frozenset())
    assert {"hall", "18400", "12"} <= told
    assert "berth" not in told


def test_label_of_a_cell_with_a_wanted_word_is_told() -> None:
    (one,) = statements("Harbour", "berth: Hall A; crew: 12; price: 18400")
    told = one.told(one.part_at(one.text.index("18400")), frozenset({"12"}))
    assert "crew" in told
    assert "berth" not in told


def test_lines_of_a_record_share_their_words() -> None:
    text = "Where: Room 5\nFault: stuck pedal\n\nWhere: Room 7\nFault: broken string"
    first, second = (one for one in statements("Repairs", text) if "Fault" in one.text)
    assert "5" in first.place
    assert "5" not in second.place


def test_line_with_one_label_is_no_row() -> None:
    (one,) = statements("Harbour", "Opened: 1921")
    assert not one.is_row


def test_what_was_bought_for_a_sum_tells_a_price() -> None:
    (bought,) = statements("Minutes", "The Kittiwake was bought from Reed & Sons for £6,450.")
    (kept,) = statements("Minutes", "The Kittiwake was bought for 30 members.")
    assert everyday_group("cost") in bought.own
    assert everyday_group("cost") not in kept.own


CHAT = """2024-05-12, Sunday
18:12 Grace: where is the light switch?
18:14 Dilip Rao: I built the bike shed in 1995. There never was a light
18:20 Ann left the group"""


def test_a_message_is_said_by_its_speaker_and_its_time_is_no_word_of_it() -> None:
    assert [(one.speaker, one.text[one.said :]) for one in statements("Garden group", CHAT)] == [
        ("Grace", "where is the light switch?"),
        ("Dilip Rao", "I built the bike shed in 1995."),
        ("", "There never was a light"),
        ("", "Ann left the group"),
    ]


def test_a_question_in_a_conversation_is_no_caption_of_what_others_say() -> None:
    assert {one.caption for one in statements("Garden group", CHAT)} == {""}


def test_a_speaker_is_no_label() -> None:
    assert [one.parts for one in statements("Garden group", CHAT)] == [()] * 4
