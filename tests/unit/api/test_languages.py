"""Documents and questions in other languages, from the index to the answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hoptrail import Hoptrail
from hoptrail.core.language.detection import language_of
from hoptrail.core.types import Document
from hoptrail.models.chat import register_chat_model
from hoptrail.testing.scripted import ScriptedChatModel
from tests.ships import hashing_settings

TEXTS = {
    "Hebewerk": "Das alte Hebewerk hat die Ingenieurin Theodora Kranich entworfen. Gebaut wurde "
    "von 1906 bis 1911.",
    "Verrerie": "La verrerie fut fondée par Anselme Tournadre. Le four s'est éteint en 1934.",
    "清河茶厂": "清河茶厂坐落在云岭北麓，由顾汝贤于1936年创办。每年清明前后开园采茶。",
    "Mill": "The old mill was built by Ada Reed in 1811. It stands on the river.",
}


@pytest.fixture(scope="module")
def hoptrail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hoptrail]:
    folder = tmp_path_factory.mktemp("languages") / "kb"
    documents = [Document(f"t/{title}", title, text, "t") for title, text in TEXTS.items()]
    settings = hashing_settings()
    with Hoptrail.open(
        folder, create=True, writable=True, settings=settings, preset="offline"
    ) as one:
        one.index(documents, extractor="nlp")
        yield one


def test_info_counts_the_documents_of_each_language(hoptrail: Hoptrail) -> None:
    told = hoptrail.info()["languages"]
    assert {code: facts["documents"] for code, facts in told.items()} == {
        "de": 1, "en": 1, "fr": 1, "zh": 1,
    }  # fmt: skip


def test_info_tells_of_which_languages_rules_read_sentences(hoptrail: Hoptrail) -> None:
    told = hoptrail.info()["languages"]
    assert [code for code, facts in told.items() if facts["sentences_by_rules"]] == ["en"]


def test_a_filter_asks_for_the_language(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask("Wer hat das Hebewerk entworfen?", filter="language=de")
    assert {one.doc_id for one in answer.nearest} == {"t/Hebewerk"}


@pytest.mark.parametrize(
    ("question", "language", "document"),
    [
        ("Wer hat das Hebewerk entworfen?", "de", "t/Hebewerk"),
        ("Qui a fondé la verrerie ?", "fr", "t/Verrerie"),
        ("清河茶厂是谁创办的？", "zh", "t/清河茶厂"),
    ],
)
def test_an_abstention_is_worded_in_the_language_of_the_question_above_the_passage(
    hoptrail: Hoptrail, question: str, language: str, document: str
) -> None:
    answer = hoptrail.ask(question)
    assert answer.abstained
    assert language_of(answer.text) == language
    assert answer.nearest[0].doc_id == document


def test_codes_stay_english(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask("Wer hat das Hebewerk entworfen?")
    assert (answer.abstain_reason, answer.stop_reason) == ("no_evidence", "abstained")


def test_a_question_in_english_is_answered_as_ever(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask("Who built the old mill?")
    assert not answer.abstained and answer.text == "Ada Reed"


def test_a_model_answers_in_one_language_over_documents_in_another(hoptrail: Hoptrail) -> None:
    model = ScriptedChatModel(
        replies=[
            "HOPS:\nHOP 1: The old mill | built by | Ada Reed | P1\nFINAL ANSWER: Ada Reed",
        ]
        * 9
    )
    register_chat_model("scripted-languages", model)
    asked = "Wer hat die Mühle „The old mill“ gebaut?"
    answer = hoptrail.ask(asked, preset="growth", model="scripted-languages")
    assert answer.text == "Ada Reed"
    assert any("in German" in call.text for call in model.calls)


def test_a_reserve_is_worded_in_the_language_of_the_question(hoptrail: Hoptrail) -> None:
    reply = "HOPS:\nHOP 1: Hebewerk | entworfen von | Ada Reed | P1\nFINAL ANSWER: Ada Reed"
    register_chat_model("scripted-reserve", ScriptedChatModel(replies=[reply] * 9))
    asked = "Wer hat das Hebewerk entworfen?"
    answer = hoptrail.ask(asked, preset="growth", model="scripted-reserve")
    assert answer.perhaps and str(answer.perhaps_reason).startswith("keine Textstelle belegt")
