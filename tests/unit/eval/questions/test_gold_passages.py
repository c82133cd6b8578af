"""Texts of gold that is named by id."""

from __future__ import annotations

from hoptrail.eval.questions.gold import Gold
from hoptrail.eval.questions.gold_passages import with_gold_passages
from hoptrail.eval.questions.question import Question, SupportReference
from hoptrail.stores.knowledge_base import KnowledgeBase

GOLD = {"q": Gold(("wiki/1",))}


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
