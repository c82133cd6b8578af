"""Gold support resolved to documents, in the order that the contract gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.types import Document
from hoptrail.eval.questions.question import (
    Gold,
    GoldResolver,
    GoldStep,
    Question,
    SupportReference,
    resolve_gold,
    with_gold_passages,
)
from hoptrail.stores.knowledge_base import KnowledgeBase

DOCUMENTS = [
    Document("wiki/1", "Paris", "The capital of France.", "wiki"),
    Document("wiki/2", "Paris", "A city in Texas.", "wiki"),
    Document("wiki/3", "Seine", "A river.", "wiki"),
    Document("news/3", "Storm", "A storm.", "news"),
    Document("notes/a/b.txt", "Note", "A note.", "notes/a"),
]
PATH = Path("questions.jsonl")

GOLD = {"q": Gold(("wiki/1",))}


def ask(support: SupportReference, **fields: str) -> Question:
    return Question("q", "Where?", (("Paris",),), line=7, support=support, type=fields.get("type"))


def documents_of(support: SupportReference) -> tuple[str, ...]:
    return GoldResolver(DOCUMENTS).resolve(ask(support)).documents


def test_an_id_is_the_full_one_or_the_one_within_its_source() -> None:
    assert documents_of(SupportReference(ids=("wiki/3",))) == ("wiki/3",)
    assert documents_of(SupportReference(ids=("1", "b.txt"))) == ("wiki/1", "notes/a/b.txt")


def test_an_id_that_two_sources_share_resolves_to_neither() -> None:
    assert GoldResolver(DOCUMENTS).resolve(ask(SupportReference(ids=("3",)))) == Gold((), ("3",))


def test_a_passage_is_found_by_title_and_text() -> None:
    passages = (("Paris", "A  city in\nTexas."), ("Paris", "The capital of France."))
    assert documents_of(SupportReference(passages=passages)) == ("wiki/2", "wiki/1")


def test_every_document_of_a_title_is_gold() -> None:
    assert documents_of(SupportReference(titles=("Paris", "Seine"))) == (
        "wiki/1",
        "wiki/2",
        "wiki/3",
    )


def test_ids_come_before_passages_and_passages_before_titles() -> None:
    passages = (("Paris", "A city in Texas."),)
    assert documents_of(SupportReference(("wiki/3",), passages, ("Storm",))) == ("wiki/3",)
    assert documents_of(SupportReference((), passages, ("Storm",))) == ("wiki/2",)


def test_the_last_hop_is_the_gold_of_the_last_step() -> None:
    passages = (("Seine", "A river."), ("Paris", "The capital of France."))
    question = replace(
        ask(SupportReference(passages=passages)),
        steps=(GoldStep("Which?", "Seine", passages[:1]), GoldStep("Of #1?", "x", passages[1:])),
    )
    assert GoldResolver(DOCUMENTS).resolve(question).of_last_hop == ("wiki/1",)
    alone = replace(question, steps=question.steps[:1])
    assert GoldResolver(DOCUMENTS).resolve(alone).of_last_hop == ()


def test_what_is_not_there_is_reported_and_the_rest_resolved() -> None:
    gold = GoldResolver(DOCUMENTS).resolve(ask(SupportReference(titles=("Seine", "Loire"))))
    assert gold == Gold(("wiki/3",), ("Loire",))


def test_an_unanswerable_question_may_lack_its_support() -> None:
    question = ask(SupportReference(ids=("N/A",)), type="Null")
    assert GoldResolver(DOCUMENTS).resolve(question) == Gold()


def test_a_missing_document_is_an_error_that_names_the_line() -> None:
    with pytest.raises(InputError, match=r"questions\.jsonl:7: gold document 'Loire'"):
        resolve_gold([ask(SupportReference(titles=("Seine", "Loire")))], DOCUMENTS, PATH)


def test_another_corpus_is_an_error_of_its_own() -> None:
    with pytest.raises(InputError, match="holds none of the gold documents"):
        resolve_gold([ask(SupportReference(titles=("Loire",)))], DOCUMENTS, PATH)


def test_missing_gold_can_be_allowed() -> None:
    found = resolve_gold(
        [ask(SupportReference(titles=("Loire",)))], DOCUMENTS, PATH, allow_missing=True
    )
    assert found == {"q": Gold((), ("Loire",))}


def test_questions_without_support_have_no_gold() -> None:
    assert resolve_gold([ask(SupportReference())], [], PATH) == {"q": Gold()}


def make_question(support: SupportReference) -> Question:
    return Question("q", "Which river does Paris lie on?", (("Seine",),), line=1, support=support)


def test_ids_get_the_texts_of_their_documents(kb: KnowledgeBase) -> None:
    asked = make_question(SupportReference(ids=("1",)))
    (found,) = with_gold_passages([asked], GOLD, kb.store)
    assert found.support == SupportReference(("1",), (("Paris", "Paris lies on the river Seine."),))


def test_support_that_names_texts_or_titles_stays(kb: KnowledgeBase) -> None:
    for support in (
        SupportReference(passages=(("Paris", "as it is"),)),
        SupportReference(titles=("Paris",)),
    ):
        asked = make_question(support)
        assert with_gold_passages([asked], GOLD, kb.store) == [asked]
