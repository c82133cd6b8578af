from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from hoptrail.core.errors import CostLimitError, ModelKeyError, ModelUnavailableError
from hoptrail.core.progress import NoProgress
from hoptrail.core.settings import Settings
from hoptrail.core.types import Community
from hoptrail.indexing.communities.reporting import EXTRACTIVE, ReportGuide, ReportStage
from hoptrail.indexing.options import CommunityOptions
from hoptrail.indexing.report import LevelOutcome
from hoptrail.models.chat import ChatModels, register_chat_model
from hoptrail.prompts.loader import SHIPPED
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import ScriptedChatModel
from tests import regions

KEY = "llm:scripted"


@pytest.fixture
def regional(kb: KnowledgeBase) -> KnowledgeBase:
    regions.store(kb)
    return kb


def script(reply: Any) -> ScriptedChatModel:
    model = ScriptedChatModel(by_role={"reporter": reply})
    register_chat_model(regions.MODEL, model)
    return model


def stage(kb: KnowledgeBase, key: str = KEY, **choices: Any) -> ReportStage:
    settings = Settings(max_retries=0)
    model = ChatModels(settings, {"default": regions.MODEL}).for_role("reporter")
    options = CommunityOptions(**{"concurrency": 1, **choices})
    return ReportStage(kb, ReportGuide(model, key, options, None, SHIPPED), NoProgress())


def extracting(kb: KnowledgeBase) -> ReportStage:
    return ReportStage(kb, None, NoProgress())


def counts(outcomes: tuple[LevelOutcome, ...]) -> list[tuple[int, int, int, int]]:
    return [(one.communities, one.reused, one.made, one.dropped) for one in outcomes]


def titles(kb: KnowledgeBase) -> dict[str, str]:
    return {community.id: community.title for community in kb.communities()}


def failing_on(town: str, failure: Any) -> Callable[[list[BaseMessage]], Any]:
    """Return a model that fails on one town only."""

    def reply(messages: list[BaseMessage]) -> Any:
        text = messages[1].text
        is_alone = all(other not in text for other in regions.TOWNS if other != town)
        if town not in text or not is_alone:
            return regions.answer(messages)
        if isinstance(failure, Exception):
            raise failure
        return failure

    return reply


def test_each_community_is_reported_once_from_the_finest_level_on(
    regional: KnowledgeBase,
) -> None:
    model = script(regions.answer)
    assert counts(stage(regional).run()) == [(2, 0, 2, 0), (4, 0, 4, 0)]
    assert len(model.calls) == 6
    assert "Report on" not in model.calls[0].text
    again = stage(regional)
    assert counts(again.run()) == [(2, 2, 0, 0), (4, 4, 0, 0)]
    assert (len(model.calls), again.usage.llm_calls) == (6, 0)


def test_the_reports_of_the_parts_are_in_the_prompt_where_relations_do_not_fit(
    regional: KnowledgeBase,
) -> None:
    model = script(regions.answer)
    stage(regional, material_tokens=200).run()
    assert "Reports on parts of the group" in model.calls[-1].text
    assert "They trade salt." in model.calls[-1].text


def test_a_report_is_stored_with_its_maker_and_its_usage(regional: KnowledgeBase) -> None:
    script(regions.answer)
    run = stage(regional)
    run.run()
    assert len(regional.report_keys(KEY)) == 6
    assert run.usage.llm_calls == run.usage.by_node["report"].llm_calls == 6


def test_without_a_model_every_community_gets_an_extractive_report(
    regional: KnowledgeBase,
) -> None:
    assert counts(extracting(regional).run()) == [(2, 0, 2, 0), (4, 0, 4, 0)]
    assert len(regional.report_keys(EXTRACTIVE)) == 6
    assert "Aby Pier" in titles(regional)["Aby"]
    assert counts(extracting(regional).run()) == [(2, 2, 0, 0), (4, 4, 0, 0)]


def test_a_model_takes_over_from_extractive_reports_but_not_the_other_way_round(
    regional: KnowledgeBase,
) -> None:
    extracting(regional).run()
    script(regions.answer)
    stage(regional).run()
    assert regional.report_keys(EXTRACTIVE) == set()
    extracting(regional).run()
    assert len(regional.report_keys(KEY)) == 6


