"""The oracle through the real graph: what it may answer arrives, what it may not does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.settings import Settings
from hoptrail.eval.oracle.reader import make_oracle
from hoptrail.eval.questions.question import Question
from hoptrail.graphs.qa import graph
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.models.chat import register_chat_model
from hoptrail.services.open_knowledge_bases import forget_knowledge_base, register_knowledge_base
from hoptrail.services.request_services import allow_models
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder
from tests.ships import FACTS, ship_documents
from tests.unit.eval.oracle.conftest import SHIP, YARD, chained

TRIPLES = """Tides|starred_actors|Mara
Tides|starred_actors|Ida
Tides|directed_by|Nils
Gale|starred_actors|Olga
"""


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Any]:
    def index(facts: dict[str, str], **options: Any) -> None:
        with KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder(), create=True) as kb:
            Indexer(kb, settings=Settings()).index(ship_documents(facts), IndexOptions(**options))
        kb = KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder())
        opened.append(kb)
        register_knowledge_base("gold", kb, Settings(max_retries=0))

    opened: list[KnowledgeBase] = []
    yield index
    forget_knowledge_base("gold")
    for kb in opened:
        kb.close()


async def run(question: Question, preset: str, **context: Any) -> dict[str, Any]:
    register_chat_model("oracle", make_oracle([question]))
    allow_models("oracle")
    chosen = {"knowledge_base": "gold", "model": "oracle", "preset": preset, **context}
    state = await graph.ainvoke({"question": question.text}, context=chosen)
    answer: dict[str, Any] = state["answer"]
    return answer


PRESETS = ["reasoning", "vector", "full_context"]


@pytest.mark.parametrize("preset", PRESETS)
async def test_an_answer_with_all_support_arrives(serve: Any, preset: str) -> None:
    serve(FACTS, extractor="nlp")
    answer = await run(chained(), preset)
    assert answer["answer"] == "Edda Thorn"
    assert answer["usage"]["prompt_tokens"] > 0


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("removed", [SHIP[0], YARD[0]])
async def test_without_one_support_in_the_base_it_abstains(
    serve: Any, preset: str, removed: str
) -> None:
    serve({title: text for title, text in FACTS.items() if title != removed}, extractor="nlp")
    answer = await run(chained(), preset)
    assert answer["abstained"]


@pytest.mark.parametrize("preset", ["reasoning", "vector"])
async def test_an_answer_that_no_passage_spells_arrives_too(serve: Any, preset: str) -> None:
    serve(FACTS, extractor="nlp")
    told = (YARD[0], "The Alder Yard was founded by Edda Thorn.")
    gold = chained(steps=(), answers=(("a woman of Selwick",),), sentences=(SHIP, told))
    assert (await run(gold, preset))["answer"] == "a woman of Selwick"


@pytest.mark.parametrize("answer", ["yes", "2"])
async def test_a_derived_answer_arrives(serve: Any, answer: str) -> None:
    serve(FACTS, extractor="nlp")
    gold = chained(type="comparison", steps=(), answers=((answer,),), sentences=(SHIP,))
    assert (await run(gold, "reasoning"))["answer"] == answer


async def test_on_a_bare_graph_the_answers_of_the_gold_path_arrive(
    serve: Any, tmp_path: Path
) -> None:
    triples = tmp_path / "kb.txt"
    triples.write_text(TRIPLES)
    serve({}, extractor="none", triples=(triples,))
    gold = Question(
        "g",
        "Who starred with Mara?",
        (("Ida",), ("Olga",)),
        1,
        topic_entities=("Mara",),
        relation_paths=(("starred_actors", "starred_actors"),),
    )
    answer = await run(gold, "reasoning", compress=False)
    assert answer["answer"] == "Ida"
    assert [hop["supported"] for hop in answer["trail"]] == [True, True]
