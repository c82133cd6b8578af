from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from langchain_core.tools import BaseTool

from hoptrail.core.errors import InputError
from hoptrail.core.types import Evidence
from hoptrail.services.request_services import call_tool
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.tools import graphrag
from hoptrail.tools.registry import make_tools
from tests.unit.retrievers.communities import report_on_ships

BROAD = "What are the main themes?"


@pytest.fixture(scope="session")
def reported_folder(facts_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reported") / "kb"
    shutil.copytree(facts_folder, folder)
    return report_on_ships(folder)


@pytest.fixture
def reported(reported_folder: Path) -> Iterator[Mapping[str, BaseTool]]:
    with KnowledgeBase.open(reported_folder, embedder=HashingEmbedder()) as kb:
        yield make_tools(kb)


async def titles(tools: Mapping[str, BaseTool], question: str, **choices: object) -> list[str]:
    found: Evidence = await call_tool(tools["select_communities"], question=question, **choices)
    return [hit.item.title for hit in found.reports]


async def test_a_broad_question_reads_the_coarse_level_the_larger_community_first(
    reported: Mapping[str, BaseTool],
) -> None:
    assert set(await titles(reported, BROAD, prefilter=False)) == {"Shipyard", "Festival"}


async def test_what_a_question_names_is_read_alone_where_all_is_more_than_one_call_reads(
    reported: Mapping[str, BaseTool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphrag, "_READ_AT_ONCE", 10)
    assert await titles(reported, "Edda Thorn engineer born?") == ["Engineer"]


async def test_of_few_reports_all_are_read_what_the_question_names_first(
    reported: Mapping[str, BaseTool],
) -> None:
    found = await titles(reported, "Edda Thorn engineer born?")
    assert found[0] == "Engineer"
    assert len(found) > 1


async def test_a_level_is_read_whole_without_the_prefilter(
    reported: Mapping[str, BaseTool],
) -> None:
    found = await titles(reported, "Edda Thorn engineer born?", level=1, prefilter=False)
    assert found[0] == "Engineer"
    assert set(found) == {"Engineer", "Steamer", "Festival"}


async def test_a_token_limit_keeps_the_first_reports(reported: Mapping[str, BaseTool]) -> None:
    everything = await titles(reported, BROAD, prefilter=False)
    assert await titles(reported, BROAD, prefilter=False, tokens=1) == everything[:1]


async def test_a_selection_travels_as_references(reported: Mapping[str, BaseTool]) -> None:
    found: Evidence = await call_tool(reported["select_communities"], question=BROAD)
    references = json.loads(json.dumps(found.references()))
    references["reports"].append(["gone", 1.0, "", None, []])
    assert await call_tool(reported["hydrate_evidence"], references=references) == found
    assert found.reports[0].item.entity_ids == ()


async def test_reports_are_read_with_what_stands_behind_them(
    reported: Mapping[str, BaseTool],
) -> None:
    found: Evidence = await call_tool(reported["read_reports"], report_ids=["ship", "gone"])
    assert [hit.item.title for hit in found.reports] == ["Steamer"]
    assert found.relations
    assert found.chunks


async def test_a_base_without_communities_has_no_report(tools: Mapping[str, BaseTool]) -> None:
    assert await titles(tools, BROAD) == []


async def test_an_empty_question_is_refused(reported: Mapping[str, BaseTool]) -> None:
    with pytest.raises(InputError):
        await titles(reported, " ")
