"""Preset tables over files with tables: by templates, and by a scripted model's query."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.settings import Settings
from hoptrail.graphs.qa import graph
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.services.open_knowledge_bases import forget_knowledge_base, register_knowledge_base
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.unit.graphs.conftest import scripted

BOATS = """Boat,Seats,£ / hour,Licence
Rowing skiff,3,9.50,no
Double kayak,2,12.00,no
Motor launch Otter,6,38.00,yes
"""
SQL = 'SELECT sum("Seats") FROM boat_hire WHERE "Licence" = \'no\''
IN_OTHER_WORDS = "How many places in craft that anybody may steer?"


@pytest.fixture(scope="module")
def boats_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = tmp_path_factory.mktemp("files")
    (files / "boat hire.csv").write_text(BOATS)
    folder = files / "kb"
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        indexer = Indexer(kb, settings=Settings())
        indexer.index([files / "boat hire.csv"], IndexOptions(extractor="nlp"))
    return folder


@pytest.fixture
def boats(boats_folder: Path) -> Iterator[str]:
    with KnowledgeBase.open(boats_folder, embedder=HashingEmbedder()) as kb:
        register_knowledge_base("boats", kb, Settings(max_retries=0))
        yield "boats"
    forget_knowledge_base("boats")


async def run(question: str, preset: str = "tables", **context: Any) -> dict[str, Any]:
    chosen = {"knowledge_base": "boats", "preset": preset, **context}
    state = await graph.ainvoke({"question": question}, context=chosen)
    answer: dict[str, Any] = state["answer"]
    return answer


@pytest.mark.usefixtures("boats")
async def test_a_sure_template_answers_without_a_call_and_each_cell_is_cited() -> None:
    model = scripted(by_role={"decomposer": SQL})

    answer = await run("How many seats do the boats have in total?", model="scripted")

    assert (answer["answer"], answer["strategy"], answer["perhaps"]) == ("11", "tables", False)
    assert answer["query"] == 'SELECT sum("Seats") FROM "boat_hire"'
    assert [hop["place"] for hop in answer["trail"]] == ["row 2", "row 3", "row 4"]
    assert all(hop["support"] == "stated" for hop in answer["trail"])
    assert not model.calls


@pytest.mark.usefixtures("boats")
@pytest.mark.parametrize("preset", ["offline", "auto"])
async def test_without_a_model_other_presets_ask_the_tables_too(preset: str) -> None:
    answer = await run("Which boat has the most seats?", preset)
    assert (answer["answer"], answer["strategy"]) == ("Motor launch Otter", "tables")


@pytest.mark.usefixtures("boats")
async def test_auto_with_a_model_asks_the_tables_first_what_they_can_count() -> None:
    model = scripted(by_role={"router": {"type": "bridge"}})

    answer = await run("How many seats do the boats have in total?", "auto", model="scripted")

    assert (answer["answer"], answer["strategy"]) == ("11", "tables")
    assert "answerer" not in {call.role for call in model.calls}


@pytest.mark.usefixtures("boats")
async def test_a_model_writes_what_no_template_is_sure_of() -> None:
    model = scripted(by_role={"decomposer": SQL})

    answer = await run(IN_OTHER_WORDS, model="scripted")

    assert (answer["answer"], answer["query"], answer["perhaps"]) == ("5", SQL, True)
    assert [hop["subject"] for hop in answer["trail"]] == [
        *["Rowing skiff"] * 2,
        *["Double kayak"] * 2,
    ]
    (call,) = model.calls
    shown = str(call.messages[-1].content)
    assert '"£ / hour" REAL, -- 9.5, 12, ...' in shown
    assert "\"Licence\" TEXT, -- 'no', 'yes'" in shown


@pytest.fixture
def boats_of_a_small_model(boats_folder: Path) -> Iterator[str]:
    with KnowledgeBase.open(boats_folder, embedder=HashingEmbedder()) as kb:
        register_knowledge_base("boats", kb, Settings(max_retries=0, small_model=True))
        yield "boats"
    forget_knowledge_base("boats")


@pytest.mark.usefixtures("boats_of_a_small_model")
async def test_a_small_models_query_that_leaves_a_word_out_is_given_if_nothing_is_read() -> None:
    model = scripted(by_role={"decomposer": SQL, "answerer": "not stated"})

    answer = await run(IN_OTHER_WORDS, "auto", model="scripted")

    assert (answer["answer"], answer["query"], answer["perhaps"]) == ("5", SQL, True)
    assert [call.role for call in model.calls] == ["decomposer", "answerer"]


@pytest.mark.usefixtures("boats_of_a_small_model")
async def test_a_small_model_reads_where_its_one_query_finds_nothing() -> None:
    model = scripted(by_role={"decomposer": "SELECT places FROM boat_hire", "answerer": "3"})

    await run(IN_OTHER_WORDS, "auto", model="scripted")

    assert [call.role for call in model.calls] == ["decomposer", "answerer"]


@pytest.mark.usefixtures("boats_of_a_small_model")
async def test_what_a_small_model_has_not_read_it_looks_up_by_a_query() -> None:
    query = """SELECT "Boat" FROM boat_hire WHERE "Licence" = 'yes'"""
    model = scripted(by_role={"decomposer": query, "answerer": "not stated"})

    answer = await run("What craft wants papers from its driver?", "auto", model="scripted")

    assert (answer["answer"], answer["perhaps"]) == ("Motor launch Otter", True)
    assert [call.role for call in model.calls] == ["answerer", "decomposer"]


@pytest.mark.usefixtures("boats_of_a_small_model")
async def test_where_a_small_models_query_finds_the_same_as_a_template_nothing_is_read() -> None:
    question = "How many seats do the harbour boats have in total?"
    assert (await run(question, "offline"))["perhaps"]
    model = scripted(by_role={"decomposer": 'SELECT sum("Seats") FROM boat_hire'})

    answer = await run(question, "auto", model="scripted")

    assert (answer["answer"], answer["perhaps"]) == ("11", True)
    assert [call.role for call in model.calls] == ["decomposer"]


@pytest.mark.usefixtures("boats")
async def test_a_query_that_fails_is_mended_once() -> None:
    replies = ["SELECT seats_in_all FROM boat_hire", SQL]
    model = scripted(by_role={"decomposer": replies})

    answer = await run(IN_OTHER_WORDS, model="scripted")

    assert answer["answer"] == "5"
    assert "no such column" in str(model.calls[1])


@pytest.mark.usefixtures("boats")
async def test_a_query_that_counts_nothing_has_looked_for_another_name_and_is_mended() -> None:
    replies = ["SELECT count(*) FROM boat_hire WHERE Boat = 'craft'", SQL]
    model = scripted(by_role={"decomposer": replies})

    answer = await run(IN_OTHER_WORDS, model="scripted")

    assert answer["answer"] == "5"
    assert "found nothing" in str(model.calls[1])


@pytest.mark.usefixtures("boats")
@pytest.mark.parametrize(
    "query", ["DROP TABLE boat_hire", "ATTACH '/tmp/x' AS x", "SELECT load_extension('x')"]
)
async def test_a_query_that_wants_more_than_to_read_is_refused_and_told(query: str) -> None:
    scripted(by_role={"decomposer": [query, query]})

    answer = await run(IN_OTHER_WORDS, model="scripted")

    assert answer["abstained"]
    assert any("the query was not run" in note for note in answer["degraded"])
    assert answer["nearest"]


@pytest.mark.usefixtures("boats")
async def test_what_no_table_tells_is_an_abstention() -> None:
    context: Any = {"knowledge_base": "boats", "preset": "tables"}
    state = await graph.ainvoke({"question": "Who painted the ceiling?"}, context=context)
    assert state["answer"]["abstained"]
    assert "no query over the tables" in state["messages"][-1].content