@pytest.mark.parametrize(
    ("failure", "calls"),
    [
        ("no JSON at all", 7),
        ("", 7),
        (AIMessage("", additional_kwargs={"refusal": "I cannot help with that."}), 7),
        (ConnectionError("gone"), 6),
        ({"title": "Endless", "summary": ["Salt. " * 10_000]}, 7),
    ],
)
def test_a_bad_reply_costs_one_report_which_is_asked_for_again(
    regional: KnowledgeBase, failure: Any, calls: int
) -> None:
    model = script(failing_on("Cid", failure))
    run = stage(regional)
    assert counts(run.run()) == [(2, 0, 2, 0), (4, 0, 4, 0)]
    assert run.stopped_by is None
    assert [failed.community_id for failed in run.failed] == ["Cid"]
    assert len(model.calls) == calls
    assert regional.report_keys(EXTRACTIVE) == {"key of Cid"}
    assert "Cid" in titles(regional)["Cid"]
    mended = script(regions.answer)
    assert counts(stage(regional).run()) == [(2, 2, 0, 0), (4, 3, 1, 0)]
    assert len(mended.calls) == 1


@pytest.mark.parametrize("references", [[], [999]])
def test_a_report_without_a_reference_is_dropped_and_not_asked_for_again(
    regional: KnowledgeBase, references: list[int]
) -> None:
    finding = {"summary": "Believe me.", "references": references}
    unfounded = {"title": "Rumours", "summary": "All is well.", "findings": [finding]}
    script(failing_on("Dal", unfounded))
    assert counts(stage(regional).run()) == [(2, 0, 2, 0), (4, 0, 4, 1)]
    assert titles(regional)["Dal"] != "Rumours"
    again = script(regions.answer)
    assert counts(stage(regional).run()) == [(2, 2, 0, 0), (4, 4, 0, 0)]
    assert again.calls == []


def test_a_dead_model_stops_the_run_and_the_rest_is_extractive(regional: KnowledgeBase) -> None:
    many = tuple(f"Ort{n}" for n in range(12))
    regional.replace_graph(*regions.graph(many), [])
    regional.publish()
    members = {town: tuple(f"{town}-{place}" for place in regions.PLACES) for town in many}
    communities = [Community(town, 0, size=4, entity_ids=ids) for town, ids in members.items()]
    regional.replace_communities(communities, {town: town for town in many})
    model = script(ConnectionError("gone"))
    run = stage(regional)
    run.run()
    assert isinstance(run.stopped_by, ModelUnavailableError)
    assert len(model.calls) == 8
    assert all(titles(regional).values())


def test_the_cost_limit_stops_the_run_and_the_next_one_goes_on(regional: KnowledgeBase) -> None:
    model = script(regions.answer)
    with pytest.raises(CostLimitError):
        regions.builder(regional).build(CommunityOptions(concurrency=1, max_usd=0.012))
    paid = len(model.calls)
    assert 0 < paid < 4
    assert all(titles(regional).values())
    regions.builder(regional).build(CommunityOptions(concurrency=1))
    assert len(model.calls) == len(regional.communities())


def test_a_refused_key_ends_the_run_and_the_next_one_goes_on(regional: KnowledgeBase) -> None:
    script(failing_on("Cid", ModelKeyError("refused")))
    with pytest.raises(ModelKeyError):
        regions.builder(regional).build(CommunityOptions(concurrency=1))
    script(failing_on("Cid", "no JSON at all"))
    assert regions.builder(regional).build(CommunityOptions(concurrency=1)).resumable
    script(regions.answer)
    assert not regions.builder(regional).build(CommunityOptions(concurrency=1)).resumable


def test_a_killed_run_pays_for_nothing_twice(regional: KnowledgeBase) -> None:
    def reply(messages: list[BaseMessage]) -> Any:
        if len(killed.calls) == 3:
            raise KeyboardInterrupt
        return regions.answer(messages)

    killed = script(reply)
    with pytest.raises(KeyboardInterrupt):
        stage(regional).run()
    resumed = script(regions.answer)
    stage(regional).run()
    assert (len(killed.calls), len(resumed.calls)) == (3, 4)


def test_another_model_writes_its_own_reports_and_keeps_what_it_fails_at(
    regional: KnowledgeBase,
) -> None:
    script(regions.answer)
    stage(regional).run()
    model = script(failing_on("Aby", "no JSON"))
    run = stage(regional, key="llm:another")
    assert counts(run.run()) == [(2, 0, 2, 0), (4, 1, 3, 0)]
    assert len(model.calls) == 7
    assert regional.report_keys(KEY) == {"key of Aby"}


def test_a_report_that_was_made_once_serves_again(regional: KnowledgeBase) -> None:
    communities, keys = regions.hierarchy()
    script(regions.answer)
    stage(regional).run()
    regional.replace_communities(communities, {**keys, "Aby": "other", "north": "new"})
    assert counts(stage(regional).run()) == [(2, 1, 1, 0), (4, 3, 1, 0)]
    regional.replace_communities(communities, keys)
    assert counts(stage(regional).run()) == [(2, 2, 0, 0), (4, 4, 0, 0)]
