from __future__ import annotations

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.reading.sentence_reader import Reading, SentenceReader
from hoptrail.core.types import Chunk, Evidence, Hit

TEXTS = {
    "Ferries": "The lines of the Kittiwake were drawn by Tove Ranhild. Mira Sund mends her engine.",
    "Fares": "route: Quay - Brae; ticket: adult; price: 11.80; code: 1010",
    "Air": "The Nivo weighs 420 g. The filter of the Nivo is changed every 30 days.",
    "Bench": "The bench is no work of Ida Orrin. It stands in the old potting room.",
}


def evidence(**texts: str) -> Evidence:
    chunks = [
        Chunk(title, f"folder/{title}.txt", title, text, 0, len(text))
        for title, text in (texts or TEXTS).items()
    ]
    return Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))


def best(question: str, excluded: str = "") -> Reading:
    return SentenceReader(EvidenceIndex(evidence())).read(question, excluded)[0]


def test_value_of_the_sentence_with_the_questions_words_is_best() -> None:
    assert best("Who drew the lines of the Kittiwake?").value.text == "Tove Ranhild"


def test_value_of_a_row_is_found_by_its_label() -> None:
    assert best("What is the price of an adult ticket to Brae?").value.text == "11.80"


def test_amount_has_its_unit() -> None:
    assert best("How often is the filter of the Nivo changed?").value.text == "30 days"


def test_name_in_the_question_is_no_answer() -> None:
    read = SentenceReader(EvidenceIndex(evidence())).read("Who mends what Tove Ranhild drew?")
    assert "Tove Ranhild" not in [one.value.text for one in read]


def test_name_in_the_whole_question_is_no_answer_of_its_part() -> None:
    assert best("Who drew the lines?", "What did Tove Ranhild draw?").value.text != "Tove Ranhild"


def test_part_of_a_name_is_another_thing() -> None:
    reading = best("What does the Nivo Mini weigh?")
    assert reading.value.text == "420 g"
    assert not reading.names_all
    assert best("What does the Nivo weigh?").names_all


def test_denial_is_told() -> None:
    assert best("Whose work is the bench?").is_denied


def test_wording_counts_what_is_asked_about_the_names() -> None:
    assert best("Who drew the lines of the Kittiwake?").wording > 0
    assert best("Who painted the Kittiwake?").wording == 0


def test_person_with_a_word_of_a_firms_name_is_another_than_the_firm() -> None:
    texts = {"Mail": "Orrin & Sons are in Mill Lane. Their owner, Greta Orrin, was at school here."}
    read = SentenceReader(EvidenceIndex(evidence(**texts))).read("Who owns Orrin & Sons?")
    assert read[0].value.text == "Greta Orrin"
